//! All engines on one scenario.

use super::agreement::{self, columns};
use super::fixed_point::{FiniteReport, fixed_points};
use super::judge::{Judgement, judge_by};
use super::view::{in_milliseconds, milliseconds};
use super::{Progress, fluid, jobs, panels, percentiles, simulate};
use crate::answer::{measures, time_cells, time_columns};
use crate::{Error, InputError, ResultsFolder, Warning};
use alba_ctmc::{Outcome, Scope};
use alba_model::{ErlangMixture, Measure};
use alba_plot::render;
use alba_scenario::Scenario;
use alba_table::{Cell, Table};
use std::path::{Path, PathBuf};

/// What a comparison found, and where it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// A row for each scenario and measure.
    pub agreement: Table,
    /// A row for each scenario: how many requests came, and where they are.
    pub jobs: Table,
    /// How close fluid model and simulation are, for each scenario.
    pub closeness: Vec<Closeness>,
    /// How good the fluid model is for the scenario's number of servers, for each whose runs reach the horizon.
    pub judgements: Vec<Judgement>,
    /// From which number of servers on the fluid model is good, for each scenario.
    pub enough: Vec<Enough>,
    /// Each once.
    pub warnings: Vec<Warning>,
    /// A results folder for each scenario.
    pub folders: Vec<PathBuf>,
}

/// How close the fluid model is to the simulated means of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Closeness {
    /// Its name.
    pub scenario: String,
    /// N.
    pub servers: u64,
    /// By how much cold, initializing, idle and busy servers differ, as a fraction of all: mean over them and over time.
    pub mean_difference: f64,
}

/// From which number of servers on the fluid model's fixed point is good.
#[derive(Debug, Clone, PartialEq)]
pub struct Enough {
    /// The scenario's name.
    pub scenario: String,
    /// What the refined mean field says, or why it says nothing.
    pub finite: FiniteReport,
}

impl Enough {
    fn of(scenario: &Scenario) -> Self {
        let not = |reason: String| FiniteReport::Not { not_refined: reason };
        let finite = match fixed_points(scenario, &[scenario.servers()]) {
            Ok(report) => report
                .points
                .into_iter()
                .next()
                .and_then(|point| point.finite)
                .unwrap_or_else(|| not("there is no isolated fixed point".to_owned())),
            Err(Error::Input(InputError::NotConstant { .. })) => not("the arrival rate changes".to_owned()),
            Err(error) => not(std::error::Error::source(&error).unwrap_or(&error).to_string()),
        };
        Self { scenario: scenario.name().to_owned(), finite }
    }
}

/// Solves the fluid model and simulates the chain of every scenario, and keeps table, figure and manifest in a folder
/// of its name in `results`.
///
/// # Errors
/// [`InputError::SameName`], [`Error::Fluid`], [`Error::Chain`], [`Error::NotOurs`], [`Error::Write`].
pub fn compare(scenarios: &[Scenario], results: &Path, progress: &dyn Progress) -> Result<Comparison, Error> {
    refuse_same_names(scenarios)?;
    let (mut all, mut all_jobs) = (agreement::empty(), jobs::empty());
    let (mut closeness, mut judgements, mut enough) = (vec![], vec![], vec![]);
    let (mut warnings, mut folders) = (vec![], vec![]);
    for scenario in scenarios {
        let folder = ResultsFolder::create(results, scenario.name())?;
        let sample = simulate::run(scenario, None, Scope::ReportTimes, progress)?;
        let simulated = &sample.outcome;
        let table = both(scenario, simulated)?;
        let (mut agreement, mut jobs) = (agreement::empty(), jobs::empty());
        agreement::add(&mut agreement, scenario.name(), scenario.mean_service_time_s(), &table);
        jobs::add(&mut jobs, scenario, simulated);
        closeness.extend(close(scenario, &agreement));
        let summary = &simulated.summary;
        judgements.extend(judge_by(scenario, summary.replications, &summary.time_averages)?);
        enough.push(Enough::of(scenario));
        warnings.extend(Warning::about(scenario));
        warnings.extend(simulate::turned_away(scenario, &simulated.summary.events));
        warnings.extend(sample.not_precise(scenario));
        let drawing = render(&panels::figure(scenario, &table))?;
        folder.add_table("table.csv", &table)?;
        folder.add_table("agreement.csv", &agreement)?;
        folder.add_table("jobs.csv", &jobs)?;
        folder.add(&format!("figures/{}.svg", scenario.name()), drawing.svg().as_bytes())?;
        folder.add(&format!("figures/{}.png", scenario.name()), &drawing.png()?)?;
        folders.push(folder.finish_simulated("compare", scenario, Some(sample.simulation()))?);
        agreement.rows().iter().for_each(|row| all.push(row.clone()));
        jobs.rows().iter().for_each(|row| all_jobs.push(row.clone()));
    }
    Ok(Comparison { agreement: all, jobs: all_jobs, closeness, judgements, enough, warnings, folders })
}

