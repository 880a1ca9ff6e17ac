//! The figure of a comparison: the paper's two panels, for any scenario; a planner's where the time unit is known.

use super::both::Both;
use super::curves::{curve, key};
use super::planner;
use alba_model::Measure;
use alba_plot::{Axis, Colour, Figure, Panel, Series, Stroke};
use alba_scenario::Scenario;

/// Left panel: what servers do.
const SERVERS: [(Measure, &str, Colour); 4] = [
    (Measure::Cold, "cold", Colour::Blue),
    (Measure::Initializing, "initializing", Colour::Orange),
    (Measure::Idle, "idle-on", Colour::Green),
    (Measure::Busy, "busy", Colour::Vermillion),
];

/// Right panel: how long queues are.
const QUEUES: [(Measure, &str, Colour); 1] = [(Measure::JobsPerWarm, "simulation", Colour::Blue)];

/// The figure of a comparison's table; panels without a single number are left out.
pub(super) fn figure(scenario: &Scenario, comparison: &[Both]) -> Figure {
    if let Some(service_time_s) = scenario.mean_service_time_s() {
        return planner::figure(scenario, service_time_s, comparison);
    }
    let panels = [
        panel("Servers", "fraction of servers", &SERVERS, comparison),
        panel("Queues", "jobs per warm server", &QUEUES, comparison),
    ];
    let has_numbers =
        |panel: &Panel| panel.series.iter().any(|series| series.points.iter().any(|point| point.1.is_some()));
    let run = scenario.run();
    let replications = match run.replications {
        1 => "one replication".to_owned(),
        several => format!("mean of {several} replications, with its 95 % interval"),
    };
    let (scheme, servers) = (scenario.model().scheme(), scenario.servers());
    Figure {
        title: scenario.name().to_owned(),
        caption: format!("{scheme}. Dashed: fluid model. Solid: N = {servers} servers, {replications}."),
        columns: 2,
        panels: panels.into_iter().filter(has_numbers).collect(),
    }
}

fn panel(title: &str, y: &str, curves: &[(Measure, &str, Colour)], comparison: &[Both]) -> Panel {
    let simulated =
        curves.iter().map(|&(measure, label, colour)| simulated(measure, label, colour, comparison));
    let fluid = curves.iter().map(|&(measure, _, colour)| fluid(measure, colour, comparison));
    Panel {
        title: title.to_owned(),
        x: Axis::linear("time (mean service times)"),
        y: Axis::linear(y),
        series: simulated.chain(fluid).chain([key()]).collect(),
    }
}

fn simulated(measure: Measure, label: &str, colour: Colour, comparison: &[Both]) -> Series {
    let band = comparison.iter().filter_map(|both| {
        let (value, half_width) = both.simulated(measure).value.zip(both.simulated(measure).half_width)?;
        Some((both.time, value - half_width, value + half_width))
    });
    let points = curve(comparison, |both| both.simulated(measure).value);
    Series { label: label.to_owned(), colour, stroke: Stroke::Solid, points, band: band.collect() }
}

fn fluid(measure: Measure, colour: Colour, comparison: &[Both]) -> Series {
    let points = curve(comparison, |both| both.fluid(measure));
    Series { label: String::new(), colour, stroke: Stroke::Dashed, points, band: vec![] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario() -> Scenario {
        Scenario::parse("f", include_str!("../../../scenarios/figure1.toml"), &[]).unwrap()
    }

    fn comparison(jobs_per_warm: Option<f64>) -> [Both; 2] {
        let estimate = |value, half_width| alba_ctmc::Estimate { value, half_width };
        let row = |time, fluid, idle, half_width| {
            let jobs = (Measure::JobsPerWarm, None, estimate(jobs_per_warm, half_width));
            Both::of_values(time, &[(Measure::Idle, Some(fluid), idle), jobs])
        };
        [
            row(0.0, 0.5, estimate(Some(0.25), Some(0.125)), None),
            row(1.0, 0.25, estimate(None, None), Some(1.0)),
        ]
    }

    #[test]
    fn curves_and_bands_come_from_the_table() {
        let figure = figure(&scenario(), &comparison(Some(2.0)));
        assert_eq!(figure.panels.len(), 2);
        let servers = &figure.panels[0].series;
        let idle = servers.iter().find(|series| series.label == "idle-on").unwrap();
        assert_eq!(idle.points, [(0.0, Some(0.25)), (1.0, None)]);
        assert_eq!(idle.band, [(0.0, 0.125, 0.375)]);
        let fluid =
            servers.iter().find(|series| series.stroke == Stroke::Dashed && series.colour == idle.colour);
        assert_eq!(fluid.unwrap().points, [(0.0, Some(0.5)), (1.0, Some(0.25))]);
        assert_eq!(figure.panels[1].series[0].band, [(1.0, 1.0, 3.0)]);
        assert!(figure.caption.contains("Power-of-2 + Blind-0.06"));
        assert!(figure.caption.contains("N = 1000 servers, mean of 10 replications"));
    }

    #[test]
    fn a_panel_without_numbers_is_left_out() {
        let figure = figure(&scenario(), &comparison(None));
        assert_eq!(figure.panels.len(), 1);
        assert!(alba_plot::render(&figure).is_ok());
    }
}
