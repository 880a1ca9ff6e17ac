//! The fluid model of a scenario.

use super::{Answer, measures, time_cells, time_columns};
use crate::{Error, Scenario, Table, Warning};
use alba_fluid::{Outcome, Problem, Tolerances};
use alba_model::Measure;

/// The trajectory on the scenario's grid: `time`, `time_s` where known, `arrival_rate`, every measure, and the levels
/// 0 to `levels`.
///
/// # Errors
/// [`Error::Fluid`].
pub fn fluid(scenario: &Scenario, levels: Option<usize>) -> Result<Answer, Error> {
    let outcome = solve(scenario)?;
    let measures = measures(levels);
    let names = measures.iter().map(|measure| measure.name());
    let arrival_rate = ["arrival_rate".to_owned()];
    let mut table = Table::new(time_columns(scenario).into_iter().chain(arrival_rate).chain(names));
    for at in &outcome.snapshots {
        let mut row = time_cells(scenario, at.time);
        row.push(at.arrival_rate.into());
        row.extend(measures.iter().map(|measure| measure.value(at, scenario.power()).into()));
        table.push(row);
    }
    Ok(Answer { table, warnings: turned_away(&outcome, scenario) })
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
    Ok(Answer { table, warnings: turned_away(&outcome, scenario) })
}

/// The trajectory.
pub(super) fn solve(scenario: &Scenario) -> Result<Outcome, Error> {
    let (model, initial) = (scenario.model().clone(), scenario.initial().clone());
    Problem::new(model, initial, scenario.run().grid, Tolerances::default())
        .and_then(|problem| alba_fluid::solve(&problem))
        .map_err(|source| Error::Fluid { scenario: scenario.name().to_owned(), source })
}

/// Jobs turned away over the whole run, by the trapezoidal rule over the grid.
fn turned_away(outcome: &Outcome, scenario: &Scenario) -> Vec<Warning> {
    let share = |measure: Measure| {
        let flow =
            |at: &alba_model::Snapshot| at.arrival_rate * measure.value(at, scenario.power()).unwrap_or(0.0);
        let pairs = outcome.snapshots.windows(2);
        let (turned_away, all) = pairs.fold((0.0, 0.0), |(turned_away, all), pair| {
            (turned_away + flow(&pair[0]) + flow(&pair[1]), all + pair[0].arrival_rate + pair[1].arrival_rate)
        });
        if all > 0.0 { turned_away / all } else { 0.0 }
    };
    Warning::turned_away(scenario.name(), share(Measure::LostFraction), share(Measure::RejectedFraction))
}
