//! The fluid model without regimes for rates of all sizes: every "if any is left" becomes a share `held / (held + small)`,
//! which makes the drift smooth, and an extrapolated implicit Euler method goes through it, whatever the rates.
//!
//! No pool can become empty, and no boundary is ever located: sliding is what a share does that is neither 0 nor 1. The
//! error is in proportion to `small` and to the tolerance, so that two runs, of these and a tenth of them, tell it.
//!
//! The Jacobian is a table of difference quotients, and the linear systems are solved by elimination: slow and obvious.

use super::fluid::{Fluid, distance};
use alba_model::{Dispatch, Model, Occupancy, PowerOfD, ScalingRule, Scheme};

/// What stands for "hardly any", and the tolerance of a step, in fractions of servers: of a run and of a finer one. A pool
/// that opens slowly, from flows that balance, is off by `sqrt(small)` at first, and a step that does not resolve `small`
/// itself goes past that moment: with tolerances as large as `small` both runs were wrong in the same way, by eight times
/// their distance.
const RUNS: [(f64, f64); 2] = [(1e-8, 1e-10), (1e-9, 1e-11)];
/// Columns of the extrapolation.
const COLUMNS: usize = 6;
/// Steps after which a run gives up.
const MOST_STEPS: usize = 10_000;

/// The states at increasing `times`, with an estimate of their error; none where a run gives up.
pub(crate) fn trajectory(
    model: &Model,
    start: &Occupancy,
    levels: usize,
    times: &[f64],
) -> Option<(Vec<Fluid>, f64)> {
    let run = |(small, tolerance)| Smooth { model, levels, small, tolerance }.run(start, times);
    let (coarse, fine) = (run(RUNS[0])?, run(RUNS[1])?);
    let error = coarse.iter().zip(&fine).map(|(a, b)| distance(a, b)).fold(0.0, f64::max);
    Some((fine, error))
}

struct Smooth<'a> {
    model: &'a Model,
    /// The most jobs in a server.
    levels: usize,
    small: f64,
    tolerance: f64,
}

impl Smooth<'_> {
    fn run(&self, start: &Occupancy, times: &[f64]) -> Option<Vec<Fluid>> {
        let horizon = times.last().copied()?;
        let mut marks: Vec<f64> =
            self.model.arrivals().segments(horizon).map(|segment| segment.start).collect();
        marks.extend(times);
        marks.sort_by(f64::total_cmp);
        marks.dedup();
        let mut x = vec![0.0; self.levels + 3];
        (x[0], x[1]) = (start.cold(), start.initializing());
        (0..=self.levels).for_each(|level| x[2 + level] = start.warm_with(level));
        let (mut states, mut now, mut steps) = (Vec::new(), 0.0, MOST_STEPS);
        for mark in marks {
            let arrival_rate = self.model.arrivals().rate_at(now);
            self.integrate(&mut x, arrival_rate, mark - now, &mut steps)?;
            now = mark;
            if times.contains(&mark) {
                states.push(Fluid { cold: x[0], initializing: x[1], warm: x[2..].to_vec() });
            }
        }
        Some(states)
    }

    /// Over a stretch of `length`, with ever longer steps after its start.
    fn integrate(&self, x: &mut Vec<f64>, arrival_rate: f64, length: f64, steps: &mut usize) -> Option<()> {
        let (mut left, mut h) = (length, length.min(1e-12));
        while left > 0.0 {
            *steps = steps.checked_sub(1)?;
            h = h.min(left);
            let (end, error) = self.attempt(x, arrival_rate, h);
            if error <= 1.0 {
                *x = end;
                left -= h;
            }
            h *= (0.9 * error.max(1e-8).powf(-1.0 / COLUMNS as f64)).clamp(0.1, 5.0);
        }
        Some(())
    }

    /// Linearly implicit Euler in 1, 2, ... parts, extrapolated to none.
    fn attempt(&self, x: &[f64], arrival_rate: f64, h: f64) -> (Vec<f64>, f64) {
        let jacobian = self.jacobian(x, arrival_rate);
        let mut row: Vec<Vec<f64>> = Vec::new();
        let mut error = f64::INFINITY;
        for parts in 1..=COLUMNS {
            let part = h / parts as f64;
            let factors = Factors::new(&jacobian, part);
            let mut y = x.to_vec();
            for _ in 0..parts {
                let mut step: Vec<f64> = self.drift(&y, arrival_rate).iter().map(|f| part * f).collect();
                factors.solve(&mut step);
                y.iter_mut().zip(&step).for_each(|(y, step)| *y += step);
            }
            let mut next = vec![y];
            for (k, before) in row.iter().enumerate() {
                let ratio = parts as f64 / (parts - 1 - k) as f64 - 1.0;
                let better = next[k].iter().zip(before).map(|(a, b)| a + (a - b) / ratio).collect();
                next.push(better);
            }
            if parts > 1 {
                let pairs = next[parts - 1].iter().zip(&next[parts - 2]);
                error = pairs.map(|(a, b)| (a - b).abs()).fold(
                    0.0,
                    |worst, off| {
                        if off <= worst { worst } else { off }
                    },
                ) / self.tolerance;
            }
            row = next;
        }
        let end = row.swap_remove(COLUMNS - 1);
        let valid = end.iter().all(|share| *share > -1e-3 * self.small);
        (end, if valid && error.is_finite() { error } else { 1e12 })
    }

    fn jacobian(&self, x: &[f64], arrival_rate: f64) -> Vec<Vec<f64>> {
        let here = self.drift(x, arrival_rate);
        let column = |j: usize| {
            let mut moved = x.to_vec();
            moved[j] += 1e-7 * (x[j].abs() + self.small);
            let by = moved[j] - x[j];
            let there = self.drift(&moved, arrival_rate);
            there.iter().zip(&here).map(|(a, b)| (a - b) / by).collect::<Vec<f64>>()
        };
        (0..x.len()).map(column).collect()
    }

    /// The sum of all flows from and to cold, initializing, and warm with 0, 1, ... jobs.
    fn drift(&self, x: &[f64], arrival_rate: f64) -> Vec<f64> {
        let mut drift = vec![0.0; x.len()];
        let mut flow = |from: usize, to: usize, rate: f64| {
            drift[from] -= rate;
            drift[to] += rate;
        };
        let (rates, warm) = (self.model.rates(), &x[2..]);
        let some_cold = x[0] / (x[0] + self.small);
        flow(1, 2, rates.initialization() * x[1]);
        flow(2, 0, rates.expiration() * x[2]);
        for (level, &servers) in warm.iter().enumerate().skip(1) {
            flow(2 + level, 1 + level, servers);
        }
        let (joined, missed) = self.joined(warm, arrival_rate);
        for (level, &jobs) in joined.iter().enumerate().take(self.levels) {
            flow(2 + level, 3 + level, jobs);
        }
        let asked = match self.model.scheme() {
            Scheme::Asynchronous { scaling, .. } => {
                rates.scaling() * asked(scaling, rates.initialization(), x, arrival_rate)
            }
            Scheme::Tabs(_) => missed,
            Scheme::CentralQueue => panic!("no fluid model"),
        };
        flow(0, 1, asked * some_cold);
        drift
    }

    /// Where jobs go, and those that find no server at or below the threshold.
    fn joined(&self, warm: &[f64], arrival_rate: f64) -> (Vec<f64>, f64) {
        match self.model.scheme() {
            Scheme::Asynchronous { dispatch: Dispatch::PowerOfD(rule), .. } => {
                (shortest(rule, warm, arrival_rate), 0.0)
            }
            Scheme::Asynchronous { dispatch: Dispatch::JoinBelowThreshold(rule), .. } => {
                self.below(warm, rule.d() as usize, rule.otherwise(), arrival_rate)
            }
            Scheme::Tabs(rule) => self.below(warm, 0, rule, arrival_rate),
            Scheme::CentralQueue => panic!("no fluid model"),
        }
    }

    fn below(&self, warm: &[f64], d: usize, otherwise: PowerOfD, arrival_rate: f64) -> (Vec<f64>, f64) {
        let pool: f64 = warm[..=d].iter().sum();
        let each = arrival_rate / (pool + self.small);
        let missed = each * self.small;
        let mut joined = shortest(otherwise, warm, missed);
        for level in 0..=d {
            joined[level] += each * warm[level];
        }
        (joined, missed)
    }
}

