//! The figure: delay against energy, and waiting times at equal energy.

use super::equilibrium::System;
use alba_plot::{Axis, Colour, Figure, Panel, Series, Stroke};
use alba_scenario::Scenario;
use alba_table::{Cell, Table};

pub(super) fn figure(scenario: &Scenario, base: System, comparisons: &Table, curves: &Table) -> Figure {
    let asynchronous = scenario.model().scheme();
    let System { servers, arrival, expiration, initialization, .. } = base;
    let over =
        |title: &str, axis: Axis, column: usize| at_equal_energy(title, axis, column, base, comparisons);
    Figure {
        title: "Asynchronous against synchronous scaling".to_owned(),
        caption: format!(
            "{asynchronous} against TABS and a central queue with set-up and delayed-off, simulated in equilibrium; 95 % \
             intervals. N = {servers}, λ = {arrival}, γ = {expiration}, β = {initialization} but for the number that varies. \
             Energy: servers warm or initializing, per server. In all panels but the first α is tuned until {asynchronous} \
             uses the same energy as TABS."
        ),
        columns: 3,
        panels: vec![
            plane(curves),
            over("Over the arrival rate", Axis::linear("arrival rate λ"), 1),
            over("Over the expiration rate", Axis::log10("expiration rate γ"), 2),
            over("Over the initialization rate", Axis::log10("initialization rate β"), 3),
            over("Over the number of servers", Axis::log10("servers N"), 0),
            saved(base, comparisons),
        ],
    }
}

fn number(row: &[Cell], column: usize) -> f64 {
    row[column].number().unwrap_or(f64::NAN)
}

/// Points with bars of `half_width` around them.
fn series(label: &str, colour: Colour, stroke: Stroke, points: &[(f64, f64, f64)]) -> Series {
    Series {
        label: label.to_owned(),
        colour,
        stroke,
        points: points.iter().map(|&(x, y, _)| (x, Some(y))).collect(),
        band: points.iter().map(|&(x, y, half_width)| (x, y - half_width, y + half_width)).collect(),
    }
}

/// Every scheme's waiting time against its energy: a curve where the scaling rate varies, else a point.
fn plane(curves: &Table) -> Panel {
    let mut labels: Vec<&str> = vec![];
    for label in curves.texts("scheme").unwrap_or_default() {
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    let all = labels.into_iter().zip(Colour::ALL).map(|(label, colour)| {
        let of = curves.rows().iter().filter(|row| row[0] == Cell::from(label));
        let points: Vec<_> = of.map(|row| (number(row, 2), number(row, 4), number(row, 5))).collect();
        let stroke = if points.len() > 1 { Stroke::Solid } else { Stroke::Points };
        series(label, colour, stroke, &points)
    });
    Panel {
        title: "Delay against energy".to_owned(),
        x: Axis::linear("servers warm or initializing (share of N)"),
        y: Axis::log10("mean waiting time (service times)"),
        series: all.collect(),
    }
}

/// The systems that differ from the base in `column` only, in its order.
fn varied(base: System, column: usize, comparisons: &Table) -> Vec<&[Cell]> {
    let expected = [base.servers as f64, base.arrival, base.expiration, base.initialization];
    let others = |row: &&[Cell]| {
        (0..expected.len()).all(|other| other == column || number(row, other) == expected[other])
    };
    let mut rows: Vec<&[Cell]> = comparisons.rows().iter().map(Vec::as_slice).filter(others).collect();
    rows.sort_by(|a, b| number(a, column).total_cmp(&number(b, column)));
    rows
}

fn at_equal_energy(title: &str, axis: Axis, column: usize, base: System, comparisons: &Table) -> Panel {
    let rows = varied(base, column, comparisons);
    let tabs: Vec<_> = rows.iter().map(|row| (number(row, column), number(row, 6), number(row, 7))).collect();
    // At the energy of TABS, with the interval of the difference.
    let tuned =
        rows.iter().map(|row| (number(row, column), number(row, 6) - number(row, 15), number(row, 16)));
    Panel {
        title: title.to_owned(),
        x: axis,
        y: Axis::log10("mean waiting time (service times)"),
        series: vec![
            series("TABS", Colour::Vermillion, Stroke::Solid, &tabs),
            series("JIQ + Rate-Idle at that energy", Colour::Blue, Stroke::Solid, &tuned.collect::<Vec<_>>()),
        ],
    }
}

/// What part of the waiting time is saved, over every number that varies.
fn saved(base: System, comparisons: &Table) -> Panel {
    let of = |label: &str, colour, column: usize| {
        let rows = varied(base, column, comparisons);
        let middle = [base.servers as f64, base.arrival, base.expiration, base.initialization][column];
        let point = |row: &&[Cell]| {
            let percent = 100.0 / number(row, 6);
            (number(row, column) / middle, percent * number(row, 15), percent * number(row, 16))
        };
        series(label, colour, Stroke::Solid, &rows.iter().map(point).collect::<Vec<_>>())
    };
    Panel {
        title: "Where the advantage fades".to_owned(),
        x: Axis::log10("what varies, over its value elsewhere"),
        y: Axis::linear("waiting saved by Rate-Idle (%)"),
        series: vec![
            of("λ", Colour::Blue, 1),
            of("γ", Colour::Vermillion, 2),
            of("β", Colour::Green, 3),
            of("N", Colour::Purple, 0),
        ],
    }
}
