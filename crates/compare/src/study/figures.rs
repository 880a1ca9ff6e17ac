//! The papers' figures, from scenarios that are compiled in.

use super::compare::refuse_same_names;
use super::optimality::optimality;
use super::synchrony::synchrony;
use super::{Comparison, Progress, compare};
use crate::scenario::spelling::nearest;
use crate::{Error, InputError, Override, Scenario, Warning};
use std::path::{Path, PathBuf};

/// The figures that can be drawn.
pub const FIGURES: &[&str] = &["figure1", "optimality", "async-vs-sync"];

/// A study of its own: makes a results folder.
type Study = fn(&Scenario, &Path, &dyn Progress) -> Result<PathBuf, Error>;

/// Their scenarios, in the same order, and what is made of them: none for a comparison of fluid model and chain.
const MADE_OF: &[(&str, &str, Option<Study>)] = &[
    ("scenarios/figure1.toml", include_str!("../../../../scenarios/figure1.toml"), None),
    ("scenarios/optimality.toml", include_str!("../../../../scenarios/optimality.toml"), Some(optimality)),
    (
        "scenarios/async-vs-sync.toml",
        include_str!("../../../../scenarios/async-vs-sync.toml"),
        Some(synchrony),
    ),
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
    let read = |name: &str| -> Result<(Scenario, Option<Study>), InputError> {
        let index = FIGURES.iter().position(|known| *known == name).ok_or_else(|| unknown(name))?;
        let (file, text, study) = MADE_OF[index];
        Scenario::parse(file, text, overrides).map(|scenario| (scenario, study))
    };
    let made = wanted.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
    refuse_same_names(made.iter().map(|(scenario, _)| scenario))?;
    let (studied, compared): (Vec<_>, Vec<_>) = made.into_iter().partition(|(_, study)| study.is_some());
    let compared: Vec<Scenario> = compared.into_iter().map(|(scenario, _)| scenario).collect();
    let mut comparison = compare(&compared, results, progress)?;
    for (scenario, study) in studied {
        if let Some(study) = study {
            comparison.folders.push(study(&scenario, results, progress)?);
            comparison.warnings.extend(Warning::about(&scenario));
        }
    }
    Ok(comparison)
}

fn unknown(name: &str) -> InputError {
    InputError::UnknownFigure { name: name.to_owned(), nearest: nearest(name, FIGURES), known: FIGURES }
}
