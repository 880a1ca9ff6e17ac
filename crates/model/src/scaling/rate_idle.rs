//! Rate-Idle: scale up when demand exceeds the rate at which servers become idle.

use super::Ramp;
use crate::named::{Kind, Parameter, Values};
use crate::{Gradient, ModelError, ScalingRule};

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
    const PARAMETERS: &[Parameter] = &[
        Parameter::nonnegative("gain", Some(1.0)),
        Parameter {
            name: "exponent",
            values: Values::Real { allowed: "a finite number >= 1", fits: |value| value >= 1.0 },
            default: Some(1.0),
        },
    ];

    pub(super) const KIND: Kind<ScalingRule> = Kind {
        name: "rate-idle",
        parameters: Self::PARAMETERS,
        build: |values| Self::new(values[0], values[1]).map(ScalingRule::RateIdle),
    };

    /// # Errors
    /// [`ModelError::OutOfRange`] unless `gain >= 0` and `exponent >= 1`.
    pub fn new(gain: f64, exponent: f64) -> Result<Self, ModelError> {
        Ok(Self { gain: Self::PARAMETERS[0].check(gain)?, exponent: Self::PARAMETERS[1].check(exponent)? })
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
        let direction = Gradient { warming: -1.0, one_job: -1.0, ..Gradient::default() };
        Ramp { gain: self.gain, exponent: self.exponent, direction }
    }
}
