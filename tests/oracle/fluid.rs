//! The fluid model by tiny steps that move flows in order: slow, obvious, and without a regime.
//!
//! A step of length `h` finishes jobs, warms servers up, lets idle ones expire and starts cold ones (as many as
//! there are, those that have just expired included), and then hands out `lambda h` jobs, *after* the servers of
//! this very step have become available. No pool can become negative, and sliding on an empty one is what remains
//! when a pool is emptied in every step; nobody has to know that it does.
//!
//! Only jobs need care, because a small pool fills at rate `lambda / pool`: each level is filled from the one below
//! as it is *after* the step (implicit Euler, upwind), which is a triangular system.
//!
//! The error is of first order in `h`, so `2 x(h/2) - x(h)` is of second. Runs with `h` to `h/8` give three such values:
//! the best one is returned, with the larger of its distance to the second and a quarter of the second's to the third
//! as its error. On a smooth stretch that is three times too much; after a switch, which falls anywhere into a step,
//! the error is as large but jumps about, and one distance alone is small by chance now and then.

use alba_model::{Dispatch, Model, Occupancy, ScalingRule, Scheme};

/// Levels kept of an infinite buffer.
const LEVELS_OF_INFINITE_BUFFER: usize = 400;

/// Fractions of servers at one time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fluid {
    pub(crate) cold: f64,
    pub(crate) initializing: f64,
    pub(crate) warm: Vec<f64>,
}

/// A trajectory with an estimate of its error.
#[derive(Debug, Clone)]
pub(crate) struct Estimate {
    /// The state at the times asked for.
    pub(crate) states: Vec<Fluid>,
    /// What the largest error of any component at any of these times is believed to be.
    pub(crate) error: f64,
    /// The longest step of the finest run.
    pub(crate) step: f64,
}

/// The trajectory of `model` from `start` at increasing `times`, with ever smaller steps until the error is believed
/// to be below `target` or a run takes more than `most_steps` steps.
pub(crate) fn trajectory(
    model: &Model,
    start: &Occupancy,
    times: &[f64],
    target: f64,
    most_steps: usize,
) -> Estimate {
    let horizon = times.last().copied().unwrap_or(0.0);
    let mut step = (horizon / 1000.0).min(0.01);
    let mut runs: [Vec<Fluid>; 4] = [1, 2, 4, 8].map(|parts| run(model, start, times, step, parts));
    loop {
        let [coarse, middle, fine] = [0, 1, 2].map(|index| extrapolated(&runs[index], &runs[index + 1]));
        let apart =
            |a: &[Fluid], b: &[Fluid]| a.iter().zip(b).map(|(a, b)| distance(a, b)).fold(0.0, f64::max);
        let error = apart(&middle, &fine).max(apart(&coarse, &middle) / 4.0);
        step /= 2.0;
        if error < target || 8.0 * horizon / step > most_steps as f64 {
            return Estimate { states: fine, error, step: step / 4.0 };
        }
        let [_, second, third, fourth] = runs;
        runs = [second, third, fourth, run(model, start, times, step, 8)];
    }
}

/// The largest difference of two states in any component.
pub(crate) fn distance(a: &Fluid, b: &Fluid) -> f64 {
    let level = |state: &Fluid, index: usize| state.warm.get(index).copied().unwrap_or(0.0);
    let levels = (0..a.warm.len().max(b.warm.len())).map(|i| (level(a, i) - level(b, i)).abs());
    levels.fold((a.cold - b.cold).abs().max((a.initializing - b.initializing).abs()), f64::max)
}

impl From<&Occupancy> for Fluid {
    fn from(state: &Occupancy) -> Self {
        Self { cold: state.cold(), initializing: state.initializing(), warm: state.levels().to_vec() }
    }
}

