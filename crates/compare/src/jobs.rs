//! Where all requests went: what comes in must be somewhere.

use alba_ctmc::Outcome;
use alba_model::{Counts, Measure};
use alba_scenario::Scenario;
use alba_table::{Cell, Table};

/// Columns of the table of jobs; all replications together.
const COLUMNS: [&str; 10] = [
    "scenario",
    "servers",
    "replications",
    "present_at_start",
    "requests",
    "done",
    "lost",
    "rejected",
    "present_at_end",
    "unaccounted",
];

pub(super) fn empty() -> Table {
    Table::new(COLUMNS)
}

/// Adds the row of a scenario. Jobs present at the end are those in the state at the horizon, not what is left after
/// counting; there are none to see if a replication ended early.
pub(super) fn add(jobs: &mut Table, scenario: &Scenario, outcome: &Outcome) {
    let events = &outcome.summary.events;
    let replications = outcome.summary.replications;
    let at_start = Counts::apportion(scenario.initial(), scenario.servers()).jobs() * replications;
    let at_end = present(scenario, outcome);
    let came = at_start + events.arrivals();
    let gone = events.completions + events.lost + events.rejected;
    let unaccounted = at_end.map(|at_end| came as f64 - (gone + at_end) as f64);
    let mut row = vec![Cell::from(scenario.name())];
    row.extend([scenario.servers(), replications, at_start, events.arrivals()].map(Cell::from));
    row.extend([events.completions, events.lost, events.rejected].map(Cell::from));
    row.extend([at_end.map_or(Cell::Empty, Cell::from), unaccounted.into()]);
    jobs.push(row);
}

fn present(scenario: &Scenario, outcome: &Outcome) -> Option<u64> {
    let last = outcome.points.last().filter(|last| last.replications == outcome.summary.replications)?;
    let index = Measure::ALL.iter().position(|measure| *measure == Measure::JobsPerServer)?;
    let mean = last.estimates.get(index)?.value?;
    Some((mean * scenario.servers() as f64 * last.replications as f64).round() as u64)
}
