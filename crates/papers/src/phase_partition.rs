//! The phase-partition arbitrator's paper: its tables, figures, energies and switch-on times, beside the printed ones.

mod cases;
mod chart;
mod courses;
mod energy_chart;
mod series;
mod shares;
mod summary;
mod tables;

pub(super) use series::Series;

use crate::Error;
use alba_compare::Progress;
use alba_compare::ResultsFolder;
use alba_table::Table;
use cases::{CASES, LINES};
use courses::{Line, Spread};
use std::path::{Path, PathBuf};

/// The results folder.
const NAME: &str = "phase-partition";

/// What the figures are drawn from.
#[derive(Debug)]
struct Tables {
    /// A row a paper's table, server and phase.
    partitions: Table,
    /// A row a line (case, method, assignment) and second.
    seconds: Table,
    /// A row a line and random series.
    random: Table,
    /// A row a line: energies, savings, switch-on times.
    totals: Table,
    /// A row a case: round robin against least connections.
    assignment: Table,
}

/// Tables, figures and manifest in a folder of `results`.
///
/// # Errors
/// [`alba_compare::Error::Cluster`], [`Error::Plot`], [`alba_compare::Error::NotOurs`], [`Error::Write`].
pub(super) fn phase_partition(
    series: Series,
    results: &Path,
    progress: &dyn Progress,
) -> Result<PathBuf, Error> {
    let folder = ResultsFolder::create(results, NAME)?;
    let arrivals = series.arrivals().map_err(alba_compare::Error::Cluster)?;
    let lines =
        CASES.iter().flat_map(|case| LINES.map(|(method, assignment)| Line { case, method, assignment }));
    let lines: Vec<Line> = lines.collect();
    progress.begin("random arrivals", lines.len() as u64);
    let mut spreads = vec![];
    for line in lines {
        spreads.push(Spread::new(line, &arrivals).map_err(alba_compare::Error::Cluster)?);
        progress.advance(1);
    }
    progress.end();
    let tables = Tables {
        partitions: tables::partitions().map_err(alba_compare::Error::Cluster)?,
        seconds: tables::seconds(&spreads),
        random: tables::random(&spreads),
        totals: summary::totals(&spreads),
        assignment: summary::assignment(&spreads),
    };
    write(&folder, &tables, series)?;
    Ok(folder.finish_with("figures", series.manifest())?)
}

fn write(folder: &ResultsFolder, tables: &Tables, series: Series) -> Result<(), Error> {
    folder.add_table("partitions.csv", &tables.partitions)?;
    folder.add_table("seconds.csv", &tables.seconds)?;
    folder.add_table("random.csv", &tables.random)?;
    folder.add_table("totals.csv", &tables.totals)?;
    folder.add_table("assignment.csv", &tables.assignment)?;
    folder.add_figure("figures-5-to-12", &chart::connections(tables, series))?;
    for case in &CASES {
        let name = format!("figures-{}-to-{}", case.first_energy_figure, case.first_energy_figure + 4);
        folder.add_figure(&name, &energy_chart::energy(case, tables, series))?;
    }
    Ok(folder.add_figure("assignment", &chart::assignment(tables, series))?)
}

#[cfg(test)]
mod tests;
