//! The chain of a few servers of a scenario, solved exactly.

use super::simulate::chain_problem;
use super::view::{in_milliseconds, measure_columns, place_of};
use super::{Answer, View, percentiles};
use crate::answer::time_columns;
use crate::{Error, InputError, Share, Warning};
use alba_ctmc::CtmcError;
use alba_exact::{Cut, ExactError, Limits, Point, Stationary, Transient};
use alba_model::{Counts, Grid, Measure};
use alba_scenario::Scenario;
use alba_table::Schema;

/// Expectations on the scenario's grid, a ratio as the ratio of expectations: the columns of [`super::fluid`], then
/// `error_bound`, which none of the row's measures is further from the truth than.
///
/// # Errors
/// [`Error::Exact`], [`InputError::TooFast`].
pub fn exact(scenario: &Scenario, view: View) -> Result<Answer, Error> {
    let measures = view.measures();
    let outcome = over_time(scenario, scenario.run().grid, &measures)?;
    let value = |point: &Point, index: usize| point.values[index].value;
    let place = place_of(Measure::MeanResponseTime);
    let servers = scenario.servers() as f64;
    let schema = Schema::new()
        .columns(time_columns(scenario, |point: &Point| point.time))
        .column("arrival_rate", "per server and service time", "then", |point| point.arrival_rate)
        .columns(measure_columns(scenario, view, ("", "expectation"), value))
        .columns(in_milliseconds(scenario, "mean_response_time", move |point| value(point, place?)))
        .column("error_bound", "", "no measure is further from the truth", |point| {
            error_bound(servers, view, &measures, point)
        });
    let table = schema.table(&outcome.points);
    let mut warnings = Warning::about(scenario);
    warnings.extend(outcome.cut.map(|cut| queues_cut(scenario, cut, true)));
    warnings.extend(turned_away(scenario, &measures, &outcome.points));
    Ok(Answer { table, warnings })
}

/// One row about the equilibrium: `arrival_rate`, every measure, the levels that `view` asks for,
/// `mean_response_time_ms` where known; `p50` to `p99_9` of the response time of accepted jobs under first come, first
/// served, in service times, and the probability of waiting; `states`, and `residual`, the imbalance of flows relative
/// to all flows.
///
/// # Errors
/// [`InputError::NoEquilibrium`] if the arrival rate changes, [`Error::Exact`].
pub fn exact_stationary(scenario: &Scenario, view: View) -> Result<Answer, Error> {
    let measures = view.measures();
    let outcome = equilibrium(scenario, &measures).map_err(|source| match source {
        ExactError::Chain(CtmcError::NoStationaryLaw { .. }) => {
            InputError::NoEquilibrium { scenario: scenario.name().to_owned() }.into()
        }
        source => failed(scenario, source),
    })?;
    let value = |law: &Stationary, index: usize| law.values[index];
    let place = place_of(Measure::MeanResponseTime);
    let schema = Schema::new()
        .column("arrival_rate", "per server and service time", "lambda", |law: &Stationary| law.arrival_rate)
        .columns(measure_columns(scenario, view, ("", "expectation"), value))
        .columns(in_milliseconds(scenario, "mean_response_time", move |law| value(law, place?)))
        .columns(percentiles::columns("", |law: &Stationary| law.response_time.as_ref()))
        .column("states", "", "of the chain", |law| law.states)
        .column("residual", "", "imbalance of flows, of all flows", |law| law.residual);
    let table = schema.table([&outcome]);

    let mut warnings = Warning::about(scenario);
    warnings.extend(outcome.cut.map(|cut| queues_cut(scenario, cut, false)));
    let share = |measure| share(&measures, measure, |index| outcome.values[index]);
    let all = |measure| Share::OfAll(share(measure));
    warnings.extend(noticed(scenario, all(Measure::LostFraction), all(Measure::RejectedFraction)));
    Ok(Answer { table, warnings })
}

/// The law of the chain at the times of `grid`.
pub(crate) fn over_time(scenario: &Scenario, grid: Grid, measures: &[Measure]) -> Result<Transient, Error> {
    let problem = chain_problem(scenario, grid)?;
    alba_exact::transient(&problem, measures, scenario.power(), &Limits::default())
        .map_err(|source| failed(scenario, source))
}

/// Its law in equilibrium.
pub(crate) fn equilibrium(scenario: &Scenario, measures: &[Measure]) -> Result<Stationary, ExactError> {
    let initial = Counts::apportion(scenario.initial(), scenario.servers());
    alba_exact::stationary(scenario.model(), &initial, measures, scenario.power(), &Limits::default())
}

pub(crate) fn failed(scenario: &Scenario, source: ExactError) -> Error {
    Error::Exact { scenario: scenario.name().to_owned(), source }
}

/// The largest of all measures that are defined.
fn error_bound(servers: f64, view: View, measures: &[Measure], point: &Point) -> f64 {
    let bounds = measures.iter().zip(&point.values).filter(|(_, bounded)| bounded.value.is_some());
    bounds.map(|(&measure, bounded)| bounded.error_bound * view.factor(measure, servers)).fold(0.0, f64::max)
}

fn queues_cut(scenario: &Scenario, cut: Cut, is_bound: bool) -> Warning {
    let Cut { levels, probability, jobs } = cut;
    Warning::QueuesCut { scenario: scenario.name().to_owned(), levels, probability, jobs, is_bound }
}

/// Jobs turned away at the report times.
fn turned_away(scenario: &Scenario, measures: &[Measure], points: &[Point]) -> Vec<Warning> {
    let most = |measure| {
        let at = |point: &Point| share(measures, measure, |index| point.values[index].value);
        Share::AtReportTimes(points.iter().map(at).fold(0.0, f64::max))
    };
    noticed(scenario, most(Measure::LostFraction), most(Measure::RejectedFraction))
}

fn share(measures: &[Measure], measure: Measure, value: impl Fn(usize) -> Option<f64>) -> f64 {
    measures.iter().position(|&other| other == measure).and_then(value).unwrap_or(0.0)
}

/// Every chain whose servers may go cold loses a job some day.
const UNNOTICED: f64 = 1e-6;

fn noticed(scenario: &Scenario, lost: Share, rejected: Share) -> Vec<Warning> {
    let unnoticed = matches!(lost, Share::OfAll(lost) | Share::AtReportTimes(lost) if lost < UNNOTICED);
    Warning::turned_away(scenario.name(), if unnoticed { Share::OfAll(0.0) } else { lost }, rejected)
}
