//! Blind-theta: start a cold server with probability `theta`, whatever the state.

use crate::named::{Kind, Parameter, Values};
use crate::{ModelError, ScalingRule};

/// Blind-theta: start a cold server with probability `theta`, whatever the state.
///
/// # Source
/// Definition 2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blind {
    theta: f64,
}

impl Blind {
    const THETA: Parameter = Parameter {
        name: "theta",
        values: Values::Real { allowed: "a number in (0, 1]", fits: |value| value > 0.0 && value <= 1.0 },
        default: None,
    };

    pub(super) const KIND: Kind<ScalingRule> = Kind {
        name: "blind",
        parameters: &[Self::THETA],
        build: |values| Self::new(values[0]).map(ScalingRule::Blind),
    };

    /// # Errors
    /// [`ModelError::OutOfRange`] unless `0 < theta <= 1`.
    pub fn new(theta: f64) -> Result<Self, ModelError> {
        Ok(Self { theta: Self::THETA.check(theta)? })
    }

    /// The probability.
    pub fn theta(&self) -> f64 {
        self.theta
    }
}
