//! Curves of a comparison.

use crate::both::Both;
use alba_plot::{Colour, Series, Stroke};

/// A legend entry that says what dashes mean, in every colour.
pub(super) fn key() -> Series {
    let label = "fluid model".to_owned();
    Series { label, colour: Colour::Black, stroke: Stroke::Dashed, points: vec![], band: vec![] }
}

pub(super) fn curve(comparison: &[Both], value: impl Fn(&Both) -> Option<f64>) -> Vec<(f64, Option<f64>)> {
    comparison.iter().map(|both| (both.time, value(both))).collect()
}
