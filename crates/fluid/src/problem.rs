//! What to integrate.

use crate::FluidError;
use alba_model::{Grid, Model, Occupancy};

/// The most levels that are tracked.
pub(crate) const MOST_LEVELS: usize = 10_000;
/// Levels are added before this part of the warm servers is at the last one: adding one that should have been there is a shock
/// where they are few.
pub(crate) const NEGLIGIBLE_PART: f64 = 1e-8;

/// How accurate a trajectory is to be: each step's error estimate is kept below
/// `absolute + relative * |component|` in every component.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerances {
    relative: f64,
    absolute: f64,
}

impl Tolerances {
    /// The tightest tolerances: rounding takes over below.
    pub const TIGHTEST: f64 = 1e-13;

    /// Both from 1e-13 to 0.1.
    ///
    /// # Errors
    /// [`FluidError::Tolerance`] names the one outside its range.
    pub fn new(relative: f64, absolute: f64) -> Result<Self, FluidError> {
        for (name, value) in [("relative", relative), ("absolute", absolute)] {
            if !(Self::TIGHTEST..=0.1).contains(&value) {
                return Err(FluidError::Tolerance { name, value });
            }
        }
        Ok(Self { relative, absolute })
    }

    /// Relative to the size of a component.
    pub fn relative(&self) -> f64 {
        self.relative
    }

    /// In fractions of servers.
    pub fn absolute(&self) -> f64 {
        self.absolute
    }
}

impl Default for Tolerances {
    /// 1e-10 and 1e-12: curves are right to about 1e-9, to 1e-8 after starts and steps of the arrival rate at which
    /// few servers get many jobs.
    fn default() -> Self {
        Self { relative: 1e-10, absolute: 1e-12 }
    }
}

/// A model, where it starts, when to report, and how accurately.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    pub(crate) model: Model,
    pub(crate) initial: Occupancy,
    pub(crate) grid: Grid,
    pub(crate) tolerances: Tolerances,
}

impl Problem {
    /// Puts the parts together.
    ///
    /// # Errors
    /// [`FluidError::Model`] if the initial state has more jobs in a server than the buffer.
    pub fn new(
        model: Model,
        initial: Occupancy,
        grid: Grid,
        tolerances: Tolerances,
    ) -> Result<Self, FluidError> {
        model.admits(&initial)?;
        Ok(Self { model, initial, grid, tolerances })
    }
}
