//! What a simulation of numbered servers found, as tables.

use super::Sampled;
use crate::answer::{time_cells, time_columns};
use crate::simulate::precision_column;
use crate::view::{milliseconds, one_run_cells, one_run_columns};
use alba_cluster::{Estimate, Outcome, PolicyOutcome, RequestCounts};
use alba_model::{Measure, Unit};
use alba_scenario::Scenario;
use alba_table::{Cell, Row, Table};

/// Everything that is kept of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tables {
    /// A row a policy.
    pub(crate) policies: Table,
    /// A row a report time and policy.
    pub(crate) times: Table,
    /// A row a policy and server: requests that it was given after the warm-up.
    pub(crate) servers: Table,
    /// A row a policy and number of requests: the share of servers that are warm with so many.
    pub(crate) levels: Table,
}

impl Tables {
    pub(crate) fn of(scenario: &Scenario, sampled: &Sampled) -> Self {
        let outcome = &sampled.outcome;
        Self {
            policies: policies(scenario, sampled),
            times: times(scenario, outcome),
            servers: servers(outcome),
            levels: levels(outcome),
        }
    }
}

/// Of what is also given in milliseconds, where they are known.
fn in_milliseconds() -> impl Iterator<Item = Measure> {
    Measure::OF_REQUESTS.into_iter().filter(|measure| measure.unit() == Unit::Time)
}

fn policies(scenario: &Scenario, sampled: &Sampled) -> Table {
    let names = || Measure::OF_REQUESTS.into_iter().map(Measure::name);
    let suffixed = |suffix: &'static str| names().map(move |name| format!("{name}{suffix}"));
    let first =
        ["policy", "replications"].into_iter().chain(counts(&RequestCounts::default()).map(|count| count.0));
    let mut columns: Vec<String> = first.map(str::to_owned).chain(names()).collect();
    columns.extend(suffixed("_half_width"));
    columns.extend(suffixed("_difference"));
    columns.extend(suffixed("_difference_half_width"));
    if milliseconds(scenario).is_some() {
        columns.extend(in_milliseconds().map(|measure| format!("{}_ms", measure.name())));
        columns.extend(in_milliseconds().map(|measure| format!("{}_half_width_ms", measure.name())));
    }
    columns.extend(one_run_columns(&names().collect::<Vec<_>>()));
    if milliseconds(scenario).is_some() {
        let times: Vec<_> = in_milliseconds().map(Measure::name).collect();
        columns.extend(one_run_columns(&times).map(|name| format!("{name}_ms")));
    }
    columns.extend(precision_column(scenario));
    let mut table = Table::new(columns);
    for policy in &sampled.outcome.policies {
        let mut row = policy_row(scenario, policy);
        row.extend(sampled.precision_met(policy).map(Cell::Truth));
        table.push(row);
    }
    table
}

fn policy_row(scenario: &Scenario, outcome: &PolicyOutcome) -> Row {
    let mut row = vec![outcome.policy.to_string().into(), outcome.replications.into()];
    row.extend(counts(&outcome.counts).map(|count| Cell::from(count.1)));
    let cells = |estimates: &[Estimate], of: fn(&Estimate) -> Option<f64>| {
        estimates.iter().map(move |estimate| Cell::from(of(estimate))).collect::<Vec<_>>()
    };
    for estimates in [&outcome.metrics, &outcome.differences] {
        row.extend(cells(estimates, |estimate| estimate.value));
        row.extend(cells(estimates, |estimate| estimate.half_width));
    }
    if let Some(factor) = milliseconds(scenario) {
        let scaled = |of: fn(Estimate) -> Option<f64>| {
            in_milliseconds()
                .map(move |measure| Cell::from(of(outcome.metric(measure)).map(|time| factor * time)))
        };
        row.extend(scaled(|estimate| estimate.value));
        row.extend(scaled(|estimate| estimate.half_width));
    }
    row.extend(one_run_cells(&outcome.one_run, 1.0));
    if let Some(factor) = milliseconds(scenario) {
        let times: Vec<_> = in_milliseconds().map(|measure| outcome.one_run(measure)).collect();
        row.extend(one_run_cells(&times, factor));
    }
    row
}

/// Requests of all replications together, the warm-up included: those present at the start and those that arrived are those
/// done, rejected, lost and present at the end.
fn counts(counts: &RequestCounts) -> [(&'static str, u64); 6] {
    [
        ("present_at_start", counts.present_at_start),
        ("arrived", counts.arrived),
        ("done", counts.done),
        ("rejected", counts.rejected),
        ("lost", counts.lost),
        ("present_at_end", counts.present_at_end),
    ]
}

fn times(scenario: &Scenario, outcome: &Outcome) -> Table {
    let names: Vec<String> = Measure::of_state().map(Measure::name).collect();
    let mut columns = time_columns(scenario);
    columns.push("policy".to_owned());
    columns.extend(names.iter().cloned());
    columns.extend(names.iter().map(|name| format!("{name}_half_width")));
    let mut table = Table::new(columns);
    for policy in &outcome.policies {
        for point in &policy.points {
            let mut row = time_cells(scenario, point.time);
            row.push(policy.policy.to_string().into());
            row.extend(point.estimates.iter().map(|estimate| Cell::from(estimate.value)));
            row.extend(point.estimates.iter().map(|estimate| Cell::from(estimate.half_width)));
            table.push(row);
        }
    }
    table
}

fn servers(outcome: &Outcome) -> Table {
    let mut table = Table::new(["policy", "server", "requests"]);
    for policy in &outcome.policies {
        for (number, &requests) in (1u64..).zip(&policy.requests_per_server) {
            table.push(vec![policy.policy.to_string().into(), number.into(), requests.into()]);
        }
    }
    table
}

fn levels(outcome: &Outcome) -> Table {
    let mut table = Table::new(["policy", "requests", "share", "share_half_width"]);
    for policy in &outcome.policies {
        for (requests, share) in (0u64..).zip(&policy.levels) {
            let name = policy.policy.to_string().into();
            table.push(vec![name, requests.into(), share.value.into(), share.half_width.into()]);
        }
    }
    table
}
