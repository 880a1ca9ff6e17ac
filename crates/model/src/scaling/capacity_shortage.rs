//! Capacity shortage: scale up while warm and initializing servers together are fewer than the demand needs.

use super::Ramp;
use crate::named::{Kind, Parameter};
use crate::{Gradient, ModelError, ScalingRule};

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
    const PARAMETERS: &[Parameter] = &[Parameter::nonnegative("gain", Some(1.0))];

    pub(super) const KIND: Kind<ScalingRule> = Kind {
        name: "capacity-shortage",
        parameters: Self::PARAMETERS,
        build: |values| Self::new(values[0]).map(ScalingRule::CapacityShortage),
    };

    /// # Errors
    /// [`ModelError::OutOfRange`] unless `gain >= 0`.
    pub fn new(gain: f64) -> Result<Self, ModelError> {
        Ok(Self { gain: Self::PARAMETERS[0].check(gain)? })
    }

    /// c.
    pub fn gain(&self) -> f64 {
        self.gain
    }

    pub(super) fn ramp(&self) -> Ramp {
        let direction = Gradient { initializing: -1.0, warm: -1.0, ..Gradient::default() };
        Ramp { gain: self.gain, exponent: 1.0, direction }
    }
}
