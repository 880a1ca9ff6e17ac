//! The fluid model of a scenario.

use super::judge::{Judgement, judge};
use super::view::{in_milliseconds, measure_columns};
use super::{Answer, View, percentiles};
use crate::answer::time_columns;
use crate::{Error, Share, Warning};
use alba_fluid::{Outcome, Problem, Switch, Tolerances};
use alba_model::{ErlangMixture, Measure, Snapshot};
use alba_scenario::Scenario;
use alba_table::Schema;

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
    /// A state, and the response times of jobs that arrive in it.
    struct At<'o>(&'o Snapshot, Option<ErlangMixture>);
    let value = |at: &At<'_>, measure: Measure| measure.value(&at.0.with(scenario.power()));
    let measures = view.measures();
    let of = |at: &At<'_>, index: usize| value(at, measures[index]);
    let response_time = |at: &At<'_>| value(at, Measure::MeanResponseTime);
    let schema = Schema::new()
        .columns(time_columns(scenario, |at: &At<'_>| at.0.time))
        .column("arrival_rate", "per server and service time", "then", |at| at.0.arrival_rate)
        .columns(measure_columns(scenario, view, ("", "of the fluid model"), of))
        .columns(in_milliseconds(scenario, "mean_response_time", response_time))
        .columns(percentiles::columns("", |at: &At<'_>| at.1.as_ref()))
        .columns(percentiles::columns_in_milliseconds(scenario, |at: &At<'_>| at.1.as_ref()));
    let rows = outcome.snapshots.iter().map(|at| At(at, ErlangMixture::new(&at.inflow.levels)));
    Answer { table: schema.table(rows), warnings: warnings(outcome, scenario) }
}

/// The switches between regimes: `time`, `time_s` where known, `from`, `to`, `guard`.
///
/// # Errors
/// [`Error::Fluid`].
pub fn fluid_switches(scenario: &Scenario) -> Result<Answer, Error> {
    let outcome = solve(scenario)?;
    let schema = Schema::new()
        .columns(time_columns(scenario, |switch: &Switch| switch.time))
        .column("from", "", "regime before", |switch| switch.from.to_string())
        .column("to", "", "regime after", |switch| switch.to.to_string())
        .column("guard", "", "what fell to zero", |switch| switch.guard.to_string());
    Ok(Answer { table: schema.table(&outcome.switches), warnings: warnings(&outcome, scenario) })
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
