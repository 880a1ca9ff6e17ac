//! The papers' figures, from scenarios that are compiled in.

use super::{Comparison, Progress, compare};
use crate::scenario::spelling::nearest;
use crate::{Error, InputError, Override, Scenario};
use std::path::Path;

/// The figures that can be drawn.
pub const FIGURES: &[&str] = &["figure1"];

/// Their scenarios, in the same order.
const SCENARIOS: &[(&str, &str)] =
    &[("scenarios/figure1.toml", include_str!("../../../../scenarios/figure1.toml"))];

/// Draws the figures called `names`, all if there are none, each into its folder in `results`.
///
/// # Errors
/// [`InputError::UnknownFigure`]; those of [`compare`].
pub fn figures(
    names: &[String],
    overrides: &[Override],
    results: &Path,
    progress: &dyn Progress,
) -> Result<Comparison, Error> {
    let wanted: Vec<&str> =
        if names.is_empty() { FIGURES.to_vec() } else { names.iter().map(String::as_str).collect() };
    let read = |name: &str| -> Result<Scenario, InputError> {
        let index = FIGURES.iter().position(|known| *known == name).ok_or_else(|| unknown(name))?;
        let (file, text) = SCENARIOS[index];
        Scenario::parse(file, text, overrides)
    };
    let scenarios = wanted.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
    compare(&scenarios, results, progress)
}

fn unknown(name: &str) -> InputError {
    InputError::UnknownFigure { name: name.to_owned(), nearest: nearest(name, FIGURES), known: FIGURES }
}
