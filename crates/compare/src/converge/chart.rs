//! The figure: a row of two panels a scenario, biases and gaps against N.

use super::{Approach, Convergence, Quantity, Size, about};
use crate::power_law::PowerLaw;
use alba_plot::{Axis, Colour, Figure, Panel, Series, Stroke};
use alba_scenario::Scenario;

pub(super) fn figure(
    scenarios: &[Scenario],
    convergence: &Convergence,
    approaches: &[Approach<'_>],
) -> Figure {
    let panels = scenarios.iter().flat_map(|scenario| {
        [bias_panel(scenario, convergence, approaches), gap_panel(scenario, approaches)]
    });
    Figure {
        title: "How N servers approach the fluid model".to_owned(),
        caption: "Left: bias of the mean at the last report time, 95 % intervals, with its sign in the legend; right: the largest \
                  distance between one path and the fluid model, mean over replications. Dashed: fitted powers of N, with their \
                  95 % intervals in the legend; thin: 1/N and 1/√N. Rates per server are the same for every N."
            .to_owned(),
        columns: 2,
        panels: panels.collect(),
    }
}

fn power(PowerLaw { slope, half_width, .. }: &PowerLaw) -> String {
    format!("N^({slope:.2} ± {half_width:.2})").replace('-', "−")
}

/// Measured points with bars, and the law.
fn series(label: String, colour: Colour, Approach { sizes, law, .. }: &Approach<'_>) -> [Series; 2] {
    let n = |size: &Size| size.servers as f64;
    let band = sizes.iter().filter_map(|size| {
        let (value, half_width) = size.found.value.zip(size.found.half_width)?;
        Some((n(size), value.abs() - half_width, value.abs() + half_width))
    });
    let points = sizes.iter().map(|size| (n(size), size.found.value.map(f64::abs))).collect();
    let fitted = |size: &Size| law.as_ref().map(|law| law.at(size.servers).abs());
    let fitted = sizes.iter().map(|size| (n(size), fitted(size))).collect();
    [
        Series { label, colour, stroke: Stroke::Points, points, band: band.collect() },
        Series { label: String::new(), colour, stroke: Stroke::Dashed, points: fitted, band: vec![] },
    ]
}

/// `factor * N^exponent` through the first point that has a value.
fn reference(label: &str, exponent: f64, approach: &Approach<'_>) -> Option<Series> {
    let sizes = approach.sizes.iter().map(|size| (size.servers as f64, size.found.value));
    let (first, value) = sizes.clone().find_map(|(n, value)| Some((n, value?.abs())))?;
    let points = sizes.map(|(n, _)| (n, Some(value * (n / first).powf(exponent)))).collect();
    let (label, colour) = (label.to_owned(), Colour::Black);
    Some(Series { label, colour, stroke: Stroke::Thin, points, band: vec![] })
}

fn bias_panel(scenario: &Scenario, convergence: &Convergence, approaches: &[Approach<'_>]) -> Panel {
    let time = scenario.run().grid.horizon();
    let mut all = vec![];
    let mut largest: Option<&Approach<'_>> = None;
    for (&measure, colour) in convergence.measures.iter().zip(Colour::ALL) {
        let wanted = Quantity::Bias { measure, time };
        let Some(approach) = about(approaches, scenario).find(|of| of.quantity == wanted) else { continue };
        let law = approach.law.as_ref().map_or_else(
            || "no slope".to_owned(),
            |law| format!("{} {}", if law.sign < 0.0 { "−" } else { "+" }, power(&law.power)),
        );
        let label = format!("{}: {law}", measure.name().replace('_', " "));
        if largest.is_none_or(|held| size(approach) > size(held)) {
            largest = Some(approach);
        }
        all.extend(series(label, colour, approach));
    }
    all.extend(largest.and_then(|approach| reference("1/N", -1.0, approach)));
    Panel {
        title: format!("{}: bias of means", scenario.name()),
        x: Axis::log10("servers N"),
        y: Axis::log10(format!("|E[X^N] − x| at time {time}")),
        series: all,
    }
}

/// Of the first.
fn size(approach: &Approach<'_>) -> f64 {
    approach.sizes.first().and_then(|first| first.found.value).map_or(0.0, f64::abs)
}

fn gap_panel(scenario: &Scenario, approaches: &[Approach<'_>]) -> Panel {
    let paths = about(approaches, scenario).find(|approach| approach.quantity == Quantity::Path);
    let all = paths.map_or_else(Vec::new, |approach| {
        let law = approach.law.as_ref().map_or_else(|| "no slope".to_owned(), |law| power(&law.power));
        let points = series(format!("paths: {law}"), Colour::Blue, approach);
        points.into_iter().chain(reference("1/√N", -0.5, approach)).collect()
    });
    Panel {
        title: format!("{}: single paths", scenario.name()),
        x: Axis::log10("servers N"),
        y: Axis::log10("largest |X^N − x| over time"),
        series: all,
    }
}
