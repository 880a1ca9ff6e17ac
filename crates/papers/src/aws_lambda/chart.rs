//! The figure of the measured loads, drawn from the table.

use super::Load;
use alba_plot::{Axis, Colour, Figure, Panel, Series, Stroke};
use alba_scenario::Scenario;

pub(super) fn figure(scenario: &Scenario, loads: &[Load]) -> Figure {
    let policies: Vec<String> = scenario.policies().iter().take(2).map(ToString::to_string).collect();
    Figure {
        title: "AWS Lambda: measured and simulated".to_owned(),
        caption: "Points: ten measured loads (Mahmoudi and Khazaei), each of about 21 h, with 95 % intervals. Lines: simulated, scaled \
                  per request; an idle instance expires after 10 min."
            .to_owned(),
        columns: 2,
        panels: vec![
            Panel {
                title: "Instances".to_owned(),
                x: Axis::log10("requests per second"),
                y: Axis { range: None, ..Axis::linear("mean number of instances") },
                series: curves(
                    loads,
                    &policies,
                    |load| (load.measured.instances, None),
                    [|load| load.simulated.instances.value, |load| load.other.instances],
                ),
            },
            Panel {
                title: "Cold starts".to_owned(),
                x: Axis::log10("requests per second"),
                y: Axis::log10("share of cold requests"),
                series: curves(
                    loads,
                    &policies,
                    |Load { measured, .. }| {
                        (measured.cold_start_fraction, Some(1.96 * measured.cold_start_fraction_error))
                    },
                    [|load| load.simulated.cold_starts.value, |load| load.other.cold_starts],
                ),
            },
        ],
    }
}

/// Measured values with half of their intervals, and those simulated under each of two policies.
fn curves(
    loads: &[Load],
    policies: &[String],
    measured: fn(&Load) -> (f64, Option<f64>),
    simulated: [fn(&Load) -> Option<f64>; 2],
) -> Vec<Series> {
    let at = |load: &Load| load.measured.requests_per_s;
    let styles = [(Colour::Blue, Stroke::Solid), (Colour::Orange, Stroke::Dashed)];
    let line = |label: &String, (colour, stroke), simulated: fn(&Load) -> Option<f64>| Series {
        label: format!("simulated, {label}"),
        colour,
        stroke,
        points: loads.iter().map(|load| (at(load), simulated(load))).collect(),
        band: vec![],
    };
    let bars = loads.iter().filter_map(|load| {
        let (value, half) = measured(load);
        Some((at(load), value - half?, value + half?))
    });
    let seen = Series {
        label: "measured".to_owned(),
        colour: Colour::Black,
        stroke: Stroke::Points,
        points: loads.iter().map(|load| (at(load), Some(measured(load).0))).collect(),
        band: bars.collect(),
    };
    let lines = policies.iter().zip(styles).zip(simulated);
    lines.map(|((label, style), simulated)| line(label, style, simulated)).chain([seen]).collect()
}
