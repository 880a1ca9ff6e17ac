//! The figure of the optimality study.

use super::Tables;
use super::crowd::MEASURED;
use super::rivals::{EXPONENTS, FROM_QUEUES, FROM_ZERO, RIVALS, gains, rate_idle_label};
use alba_plot::{Axis, Colour, Figure, Panel, Scale, Series, Stroke};
use alba_scenario::Scenario;
use alba_table::{Cell, Table};

/// Below this the trajectories are as accurate as their tolerances.
const LOWEST: f64 = 1e-9;

pub(super) fn figure(scenario: &Scenario, lambda: f64, tables: &Tables) -> Figure {
    let (scheme, rates) = (scenario.model().scheme(), scenario.model().rates());
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
            reaching("JIQ + Rate-Idle from long queues", FROM_QUEUES, lambda, &tables.trajectories),
            reaching("JIQ + Rate-Idle from all servers cold", FROM_ZERO, lambda, &tables.trajectories),
            rivals(tables),
            finite(tables),
        ],
    }
}

/// The points of a curve.
fn points(table: &Table, panel: &str, curve: &str) -> Vec<(f64, Option<f64>)> {
    let rows = table.rows().iter().filter(|row| row[0] == Cell::from(panel) && row[1] == Cell::from(curve));
    rows.filter_map(|row| Some((row[2].number()?, row[3].number()))).collect()
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

fn reaching(title: &str, panel: &str, lambda: f64, table: &Table) -> Panel {
    let mut series = vec![];
    for (exponent, stroke) in EXPONENTS.into_iter().zip([Stroke::Solid, Stroke::Dashed]) {
        for ((gain, _), colour) in gains(lambda).into_iter().zip(Colour::ALL) {
            let curve = rate_idle_label(gain, exponent);
            let label = if stroke == Stroke::Solid { format!("gain {gain}") } else { String::new() };
            series.push(line(label, colour, stroke, points(table, panel, &curve)));
        }
    }
    series.push(line("exponent 2".to_owned(), Colour::Black, Stroke::Dashed, vec![]));
    distances(title, Scale::Log10, LOWEST, series)
}

/// Where a rival ends is in its legend.
fn rivals(tables: &Tables) -> Panel {
    let (waiting, waste) = (tables.ends.numbers("mean_waiting_time"), tables.ends.numbers("energy_waste"));
    let mut series = vec![];
    let rows = tables.ends.rows().iter().enumerate().filter(|(_, row)| row[0] == Cell::from(RIVALS));
    for ((index, row), colour) in rows.zip(Colour::ALL) {
        let Cell::Text(name) = &row[1] else { continue };
        let at = |numbers: &Option<Vec<Option<f64>>>| numbers.as_ref().and_then(|numbers| numbers[index]);
        let ends = match at(&waiting).zip(at(&waste)) {
            Some((waiting, waste)) => format!(": waits {waiting:.3}, wastes {waste:.3}"),
            None => String::new(),
        };
        let points = points(&tables.trajectories, RIVALS, name);
        series.push(line(format!("{name}{ends}"), colour, Stroke::Solid, points));
    }
    // On a logarithmic axis down to LOWEST they are one line at the top.
    distances("Schemes that do not reach x* (linear scale)", Scale::Linear, 0.0, series)
}

fn finite(tables: &Tables) -> Panel {
    let curve = |column: &str| {
        let servers = tables.finite.numbers("servers").unwrap_or_default();
        let values = tables.finite.numbers(column).unwrap_or_default();
        servers.into_iter().zip(values).filter_map(|(n, value)| Some((n?, value))).collect::<Vec<_>>()
    };
    let names = ["mean waiting time", "energy waste (idle + starting) / λ"];
    let mut series = vec![];
    for (index, colour) in [Colour::Blue, Colour::Vermillion].into_iter().enumerate() {
        let (column, name) = (MEASURED[index], names[index]);
        let (values, half_widths) = (curve(column), curve(&format!("{column}_half_width")));
        let band = values.iter().zip(half_widths).filter_map(|(&(n, value), (_, half_width))| {
            let (value, half_width) = value.zip(half_width)?;
            Some((n, value - half_width, value + half_width))
        });
        let band = band.collect();
        let rate = |column: &str| tables.rates.numbers(column).and_then(|numbers| numbers[index]);
        let fit = match rate("exponent").zip(rate("exponent_half_width")) {
            Some((exponent, half_width)) => {
                format!("fit: N^({exponent:.3} ± {half_width:.3})").replace('-', "−")
            }
            None => String::new(),
        };
        let fitted = curve(&format!("{column}_fitted"));
        series.push(Series { label: name.to_owned(), colour, stroke: Stroke::Points, points: values, band });
        series.push(line(fit, colour, Stroke::Dashed, fitted));
    }
    Panel {
        title: "N servers".to_owned(),
        x: Axis::log10("servers N"),
        y: Axis::log10("distance from the optimum"),
        series,
    }
}
