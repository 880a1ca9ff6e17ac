//! What a simulation of numbered servers found, as tables.

use crate::answer::{time_cells, time_columns};
use crate::view::{milliseconds, one_run_cells, one_run_columns};
use alba_cluster::{Estimate, Metric, Outcome, PolicyOutcome, RequestCounts};
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
    pub(crate) fn of(scenario: &Scenario, outcome: &Outcome) -> Self {
        Self {
            policies: policies(scenario, outcome),
            times: times(scenario, outcome),
            servers: servers(outcome),
            levels: levels(outcome),
        }
    }
}

/// Of what is also given in milliseconds, where they are known.
fn in_milliseconds() -> impl Iterator<Item = Metric> {
    Metric::ALL.into_iter().filter(|metric| metric.is_time())
}

fn policies(scenario: &Scenario, outcome: &Outcome) -> Table {
    let names = || Metric::ALL.into_iter().map(Metric::name);
    let suffixed = |suffix: &'static str| names().map(move |name| format!("{name}{suffix}"));
    let first =
        ["policy", "replications"].into_iter().chain(counts(&RequestCounts::default()).map(|count| count.0));
    let mut columns: Vec<String> = first.map(str::to_owned).chain(names().map(str::to_owned)).collect();
    columns.extend(suffixed("_half_width"));
    columns.extend(suffixed("_difference"));
    columns.extend(suffixed("_difference_half_width"));
    if milliseconds(scenario).is_some() {
        columns.extend(in_milliseconds().map(|metric| format!("{}_ms", metric.name())));
        columns.extend(in_milliseconds().map(|metric| format!("{}_half_width_ms", metric.name())));
    }
    columns.extend(one_run_columns(&names().map(str::to_owned).collect::<Vec<_>>()));
    if milliseconds(scenario).is_some() {
        let times: Vec<_> = in_milliseconds().map(|metric| metric.name().to_owned()).collect();
        columns.extend(one_run_columns(&times).map(|name| format!("{name}_ms")));
    }
    let mut table = Table::new(columns);
    outcome.policies.iter().for_each(|policy| table.push(policy_row(scenario, policy)));
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
                .map(move |metric| Cell::from(of(outcome.metric(metric)).map(|time| factor * time)))
        };
        row.extend(scaled(|estimate| estimate.value));
        row.extend(scaled(|estimate| estimate.half_width));
    }
    row.extend(one_run_cells(&outcome.one_run, 1.0));
    if let Some(factor) = milliseconds(scenario) {
        let times: Vec<_> = in_milliseconds().map(|metric| outcome.one_run[metric as usize]).collect();
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
    let names: Vec<String> = Outcome::STATE.into_iter().map(alba_model::Measure::name).collect();
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
