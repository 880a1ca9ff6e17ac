//! First moments in a regime whose drift is 0/0 at the start: series in the time since.

use crate::field::{Field, IDLE, INITIALIZING, WARM, tail};
use crate::problem::{MOST_LEVELS, NEGLIGIBLE_PART};
use crate::root::root;
use crate::rule::{Opening, rule_of};
use crate::{FluidError, Pool};

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
    let Some(filling) = rule_of(&field.dispatch).first_warm(field, z, since, &mut after) else {
        return Ok(Departure { state: after, since });
    };
    let flow = filling.flow;
    // Y_i / Y_0, given Y_{i-1} / Y_0
    let next = |ratio: f64| root(|next| next * warming + flow(next) - flow(ratio), ratio);
    let last = field.limit.unwrap_or(usize::MAX);
    let mut ratio = 1.0;
    for i in filling.first..=last {
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

/// The pool below the threshold opens: everything else goes on as it did while it was empty, up to as much as the pool.
fn refill(field: &Field, z: &[f64], d: usize, most: f64) -> Departure {
    let opening = Opening::new(field, z, d, need_slope(field, z, d));
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
