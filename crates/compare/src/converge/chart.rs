//! The figure: a row of two panels a scenario, biases and gaps against N.

use super::{Convergence, Tables, rows};
use alba_plot::{Axis, Colour, Figure, Panel, Series, Stroke};
use alba_scenario::Scenario;
use alba_table::Cell;

/// A point, its half-width, and the fitted law there.
type Sized = (f64, Option<f64>, Option<f64>, Option<f64>);

pub(super) fn figure(scenarios: &[Scenario], convergence: &Convergence, tables: &Tables) -> Figure {
    let panels = scenarios
        .iter()
        .flat_map(|scenario| [bias_panel(scenario, convergence, tables), gap_panel(scenario, tables)]);
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

fn power(row: &[Cell]) -> Option<String> {
    let (slope, half_width) = row[5].number().zip(row[6].number())?;
    Some(format!("N^({slope:.2} ± {half_width:.2})").replace('-', "−"))
}

/// Measured points with bars, and the law.
fn series(label: String, colour: Colour, sizes: &[Sized]) -> [Series; 2] {
    let band = sizes.iter().filter_map(|&(n, value, half_width, _)| {
        let (value, half_width) = value.zip(half_width)?;
        Some((n, value.abs() - half_width, value.abs() + half_width))
    });
    let points = sizes.iter().map(|&(n, value, ..)| (n, value.map(f64::abs))).collect();
    let law = sizes.iter().map(|&(n, _, _, fitted)| (n, fitted.map(f64::abs))).collect();
    [
        Series { label, colour, stroke: Stroke::Points, points, band: band.collect() },
        Series { label: String::new(), colour, stroke: Stroke::Dashed, points: law, band: vec![] },
    ]
}

/// `factor * N^exponent` through the first point of `sizes`.
fn reference(label: &str, exponent: f64, sizes: &[Sized]) -> Option<Series> {
    let (first, value) = sizes.iter().find_map(|&(n, value, ..)| Some((n, value?.abs())))?;
    let points = sizes.iter().map(|&(n, ..)| (n, Some(value * (n / first).powf(exponent)))).collect();
    let (label, colour) = (label.to_owned(), Colour::Black);
    Some(Series { label, colour, stroke: Stroke::Thin, points, band: vec![] })
}

fn bias_panel(scenario: &Scenario, convergence: &Convergence, tables: &Tables) -> Panel {
    let horizon = Cell::from(scenario.run().grid.horizon());
    let mut all = vec![];
    let mut largest: Option<Vec<Sized>> = None;
    for (measure, colour) in convergence.measures.iter().zip(Colour::ALL) {
        let name = measure.name();
        let of = |row: &[Cell], measure: usize, time: usize| {
            row[measure] == Cell::from(name.as_str()) && row[time] == horizon
        };
        let sizes: Vec<Sized> = rows(&tables.bias, scenario, |row| of(row, 3, 4))
            .into_iter()
            .filter_map(|row| Some((row[1].number()?, row[7].number(), row[8].number(), row[9].number())))
            .collect();
        let law = rows(&tables.slopes, scenario, |row| of(row, 2, 3)).into_iter().find_map(|row| {
            let sign = if row[7].number()? < 0.0 { "−" } else { "+" };
            Some(format!("{sign} {}", power(row)?))
        });
        let words = name.replace('_', " ");
        let label = law.map_or(format!("{words}: no slope"), |law| format!("{words}: {law}"));
        if largest.as_ref().is_none_or(|held| size(&sizes) > size(held)) {
            largest = Some(sizes.clone());
        }
        all.extend(series(label, colour, &sizes));
    }
    all.extend(largest.and_then(|sizes| reference("1/N", -1.0, &sizes)));
    Panel {
        title: format!("{}: bias of means", scenario.name()),
        x: Axis::log10("servers N"),
        y: Axis::log10(format!("|E[X^N] − x| at time {}", scenario.run().grid.horizon())),
        series: all,
    }
}

fn size(sizes: &[Sized]) -> f64 {
    sizes.first().and_then(|first| first.1).map_or(0.0, f64::abs)
}

fn gap_panel(scenario: &Scenario, tables: &Tables) -> Panel {
    let sizes: Vec<Sized> = rows(&tables.gaps, scenario, |_| true)
        .into_iter()
        .filter_map(|row| Some((row[1].number()?, row[3].number(), row[4].number(), row[5].number())))
        .collect();
    let law = rows(&tables.slopes, scenario, |row| row[1] == Cell::from("path"));
    let label = law.first().and_then(|row| power(row)).unwrap_or_else(|| "no slope".to_owned());
    let mut all: Vec<Series> = series(format!("paths: {label}"), Colour::Blue, &sizes).into();
    all.extend(reference("1/√N", -0.5, &sizes));
    Panel {
        title: format!("{}: single paths", scenario.name()),
        x: Axis::log10("servers N"),
        y: Axis::log10("largest |X^N − x| over time"),
        series: all,
    }
}
