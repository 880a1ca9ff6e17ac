//! How random series lie about a printed number.

use super::cases::{Case, Method, assignment_name};
use alba_cluster::Assignment;
use alba_plot::{Axis, Colour, Series, Stroke};
use alba_table::{Cell, Table};

/// Energies by 160 s of all random series, in their order, from the table of them.
pub(super) fn random(table: &Table, case: &Case, method: Method, assignment: Assignment) -> Vec<f64> {
    let line = [Cell::from(case.number), method.name().into(), assignment_name(assignment).into()];
    let energies = table.numbers("energy_j").unwrap_or_default();
    let rows = table.rows().iter().zip(energies).filter(|(row, _)| row.starts_with(&line));
    rows.filter_map(|(_, energy)| energy).collect()
}

/// The share of `values` that is below, by value.
pub(super) fn shares_below(label: &str, (colour, stroke): (Colour, Stroke), mut values: Vec<f64>) -> Series {
    values.sort_by(f64::total_cmp);
    let count = values.len() as f64;
    let points = values.into_iter().enumerate();
    let points = points.map(|(below, value)| (value, Some((below as f64 + 0.5) / count))).collect();
    Series { label: label.to_owned(), colour, stroke, points, band: vec![] }
}

/// Where the printed number is.
pub(super) fn upright(label: &str, value: f64) -> Series {
    Series {
        label: label.to_owned(),
        colour: Colour::Purple,
        stroke: Stroke::Solid,
        points: vec![(value, Some(0.0)), (value, Some(1.0))],
        band: vec![],
    }
}

pub(super) fn share() -> Axis {
    Axis { range: Some((0.0, 1.0)), ..Axis::linear("share of random series below") }
}
