//! Where all requests went: what comes in must be somewhere.

use crate::view::place_of;
use alba_ctmc::{EventCounts, Outcome};
use alba_model::{Counts, Measure};
use alba_scenario::Scenario;
use alba_table::Schema;

/// The requests of a scenario, all replications together.
#[derive(Debug, Clone, PartialEq)]
pub struct Jobs {
    /// The scenario's name.
    pub scenario: String,
    /// N.
    pub servers: u64,
    /// How many.
    pub replications: u64,
    /// Present at the start.
    pub at_start: u64,
    /// What happened.
    pub events: EventCounts,
    /// Those in the state at the horizon, not what is left after counting; none to see if a replication ended early.
    pub at_end: Option<u64>,
}

impl Jobs {
    pub(super) fn of(scenario: &Scenario, outcome: &Outcome) -> Self {
        let replications = outcome.summary.replications;
        Self {
            scenario: scenario.name().to_owned(),
            servers: scenario.servers(),
            replications,
            at_start: Counts::apportion(scenario.initial(), scenario.servers()).jobs() * replications,
            events: outcome.summary.events,
            at_end: present(scenario, outcome),
        }
    }

    /// What came less what went and what is there; nothing should be.
    fn unaccounted(&self) -> Option<f64> {
        let came = self.at_start + self.events.arrivals();
        let gone = self.events.completions + self.events.lost + self.events.rejected;
        self.at_end.map(|at_end| came as f64 - (gone + at_end) as f64)
    }
}

pub(super) fn columns() -> Schema<'static, Jobs> {
    Schema::new()
        .column("scenario", "", "its name", |row: &Jobs| row.scenario.clone())
        .column("servers", "", "N", |row| row.servers)
        .column("replications", "", "how many", |row| row.replications)
        .column("present_at_start", "jobs", "of all replications, as the next", |row| row.at_start)
        .column("requests", "jobs", "that arrived", |row| row.events.arrivals())
        .column("done", "jobs", "that were served", |row| row.events.completions)
        .column("lost", "jobs", "that found no warm server", |row| row.events.lost)
        .column("rejected", "jobs", "that were sent to a full server", |row| row.events.rejected)
        .column("present_at_end", "jobs", "in the state at the horizon", |row| row.at_end)
        .column("unaccounted", "jobs", "what came less what went and what is there", Jobs::unaccounted)
}

fn present(scenario: &Scenario, outcome: &Outcome) -> Option<u64> {
    let last = outcome.points.last().filter(|last| last.replications == outcome.summary.replications)?;
    let mean = last.estimates.get(place_of(Measure::JobsPerServer)?)?.value?;
    Some((mean * scenario.servers() as f64 * last.replications as f64).round() as u64)
}
