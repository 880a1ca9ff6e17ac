//! Warm shortage: scale up while fewer servers are warm than the demand needs.

use super::Ramp;
use crate::error::nonnegative;
use crate::{Gradient, ModelError, Observation};

/// Warm shortage: `g = min(1, c (demand - y0)^+)`: scale up while fewer servers are warm than the demand needs.
///
/// # Source
/// Case (A) beside Proposition 1: not enough for optimality.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WarmShortage {
    gain: f64,
}

impl WarmShortage {
    /// # Errors
    /// [`ModelError::OutOfRange`] unless `gain >= 0`.
    pub fn new(gain: f64) -> Result<Self, ModelError> {
        Ok(Self { gain: nonnegative("gain", gain)? })
    }

    /// c.
    pub fn gain(&self) -> f64 {
        self.gain
    }

    pub(super) fn ramp(&self) -> Ramp {
        Ramp { gain: self.gain, exponent: 1.0 }
    }

    pub(super) fn shortage(seen: &Observation) -> f64 {
        seen.demand - seen.warm
    }

    pub(super) fn direction() -> Gradient {
        Gradient { warm: -1.0, ..Gradient::default() }
    }
}
