//! Capacity shortage: scale up while warm and initializing servers together are fewer than the demand needs.

use super::linear;
use crate::error::nonnegative;
use crate::{Gradient, ModelError, Observation};

/// Capacity shortage: `g = min(1, c (demand - y0 - x01)^+)`: scale up while warm and initializing servers together
/// are fewer than the demand needs.
///
/// # Source
/// Case (B) beside Proposition 1: not enough for optimality.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CapacityShortage {
    gain: f64,
}

impl CapacityShortage {
    /// # Errors
    /// [`ModelError::OutOfRange`] unless `gain >= 0`.
    pub fn new(gain: f64) -> Result<Self, ModelError> {
        Ok(Self { gain: nonnegative("gain", gain)? })
    }

    /// c.
    pub fn gain(&self) -> f64 {
        self.gain
    }

    pub(super) fn probability(&self, seen: &Observation) -> f64 {
        linear(self.gain, seen.demand - seen.warm - seen.initializing).0
    }

    pub(super) fn gradient(&self, seen: &Observation) -> Gradient {
        let (_, slope) = linear(self.gain, seen.demand - seen.warm - seen.initializing);
        Gradient { initializing: -slope, warm: -slope, ..Gradient::default() }
    }
}
