//! The fluid model of a scenario.

use super::judge::{Judgement, judge};
use super::view::{in_milliseconds, milliseconds};
use super::{Answer, View, percentiles};
use crate::answer::{time_cells, time_columns};
use crate::{Error, Share, Warning};
use alba_fluid::{Outcome, Problem, Tolerances};
use alba_model::{ErlangMixture, Measure};
use alba_scenario::Scenario;
use alba_table::{Cell, Table};

/// The trajectory on the scenario's grid: `time`, `time_s` where known, `arrival_rate`, every measure, the levels that
/// `view` asks for, `mean_response_time_ms` where known, and percentiles of the response time, under first come, first
/// served, of jobs that arrive at that time, with their probability of waiting.
///
/// # Errors
/// [`Error::Fluid`].
pub fn fluid(scenario: &Scenario, view: View) -> Result<Answer, Error> {
    Ok(answer(scenario, view, &solve(scenario)?))
}

/// The same, and how good it is for the scenario's number of servers, judged by a short run of the chain, where that can tell.
///
/// # Errors
/// [`Error::Fluid`].
pub fn fluid_judged(scenario: &Scenario, view: View) -> Result<(Answer, Option<Judgement>), Error> {
    let outcome = solve(scenario)?;
    Ok((answer(scenario, view, &outcome), judge(scenario, &outcome.snapshots)?))
}

fn answer(scenario: &Scenario, view: View, outcome: &Outcome) -> Answer {
    let measures = view.measures();
    let names = measures.iter().map(|measure| measure.name());
    let arrival_rate = ["arrival_rate".to_owned()];
    let columns = time_columns(scenario).into_iter().chain(arrival_rate).chain(names);
    let last = in_milliseconds(scenario, &["mean_response_time"]);
    let percentile_columns = percentiles::columns("").chain(percentiles::columns_in_milliseconds(scenario));
    let mut table = Table::new(columns.chain(last).chain(percentile_columns));
    for at in &outcome.snapshots {
        let mut row = time_cells(scenario, at.time);
        row.push(at.arrival_rate.into());
        row.extend(value_cells(scenario, view, &measures, at));
        let response = ErlangMixture::new(&at.inflow.levels);
        row.extend(percentiles::cells(response.as_ref()));
        row.extend(percentiles::cells_in_milliseconds(scenario, response.as_ref()));
        table.push(row);
    }
    Answer { table, warnings: warnings(outcome, scenario) }
}

/// Values of `measures`, then the response time in milliseconds where known.
pub(super) fn value_cells(
    scenario: &Scenario,
    view: View,
    measures: &[Measure],
    at: &alba_model::Snapshot,
) -> Vec<Cell> {
    let ledger = at.with(scenario.power());
    let value = |measure: Measure| measure.value(&ledger);
    let scaled =
        |&measure: &Measure| Cell::from(value(measure).map(|value| value * view.factor(measure, scenario)));
    let response_time = milliseconds(scenario)
        .map(|factor| Cell::from(value(Measure::MeanResponseTime).map(|time| time * factor)));
    measures.iter().map(scaled).chain(response_time).collect()
}

/// The switches between regimes: `time`, `time_s` where known, `from`, `to`, `guard`.
///
/// # Errors
/// [`Error::Fluid`].
pub fn fluid_switches(scenario: &Scenario) -> Result<Answer, Error> {
    let outcome = solve(scenario)?;
    let names = ["from", "to", "guard"].map(str::to_owned);
    let mut table = Table::new(time_columns(scenario).into_iter().chain(names));
    for switch in &outcome.switches {
        let mut row = time_cells(scenario, switch.time);
        row.extend([
            switch.from.to_string().into(),
            switch.to.to_string().into(),
            switch.guard.to_string().into(),
        ]);
        table.push(row);
    }
    Ok(Answer { table, warnings: warnings(&outcome, scenario) })
}

/// The trajectory.
pub(super) fn solve(scenario: &Scenario) -> Result<Outcome, Error> {
    let (model, initial) = (scenario.model().clone(), scenario.initial().clone());
    Problem::new(model, initial, scenario.run().grid, Tolerances::default())
        .and_then(|problem| alba_fluid::solve(&problem))
        .map_err(|source| Error::Fluid { scenario: scenario.name().to_owned(), source })
}

fn warnings(outcome: &Outcome, scenario: &Scenario) -> Vec<Warning> {
    let mut warnings = Warning::about(scenario);
    warnings.extend(turned_away(outcome, scenario));
    warnings
}

/// Jobs turned away at the report times.
fn turned_away(outcome: &Outcome, scenario: &Scenario) -> Vec<Warning> {
    let most = |measure: Measure| {
        let shares = outcome.snapshots.iter().filter_map(|at| measure.value(&at.with(scenario.power())));
        Share::AtReportTimes(shares.fold(0.0, f64::max))
    };
    Warning::turned_away(scenario.name(), most(Measure::LostFraction), most(Measure::RejectedFraction))
}
