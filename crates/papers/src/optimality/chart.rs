//! The figure of the optimality study.

use super::crowd::Crowd;
use super::rivals::{Place, Trajectory, gains};
use alba_compare::PowerLaw;
use alba_plot::{Axis, Colour, Figure, Panel, Scale, Series, Stroke};
use alba_scenario::Scenario;

/// Below this the trajectories are as accurate as their tolerances.
const LOWEST: f64 = 1e-9;

pub(super) fn figure(scenario: &Scenario, lambda: f64, trajectories: &[Trajectory], crowd: &Crowd) -> Figure {
    let (scheme, rates) = (scenario.model().scheme(), scenario.model().rates());
    let of = |panel| -> Vec<&Trajectory> {
        trajectories.iter().filter(|trajectory| trajectory.curve.panel == panel).collect()
    };
    Figure {
        title: "Delay and relative energy optimality".to_owned(),
        caption: format!(
            "x*: nobody waits, no server is idle or starting. λ = {lambda}, α = {}, β = {}, γ = {}. First three panels: fluid \
             model. Rate-Idle starts a server with probability gain × shortage^exponent, solid: exponent 1, dashed: exponent 2. \
             Waits and wastes: where the curve ends. Last panel: {scheme}, simulated, with 95 % intervals and fitted powers of \
             N.",
            rates.scaling(),
            rates.initialization(),
            rates.expiration(),
        ),
        columns: 2,
        panels: vec![
            reaching("JIQ + Rate-Idle from long queues", lambda, &of(Place::FromQueues)),
            reaching("JIQ + Rate-Idle from all servers cold", lambda, &of(Place::FromZero)),
            rivals(scenario, lambda, &of(Place::Rivals)),
            finite(crowd),
        ],
    }
}

fn points(trajectory: &Trajectory) -> Vec<(f64, Option<f64>)> {
    trajectory.distances.iter().map(|&(time, distance)| (time, Some(distance))).collect()
}

fn distances(title: &str, scale: Scale, lowest: f64, series: Vec<Series>) -> Panel {
    let label = "share of servers out of place".to_owned();
    Panel {
        title: title.to_owned(),
        x: Axis::linear("time (mean service times)"),
        y: Axis { label, scale, range: Some((lowest, 1.0)) },
        series,
    }
}

fn line(label: String, colour: Colour, stroke: Stroke, points: Vec<(f64, Option<f64>)>) -> Series {
    Series { label, colour, stroke, points, band: vec![] }
}

fn reaching(title: &str, lambda: f64, trajectories: &[&Trajectory]) -> Panel {
    let (mut series, gains) = (vec![], gains(lambda));
    for (of, stroke) in trajectories.chunks(gains.len()).zip([Stroke::Solid, Stroke::Dashed]) {
        for ((trajectory, (gain, _)), colour) in of.iter().zip(gains).zip(Colour::ALL) {
            let label = if stroke == Stroke::Solid { format!("gain {gain}") } else { String::new() };
            series.push(line(label, colour, stroke, points(trajectory)));
        }
    }
    series.push(line("exponent 2".to_owned(), Colour::Black, Stroke::Dashed, vec![]));
    distances(title, Scale::Log10, LOWEST, series)
}

/// Where a rival ends is in its legend.
fn rivals(scenario: &Scenario, lambda: f64, trajectories: &[&Trajectory]) -> Panel {
    let series = trajectories.iter().zip(Colour::ALL).map(|(trajectory, colour)| {
        let ends = trajectory.waiting(scenario).map_or_else(String::new, |waiting| {
            format!(": waits {waiting:.3}, wastes {:.3}", trajectory.waste(lambda))
        });
        let label = format!("{}{ends}", trajectory.curve.label);
        line(label, colour, Stroke::Solid, points(trajectory))
    });
    // On a logarithmic axis down to LOWEST they are one line at the top.
    distances("Schemes that do not reach x* (linear scale)", Scale::Linear, 0.0, series.collect())
}

fn finite(Crowd { sizes, approaches }: &Crowd) -> Panel {
    let mut series = vec![];
    for (approach, colour) in approaches.iter().zip([Colour::Blue, Colour::Vermillion]) {
        let at = || sizes.iter().map(|size| size.servers as f64).zip(&approach.estimates);
        let band = at().filter_map(|(n, estimate)| {
            let (value, half_width) = estimate.value.zip(estimate.half_width)?;
            Some((n, value - half_width, value + half_width))
        });
        let fit = approach.fit.as_ref();
        let label = fit.map_or_else(String::new, |PowerLaw { slope, half_width, .. }| {
            format!("fit: N^({slope:.3} ± {half_width:.3})").replace('-', "−")
        });
        let fitted = at().map(|(n, _)| (n, fit.map(|fit| fit.at(n)))).collect();
        series.push(Series {
            label: approach.label.to_owned(),
            colour,
            stroke: Stroke::Points,
            points: at().map(|(n, estimate)| (n, estimate.value)).collect(),
            band: band.collect(),
        });
        series.push(line(label, colour, Stroke::Dashed, fitted));
    }
    Panel {
        title: "N servers".to_owned(),
        x: Axis::log10("servers N"),
        y: Axis::log10("distance from the optimum"),
        series,
    }
}
