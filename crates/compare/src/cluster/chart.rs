//! The figure of a simulation of numbered servers, drawn from its tables.

use super::Tables;
use alba_plot::{Axis, Colour, Figure, Panel, Series};
use alba_scenario::Scenario;
use alba_table::Table;

/// Percentiles of the response time, and the share of requests that take longer.
const TAIL: [(&str, f64); 4] = [("p50", 0.5), ("p95", 0.05), ("p99", 0.01), ("p99_9", 0.001)];

pub(super) fn figure(scenario: &Scenario, tables: &Tables) -> Figure {
    let problem = scenario.numbered_problem();
    let what = problem.map(|problem| format!("{}, {}", problem.discipline(), problem.scaling()));
    let replications = tables.policies.numbers("replications").unwrap_or_default().first().copied().flatten();
    let replications = match replications.map_or(scenario.run().replications, |number| number as u64) {
        1 => "one replication".to_owned(),
        several => format!("means of {several} replications, with 95 % intervals"),
    };
    Figure {
        title: scenario.name().to_owned(),
        caption: format!(
            "N = {} numbered servers, {}; {replications}. All policies meet the same requests.",
            scenario.servers(),
            what.unwrap_or_default()
        ),
        columns: 2,
        panels: vec![servers_on(scenario, tables), jobs(tables), plane(tables), tail(tables)],
    }
}

fn names(table: &Table) -> Vec<String> {
    let names = table.texts("policy").unwrap_or_default();
    names.into_iter().map(str::to_owned).collect()
}

/// A curve over time for every policy.
fn over_time(
    tables: &Tables,
    value: impl Fn(&[Option<f64>]) -> Option<f64>,
    columns: &[&str],
) -> Vec<Series> {
    let times = &tables.times;
    let numbers: Vec<_> = columns.iter().map(|column| times.numbers(column).unwrap_or_default()).collect();
    let at = times.numbers("time").unwrap_or_default();
    let policies = names(&tables.policies);
    let points = at.len() / policies.len().max(1);
    let curve = |(index, label): (usize, String)| {
        let (colour, stroke) = Colour::with_stroke(index);
        let rows = index * points..(index + 1) * points;
        let point = |row: usize| {
            let cells: Vec<_> = numbers.iter().map(|column| column[row]).collect();
            Some((at[row]?, value(&cells)))
        };
        Series { label, colour, stroke, points: rows.filter_map(point).collect(), band: vec![] }
    };
    policies.into_iter().enumerate().map(curve).collect()
}

fn servers_on(scenario: &Scenario, tables: &Tables) -> Panel {
    let servers = scenario.servers() as f64;
    let sum = |cells: &[Option<f64>]| cells.iter().copied().sum::<Option<f64>>().map(|sum| sum * servers);
    Panel {
        title: "Servers on".to_owned(),
        x: Axis::linear("time (mean service times)"),
        y: Axis::linear("initializing and warm servers"),
        series: over_time(tables, sum, &["initializing", "idle", "busy"]),
    }
}

fn jobs(tables: &Tables) -> Panel {
    Panel {
        title: "Requests present".to_owned(),
        x: Axis::linear("time (mean service times)"),
        y: Axis::linear("requests per server"),
        series: over_time(tables, |cells| cells[0], &["jobs_per_server"]),
    }
}

/// Delay against energy: nearer to the lower left is better.
fn plane(tables: &Tables) -> Panel {
    let column = |name: &str| tables.policies.numbers(name).unwrap_or_default();
    let (energy, delay, half_width) =
        (column("energy"), column("mean_response_time"), column("mean_response_time_half_width"));
    let point = |(index, label): (usize, String)| {
        let (colour, stroke) = Colour::with_stroke(index);
        let at = energy[index].unwrap_or(f64::NAN);
        let band = delay[index].zip(half_width[index]).map(|(delay, half)| (at, delay - half, delay + half));
        let stroke = stroke.of_point();
        Series { label, colour, stroke, points: vec![(at, delay[index])], band: band.into_iter().collect() }
    };
    Panel {
        title: "Delay and energy".to_owned(),
        x: Axis::linear("power per server"),
        y: Axis::linear("mean response time (service times)"),
        series: names(&tables.policies).into_iter().enumerate().map(point).collect(),
    }
}

fn tail(tables: &Tables) -> Panel {
    let columns = TAIL.map(|(name, share)| (tables.policies.numbers(name).unwrap_or_default(), share));
    let curve = |(index, label): (usize, String)| {
        let (colour, stroke) = Colour::with_stroke(index);
        let points = columns.iter().filter_map(|(values, share)| Some((values[index]?, Some(*share))));
        Series { label, colour, stroke, points: points.collect(), band: vec![] }
    };
    Panel {
        title: "Response times".to_owned(),
        x: Axis::linear("response time (mean service times)"),
        y: Axis::log10("share of requests that take longer"),
        series: names(&tables.policies).into_iter().enumerate().map(curve).collect(),
    }
}
