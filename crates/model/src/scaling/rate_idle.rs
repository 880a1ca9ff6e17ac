//! Rate-Idle: scale up when demand exceeds the rate at which servers become idle.

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

    pub(super) fn probability(&self, seen: &Observation) -> f64 {
        let shortage = Self::shortage(seen).max(0.0);
        let raised = if self.exponent == 1.0 { shortage } else { shortage.powf(self.exponent) };
        (self.gain * raised).min(1.0)
    }

    pub(super) fn gradient(&self, seen: &Observation) -> Gradient {
        let shortage = Self::shortage(seen);
        if shortage <= 0.0 || self.probability(seen) >= 1.0 {
            return Gradient::default();
        }
        let slope = -self.gain * self.exponent * shortage.powf(self.exponent - 1.0);
        Gradient { warming: slope, one_job: slope, ..Gradient::default() }
    }

    fn shortage(seen: &Observation) -> f64 {
        seen.demand - seen.warming - seen.one_job
    }
}
