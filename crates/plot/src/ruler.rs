use std::ops::RangeInclusive;

use super::error::PlotError;
use super::figure::{Axis, Scale};
use super::ticks::{self, Tick};

/// Ends closer than this, relative to their size, are one value: ticks between them would all read the same.
const CONSTANT: f64 = 1e-9;
/// Spans whose ticks are numbers: a tenth of the least double is not one, nor are ten of the largest.
const SPANS: RangeInclusive<f64> = 1e-290..=1e290;

/// An axis with its ends settled: where values lie along it, from 0 to 1.
#[derive(Debug)]
pub(super) struct Ruler {
    scale: Scale,
    low: f64,
    high: f64,
    /// Value and text of each tick.
    pub(super) ticks: Vec<Tick>,
}

impl Ruler {
    /// Spans the range asked for, or the data with `air` (a share of their span) on both sides; about `count` ticks.
    pub(super) fn new(axis: &Axis, values: &[f64], air: f64, count: f64) -> Result<Self, PlotError> {
        let data = extent(axis, values)?;
        let (low, high) = match axis.range {
            Some(range) => asked(axis, range)?,
            None => widened(axis.scale, data, air),
        };
        if !SPANS.contains(&(high - low)) {
            return Err(PlotError::BadRange { axis: axis.label.clone(), low, high });
        }
        let ticks = match axis.scale {
            Scale::Linear => ticks::linear(low, high, count),
            Scale::Hours => ticks::hours(low, high, count),
            Scale::Log10 => ticks::log10(low, high, count),
        };
        Ok(Self { scale: axis.scale, low, high, ticks })
    }

    /// 0 at the low end, 1 at the high end, beyond them outside; `None` if the scale has no place for the value.
    pub(super) fn position(&self, value: f64) -> Option<f64> {
        place(self.scale, value).map(|place| (place - self.low) / (self.high - self.low))
    }

    /// Where a bound is drawn: at the edge if outside, so on a logarithmic axis at the low end if not above zero.
    pub(super) fn bound(&self, value: f64) -> Option<f64> {
        value.is_finite().then(|| self.position(value).unwrap_or(0.0).clamp(0.0, 1.0))
    }
}

fn place(scale: Scale, value: f64) -> Option<f64> {
    match scale {
        Scale::Linear | Scale::Hours => value.is_finite().then_some(value),
        Scale::Log10 => (value.is_finite() && value > 0.0).then(|| value.log10()),
    }
}

fn extent(axis: &Axis, values: &[f64]) -> Result<(f64, f64), PlotError> {
    if !values.iter().any(|value| value.is_finite()) {
        return Err(PlotError::NoFiniteValue { axis: axis.label.clone() });
    }
    values
        .iter()
        .filter_map(|&value| place(axis.scale, value))
        .map(|place| (place, place))
        .reduce(|(low, high), (place, _)| (low.min(place), high.max(place)))
        .ok_or_else(|| PlotError::NoPositiveValue { axis: axis.label.clone() })
}

fn asked(axis: &Axis, (low, high): (f64, f64)) -> Result<(f64, f64), PlotError> {
    place(axis.scale, low)
        .zip(place(axis.scale, high))
        .filter(|(low, high)| low < high)
        .ok_or_else(|| PlotError::BadRange { axis: axis.label.clone(), low, high })
}

/// Air never crosses zero on a linear axis: there is no negative time or queue to show.
fn widened(scale: Scale, (low, high): (f64, f64), air: f64) -> (f64, f64) {
    let size = low.abs().max(high.abs());
    if high - low <= CONSTANT * size {
        let half = if size == 0.0 || scale == Scale::Log10 { 0.5 } else { size / 2.0 };
        return (low - half, high + half);
    }
    let air = air * (high - low);
    let (below, above) = (low - air, high + air);
    if scale == Scale::Log10 {
        return (below, above);
    }
    (if low >= 0.0 { below.max(0.0) } else { below }, if high <= 0.0 { above.min(0.0) } else { above })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(axis: &Axis, values: &[f64]) -> (f64, f64) {
        let ruler = Ruler::new(axis, values, 0.05, 5.0).unwrap();
        (ruler.low, ruler.high)
    }

    #[test]
    fn constant_data_are_widened() {
        assert_eq!(ends(&Axis::linear("x"), &[4.0, 4.0]), (2.0, 6.0));
        assert!(ends(&Axis::linear("x"), &[4.0, 4.0 + 1e-12]).0 < 2.1);
        assert_eq!(ends(&Axis::linear("x"), &[0.0]), (-0.5, 0.5));
        assert_eq!(ends(&Axis::log10("x"), &[100.0]), (1.5, 2.5));
    }

    #[test]
    fn air_does_not_cross_zero() {
        assert_eq!(ends(&Axis::linear("x"), &[0.0, 10.0, f64::NAN]), (0.0, 10.5));
        assert_eq!(ends(&Axis::linear("x"), &[-10.0, 10.0]), (-11.0, 11.0));
    }

    #[test]
    fn a_logarithmic_axis_needs_a_value_above_zero() {
        let error = Ruler::new(&Axis::log10("gap"), &[0.0, -1.0], 0.05, 5.0).unwrap_err();
        assert!(matches!(error, PlotError::NoPositiveValue { axis } if axis == "gap"));
        let ruler = Ruler::new(&Axis::log10("gap"), &[0.0, 1.0, 100.0], 0.05, 5.0).unwrap();
        assert_eq!((ruler.low, ruler.high), (-0.1, 2.1));
        assert_eq!(
            [0.0, 10.0, 1e9, f64::NAN].map(|value| ruler.bound(value)),
            [Some(0.0), Some(0.5), Some(1.0), None]
        );
    }

    #[test]
    fn spans_that_doubles_cannot_divide_are_refused() {
        for values in [[0.0, 1e-310], [-1e308, 1e308]] {
            let error = Ruler::new(&Axis::linear("x"), &values, 0.05, 5.0).unwrap_err();
            assert!(matches!(error, PlotError::BadRange { .. }));
        }
    }

    #[test]
    fn a_range_without_inside_is_refused() {
        let refused = |axis: Axis, range| {
            let error = Ruler::new(&Axis { range: Some(range), ..axis }, &[1.0], 0.05, 5.0).unwrap_err();
            matches!(error, PlotError::BadRange { low, high, .. } if (low, high) == range)
        };
        assert!(refused(Axis::linear("x"), (1.0, 1.0)));
        assert!(refused(Axis::linear("x"), (0.0, f64::INFINITY)));
        assert!(refused(Axis::log10("x"), (0.0, 1.0)));
    }
}
