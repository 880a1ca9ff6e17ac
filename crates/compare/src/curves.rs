//! Curves of a comparison's table.

use alba_plot::{Colour, Series, Stroke};
use alba_table::Table;

/// A legend entry that says what dashes mean, in every colour.
pub(super) fn key() -> Series {
    let label = "fluid model".to_owned();
    Series { label, colour: Colour::Black, stroke: Stroke::Dashed, points: vec![], band: vec![] }
}

pub(super) fn curve(comparison: &Table, column: &str) -> Vec<(f64, Option<f64>)> {
    let times = comparison.numbers("time").unwrap_or_default();
    let values = comparison.numbers(column).unwrap_or_default();
    times.into_iter().zip(values).filter_map(|(time, value)| Some((time?, value))).collect()
}
