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
use cases::{CASES, LINES};
use courses::{Line, Spread};
use std::path::{Path, PathBuf};

/// The results folder.
const NAME: &str = "phase-partition";

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
    write(&folder, &spreads, series)?;
    Ok(folder.finish_with("figures", series.manifest())?)
}

fn write(folder: &ResultsFolder, spreads: &[Spread], series: Series) -> Result<(), Error> {
    let partitions = tables::partitions().map_err(alba_compare::Error::Cluster)?;
    let contrasts = summary::contrasts(spreads);
    folder.add_table("partitions.csv", &tables::partition_columns().table(partitions))?;
    folder.add_table("seconds.csv", &tables::seconds(spreads))?;
    folder.add_table("random.csv", &tables::random(spreads))?;
    folder.add_table("totals.csv", &summary::totals(spreads))?;
    folder.add_table("assignment.csv", &summary::contrast_columns().table(&contrasts))?;
    folder.add_figure("figures-5-to-12", &chart::connections(spreads, series))?;
    for case in &CASES {
        let name = format!("figures-{}-to-{}", case.first_energy_figure, case.first_energy_figure + 4);
        folder.add_figure(&name, &energy_chart::energy(case, spreads, series))?;
    }
    Ok(folder.add_figure("assignment", &chart::assignment(spreads, &contrasts, series))?)
}

#[cfg(test)]
mod tests;
