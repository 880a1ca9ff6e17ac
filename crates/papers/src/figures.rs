//! The papers' figures, from scenarios that are compiled in.

use super::arbitrators::arbitrators;
use super::aws_lambda::aws_lambda;
use super::optimality::optimality;
use super::phase_partition::{Series, phase_partition};
use super::synchrony::synchrony;
use crate::Error;
use alba_compare::Warning;
use alba_compare::refuse_same_names;
use alba_compare::{Comparison, Progress, compare};
use alba_scenario::{Override, Scenario};
use alba_table::nearest;
use std::path::{Path, PathBuf};

/// The figures that can be drawn.
pub const FIGURES: &[&str] =
    &["arbitrators", "figure1", "optimality", "async-vs-sync", "phase-partition", "aws-lambda"];

/// A study of its own: makes a results folder.
type Study = fn(&Scenario, &Path, &dyn Progress) -> Result<PathBuf, Error>;

/// What a figure is made of.
#[derive(Clone, Copy)]
enum Made {
    /// Fluid model and chain of a scenario.
    Compared(&'static str),
    /// A study of a scenario.
    Studied(&'static str, Study),
    /// Measured loads, each a change of a scenario.
    Measured(&'static str),
    /// The arbitrator's own experiment: no scenario.
    Partitioned,
}

/// What a figure is made of, if there is one of that name.
fn made(name: &str) -> Option<Made> {
    Some(match name {
        "arbitrators" => Made::Studied(include_str!("../../../scenarios/arbitrators.toml"), arbitrators),
        "figure1" => Made::Compared(include_str!("../../../scenarios/figure1.toml")),
        "optimality" => Made::Studied(include_str!("../../../scenarios/optimality.toml"), optimality),
        "async-vs-sync" => Made::Studied(include_str!("../../../scenarios/async-vs-sync.toml"), synchrony),
        "aws-lambda" => Made::Measured(include_str!("../../../scenarios/aws-lambda.toml")),
        "phase-partition" => Made::Partitioned,
        _ => return None,
    })
}

/// Draws the figures called `names`, all if there are none, each into its folder in `results`.
///
/// # Errors
/// [`Error::UnknownFigure`]; [`alba_compare::InputError::NotConstant`] for one about fixed points; those of [`compare`].
pub fn figures(
    names: &[String],
    overrides: &[Override],
    results: &Path,
    progress: &dyn Progress,
) -> Result<Comparison, Error> {
    let wanted: Vec<&str> =
        if names.is_empty() { FIGURES.to_vec() } else { names.iter().map(String::as_str).collect() };
    let (mut compared, mut studied) = (vec![], vec![]);
    let (mut measured, mut series) = (None, None);
    for &name in &wanted {
        let read = |text| Scenario::parse(&format!("scenarios/{name}.toml"), text, overrides);
        match made(name).ok_or_else(|| unknown(name))? {
            Made::Compared(text) => compared.push(read(text)?),
            Made::Studied(text, study) => studied.push((read(text)?, study)),
            Made::Measured(text) => measured = Some((read(text)?, text)),
            Made::Partitioned if names.is_empty() => series = Some(Series::among(overrides)?),
            Made::Partitioned => series = Some(Series::new(overrides)?),
        }
    }
    let others =
        studied.iter().map(|(scenario, _)| scenario).chain(measured.iter().map(|(scenario, _)| scenario));
    refuse_same_names(compared.iter().chain(others))?;
    let mut comparison = compare(&compared, results, progress)?;
    for (scenario, study) in studied {
        comparison.folders.push(study(&scenario, results, progress)?);
        comparison.warnings.extend(Warning::about(&scenario));
    }
    if let Some((scenario, text)) = measured {
        comparison.folders.push(aws_lambda(text, overrides, results, progress)?);
        comparison.warnings.extend(Warning::about(&scenario));
    }
    if let Some(series) = series {
        comparison.folders.push(phase_partition(series, results, progress)?);
    }
    Ok(comparison)
}

fn unknown(name: &str) -> Error {
    Error::UnknownFigure { name: name.to_owned(), nearest: nearest(name, FIGURES), known: FIGURES }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_is_made_of_something() {
        assert!(FIGURES.iter().all(|name| made(name).is_some()));
        assert!(made("figure2").is_none());
    }
}
