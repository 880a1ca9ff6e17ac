//! The figure of a simulation of numbered servers, by policy.

use alba_cluster::{GridPoint, Outcome, PolicyOutcome};
use alba_model::Measure;
use alba_plot::{Axis, Colour, Figure, Panel, Series};
use alba_scenario::Scenario;

/// Percentiles of the response time, and the share of requests that take longer.
const TAIL: [(Measure, f64); 4] =
    [(Measure::P50, 0.5), (Measure::P95, 0.05), (Measure::P99, 0.01), (Measure::P99_9, 0.001)];

pub(super) fn figure(scenario: &Scenario, outcome: &Outcome) -> Figure {
    let problem = scenario.numbered_problem();
    let what = problem.map(|problem| format!("{}, {}", problem.discipline(), problem.scaling()));
    let replications = outcome.policies.first().map(|policy| policy.replications);
    let replications = match replications.unwrap_or(scenario.run().replications) {
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
        panels: vec![servers_on(scenario, outcome), jobs(outcome), plane(outcome), tail(outcome)],
    }
}

/// A series for every policy, in its colour.
fn each(outcome: &Outcome, series: impl Fn(&PolicyOutcome, Series) -> Series) -> Vec<Series> {
    let of = |(index, policy): (usize, &PolicyOutcome)| {
        let (colour, stroke) = Colour::with_stroke(index);
        let label = policy.policy.to_string();
        series(policy, Series { label, colour, stroke, points: vec![], band: vec![] })
    };
    outcome.policies.iter().enumerate().map(of).collect()
}

/// A curve over time for every policy: the sum of measures.
fn over_time(outcome: &Outcome, factor: f64, measures: &[Measure]) -> Vec<Series> {
    let value = |point: &GridPoint, measure: &Measure| {
        let place = Measure::of_state().position(|other| other == *measure)?;
        point.estimates.get(place)?.value
    };
    let sum = |point: &GridPoint| {
        let sum = measures.iter().map(|measure| value(point, measure)).sum::<Option<f64>>();
        (point.time, sum.map(|sum| sum * factor))
    };
    each(outcome, |policy, series| Series { points: policy.points.iter().map(sum).collect(), ..series })
}

fn servers_on(scenario: &Scenario, outcome: &Outcome) -> Panel {
    let on = [Measure::Initializing, Measure::Idle, Measure::Busy];
    Panel {
        title: "Servers on".to_owned(),
        x: Axis::linear("time (mean service times)"),
        y: Axis::linear("initializing and warm servers"),
        series: over_time(outcome, scenario.servers() as f64, &on),
    }
}

fn jobs(outcome: &Outcome) -> Panel {
    Panel {
        title: "Requests present".to_owned(),
        x: Axis::linear("time (mean service times)"),
        y: Axis::linear("requests per server"),
        series: over_time(outcome, 1.0, &[Measure::JobsPerServer]),
    }
}

/// Delay against energy: nearer to the lower left is better.
fn plane(outcome: &Outcome) -> Panel {
    let point = |policy: &PolicyOutcome, series: Series| {
        let (energy, delay) =
            (policy.metric(Measure::Energy).value, policy.metric(Measure::MeanResponseTime));
        let bar = energy.zip(delay.value.zip(delay.half_width));
        Series {
            points: energy.map(|energy| (energy, delay.value)).into_iter().collect(),
            band: bar
                .map(|(energy, (delay, half))| (energy, delay - half, delay + half))
                .into_iter()
                .collect(),
            stroke: series.stroke.of_point(),
            ..series
        }
    };
    Panel {
        title: "Delay and energy".to_owned(),
        x: Axis::linear("power per server"),
        y: Axis::linear("mean response time (service times)"),
        series: each(outcome, point),
    }
}

fn tail(outcome: &Outcome) -> Panel {
    let curve = |policy: &PolicyOutcome, series: Series| {
        let points =
            TAIL.iter().filter_map(|(measure, share)| Some((policy.metric(*measure).value?, Some(*share))));
        Series { points: points.collect(), ..series }
    };
    Panel {
        title: "Response times".to_owned(),
        x: Axis::linear("response time (mean service times)"),
        y: Axis::log10("share of requests that take longer"),
        series: each(outcome, curve),
    }
}
