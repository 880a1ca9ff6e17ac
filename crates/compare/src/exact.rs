//! The chain of a few servers of a scenario, solved exactly.

use super::simulate::chain_problem;
use super::view::{in_milliseconds, milliseconds};
use super::{Answer, View, percentiles};
use crate::answer::{time_cells, time_columns};
use crate::{Error, InputError, Share, Warning};
use alba_ctmc::exact::{Cut, Limits, Point, Stationary, Transient};
use alba_ctmc::{CtmcError, exact};
use alba_model::{Counts, Grid, Measure};
use alba_scenario::Scenario;
use alba_table::{Cell, Row, Table};

/// Expectations on the scenario's grid, a ratio as the ratio of expectations: the columns of [`super::fluid`], then
/// `error_bound`, which none of the row's measures is further from the truth than.
///
/// # Errors
/// [`Error::Exact`], [`InputError::TooFast`].
pub fn exact(scenario: &Scenario, view: View) -> Result<Answer, Error> {
    let measures = view.measures();
    let outcome = over_time(scenario, scenario.run().grid, &measures)?;
    let names = measures.iter().map(|measure| measure.name());
    let columns = time_columns(scenario).into_iter().chain(["arrival_rate".to_owned()]).chain(names);
    let last = in_milliseconds(scenario, &["mean_response_time"]).chain(["error_bound".to_owned()]);
    let mut table = Table::new(columns.chain(last));
    for point in &outcome.points {
        let mut row = time_cells(scenario, point.time);
        row.push(point.arrival_rate.into());
        let values: Vec<_> = point.values.iter().map(|bounded| bounded.value).collect();
        row.extend(value_cells(scenario, view, &measures, &values));
        row.push(error_bound(scenario, view, &measures, point).into());
        table.push(row);
    }
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
        CtmcError::NoStationaryLaw { .. } => {
            InputError::NoEquilibrium { scenario: scenario.name().to_owned() }.into()
        }
        source => failed(scenario, source),
    })?;
    let mut columns = vec!["arrival_rate".to_owned()];
    columns.extend(measures.iter().map(|measure| measure.name()));
    columns.extend(in_milliseconds(scenario, &["mean_response_time"]));
    columns.extend(percentiles::columns(""));
    columns.extend(["states", "residual"].map(str::to_owned));
    let mut table = Table::new(columns);

    let mut row: Row = vec![outcome.arrival_rate.into()];
    row.extend(value_cells(scenario, view, &measures, &outcome.values));
    row.extend(percentiles::cells(outcome.response_time.as_ref()));
    row.extend([Cell::from(outcome.states as u64), outcome.residual.into()]);
    table.push(row);

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
    exact::transient(&problem, measures, scenario.power(), &Limits::default())
        .map_err(|source| failed(scenario, source))
}

/// Its law in equilibrium.
pub(crate) fn equilibrium(scenario: &Scenario, measures: &[Measure]) -> Result<Stationary, CtmcError> {
    let initial = Counts::apportion(scenario.initial(), scenario.servers());
    exact::stationary(scenario.model(), &initial, measures, scenario.power(), &Limits::default())
}

pub(crate) fn failed(scenario: &Scenario, source: CtmcError) -> Error {
    Error::Exact { scenario: scenario.name().to_owned(), source }
}

/// Values of `measures`, then the response time in milliseconds where known.
fn value_cells(scenario: &Scenario, view: View, measures: &[Measure], values: &[Option<f64>]) -> Vec<Cell> {
    let measured = || measures.iter().zip(values.iter().copied());
    let scaled = |(&measure, value): (&Measure, Option<f64>)| {
        Cell::from(value.map(|value| value * view.factor(measure, scenario)))
    };
    let response_time = measured().find(|(measure, _)| **measure == Measure::MeanResponseTime);
    let response_time = response_time.and_then(|(_, value)| value);
    let in_milliseconds =
        milliseconds(scenario).map(|factor| Cell::from(response_time.map(|time| time * factor)));
    measured().map(scaled).chain(in_milliseconds).collect()
}

/// The largest of all measures that are defined.
fn error_bound(scenario: &Scenario, view: View, measures: &[Measure], point: &Point) -> f64 {
    let bounds = measures.iter().zip(&point.values).filter(|(_, bounded)| bounded.value.is_some());
    bounds.map(|(&measure, bounded)| bounded.error_bound * view.factor(measure, scenario)).fold(0.0, f64::max)
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