/// `2 fine - coarse`.
fn extrapolated(coarse: &[Fluid], fine: &[Fluid]) -> Vec<Fluid> {
    let better = |a: f64, b: f64| 2.0 * b - a;
    let state = |(a, b): (&Fluid, &Fluid)| Fluid {
        cold: better(a.cold, b.cold),
        initializing: better(a.initializing, b.initializing),
        warm: a.warm.iter().zip(&b.warm).map(|(&a, &b)| better(a, b)).collect(),
    };
    coarse.iter().zip(fine).map(state).collect()
}

/// One run whose steps are `parts` to every whole step of at most `step`; report times and steps of the arrival rate
/// are landed on, so that runs with different `parts` have their errors in proportion.
fn run(model: &Model, start: &Occupancy, times: &[f64], step: f64, parts: usize) -> Vec<Fluid> {
    let horizon = times.last().copied().unwrap_or(0.0);
    let mut marks: Vec<f64> = model.arrivals().segments(horizon).map(|segment| segment.start).collect();
    marks.extend(times);
    marks.sort_by(f64::total_cmp);
    marks.dedup();
    let mut state = Fluid::from(start);
    state.warm.resize(model.buffer().limit().map_or(LEVELS_OF_INFINITE_BUFFER, |b| b as usize) + 1, 0.0);
    let mut states = Vec::new();
    let mut now = 0.0;
    for mark in marks {
        let steps = ((mark - now) / step).ceil() as usize * parts;
        let arrival_rate = model.arrivals().rate_at(now);
        for _ in 0..steps {
            advance(model, &mut state, arrival_rate, (mark - now) / steps as f64);
        }
        now = mark;
        if times.contains(&mark) {
            states.push(state.clone());
        }
    }
    states
}

/// One step: everything that happens to servers, then the jobs that arrive.
fn advance(model: &Model, state: &mut Fluid, arrival_rate: f64, step: f64) {
    let rates = model.rates();
    let asked = match model.scheme() {
        Scheme::Asynchronous { scaling, .. } => {
            step * rates.scaling()
                * scale_up_probability(scaling, rates.initialization(), state, arrival_rate)
        }
        Scheme::Tabs(_) => 0.0,
        Scheme::CentralQueue => panic!("no fluid model"),
    };
    let warmed = step * rates.initialization() * state.initializing;
    let expired = step * rates.expiration() * state.warm[0];
    let started = asked.min(state.cold + expired);
    for level in 1..state.warm.len() {
        let completed = step * state.warm[level];
        state.warm[level - 1] += completed;
        state.warm[level] -= completed;
    }
    state.cold += expired - started;
    state.initializing += started - warmed;
    state.warm[0] += warmed - expired;
    let jobs = step * arrival_rate;
    let any_warm = state.warm.iter().sum::<f64>() > 0.0;
    match model.scheme() {
        Scheme::Asynchronous { dispatch, .. } if any_warm && jobs > 0.0 => match dispatch {
            Dispatch::PowerOfD(rule) => join_shortest(&mut state.warm, rule.d(), jobs),
            Dispatch::JoinBelowThreshold(rule) => {
                let left = join_below(&mut state.warm[..=rule.d() as usize + 1], jobs);
                join_any(&mut state.warm[rule.d() as usize + 1..], left);
            }
        },
        Scheme::Tabs(choices) => {
            let left = if any_warm { join_below(&mut state.warm[..=1], jobs) } else { jobs };
            if any_warm && left > 0.0 {
                join_shortest(&mut state.warm[1..], choices.d(), left);
            }
            let started = left.min(state.cold);
            state.cold -= started;
            state.initializing += started;
        }
        Scheme::Asynchronous { .. } | Scheme::CentralQueue => {}
    }
}

