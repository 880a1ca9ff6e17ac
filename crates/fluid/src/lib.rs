//! The fluid (mean-field) model of ALBA: `N -> infinity`.

mod error;
mod outcome;
mod problem;
mod regime;

pub use error::FluidError;
pub use outcome::{Guard, Outcome, Statistics, Stop, Switch};
pub use problem::{Problem, Tolerances};
pub use regime::{Pool, Regime};

/// Integrates.
///
/// # Errors
/// [`FluidError`].
pub fn solve(problem: &Problem) -> Result<Outcome, FluidError> {
    Err(FluidError::NoRegime { time: problem.grid.horizon() })
}
