//! Rate-Idle: scale up when demand exceeds the rate at which servers become idle.

use super::Ramp;
use crate::error::{checked, nonnegative};
use crate::{Gradient, ModelError, Observation};

/// Rate-Idle: `g = min(1, c ((demand - beta x01 - x[1,2])^+)^p)`: scale up if and only if the demand exceeds the
/// rate at which servers become idle, by finishing their only job or by warming up.
///
/// # Source
/// Definition 2 (`p = 1`); the power family meets Theorem 3's condition too. `p < 1` is not Lipschitz.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateIdle {
    gain: f64,
    exponent: f64,
}

impl RateIdle {
    /// # Errors
    /// [`ModelError::OutOfRange`] unless `gain >= 0` and `exponent >= 1`.
    pub fn new(gain: f64, exponent: f64) -> Result<Self, ModelError> {
        Ok(Self {
            gain: nonnegative("gain", gain)?,
            exponent: checked("exponent", exponent, "a finite number >= 1", |v| v >= 1.0)?,
        })
    }

    /// c.
    pub fn gain(&self) -> f64 {
        self.gain
    }

    /// p.
    pub fn exponent(&self) -> f64 {
        self.exponent
    }

    pub(super) fn ramp(&self) -> Ramp {
        Ramp { gain: self.gain, exponent: self.exponent }
    }

    pub(super) fn shortage(seen: &Observation) -> f64 {
        seen.demand - seen.warming - seen.one_job
    }

    pub(super) fn direction() -> Gradient {
        Gradient { warming: -1.0, one_job: -1.0, ..Gradient::default() }
    }
}
