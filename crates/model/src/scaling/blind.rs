//! Blind-theta: start a cold server with probability `theta`, whatever the state.

use crate::ModelError;
use crate::error::checked;

/// Blind-theta: start a cold server with probability `theta`, whatever the state.
///
/// # Source
/// Definition 2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blind {
    theta: f64,
}

impl Blind {
    /// # Errors
    /// [`ModelError::OutOfRange`] unless `0 < theta <= 1`.
    pub fn new(theta: f64) -> Result<Self, ModelError> {
        let theta = checked("theta", theta, "a number in (0, 1]", |v| v > 0.0 && v <= 1.0)?;
        Ok(Self { theta })
    }

    /// The probability.
    pub fn theta(&self) -> f64 {
        self.theta
    }
}
