//! First moments in a regime whose drift is 0/0 at the start: series in the time since.

use crate::field::{Field, INITIALIZING, WARM, tail};
use crate::{FluidError, Pool};
use alba_model::Dispatch;

/// A demand this close to the rate at which servers come below the threshold is equal to it.
const EQUAL: f64 = 1e-9;

/// The state a short time `since` after `z`, where the drift of the field's regime is singular at `z`; none where
/// it is not. Exact to the square of `since` (cold start: to its cube).
///
/// # Errors
/// [`FluidError::ColdStartNeedsBuffer`] (at `time`) if jobs arrive, no server is warm or initializing, and the
/// buffer is infinite.
pub(crate) fn depart(
    field: &Field,
    z: &[f64],
    since: f64,
    time: f64,
) -> Result<Option<Vec<f64>>, FluidError> {
    if field.regime.warm == Pool::Empty {
        return Ok(None);
    }
    if z[WARM] <= 0.0 {
        return if z[INITIALIZING] > 0.0 {
            Ok(Some(first_warm(field, z, since)))
        } else {
            from_all_cold(field, z, since, time).map(Some)
        };
    }
    let threshold = field.threshold().filter(|_| field.regime.below_threshold == Pool::Open);
    Ok(threshold
        .filter(|&d| d > 0 && field.arrival_rate > 0.0 && field.below_threshold(z, d) <= 0.0)
        .map(|d| refill(field, z, d, since)))
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
fn first_warm(field: &Field, z: &[f64], since: f64) -> Vec<f64> {
    let warming = field.warming(z);
    let mut after = z.to_vec();
    after[INITIALIZING] += since * initializing_drift(field, z);
    after[WARM] = since * warming;
    match field.dispatch {
        Dispatch::PowerOfD(rule) => {
            let flow = |ratio: f64| field.arrival_rate * rule.all_within(ratio);
            let mut previous = 1.0; // Y_i / Y_0
            for tail in &mut after[WARM + 1..] {
                let entering = flow(previous);
                previous = root(|ratio| ratio * warming + flow(ratio) - entering, previous);
                *tail = since * warming * previous;
            }
        }
        Dispatch::JoinBelowThreshold(rule) => {
            let d = rule.d() as usize;
            if field.regime.below_threshold == Pool::Open {
                return if field.arrival_rate > 0.0 { refill(field, z, d, since) } else { after };
            }
            let excess = (field.arrival_rate - field.need(z, d)).max(0.0);
            let ratio = excess / (excess + warming);
            after[WARM + 1..WARM + d + 2].fill(since * warming);
            for i in WARM + d + 2..after.len() {
                after[i] = ratio * after[i - 1];
            }
        }
    }
    after
}

/// The pool below the threshold opens: `x[k,2] ~ s v_k` for `k <= d`, with `v_k = (1-p) (b p^k + [k=d] x[d+1,2])`,
/// `b = beta x01`, where `p` balances arrivals: `lambda = p x[d+1,2] + b (p + ... + p^(d+1))`. Where the demand
/// equals what comes in, `sum v_k = 0` and growth is quadratic.
fn refill(field: &Field, z: &[f64], d: usize, since: f64) -> Vec<f64> {
    let warming = field.warming(z);
    let finishing = tail(z, d + 1) - tail(z, d + 2);
    let lambda = field.arrival_rate;
    let mut after = z.to_vec();
    after[INITIALIZING] += since * initializing_drift(field, z);
    for i in d + 2..z.len() - WARM {
        after[WARM + i] -= since * (tail(z, i) - tail(z, i + 1));
    }
    after[WARM] += since * (warming - field.expiring(z));
    let mut below = vec![0.0; d + 1]; // x[k,2] after
    if field.need(z, d) - lambda > EQUAL {
        let geometric = |p: f64| (0..=d).fold(0.0, |sum, _| p * (1.0 + sum));
        let p = root(|p| p * finishing + warming * geometric(p) - lambda, 1.0);
        let mut factor = since * (1.0 - p);
        for level in &mut below {
            *level = factor * warming;
            factor *= p;
        }
        below[d] += since * (1.0 - p) * finishing;
    } else {
        let share = warming / lambda;
        let total =
            0.5 * need_slope(field, z, d) * since * since / (1.0 + 0.5 * (d * (d + 1)) as f64 * share);
        below.fill(total * share);
        below[d] = total * (1.0 - d as f64 * share);
    }
    for (k, level) in below.iter().enumerate() {
        after[WARM + k + 1] = after[WARM + k] - level;
    }
    after
}

/// The derivative of `need` along the sliding regime that is left.
fn need_slope(field: &Field, z: &[f64], d: usize) -> f64 {
    let mut sliding = field.clone();
    sliding.regime.below_threshold = Pool::Empty;
    let mut drift = vec![0.0; z.len()];
    sliding.drift(z, &mut drift);
    tail(&drift, d + 1) - tail(&drift, d + 2) + (d as f64 + 1.0) * field.warming(&drift)
}

fn initializing_drift(field: &Field, z: &[f64]) -> f64 {
    let started = match field.regime.cold {
        Pool::Open => field.starting(z),
        Pool::Empty => field.expiring(z),
    };
    started - field.warming(z)
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
