//! Roots of functions of one number.

/// The zero in [`low`, `high`] of a function that falls through it, to rounding. The ends themselves are not looked at:
/// functions here are not defined there, or do not fall between them, and then the end is the answer.
///
/// # Source
/// The Illinois rule of false position (M. Dowell, P. Jarratt, BIT 11 (1971) 168-174) where both ends of the bracket have
/// finite values; halves where they have not, and whenever three evaluations have not halved the bracket.
pub(crate) fn zero(f: impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    let mut bracket = Bracket { low, high, at_low: None, at_high: None, moved_low: None };
    let (mut width, mut turn, mut halve) = (high - low, 0, false);
    loop {
        let Some(middle) = bracket.middle() else { return 0.5 * (bracket.low + bracket.high) };
        let at = bracket.interpolated().filter(|_| !halve).unwrap_or(middle);
        bracket.take(at, f(at));
        turn += 1;
        halve = turn % 3 == 0 && bracket.high - bracket.low > 0.5 * width;
        if turn % 3 == 0 {
            width = bracket.high - bracket.low;
        }
    }
}

/// Two ends with a zero between them, and the values there, where they are known and finite.
struct Bracket {
    low: f64,
    high: f64,
    at_low: Option<f64>,
    at_high: Option<f64>,
    /// Whether the last point became the low end.
    moved_low: Option<bool>,
}

impl Bracket {
    /// None if no number is left between the ends.
    fn middle(&self) -> Option<f64> {
        let middle = 0.5 * (self.low + self.high);
        (middle > self.low && middle < self.high).then_some(middle)
    }

    /// Where the straight line between the values is zero, strictly inside.
    fn interpolated(&self) -> Option<f64> {
        let (above, below) = self.at_low.zip(self.at_high)?;
        let at = self.low + (self.high - self.low) * (above / (above - below));
        at.is_finite().then(|| at.clamp(self.low.next_up(), self.high.next_down()))
    }

    /// An end whose opposite has moved twice counts half: it is moved next.
    fn take(&mut self, at: f64, value: f64) {
        let known = Some(value).filter(|value| value.is_finite());
        let moves_low = value > 0.0;
        let again = self.moved_low == Some(moves_low);
        let halved = |value: Option<f64>| if again { value.map(|value| 0.5 * value) } else { value };
        if moves_low {
            (self.low, self.at_low, self.at_high) = (at, known, halved(self.at_high));
        } else {
            (self.high, self.at_high, self.at_low) = (at, known, halved(self.at_low));
        }
        self.moved_low = Some(moves_low);
    }
}

/// The root in (0, `high`) of an increasing function that is negative at 0.
pub(crate) fn root(f: impl Fn(f64) -> f64, mut high: f64) -> f64 {
    let mut low = 0.0;
    while high - low > 1e-15 * high {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if f(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::Cell;

    /// What [`zero`] was at first: halves and nothing else.
    fn by_halves(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
        loop {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                return middle;
            }
            if f(middle) > 0.0 { low = middle } else { high = middle }
        }
    }

    proptest! {
        #[test]
        fn zeros_are_those_found_by_halves(root in 1e-9f64..1.0, power in 0.2f64..8.0, scale in 1e-12f64..1e12) {
            let f = |x: f64| scale * (root.powf(power) - x.powf(power));
            let (found, expected) = (zero(f, 0.0, 1.0), by_halves(f, 0.0, 1.0));
            prop_assert!((found - expected).abs() <= 1e-12 * expected, "{found} {expected}");
        }
    }

    #[test]
    fn ends_are_answers_where_nothing_falls_between_them() {
        let nan_below = |x: f64| if x < 0.25 { f64::NAN } else { 0.5 - x };
        let steps = |x: f64| if x < 0.3 { f64::INFINITY } else { f64::NEG_INFINITY };
        let functions: [(&str, &dyn Fn(f64) -> f64); 6] = [
            ("above", &|_| 1.0),
            ("below", &|_| -1.0),
            ("nothing", &|_| 0.0),
            ("no number", &|_| f64::NAN),
            ("no number below", &nan_below),
            ("steps", &steps),
        ];
        for (name, f) in functions {
            for (low, high) in [(0.0, 1.0), (0.0, 1e-300), (0.1, 0.1), (-1.0, 7.0)] {
                assert_eq!(zero(f, low, high), by_halves(f, low, high), "{name} in {low} to {high}");
            }
        }
    }

    #[test]
    fn few_evaluations_do() {
        let count = Cell::new(0);
        let smooth = |x: f64| {
            count.set(count.get() + 1);
            0.3 - x * x.sqrt()
        };
        zero(smooth, 0.0, 1.0);
        assert!(count.get() <= 16, "{}", count.get()); // 55 by halves
    }
}