/// `g`, of the state before the step.
fn scale_up_probability(rule: ScalingRule, beta: f64, state: &Fluid, demand: f64) -> f64 {
    let one_job = state.warm.get(1).copied().unwrap_or(0.0);
    let warm: f64 = state.warm.iter().sum();
    match rule {
        ScalingRule::Blind(rule) => rule.theta(),
        ScalingRule::RateIdle(rule) => {
            let shortage = (demand - beta * state.initializing - one_job).max(0.0);
            (rule.gain() * shortage.powf(rule.exponent())).min(1.0)
        }
        ScalingRule::WarmShortage(rule) => (rule.gain() * (demand - warm)).clamp(0.0, 1.0),
        ScalingRule::CapacityShortage(rule) => {
            (rule.gain() * (demand - warm - state.initializing)).clamp(0.0, 1.0)
        }
        ScalingRule::None => 0.0,
    }
}

/// Power-of-d: with `z_i = y_i / y_0` after the step, `y_i = old y_i + jobs (z_{i-1}^d - z_i^d)`.
fn join_shortest(warm: &mut [f64], d: u32, jobs: f64) {
    let mut tails = warm.to_vec();
    for level in (1..tails.len()).rev() {
        tails[level - 1] += tails[level];
    }
    let total = tails[0];
    let mut below = 1.0;
    for tail in &mut tails[1..] {
        let (from_below, mut z) = (*tail + jobs * power(below, d), below);
        // Newton from above on an increasing convex function falls to its root.
        loop {
            let excess = total * z + jobs * power(z, d) - from_below;
            let next = z - excess / (total + f64::from(d) * jobs * power(z, d - 1));
            if excess <= 0.0 || next >= z {
                break;
            }
            z = next;
        }
        *tail = total * z;
        below = if z > 1e-40 { z } else { 0.0 };
    }
    for level in 0..warm.len() {
        warm[level] = (tails[level] - tails.get(level + 1).copied().unwrap_or(0.0)).max(0.0);
    }
}

fn power(base: f64, exponent: u32) -> f64 {
    base.powi(exponent as i32)
}

/// JBT: gives `jobs` to the levels but the last, in proportion to what is on them after the step as long as there is
/// anything; returns the jobs that are left when there is not.
///
/// If a server leaves its level with probability `p` before the next one is filled, level `i` ends with
/// `(1-p) sum_k old_k p^(i-k)` and the jobs handed out are `p sum_i sum_k old_k p^(i-k)`.
fn join_below(levels: &mut [f64], jobs: f64) -> f64 {
    let threshold = levels.len() - 2;
    // weights[k]: servers at or below the threshold that can take a job after k others were handed down to them.
    let mut weights = vec![0.0; threshold + 1];
    for (level, weight) in weights.iter_mut().enumerate() {
        *weight = levels[..=threshold - level].iter().sum();
    }
    let capacity: f64 = weights.iter().sum();
    if jobs >= capacity {
        levels[threshold + 1] += levels[..=threshold].iter().sum::<f64>();
        levels[..=threshold].fill(0.0);
        return jobs - capacity;
    }
    let mut p = 1.0;
    loop {
        let (mut value, mut slope) = (0.0, 0.0);
        for weight in weights.iter().rev() {
            slope = slope * p + value;
            value = value * p + weight;
        }
        let excess = p * value - jobs;
        let next = p - excess / (value + p * slope);
        if excess <= 0.0 || next >= p {
            break;
        }
        p = next;
    }
    let before: f64 = levels.iter().sum();
    let mut passed = 0.0;
    for level in &mut levels[..=threshold] {
        let offered = *level + passed;
        passed = p * offered;
        *level = offered - passed;
    }
    levels[threshold + 1] = before - levels[..=threshold].iter().sum::<f64>();
    0.0
}

/// JBT when no server is at or below the threshold: `jobs` to all of `levels` alike; a full server rejects.
fn join_any(levels: &mut [f64], jobs: f64) {
    let each = jobs / levels.iter().sum::<f64>();
    let mut passed = 0.0;
    let full = levels.len() - 1;
    for (index, level) in levels.iter_mut().enumerate() {
        *level += passed;
        passed = if index < full && jobs > 0.0 { *level * each / (1.0 + each) } else { 0.0 };
        *level -= passed;
    }
}
