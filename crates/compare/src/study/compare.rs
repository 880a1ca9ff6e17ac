//! All engines on one scenario.

use super::agreement::{self, columns};
use super::{Progress, fluid, measures, panels, simulate, time_cells, time_columns};
use crate::plot::render;
use crate::{Cell, Error, InputError, ResultsFolder, Scenario, Table, Warning};
use std::path::{Path, PathBuf};

/// What a comparison found, and where it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// A row for each scenario and measure.
    pub agreement: Table,
    /// Each once.
    pub warnings: Vec<Warning>,
    /// A results folder for each scenario.
    pub folders: Vec<PathBuf>,
}

/// Solves the fluid model and simulates the chain of every scenario, and keeps table, figure and manifest in a folder
/// of its name in `results`.
///
/// # Errors
/// [`InputError::SameName`], [`Error::Fluid`], [`Error::Chain`], [`Error::NotOurs`], [`Error::Write`].
pub fn compare(scenarios: &[Scenario], results: &Path, progress: &dyn Progress) -> Result<Comparison, Error> {
    refuse_same_names(scenarios)?;
    let mut agreement = agreement::empty();
    let (mut warnings, mut folders) = (vec![], vec![]);
    for scenario in scenarios {
        let folder = ResultsFolder::create(results, scenario.name())?;
        let (table, found) = both(scenario, progress)?;
        agreement::add(&mut agreement, scenario.name(), &table);
        warnings.extend(found);
        let drawing = render(&panels::figure(scenario, &table))?;
        folder.add_table("table.csv", &table)?;
        folder.add(&format!("figures/{}.svg", scenario.name()), drawing.svg().as_bytes())?;
        folder.add(&format!("figures/{}.png", scenario.name()), &drawing.png()?)?;
        folders.push(folder.finish("compare", scenario)?);
    }
    Ok(Comparison { agreement, warnings, folders })
}

fn refuse_same_names(scenarios: &[Scenario]) -> Result<(), InputError> {
    // On some systems folders that differ in case only are one.
    let mut names: Vec<String> = scenarios.iter().map(|scenario| scenario.name().to_lowercase()).collect();
    names.sort();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(InputError::SameName { name: pair[0].clone() }),
        None => Ok(()),
    }
}

/// Fluid and simulated values side by side, at every report time.
fn both(scenario: &Scenario, progress: &dyn Progress) -> Result<(Table, Vec<Warning>), Error> {
    let trajectory = fluid::solve(scenario)?;
    let simulated = simulate::run(scenario, None, progress)?;
    let measures = measures(None);
    let names = measures.iter().flat_map(|&measure| columns(measure));
    let arrival_rate = ["arrival_rate".to_owned()];
    let columns = time_columns(scenario).into_iter().chain(arrival_rate).chain(names);
    let mut table = Table::new(columns.chain(["replications".to_owned()]));
    for (at, point) in trajectory.snapshots.iter().zip(&simulated.points) {
        let mut row = time_cells(scenario, at.time);
        row.push(at.arrival_rate.into());
        for (measure, estimate) in measures.iter().zip(&point.estimates) {
            let fluid = measure.value(at, scenario.power());
            row.extend([fluid, estimate.value, estimate.half_width].map(Cell::from));
        }
        row.push(point.replications.into());
        table.push(row);
    }
    Ok((table, simulate::turned_away(scenario, &simulated.summary.events)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;

    #[test]
    fn names_that_differ_in_case_only_are_the_same() {
        let text = include_str!("../../../../scenarios/figure1.toml");
        let scenario = |text: &str| Scenario::parse("f", text, &[]).unwrap();
        let both = [scenario(text), scenario(&text.replace("\"figure1\"", "\"Figure1\""))];
        let error = compare(&both, Path::new("/nonexistent"), &Silent).unwrap_err();
        assert!(error.is_input());
    }
}
