//! The times at which engines report.

use crate::ModelError;
use crate::error::checked;

/// Equidistant report times from 0 to the horizon; computed by index, never by accumulating a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    horizon: f64,
    intervals: usize,
}

impl Grid {
    /// `horizon > 0` in mean service times, cut into `intervals >= 1` equal parts.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] for either.
    pub fn new(horizon: f64, intervals: usize) -> Result<Self, ModelError> {
        checked("horizon", horizon, "a finite number > 0", |v| v > 0.0)?;
        checked("samples", intervals as f64, "a whole number >= 1", |v| v >= 1.0)?;
        Ok(Self { horizon, intervals })
    }

    /// The last report time.
    pub fn horizon(&self) -> f64 {
        self.horizon
    }

    /// Number of report times, both ends included.
    pub fn points(&self) -> usize {
        self.intervals + 1
    }

    /// The report time of `index`, 0 to `points() - 1`.
    pub fn time(&self, index: usize) -> f64 {
        if index >= self.intervals {
            self.horizon
        } else {
            self.horizon * (index as f64 / self.intervals as f64)
        }
    }

    /// All report times, in order.
    pub fn times(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.points()).map(|index| self.time(index))
    }
}
