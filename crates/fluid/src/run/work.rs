//! How much a run may take.

use super::Run;
use crate::FluidError;
use crate::field::FastRate;

/// How much work a run may take: tried steps times coordinates and [`STEP`], some ten seconds; and for each step of the arrival rate.
const MOST_WORK: (u64, u64) = (200_000_000, 200_000);
/// What a step takes beside its coordinates, in coordinates.
const STEP: u64 = 50;

/// All that a run with so many steps of the arrival rate may take.
pub(super) fn most_work(segments: u64) -> u64 {
    MOST_WORK.0 + MOST_WORK.1 * segments
}

impl Run<'_> {
    /// Takes a tried step from the work that is left.
    pub(super) fn charge(&mut self) -> Result<(), FluidError> {
        match self.work_left.checked_sub(self.z.len() as u64 + STEP) {
            Some(left) => {
                self.work_left = left;
                Ok(())
            }
            None => {
                let FastRate { name, value } = self.field.culprit(&self.z);
                let (time, steps) = (self.clock.time(), self.statistics.steps);
                Err(FluidError::TooManySteps { time, steps, name, value })
            }
        }
    }
}