fn shortest(rule: PowerOfD, warm: &[f64], jobs: f64) -> Vec<f64> {
    let mut tails = warm.to_vec();
    tails.push(0.0);
    for level in (0..warm.len()).rev() {
        tails[level] += tails[level + 1];
    }
    let within =
        |level: usize| if tails[0] > 0.0 { (tails[level] / tails[0]).powi(rule.d() as i32) } else { 0.0 };
    (0..warm.len()).map(|level| jobs * (within(level) - within(level + 1))).collect()
}

/// `g`.
fn asked(rule: ScalingRule, beta: f64, x: &[f64], demand: f64) -> f64 {
    let warm: f64 = x[2..].iter().sum();
    match rule {
        ScalingRule::Blind(rule) => rule.theta(),
        ScalingRule::RateIdle(rule) => {
            (rule.gain() * (demand - beta * x[1] - x[3]).max(0.0).powf(rule.exponent())).min(1.0)
        }
        ScalingRule::WarmShortage(rule) => (rule.gain() * (demand - warm)).clamp(0.0, 1.0),
        ScalingRule::CapacityShortage(rule) => (rule.gain() * (demand - warm - x[1])).clamp(0.0, 1.0),
        ScalingRule::None => 0.0,
    }
}

/// `I - h J` with its rows eliminated, the largest pivot first.
struct Factors {
    rows: Vec<Vec<f64>>,
    order: Vec<usize>,
}

impl Factors {
    fn new(columns: &[Vec<f64>], h: f64) -> Self {
        let n = columns.len();
        let entry = |i: usize, j: usize| f64::from(u8::from(i == j)) - h * columns[j][i];
        let mut rows: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
        let mut order: Vec<usize> = (0..n).collect();
        for k in 0..n {
            let best = (k..n).max_by(|a, b| rows[*a][k].abs().total_cmp(&rows[*b][k].abs())).unwrap_or(k);
            rows.swap(k, best);
            order.swap(k, best);
            let pivot = rows[k].clone();
            for row in &mut rows[k + 1..] {
                let factor = row[k] / pivot[k];
                row[k] = factor;
                row[k + 1..].iter_mut().zip(&pivot[k + 1..]).for_each(|(a, b)| *a -= factor * b);
            }
        }
        Self { rows, order }
    }

    fn solve(&self, b: &mut Vec<f64>) {
        let n = b.len();
        let mut y: Vec<f64> = self.order.iter().map(|&index| b[index]).collect();
        for i in 0..n {
            y[i] -= (0..i).map(|j| self.rows[i][j] * y[j]).sum::<f64>();
        }
        for i in (0..n).rev() {
            let known: f64 = (i + 1..n).map(|j| self.rows[i][j] * y[j]).sum();
            y[i] = (y[i] - known) / self.rows[i][i];
        }
        *b = y;
    }
}
