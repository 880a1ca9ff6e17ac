//! The state at a time within the last step.

use super::Run;
use crate::clock::Clock;
use crate::field::Field;
use crate::recorder::put_right;
use crate::step::Step;
use crate::{FluidError, Regime, Statistics, Switch};
use alba_model::{Occupancy, Snapshot};

/// A step: which method's memory has it, and where it is in time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    start: Clock,
    length: f64,
    regime: Regime,
    stiff: bool,
}

impl Stretch {
    pub(super) fn new(start: Clock, length: f64, regime: Regime, stiff: bool) -> Self {
        Self { start, length, regime, stiff }
    }
}

impl Run<'_> {
    pub(crate) fn field(&self) -> &Field {
        &self.field
    }

    pub(crate) fn time(&self) -> f64 {
        self.clock.time()
    }

    pub(crate) fn snapshots(&self) -> &[Snapshot] {
        &self.recorder.snapshots
    }

    pub(crate) fn switches(&self) -> &[Switch] {
        &self.switches
    }

    /// The state as it is now.
    pub(crate) fn state(&self) -> Result<Occupancy, FluidError> {
        let mut z = self.z.clone();
        put_right(&self.field, &mut z, &mut Statistics::default());
        Ok(self.field.occupancy(&z)?)
    }

    /// The state at `time`; none before the last step and after the present.
    pub(crate) fn state_at(&self, time: f64) -> Result<Option<Occupancy>, FluidError> {
        if time == self.time() {
            return self.state().map(Some);
        }
        let Some(last) = self.last.filter(|last| last.start.left(time) >= 0.0) else { return Ok(None) };
        if self.clock.left(time) > 0.0 {
            return Ok(None);
        }
        let since = last.start.left(time);
        let mut z = Vec::new();
        let mut field = self.field.clone();
        if since <= last.length {
            field.regime = last.regime;
            self.within_step(last, since / last.length, &mut z);
        } else {
            // A pool's last servers, the first moment of a regime, and a settled state go in a straight line.
            self.within_step(last, 1.0, &mut z);
            let theta = (since - last.length) / (last.start.left(self.time()) - last.length);
            let length = z.len().max(self.z.len());
            z.resize(length, 0.0);
            for (i, z) in z.iter_mut().enumerate() {
                *z += theta * (self.z.get(i).copied().unwrap_or(0.0) - *z);
            }
        }
        put_right(&field, &mut z, &mut Statistics::default());
        Ok(Some(field.occupancy(&z)?))
    }

    fn within_step(&self, last: Stretch, theta: f64, into: &mut Vec<f64>) {
        if last.stiff {
            self.implicit.state(theta, into);
        } else {
            self.explicit.state(theta, into);
        }
    }
}
