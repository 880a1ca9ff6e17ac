//! The papers' figures, from scenarios that are compiled in.

use super::aws_lambda::aws_lambda;
use super::compare::refuse_same_names;
use super::optimality::optimality;
use super::phase_partition::{Series, phase_partition};
use super::{Comparison, Progress, compare};
use crate::scenario::spelling::nearest;
use crate::{Error, InputError, Override, Scenario, Warning};
use std::path::Path;

/// The figures that can be drawn.
pub const FIGURES: &[&str] = &["figure1", OPTIMALITY, PHASE_PARTITION, AWS_LAMBDA];

/// Those that are no comparisons.
const OPTIMALITY: &str = "optimality";
const AWS_LAMBDA: &str = "aws-lambda";

/// The one without a scenario.
const PHASE_PARTITION: &str = "phase-partition";

/// The scenarios of all others.
const SCENARIOS: &[(&str, &str)] = &[
    ("scenarios/figure1.toml", include_str!("../../../../scenarios/figure1.toml")),
    ("scenarios/optimality.toml", include_str!("../../../../scenarios/optimality.toml")),
    (super::aws_lambda::FILE, include_str!("../../../../scenarios/aws-lambda.toml")),
];

/// Draws the figures called `names`, all if there are none, each into its folder in `results`.
///
/// # Errors
/// [`InputError::UnknownFigure`]; [`InputError::NotConstant`] for one about fixed points; [`InputError::Faults`] if one without a
/// scenario is asked for by name and given a key that it does not have; those of [`compare`].
pub fn figures(
    names: &[String],
    overrides: &[Override],
    results: &Path,
    progress: &dyn Progress,
) -> Result<Comparison, Error> {
    let wanted: Vec<&str> =
        if names.is_empty() { FIGURES.to_vec() } else { names.iter().map(String::as_str).collect() };
    let text_of = |name: &str| {
        let of = |(file, _): &&(&str, &str)| *file == format!("scenarios/{name}.toml");
        SCENARIOS.iter().find(of).ok_or_else(|| unknown(name))
    };
    let read = |name: &str| -> Result<Scenario, InputError> {
        let (file, text) = text_of(name)?;
        Scenario::parse(file, text, overrides)
    };
    let (partition, wanted): (Vec<_>, Vec<_>) = wanted.into_iter().partition(|name| *name == PHASE_PARTITION);
    let series = if names.iter().any(|name| name == PHASE_PARTITION) {
        Series::new(overrides)?
    } else {
        Series::among(overrides)?
    };
    let scenarios = wanted.iter().map(|name| read(name)).collect::<Result<Vec<_>, _>>()?;
    refuse_same_names(&scenarios)?;
    let (studied, compared): (Vec<_>, Vec<_>) =
        wanted.into_iter().zip(scenarios).partition(|(name, _)| [OPTIMALITY, AWS_LAMBDA].contains(name));
    let compared: Vec<Scenario> = compared.into_iter().map(|(_, scenario)| scenario).collect();
    let mut comparison = compare(&compared, results, progress)?;
    for (name, scenario) in studied {
        let folder = match name {
            AWS_LAMBDA => aws_lambda(text_of(name)?.1, overrides, results, progress),
            _ => optimality(&scenario, results, progress),
        };
        comparison.folders.push(folder?);
        comparison.warnings.extend(Warning::about(&scenario));
    }
    if !partition.is_empty() {
        comparison.folders.push(phase_partition(series, results, progress)?);
    }
    Ok(comparison)
}

fn unknown(name: &str) -> InputError {
    InputError::UnknownFigure { name: name.to_owned(), nearest: nearest(name, FIGURES), known: FIGURES }
}
