//! The fluid (mean-field) model of ALBA: `N -> infinity`.

mod decide;
mod departure;
mod error;
mod field;
mod guard;
mod matrix;
mod outcome;
mod problem;
mod recorder;
mod regime;
mod run;
mod settling;
mod step;

pub use error::FluidError;
pub use outcome::{Guard, Outcome, Statistics, Stop, Switch};
pub use problem::{Problem, Tolerances};
pub use regime::{Pool, Regime};

/// Integrates.
///
/// # Errors
/// [`FluidError`].
pub fn solve(problem: &Problem) -> Result<Outcome, FluidError> {
    run::Run::new(problem).finish()
}
