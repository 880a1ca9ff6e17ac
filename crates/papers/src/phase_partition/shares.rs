//! How random series lie about a printed number.

use alba_plot::{Axis, Colour, Series, Stroke};

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
