//! How many levels are tracked.

use super::Run;
use crate::field::{Field, IDLE, INITIALIZING, WARM, tail};
use crate::problem::{MOST_LEVELS, NEGLIGIBLE_PART};
use crate::step::Step;
use crate::{FluidError, Problem};

/// Levels are added before `i y_i` at the last one passes this: below it they change no printed digit.
const NEGLIGIBLE: f64 = 1e-14;
/// Levels are dropped where less than this part of the warm servers is left.
const VANISHED: f64 = 1e-20;
/// A level held in reserve above the last one in use, at the least.
const RESERVE: usize = 4;

impl Run<'_> {
    /// Extends the levels if the last one is no longer negligible in `end`.
    pub(super) fn needs_more_levels(&mut self, end: &[f64]) -> Result<bool, FluidError> {
        let levels = end.len() - WARM - 1;
        let negligible = NEGLIGIBLE.min(NEGLIGIBLE_PART * tail(end, 0));
        let needed = levels as f64 * tail(end, levels) > negligible && self.field.arrival_rate > 0.0;
        if self.field.limit == Some(levels) || !needed {
            return Ok(false);
        }
        let wanted = levels + RESERVE.max(levels / 4);
        if wanted > MOST_LEVELS && self.field.limit.is_none_or(|limit| limit > MOST_LEVELS) {
            return Err(FluidError::TooManyLevels { time: self.clock.time(), levels: MOST_LEVELS });
        }
        self.z.resize(WARM + 1 + self.field.limit.map_or(wanted, |limit| wanted.min(limit)), 0.0);
        Ok(true)
    }

    pub(super) fn drop_vanished_levels(&mut self, method: &mut impl Step) {
        let warm = tail(&self.z, 0);
        let used = self.z.iter().rposition(|&tail| tail > VANISHED * warm).unwrap_or(0);
        let kept = (used + 1 + RESERVE).max(least_length(&self.field));
        if kept + RESERVE.max(kept / 4) < self.z.len() {
            self.z.truncate(kept);
            method.restart();
        }
    }
}

/// Whether an infinite buffer is sure to hold more jobs than levels are tracked within `left`: no more than
/// `Y(t) = y_0 + beta x01 t + beta s t^2/2` servers are warm by then, with `s` the most that start, so that each holds
/// `(lambda - Y) t / Y` jobs or more in the mean. Without this a run would follow the queues all the way there.
pub(super) fn overflows(field: &Field, z: &[f64], left: f64) -> bool {
    if field.limit.is_some() || z[INITIALIZING] + tail(z, 0) == 0.0 {
        return false; // all cold: an error of its own
    }
    let (beta, most_started) = (field.rates.initialization(), field.most_started());
    let queue = |time: f64| {
        let warming = beta * (z[INITIALIZING] + 0.5 * most_started * time);
        let warm = (tail(z, 0) + warming * time).min(1.0);
        (field.arrival_rate - warm) * time / warm
    };
    (0..200).map(|halvings| left * 0.5f64.powi(halvings)).any(|time| queue(time) > MOST_LEVELS as f64)
}

/// The fewest coordinates that the field's formulas need.
fn least_length(field: &Field) -> usize {
    let levels = field.threshold().unwrap_or(0) + 2 + RESERVE;
    WARM + 1 + field.limit.map_or(levels, |limit| levels.min(limit))
}

pub(super) fn coordinates(problem: &Problem, field: &Field) -> Vec<f64> {
    let state = &problem.initial;
    let levels = state.highest_level() + 1;
    let length = (WARM + levels + RESERVE).min(WARM + 1 + field.limit.unwrap_or(usize::MAX - WARM - 1));
    let mut z = vec![0.0; length.max(least_length(field))];
    z[INITIALIZING] = state.initializing();
    z[IDLE] = state.warm_with(0);
    for level in (1..levels).rev() {
        z[WARM + level] = tail(&z, level + 1) + state.warm_with(level);
    }
    if state.cold() == 0.0 {
        let total = z[INITIALIZING] + tail(&z, 0);
        z.iter_mut().for_each(|z| *z /= total);
    }
    z
}
