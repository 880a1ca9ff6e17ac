//! How much a run may take.

use super::Run;
use crate::FluidError;
use crate::speed::FastRate;

/// How much work a run may take, some seconds; and for each step of the arrival rate.
const MOST_WORK: (u64, u64) = (200_000_000, 200_000);
/// What a step takes beside its coordinates, in coordinates.
const STEP: u64 = 50;
/// By how much a stiff step takes longer.
const STIFF: u64 = 5;
/// So many tried steps, at one arrival rate, are looked at together: runs that end have needed up to twice as many.
const WINDOW: u64 = 75_000;
/// After so many such windows in a row in which what was left to the next arrival rate would have taken [`TOO_MUCH`], a run is
/// given up.
const WINDOWS: u32 = 3;
/// In units of the most work: far beyond it.
const TOO_MUCH: f64 = 20.0;
/// A window that comes so many times farther than the one before speaks for a transient, whose steps grow with time.
const FARTHER: f64 = 1.5;

/// What a run has taken, and whether there is hope that it ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Work {
    most: u64,
    pub(super) done: u64,
    /// Tried steps, work and time left at the start of the window.
    tried: u64,
    before: u64,
    left: f64,
    /// How far the last window came.
    came: f64,
    hopeless: u32,
}

impl Work {
    /// For a run with so many steps of the arrival rate.
    pub(super) fn new(segments: u64) -> Self {
        let most = MOST_WORK.0 + MOST_WORK.1 * segments;
        Self { most, done: 0, tried: 0, before: 0, left: 0.0, came: 0.0, hopeless: 0 }
    }

    /// An arrival rate begins that lasts for `left`.
    pub(super) fn restart(&mut self, left: f64) {
        *self = Self { tried: 0, before: self.done, left, came: 0.0, hopeless: 0, ..*self };
    }

    /// Counts a tried step of so many coordinates, with so much time left; false where the run is to be given up.
    fn charge(&mut self, coordinates: usize, stiff: bool, left: f64) -> bool {
        let step = coordinates as u64 + STEP;
        self.done += if stiff { STIFF * step } else { step };
        self.tried += 1;
        if self.tried == WINDOW {
            let came = self.left - left;
            let rest = (self.done - self.before) as f64 * left / came;
            let is_hopeless = rest > TOO_MUCH * self.most as f64 && came < FARTHER * self.came;
            let hopeless = if is_hopeless { self.hopeless + 1 } else { 0 };
            *self = Self { tried: 0, before: self.done, left, came, hopeless, ..*self };
        }
        self.done <= self.most && self.hopeless < WINDOWS
    }
}

impl Run<'_> {
    /// Counts a tried step.
    pub(super) fn charge(&mut self) -> Result<(), FluidError> {
        if self.work.charge(self.z.len(), self.choice.stiff, self.clock.left(self.end)) {
            return Ok(());
        }
        let FastRate { name, value } = self.field.culprit(&self.z);
        let (time, steps) = (self.clock.time(), self.statistics.steps);
        Err(FluidError::TooManySteps { time, steps, name, value })
    }
}

#[cfg(test)]
mod tests {
    use super::{WINDOW, Work};

    /// How many steps are tried until a run of 10^6 service times is given up, whose step at a time is this; none where it ends.
    fn tried(step: impl Fn(f64) -> f64) -> Option<u64> {
        let (mut work, horizon, mut time) = (Work::new(1), 1e6, 0.0);
        work.restart(horizon);
        for tried in 1.. {
            time += step(time);
            if time >= horizon {
                return None;
            }
            if !work.charge(100, false, horizon - time) {
                return Some(tried);
            }
        }
        None
    }

    #[test]
    fn a_run_without_hope_is_given_up_early() {
        assert_eq!(tried(|_| 1e-5), Some(4 * WINDOW)); // the first window has none before
    }

    #[test]
    fn a_run_that_may_end_has_all_the_work() {
        assert_eq!(tried(|_| 0.1), Some((200_200_000 / 150) + 1)); // ten million steps would be too many, not hopeless
        assert_eq!(tried(|_| 2.0), None);
    }

    #[test]
    fn steps_that_grow_with_time_are_a_transient() {
        assert_eq!(tried(|time| 1e-12 + 1e-4 * time), None);
    }
}
