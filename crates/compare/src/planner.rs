//! The figure of a comparison in real time: servers over the day, and below them what users feel.

use crate::both::Both;
use crate::curves::{curve as curve_of, key};
use alba_model::{Measure, Percentile};
use alba_plot::{Axis, Colour, Figure, Panel, Series, Stroke};
use alba_scenario::Scenario;

/// Points of a curve by time in the figure's unit.
type Points = Vec<Point>;
type Point = (f64, Option<f64>);

/// Whose values a curve shows.
#[derive(Clone, Copy)]
enum Engine {
    Fluid,
    Simulated,
}

impl Engine {
    fn value(self, measure: Measure) -> impl Fn(&Both) -> Option<f64> {
        move |both| match self {
            Self::Fluid => both.fluid(measure),
            Self::Simulated => both.simulated(measure).value,
        }
    }

    fn stroke(self) -> Stroke {
        match self {
            Self::Fluid => Stroke::Dashed,
            Self::Simulated => Stroke::Solid,
        }
    }
}

/// A unit of time, and its length in seconds.
const UNITS: [(&str, f64); 3] = [("hours", 3600.0), ("minutes", 60.0), ("seconds", 1.0)];
/// The largest unit of which a run has this many is taken.
const FEWEST: f64 = 2.0;

/// The highest response time is below the top.
const AIR: f64 = 1.1;

/// The figure of a comparison's table, where service times take `service_time_s` seconds.
pub(super) fn figure(scenario: &Scenario, service_time_s: f64, comparison: &[Both]) -> Figure {
    let seconds = scenario.run().grid.horizon() * service_time_s;
    let (name, unit) = UNITS.into_iter().find(|(_, unit)| seconds >= FEWEST * unit).unwrap_or(UNITS[2]);
    let label = format!("time ({name})");
    let x = match name {
        "hours" => Axis::hours(label, 0.0, seconds / unit),
        _ => Axis::linear(label),
    };
    let day = Day { comparison, servers: scenario.servers() as f64, unit: service_time_s / unit };
    let run = scenario.run();
    let replications = match run.replications {
        1 => "one replication".to_owned(),
        several => format!("mean of {several} replications"),
    };
    let (scheme, servers) = (scenario.model().scheme(), scenario.servers());
    with_numbers(Figure {
        title: scenario.name().to_owned(),
        caption: format!("{scheme}. Dashed: fluid model. Solid: N = {servers} servers, {replications}."),
        columns: 1,
        panels: vec![day.servers(x.clone()), day.response_time(x, service_time_s)],
    })
}

/// Without panels that have nothing to show.
fn with_numbers(mut figure: Figure) -> Figure {
    figure.panels.retain(|panel| {
        panel.series.iter().any(|series| series.points.iter().any(|point| point.1.is_some()))
    });
    figure
}

/// The table, and what its fractions and times are multiplied by.
struct Day<'t> {
    comparison: &'t [Both],
    servers: f64,
    unit: f64,
}

impl Day<'_> {
    fn servers(&self, x: Axis) -> Panel {
        let demand = self.scaled(&curve_of(self.comparison, |both| Some(both.arrival_rate)), self.servers);
        let mut series = vec![];
        for engine in [Engine::Simulated, Engine::Fluid] {
            let found =
                |measure| self.scaled(&curve_of(self.comparison, engine.value(measure)), self.servers);
            let (initializing, idle, busy) =
                (found(Measure::Initializing), found(Measure::Idle), found(Measure::Busy));
            let sum =
                |(idle, busy): (&Point, &Point)| (idle.0, idle.1.zip(busy.1).map(|(idle, busy)| idle + busy));
            let warm = idle.iter().zip(&busy).map(sum).collect();
            let curves = [
                ("warm", Colour::Green, warm),
                ("busy", Colour::Vermillion, busy),
                ("initializing", Colour::Orange, initializing),
            ];
            series.extend(curves.map(|(label, colour, points)| {
                let label = if matches!(engine, Engine::Simulated) { label } else { "" };
                line(label, colour, engine.stroke(), points)
            }));
        }
        // Busy servers follow demand closely: it is drawn on top, thin.
        series.extend([line("demand", Colour::Black, Stroke::Thin, demand), key()]);
        Panel { title: String::new(), x, y: Axis::linear("servers"), series }
    }

    fn response_time(&self, x: Axis, service_time_s: f64) -> Panel {
        let (unit, factor) = if service_time_s < 10.0 { ("ms", 1000.0) } else { ("s", 1.0) };
        let curve = |engine: Engine, label: &str| {
            let points = curve_of(self.comparison, engine.value(Measure::MeanResponseTime));
            let points = self.scaled(&points, factor * service_time_s);
            line(label, Colour::Blue, engine.stroke(), points)
        };
        let p99 = |both: &Both| Some(both.fluid_response.as_ref()?.quantile(Percentile::P99.probability()));
        let p99 = self.scaled(&curve_of(self.comparison, p99), factor * service_time_s);
        let p99 = line("99th percentile", Colour::Purple, Stroke::Dashed, p99);
        let series = vec![curve(Engine::Simulated, "mean"), curve(Engine::Fluid, ""), p99, key()];
        let highest =
            series.iter().flat_map(|series| &series.points).filter_map(|point| point.1).fold(0.0, f64::max);
        // From zero: what matters is how many times a service time users wait.
        let range = (highest > 0.0).then_some((0.0, AIR * highest));
        let y = Axis { range, ..Axis::linear(format!("response time ({unit})")) };
        Panel { title: String::new(), x, y, series }
    }

    fn scaled(&self, points: &Points, factor: f64) -> Points {
        points.iter().map(|&(time, value)| (time * self.unit, value.map(|value| value * factor))).collect()
    }
}

fn line(label: &str, colour: Colour, stroke: Stroke, points: Points) -> Series {
    Series { label: label.to_owned(), colour, stroke, points, band: vec![] }
}
