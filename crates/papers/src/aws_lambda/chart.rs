//! The figure of the measured loads, drawn from the table.

use alba_plot::{Axis, Colour, Figure, Panel, Series, Stroke};
use alba_scenario::Scenario;
use alba_table::Table;

pub(super) fn figure(scenario: &Scenario, table: &Table) -> Figure {
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
                series: curves(table, &policies, "instances", None),
            },
            Panel {
                title: "Cold starts".to_owned(),
                x: Axis::log10("requests per second"),
                y: Axis::log10("share of cold requests"),
                series: curves(
                    table,
                    &policies,
                    "cold_start_fraction",
                    Some("measured_cold_start_fraction_error"),
                ),
            },
        ],
    }
}

fn curves(table: &Table, policies: &[String], what: &str, error: Option<&str>) -> Vec<Series> {
    let numbers = |column: &str| table.numbers(column).unwrap_or_default();
    let loads = numbers("requests_per_s");
    let points = |column: String| -> Vec<(f64, Option<f64>)> {
        loads.iter().zip(numbers(&column)).filter_map(|(load, value)| Some(((*load)?, value))).collect()
    };
    let measured = points(format!("measured_{what}"));
    let errors = error.map(numbers).unwrap_or_default();
    let bars = measured.iter().zip(errors).filter_map(|(&(load, value), error)| {
        let (value, half) = (value?, 1.96 * error?);
        Some((load, value - half, value + half))
    });
    let line = |label: &String, colour, stroke, column: String| Series {
        label: format!("simulated, {label}"),
        colour,
        stroke,
        points: points(column),
        band: vec![],
    };
    let styles =
        [(Colour::Blue, Stroke::Solid, "simulated_"), (Colour::Orange, Stroke::Dashed, "other_policy_")];
    let simulated = policies.iter().zip(styles);
    let simulated = simulated
        .map(|(label, (colour, stroke, prefix))| line(label, colour, stroke, format!("{prefix}{what}")));
    let label = "measured".to_owned();
    let band = bars.collect();
    let seen = Series { label, colour: Colour::Black, stroke: Stroke::Points, points: measured, band };
    simulated.chain([seen]).collect()
}
