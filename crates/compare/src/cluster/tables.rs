//! What a simulation of numbered servers found, as tables.

use super::Sampled;
use crate::answer::time_columns;
use crate::simulate::PRECISE;
use crate::view::{HALF, in_milliseconds, milliseconds, one_run, unit_of, with_half_width};
use alba_cluster::{Estimate, GridPoint, Interval, Outcome, PolicyOutcome, RequestCounts};
use alba_model::{Measure, Unit};
use alba_scenario::Scenario;
use alba_table::{Column, Schema, Table};

/// Of what is also given in milliseconds, where they are known.
fn times_of_requests() -> impl Iterator<Item = Measure> {
    Measure::OF_REQUESTS.into_iter().filter(|measure| measure.unit() == Unit::Time)
}

/// An end of an estimate of every measure.
fn estimates<'c>(
    suffix: &'static str,
    meaning: &'static str,
    get: fn(&PolicyOutcome, usize) -> Option<f64>,
) -> impl Iterator<Item = Column<'c, PolicyOutcome>> {
    Measure::OF_REQUESTS.into_iter().enumerate().map(move |(index, measure)| {
        let name = format!("{}{suffix}", measure.name());
        Column::new(name, unit_of(measure), meaning, move |row: &PolicyOutcome| get(row, index))
    })
}

/// The times among them in milliseconds, where known.
fn milliseconds_of<'c>(
    scenario: &Scenario,
    suffix: &'static str,
    get: fn(Estimate) -> Option<f64>,
) -> impl Iterator<Item = Column<'c, PolicyOutcome>> {
    times_of_requests().filter_map(move |measure| {
        let name = format!("{}{suffix}", measure.name());
        in_milliseconds(scenario, name, move |row: &PolicyOutcome| get(row.metric(measure)))
    })
}

/// A row a policy.
pub(crate) fn policies(scenario: &Scenario, sampled: &Sampled) -> Table {
    let interval = |measure: Measure, factor: f64| {
        move |row: &PolicyOutcome| {
            let Interval { low, high } = row.one_run(measure)?;
            Some(Interval { low: factor * low, high: factor * high })
        }
    };
    let one = Measure::OF_REQUESTS.map(|measure| (measure.name(), unit_of(measure), interval(measure, 1.0)));
    let one_in_milliseconds = milliseconds(scenario).map(|factor| {
        let times = times_of_requests().map(|measure| (measure.name(), "ms", interval(measure, factor)));
        one_run(times.collect(), "_ms")
    });
    let met = || Column::new("precision_met", "", PRECISE, |row: &PolicyOutcome| sampled.precision_met(row));
    let schema = Schema::new()
        .column("policy", "", "who takes the next request", |row: &PolicyOutcome| row.policy.to_string())
        .column("replications", "", "how many", |row| row.replications)
        .columns(counts())
        .columns(estimates("", "over replications", |row, index| row.metrics.get(index)?.value))
        .columns(estimates("_half_width", HALF, |row, index| row.metrics.get(index)?.half_width))
        .columns(estimates("_difference", "from the first policy", |row, index| {
            row.differences.get(index)?.value
        }))
        .columns(estimates("_difference_half_width", HALF, |row, index| {
            row.differences.get(index)?.half_width
        }))
        .columns(milliseconds_of(scenario, "", |estimate| estimate.value))
        .columns(milliseconds_of(scenario, "_half_width", |estimate| estimate.half_width))
        .columns(one_run(one.into(), ""))
        .columns(one_in_milliseconds.into_iter().flatten())
        .columns(scenario.run().precision.as_ref().map(|_| met()));
    schema.table(&sampled.outcome.policies)
}

/// Requests of all replications together, the warm-up included: those present at the start and those that arrived are those
/// done, rejected, lost and present at the end.
fn counts<'c>() -> [Column<'c, PolicyOutcome>; 6] {
    let count = |name: &str, get: fn(&RequestCounts) -> u64| {
        Column::new(name, "requests", "of all replications", move |row: &PolicyOutcome| get(&row.counts))
    };
    [
        count("present_at_start", |counts| counts.present_at_start),
        count("arrived", |counts| counts.arrived),
        count("done", |counts| counts.done),
        count("rejected", |counts| counts.rejected),
        count("lost", |counts| counts.lost),
        count("present_at_end", |counts| counts.present_at_end),
    ]
}

/// Something of a policy.
type Of<'o, P> = (&'o PolicyOutcome, P);

fn policy<'o, P: 'o>() -> Column<'o, Of<'o, P>> {
    Column::new("policy", "", "who takes the next request", |row: &Of<'o, P>| row.0.policy.to_string())
}

/// A row a policy and report time.
pub(crate) fn times(scenario: &Scenario, outcome: &Outcome) -> Table {
    type At<'o> = Of<'o, &'o GridPoint>;
    let states = |suffix: &'static str, meaning, get: fn(Estimate) -> Option<f64>| {
        Measure::of_state().enumerate().map(move |(index, measure)| {
            let name = format!("{}{suffix}", measure.name());
            Column::new(name, unit_of(measure), meaning, move |row: &At<'_>| get(row.1.estimates[index]))
        })
    };
    let schema = Schema::new()
        .columns(time_columns(scenario, |row: &At<'_>| row.1.time))
        .columns([policy()])
        .columns(states("", "mean over replications", |estimate| estimate.value))
        .columns(states("_half_width", HALF, |estimate| estimate.half_width));
    schema.table(outcome.policies.iter().flat_map(|of| of.points.iter().map(move |point| (of, point))))
}

/// A row a policy and server: requests that it was given after the warm-up.
pub(crate) fn servers(outcome: &Outcome) -> Table {
    let schema = Schema::new()
        .columns([policy()])
        .column("server", "", "its number, from 1", |row: &Of<'_, (usize, f64)>| row.1.0 + 1)
        .column("requests", "requests", "in the mean over replications", |row| row.1.1);
    let numbered = |of: &PolicyOutcome| of.requests_per_server.clone().into_iter().enumerate();
    schema.table(outcome.policies.iter().flat_map(|of| numbered(of).map(move |server| (of, server))))
}

/// A row a policy and number of requests: the share of servers that are warm with so many.
pub(crate) fn levels(outcome: &Outcome) -> Table {
    type Level<'o> = Of<'o, (usize, Estimate)>;
    let share = "of servers that are warm with so many";
    let schema = Schema::new()
        .columns([policy()])
        .column("requests", "requests", "at a server", |row: &Level<'_>| row.1.0)
        .columns(with_half_width("share", "", share, |row: &Level<'_>| row.1.1));
    let numbered = |of: &PolicyOutcome| of.levels.clone().into_iter().enumerate();
    schema.table(outcome.policies.iter().flat_map(|of| numbered(of).map(move |level| (of, level))))
}
