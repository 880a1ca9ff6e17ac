//! First moments in a regime whose drift is 0/0 at the start: series in the time since.

use crate::field::{Field, IDLE, INITIALIZING, WARM, tail};
use crate::problem::{MOST_LEVELS, NEGLIGIBLE_PART};
use crate::{FluidError, Pool};
use alba_model::{Dispatch, PowerOfD};

/// Which part of the warm servers a pool must be for its composition to stand out from rounding.
const STANDS_OUT: f64 = 1e-10;

/// Which part of them it must be to be seen at all.
const VISIBLE: f64 = 1e-13;

/// The most steps that everything else takes until then.
const MOST_PARTS: usize = 10_000;

/// A series in the time since a start without warm servers goes so far, in units of the shortest time that matters: it
/// is exact to the square.
const SHORT: f64 = 1e-5;

/// A state a short time after a singular one.
#[derive(Debug, Clone)]
pub(crate) struct Departure {
    pub(crate) state: Vec<f64>,
    /// How long after.
    pub(crate) since: f64,
}

/// The state a short time after `z`, where the drift of the field's regime is singular at `z`; none where it is not.
/// At most `most` mean service times later.
///
/// # Errors
/// [`FluidError::TooManyLevels`] if the first warm servers get too many jobs each, and
/// [`FluidError::ColdStartNeedsBuffer`] (at `time`) if jobs arrive, no server is warm or initializing, and the
/// buffer is infinite.
pub(crate) fn depart(
    field: &Field,
    z: &[f64],
    most: f64,
    time: f64,
) -> Result<Option<Departure>, FluidError> {
    if field.regime.warm == Pool::Empty {
        return Ok(None);
    }
    if tail(z, 0) <= 0.0 {
        return Ok(if z[INITIALIZING] > 0.0 {
            // What is initializing must not have changed much.
            let change = (field.started(z) - field.warming(z)).abs();
            Some(first_warm(field, z, SHORT * most.min(z[INITIALIZING] / change), time)?)
        } else if field.arrival_rate > 0.0 {
            Some(from_all_cold(field, z, SHORT * most, time)?)
        } else {
            None
        });
    }
    let threshold = field.threshold().filter(|_| field.regime.below_threshold == Pool::Open);
    Ok(threshold
        .filter(|&d| d > 0 && field.arrival_rate > 0.0 && field.below_threshold(z, d) <= 0.0)
        .map(|d| refill(field, z, d, most)))
}

/// All servers are cold: `x01 ~ alpha g s` and `y_0 ~ beta alpha g s^2 / 2`, all of them full at once: jobs arrive in
/// proportion to `s`, so many that `s` is to be a small part of the time at which `lambda s` no longer fills them all.
fn from_all_cold(field: &Field, z: &[f64], most: f64, time: f64) -> Result<Departure, FluidError> {
    let Some(filled) = field.limit else { return Err(FluidError::ColdStartNeedsBuffer { time }) };
    let starting = field.starting(z);
    let growth = 0.5 * field.rates.initialization() * starting;
    let since = most.min(10.0 * SHORT * field.arrival_rate / (growth * filled as f64));
    let mut after = vec![0.0; z.len().max(WARM + filled + 1)];
    after[INITIALIZING] = starting * since;
    after[WARM + 1..=WARM + filled].fill(growth * since * since);
    Ok(Departure { state: after, since })
}

/// No server is warm but some are initializing: `y_i ~ s Y_i`, with `Y_0 = beta x01`.
fn first_warm(field: &Field, z: &[f64], since: f64, time: f64) -> Result<Departure, FluidError> {
    let warming = field.warming(z);
    let mut after = z.to_vec();
    after[INITIALIZING] += since * (field.started(z) - warming);
    if field.arrival_rate == 0.0 {
        after[IDLE] = since * warming;
        return Ok(Departure { state: after, since });
    }
    // Y_i / Y_{i-1}, given Y_{i-1} / Y_0
    let next: Box<dyn Fn(f64) -> f64> = match field.dispatch {
        Dispatch::PowerOfD(rule) => {
            // Idle ones are what jobs leave: Y_0 - Y_1 = x02 with lambda (1 - (1 - x02/Y_0)^d) = Y_1.
            after[IDLE] = since * warming * idle_ratio(rule, field.arrival_rate / warming);
            let flow = move |ratio: f64| field.arrival_rate * rule.all_within(ratio);
            Box::new(move |ratio| root(|next| next * warming + flow(next) - flow(ratio), ratio))
        }
        Dispatch::JoinBelowThreshold(rule) => {
            let d = rule.d() as usize;
            after[WARM + 1..WARM + d + 2].fill(since * warming);
            if field.regime.below_threshold == Pool::Open {
                Opening::new(field, z, d).apply(&mut after, d, since, since * warming);
                return Ok(Departure { state: after, since });
            }
            let excess = (field.arrival_rate - field.need(z, d)).max(0.0);
            let flow = move |ratio: f64| excess * rule.otherwise().all_within(ratio);
            Box::new(move |ratio| root(|next| next * warming + flow(next) - flow(ratio), ratio))
        }
    };
    let first = field.threshold().map_or(1, |d| d + 2);
    let last = field.limit.unwrap_or(usize::MAX);
    let mut ratio = 1.0;
    for i in first..=last {
        ratio = next(ratio);
        if i > MOST_LEVELS {
            return Err(FluidError::TooManyLevels { time, levels: MOST_LEVELS });
        }
        if WARM + i >= after.len() {
            if ratio * (i as f64) < 0.1 * NEGLIGIBLE_PART {
                break;
            }
            after.push(0.0);
        }
        after[WARM + i] = since * warming * ratio;
    }
    Ok(Departure { state: after, since })
}

