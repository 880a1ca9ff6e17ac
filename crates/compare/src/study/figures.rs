//! The papers' figures, from scenarios that are compiled in.

use super::compare::refuse_same_names;
use super::optimality::optimality;
use super::{Comparison, Progress, compare};
use crate::scenario::spelling::nearest;
use crate::{Error, InputError, Override, Scenario, Warning};
use std::path::Path;

/// The figures that can be drawn.
pub const FIGURES: &[&str] = &["figure1", OPTIMALITY];

/// The one that is not a comparison.
const OPTIMALITY: &str = "optimality";

/// Their scenarios, in the same order.
const SCENARIOS: &[(&str, &str)] = &[
    ("scenarios/figure1.toml", include_str!("../../../../scenarios/figure1.toml")),
    ("scenarios/optimality.toml", include_str!("../../../../scenarios/optimality.toml")),
];

/// Draws the figures called `names`, all if there are none, each into its folder in `results`.
///
/// # Errors
/// [`InputError::UnknownFigure`]; [`InputError::NotConstant`] for one about fixed points; those of [`compare`].
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
    let scenarios = wanted.iter().map(|name| read(name)).collect::<Result<Vec<_>, _>>()?;
    refuse_same_names(&scenarios)?;
    let (studied, compared): (Vec<_>, Vec<_>) =
        wanted.into_iter().zip(scenarios).partition(|(name, _)| *name == OPTIMALITY);
    let compared: Vec<Scenario> = compared.into_iter().map(|(_, scenario)| scenario).collect();
    let mut comparison = compare(&compared, results, progress)?;
    for (_, scenario) in studied {
        comparison.folders.push(optimality(&scenario, results, progress)?);
        comparison.warnings.extend(Warning::about(&scenario));
    }
    Ok(comparison)
}

fn unknown(name: &str) -> InputError {
    InputError::UnknownFigure { name: name.to_owned(), nearest: nearest(name, FIGURES), known: FIGURES }
}
