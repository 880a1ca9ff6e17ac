//! First moments in a regime whose drift is 0/0 at the start: series in the time since.

use crate::field::{Field, INITIALIZING, WARM, tail};
use crate::run::{MOST_LEVELS, NEGLIGIBLE_PART};
use crate::{FluidError, Pool};
use alba_model::Dispatch;

/// How large a pool must be for its composition to stand out from rounding.
const STANDS_OUT: f64 = 1e-10;

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
    if z[WARM] <= 0.0 {
        let since = 1e-5 * most; // exact to its square
        return Ok(Some(if z[INITIALIZING] > 0.0 {
            first_warm(field, z, since, time)?
        } else {
            Departure { state: from_all_cold(field, z, since, time)?, since }
        }));
    }
    let threshold = field.threshold().filter(|_| field.regime.below_threshold == Pool::Open);
    Ok(threshold
        .filter(|&d| d > 0 && field.arrival_rate > 0.0 && field.below_threshold(z, d) <= 0.0)
        .map(|d| refill(field, z, d, most)))
}

/// All servers are cold: `x01 ~ alpha g s` and `y_0 ~ beta alpha g s^2 / 2`, all of them full at once.
fn from_all_cold(field: &Field, z: &[f64], since: f64, time: f64) -> Result<Vec<f64>, FluidError> {
    let filled = match (field.arrival_rate > 0.0, field.limit) {
        (false, _) => 0,
        (true, Some(limit)) => limit,
        (true, None) => return Err(FluidError::ColdStartNeedsBuffer { time }),
    };
    let mut after = vec![0.0; z.len().max(WARM + filled + 1)];
    after[INITIALIZING] = field.starting(z) * since;
    let warm = 0.5 * field.warming(&after) * since;
    after[WARM..=WARM + filled].fill(warm);
    Ok(after)
}

/// No server is warm but some are initializing: `y_i ~ s Y_i`, with `Y_0 = beta x01`.
fn first_warm(field: &Field, z: &[f64], since: f64, time: f64) -> Result<Departure, FluidError> {
    let warming = field.warming(z);
    let mut after = z.to_vec();
    after[INITIALIZING] += since * (field.started(z) - warming);
    after[WARM] = since * warming;
    if field.arrival_rate == 0.0 {
        return Ok(Departure { state: after, since });
    }
    // Y_i / Y_{i-1}, given Y_{i-1} / Y_0
    let next: Box<dyn Fn(f64) -> f64> = match field.dispatch {
        Dispatch::PowerOfD(rule) => {
            let flow = move |ratio: f64| field.arrival_rate * rule.all_within(ratio);
            Box::new(move |ratio| root(|next| next * warming + flow(next) - flow(ratio), ratio))
        }
        Dispatch::JoinBelowThreshold(rule) => {
            let d = rule.d() as usize;
            after[WARM + 1..WARM + d + 2].fill(since * warming);
            if field.regime.below_threshold == Pool::Open {
                Opening::new(field, z, d).apply(&mut after, d, since);
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
        let slope = if z[WARM] > 0.0 { need_slope(field, z, d).max(0.0) } else { 0.0 };
        let quadratic = slope / (2.0 + (d * (d + 1)) as f64 * share);
        Self { share, p, linear: lambda * (1.0 - p) / p, quadratic }
    }

    /// When the pool is large enough for its composition to stand out from rounding in the tails.
    fn stands_out(&self) -> f64 {
        let root = (self.linear * self.linear + 4.0 * self.quadratic * STANDS_OUT).sqrt();
        2.0 * STANDS_OUT / (self.linear + root)
    }

    /// Opens the pool `since` after it was empty, in a state whose warm servers are all above the threshold.
    fn apply(&self, after: &mut [f64], d: usize, since: f64) {
        let pool = (self.linear + self.quadratic * since) * since;
        let mut left = pool;
        let mut share = self.share;
        for k in 0..d {
            share *= self.p;
            left -= pool * share;
            after[WARM + k + 1] = after[WARM + k] - pool * share;
        }
        after[WARM + d + 1] = after[WARM + d] - left;
    }
}

/// The pool below the threshold opens: everything else goes on as it did while it was empty, up to as much as the pool.
fn refill(field: &Field, z: &[f64], d: usize, most: f64) -> Departure {
    let opening = Opening::new(field, z, d);
    let since = opening.stands_out().min(most);
    let mut state = advance(&sliding(field), z, since);
    opening.apply(&mut state, d, since);
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