/// How the pool below the threshold opens: at first `x[k,2]/W = b p^(k+1)/lambda` for `k < d`, with `b = beta x01` and `p`
/// from the balance of arrivals, `lambda = p x[d+1,2] + b (p + ... + p^(d+1))`, and `W = u s + c s^2`, with
/// `u = lambda (1-p)/p` and `c = need' / (2 + d (d+1) b/lambda)`. Where the demand equals what comes in, `p = 1` and
/// growth is quadratic.
#[derive(Debug, Clone, Copy)]
struct Opening {
    /// b / lambda.
    share: f64,
    p: f64,
    linear: f64,
    quadratic: f64,
}

impl Opening {
    fn new(field: &Field, z: &[f64], d: usize) -> Self {
        let lambda = field.arrival_rate;
        let (warming, finishing) = (field.warming(z), tail(z, d + 1) - tail(z, d + 2));
        let geometric = |p: f64| (0..=d).fold(0.0, |sum, _| p * (1.0 + sum));
        let p = root(|p| p * finishing + warming * geometric(p) - lambda, 1.0);
        let share = warming / lambda;
        let slope = if tail(z, 0) > 0.0 { need_slope(field, z, d).max(0.0) } else { 0.0 };
        let quadratic = slope / (2.0 + (d * (d + 1)) as f64 * share);
        Self { share, p, linear: lambda * (1.0 - p) / p, quadratic }
    }

    /// When the pool is so large.
    fn reaches(&self, pool: f64) -> f64 {
        let root = (self.linear * self.linear + 4.0 * self.quadratic * pool).sqrt();
        2.0 * pool / (self.linear + root)
    }

    /// Opens the pool `since` after it was empty, in a state whose `warm` servers are all above the threshold.
    fn apply(&self, after: &mut [f64], d: usize, since: f64, warm: f64) {
        let pool = (self.linear + self.quadratic * since) * since;
        let (mut share, mut taken) = (1.0, 0.0);
        for k in 0..=d {
            share *= if k == 0 { self.share * self.p } else { self.p };
            let level = if k < d { pool * share } else { pool - taken };
            if k == 0 {
                after[IDLE] = level;
            }
            taken += level;
            after[WARM + k + 1] = warm - taken;
        }
    }
}

/// The pool below the threshold opens: everything else goes on as it did while it was empty, up to as much as the pool.
fn refill(field: &Field, z: &[f64], d: usize, most: f64) -> Departure {
    let opening = Opening::new(field, z, d);
    let grown = |part: f64| opening.reaches(part * tail(z, 0));
    // Slow growth beside a fast rate: a pool below the rounding of the tails would be none.
    let since = grown(STANDS_OUT).min(most).max(grown(VISIBLE)).min(MOST_PARTS as f64 * most);
    let parts = (since / most).ceil().max(1.0);
    let sliding = sliding(field);
    let mut state = z.to_vec();
    for _ in 0..parts as usize {
        state = advance(&sliding, &state, since / parts);
    }
    let warm = tail(&state, 0);
    opening.apply(&mut state, d, since, warm);
    Departure { state, since }
}

fn sliding(field: &Field) -> Field {
    let mut sliding = field.clone();
    sliding.regime.below_threshold = Pool::Empty;
    sliding
}

/// One classical Runge-Kutta step.
fn advance(field: &Field, z: &[f64], h: f64) -> Vec<f64> {
    let mut k = vec![0.0; z.len()];
    let mut after = z.to_vec();
    let mut stage = z.to_vec();
    for (weight, next) in [(1.0 / 6.0, 0.5), (1.0 / 3.0, 0.5), (1.0 / 3.0, 1.0), (1.0 / 6.0, 0.0)] {
        field.drift(&stage, &mut k);
        for i in 0..z.len() {
            after[i] += h * weight * k[i];
            stage[i] = z[i] + h * next * k[i];
        }
    }
    after
}

/// The derivative of `need` along the sliding regime that is left.
fn need_slope(field: &Field, z: &[f64], d: usize) -> f64 {
    let mut drift = vec![0.0; z.len()];
    sliding(field).drift(z, &mut drift);
    field.need(&drift, d) // it is linear
}

/// `x` in (0, 1) with `load (1 - (1 - x)^d) = 1 - x`: idle ones among the first warm servers, also where few are.
fn idle_ratio(rule: PowerOfD, load: f64) -> f64 {
    let taken = |x: f64| {
        if x < 0.1 { -(f64::from(rule.d()) * (-x).ln_1p()).exp_m1() } else { 1.0 - rule.all_within(1.0 - x) }
    };
    root(|x| load * taken(x) - (1.0 - x), 1.0)
}

/// The root in (0, `high`) of an increasing function that is negative at 0.
fn root(f: impl Fn(f64) -> f64, mut high: f64) -> f64 {
    let mut low = 0.0;
    while high - low > 1e-15 * high {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if f(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}