fn close(scenario: &Scenario, agreement: &Table) -> Option<Closeness> {
    let means = agreement.numbers("mean_difference")?;
    let servers = [Measure::Cold, Measure::Initializing, Measure::Idle, Measure::Busy];
    let of = |measure: Measure| {
        let row = agreement.rows().iter().position(|row| row[1] == Cell::from(measure.name()))?;
        means[row]
    };
    let sum = servers.into_iter().map(of).sum::<Option<f64>>()?;
    let (name, mean_difference) = (scenario.name().to_owned(), sum / servers.len() as f64);
    Some(Closeness { scenario: name, servers: scenario.servers(), mean_difference })
}

/// Scenarios of one name would share a results folder.
///
/// # Errors
/// [`InputError::SameName`].
pub fn refuse_same_names<'s>(scenarios: impl IntoIterator<Item = &'s Scenario>) -> Result<(), InputError> {
    // On some systems folders that differ in case only are one.
    let mut names: Vec<String> =
        scenarios.into_iter().map(|scenario| scenario.name().to_lowercase()).collect();
    names.sort();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(InputError::SameName { name: pair[0].clone() }),
        None => Ok(()),
    }
}

/// Fluid and simulated values side by side, at every report time.
fn both(scenario: &Scenario, simulated: &Outcome) -> Result<Table, Error> {
    let trajectory = fluid::solve(scenario)?;
    let measures = measures(None);
    let names = measures.iter().flat_map(|&measure| columns(measure));
    let arrival_rate = ["arrival_rate".to_owned()];
    let columns = time_columns(scenario).into_iter().chain(arrival_rate).chain(names);
    let last = [
        "fluid_mean_response_time",
        "simulated_mean_response_time",
        "simulated_mean_response_time_half_width",
    ];
    let columns = columns.chain(["replications".to_owned()]);
    let columns = columns.chain(in_milliseconds(scenario, &last)).chain(percentiles::columns("fluid_"));
    let columns = columns.chain(percentiles::columns("simulated_"));
    let mut table = Table::new(columns);
    for (at, point) in trajectory.snapshots.iter().zip(&simulated.points) {
        let mut row = time_cells(scenario, at.time);
        row.push(at.arrival_rate.into());
        let ledger = at.with(scenario.power());
        for (measure, estimate) in measures.iter().zip(&point.estimates) {
            let fluid = measure.value(&ledger);
            row.extend([fluid, estimate.value, estimate.half_width].map(Cell::from));
        }
        row.push(point.replications.into());
        let response_time = || Measure::MeanResponseTime.value(&ledger);
        row.extend(milliseconds(scenario).map(|factor| response_time().map(|time| time * factor).into()));
        row.extend(simulate::response_time_cells(scenario, &point.estimates));
        row.extend(percentiles::cells(ErlangMixture::new(&at.inflow.levels).as_ref()));
        row.extend(percentiles::cells(point.response_time.as_ref()));
        table.push(row);
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;

    #[test]
    fn names_that_differ_in_case_only_are_the_same() {
        let text = include_str!("../../../scenarios/figure1.toml");
        let scenario = |text: &str| Scenario::parse("f", text, &[]).unwrap();
        let both = [scenario(text), scenario(&text.replace("\"figure1\"", "\"Figure1\""))];
        let error = compare(&both, Path::new("/nonexistent"), &Silent).unwrap_err();
        assert!(error.is_input());
    }
}
