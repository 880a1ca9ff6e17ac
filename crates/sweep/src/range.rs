//! Ranges in words: "0.1..0.9 step 0.1", "1e-3..1 log 20", "0..1 linear 11".

use alba_scenario::tree::Value;

/// What ranges look like, for messages.
pub(super) const FORMS: &str = "\"0.1..0.9 step 0.1\", \"1e-3..1 log 20\", \"0..1 linear 11\", each with \
                                \"whole\" at its end for whole numbers";

/// The most values of one range.
const MOST: u64 = 10_000_000;

/// Values found by index: none depends on the one before it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Range {
    /// `first + index * step`, in units of `10^-decimals`: decimals as a person would write them.
    Steps { first: i128, step: i128, decimals: u32, count: u64 },
    /// Evenly, or by logarithm; the ends are exact.
    Spread { span: Span, count: u64 },
    /// Whole numbers, each once.
    Whole(Vec<i128>),
}

/// Two ends and what lies evenly between them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    low: f64,
    high: f64,
    logarithmic: bool,
    /// Whether the ends are written as whole numbers.
    whole_ends: bool,
}

impl Range {
    /// Reads a range; none if it is none, or has no value, or too many.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (low, rest) = text.split_once("..")?;
        let mut words: Vec<&str> = rest.split_whitespace().collect();
        let whole = words.last() == Some(&"whole");
        if whole {
            words.pop();
        }
        let [high, kind, amount] = words[..] else { return None };
        let range = match kind {
            "step" => steps(Decimal::parse(low)?, Decimal::parse(high)?, Decimal::parse(amount)?)?,
            "log" | "linear" => {
                let count = amount.parse().ok().filter(|count| (2..=MOST).contains(count))?;
                Self::Spread { span: Span::new(low, high, kind == "log")?, count }
            }
            _ => return None,
        };
        if whole { Some(range.rounded()) } else { Some(range) }
    }

    /// How many values.
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Steps { count, .. } | Self::Spread { count, .. } => *count,
            Self::Whole(numbers) => numbers.len() as u64,
        }
    }

    /// The value number `index`, from 0.
    pub(super) fn value(&self, index: u64) -> Value {
        match self {
            Self::Steps { first, step, decimals, .. } => {
                let units = first + step * i128::from(index);
                if *decimals == 0 {
                    Value::Integer(units)
                } else {
                    // Rounded once: 3 tenths are 0.3, and 3 * 0.1 is not.
                    Value::Real(format!("{units}e-{decimals}").parse().unwrap_or(f64::NAN))
                }
            }
            Self::Spread { span, count } => match index {
                0 => span.exact(span.low),
                _ if index + 1 == *count => span.exact(span.high),
                _ => span.at(index as f64 / (count - 1) as f64),
            },
            Self::Whole(numbers) => numbers.get(index as usize).map_or(Value::Other, |n| Value::Integer(*n)),
        }
    }

    /// The nearest whole numbers, in order, each once.
    fn rounded(&self) -> Self {
        let mut numbers: Vec<i128> = (0..self.len()).map(|index| nearest(&self.value(index))).collect();
        numbers.dedup();
        Self::Whole(numbers)
    }
}

fn nearest(value: &Value) -> i128 {
    match value {
        Value::Integer(integer) => *integer,
        Value::Real(real) => real.round() as i128,
        Value::Text(_) | Value::Array(_) | Value::Table(_) | Value::Other => 0,
    }
}

fn steps(low: Decimal, high: Decimal, step: Decimal) -> Option<Range> {
    let decimals = low.decimals.max(high.decimals).max(step.decimals);
    let (first, last, step) = (low.scaled(decimals)?, high.scaled(decimals)?, step.scaled(decimals)?);
    let steps = last.checked_sub(first)?.checked_div(step).filter(|steps| *steps >= 0)?;
    let count = u64::try_from(steps).ok()?.checked_add(1).filter(|count| *count <= MOST)?;
    // A step away from the end has no value but the first; that is no range.
    if (last > first) != (step > 0) && last != first {
        return None;
    }
    Some(Range::Steps { first, step, decimals, count })
}

impl Span {
    /// None unless finite and different, and above zero if `logarithmic`.
    pub(super) fn new(low: &str, high: &str, logarithmic: bool) -> Option<Self> {
        let whole = |text: &str| text.trim().parse::<i64>().is_ok();
        let number = |text: &str| text.trim().parse().ok().filter(|number: &f64| number.is_finite());
        let span = Self {
            low: number(low)?,
            high: number(high)?,
            logarithmic,
            whole_ends: whole(low) && whole(high),
        };
        let positive = !logarithmic || (span.low > 0.0 && span.high > 0.0);
        (positive && span.low != span.high).then_some(span)
    }

    /// The value at `share` of the way, which is in (0, 1).
    pub(super) fn at(&self, share: f64) -> Value {
        let value = if self.logarithmic {
            // Fifteen digits: the middle of 0.01 and 1 is 0.1, and not 0.10000000000000002.
            let value = self.low * (share * (self.high / self.low).ln()).exp();
            format!("{value:.14e}").parse().unwrap_or(value)
        } else {
            self.low + share * (self.high - self.low)
        };
        self.exact(value.clamp(self.low.min(self.high), self.low.max(self.high)))
    }

    /// Between whole ends, a number that is whole but for rounding is whole: keys that count take no others.
    fn exact(&self, value: f64) -> Value {
        const ROUNDING: f64 = 1e-12;
        let whole = value.round();
        if self.whole_ends && (value - whole).abs() <= ROUNDING * value.abs() && whole.abs() < 1e15 {
            Value::Integer(whole as i128)
        } else {
            Value::Real(value)
        }
    }
}

/// The whole numbers between two ends, those included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WholeSpan {
    first: f64,
    last: f64,
    logarithmic: bool,
}

impl WholeSpan {
    /// No key takes larger numbers: they are those of 64 bits.
    const MOST: f64 = (1u64 << 63) as f64;

    /// None unless some whole number lies there, and if `logarithmic` none below one. The ends may be the same, and in either order.
    pub(super) fn new(low: &str, high: &str, logarithmic: bool) -> Option<Self> {
        let number = |text: &str| text.trim().parse().ok().filter(|number: &f64| number.abs() <= Self::MOST);
        let (low, high): (f64, f64) = (number(low)?, number(high)?);
        let (first, last) = (low.min(high).ceil(), low.max(high).floor());
        let positive = !logarithmic || low.min(high) > 0.0;
        (first <= last && positive).then_some(Self { first, last, logarithmic })
    }

    /// The number at `share` of the way, which is in (0, 1). Each has as much of the way as lies nearest to it, by logarithm from
    /// `n - 1/2` to `n + 1/2` too; so have the ends, for which the way is half a step longer on either side: without that they
    /// would come half as often as the others.
    pub(super) fn at(&self, share: f64) -> i128 {
        let (low, high) = (self.first - 0.5, self.last + 0.5);
        let value = if self.logarithmic {
            low * (share * (high / low).ln()).exp()
        } else {
            low + share * (high - low)
        };
        (value + 0.5).floor().clamp(self.first, self.last) as i128
    }
}

/// `digits / 10^decimals`.
#[derive(Debug, Clone, Copy)]
struct Decimal {
    digits: i128,
    decimals: u32,
}

impl Decimal {
    /// More decimals than this no double has.
    const MOST: i64 = 30;

    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
        if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let decimals = i64::try_from(fraction.len()).ok()? - exponent;
        match decimals {
            0..=Self::MOST => Some(Self { digits, decimals: decimals as u32 }),
            -18..0 => Some(Self { digits: digits.checked_mul(10i128.pow(-decimals as u32))?, decimals: 0 }),
            _ => None,
        }
    }

    fn scaled(self, decimals: u32) -> Option<i128> {
        self.digits.checked_mul(10i128.checked_pow(decimals - self.decimals)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<Value> {
        let range = Range::parse(text).unwrap();
        (0..range.len()).map(|index| range.value(index)).collect()
    }

    fn reals(text: &str) -> Vec<f64> {
        values(text)
            .into_iter()
            .map(|value| match value {
                Value::Real(real) => real,
                Value::Integer(integer) => integer as f64,
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn steps_are_decimals_as_written() {
        assert_eq!(reals("0.1..0.9 step 0.1"), [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]);
        assert_eq!(reals("0..1 step 0.3"), [0.0, 0.3, 0.6, 0.9]);
        assert_eq!(reals("1e-3 .. 3e-3 step 1e-3"), [0.001, 0.002, 0.003]);
        assert_eq!(reals("1..0 step -0.5"), [1.0, 0.5, 0.0]);
        assert_eq!(values("1..5 step 2"), [1, 3, 5].map(Value::Integer));
        assert_eq!(values("1e3..2e3 step 500"), [1000, 1500, 2000].map(Value::Integer));
        let fine = reals("0..1 step 0.00001");
        assert_eq!((fine.len(), fine[30_000]), (100_001, 0.3));
    }

    #[test]
    fn spread_values_have_exact_ends() {
        let logs = reals("1e-3..1 log 4");
        assert_eq!((logs[0], logs[3]), (1e-3, 1.0));
        assert_eq!(logs[1..3], [0.01, 0.1]);
        assert_eq!(
            values("10..1000000 log 6"),
            [10, 100, 1000, 10_000, 100_000, 1_000_000].map(Value::Integer)
        );
        assert_eq!(reals("0..1 linear 5"), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(values("1..10 log 4 whole"), [1, 2, 5, 10].map(Value::Integer));
        assert_eq!(values("1..4 log 20 whole"), [1, 2, 3, 4].map(Value::Integer));
    }

    /// How often each whole number comes, in order, in so many equal parts of the way.
    fn weights(low: &str, high: &str, logarithmic: bool, parts: u32) -> Vec<(i128, u32)> {
        let span = WholeSpan::new(low, high, logarithmic).unwrap();
        let mut counts = std::collections::BTreeMap::new();
        for part in 0..parts {
            *counts.entry(span.at((f64::from(part) + 0.5) / f64::from(parts))).or_insert(0) += 1;
        }
        counts.into_iter().collect()
    }

    #[test]
    fn whole_numbers_at_the_ends_come_as_often_as_the_others() {
        assert_eq!(weights("1", "3", false, 300), [(1, 100), (2, 100), (3, 100)]);
        assert_eq!(weights("3", "1", false, 300), [(1, 100), (2, 100), (3, 100)]);
        assert_eq!(weights("-1", "1", false, 300), [(-1, 100), (0, 100), (1, 100)]);
        assert_eq!(weights("-2", "-1", false, 10), [(-2, 5), (-1, 5)]);
        assert_eq!(weights("0.2", "2.9", false, 10), [(1, 5), (2, 5)]);
        assert_eq!(weights("7", "7", false, 10), [(7, 10)]);
        assert!(weights("1", "100", false, 1000).iter().all(|&(_, count)| count == 10));
        // By logarithm from n - 1/2 to n + 1/2: ln 3, ln 5/3 and ln 7/5 of ln 7.
        assert_eq!(weights("1", "3", true, 1000), [(1, 565), (2, 262), (3, 173)]);
        assert_eq!(weights("5", "5", true, 10), [(5, 10)]);
        for (low, high, logarithmic) in [("0.2", "0.9", false), ("0", "3", true), ("1", "inf", false)] {
            assert_eq!(WholeSpan::new(low, high, logarithmic), None, "{low}..{high}");
        }
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for text in [
            "",
            "1",
            "1..2",
            "1..2 step",
            "1..2 step 0",
            "1..2 step -1",
            "2..1 step 1",
            "1..2 log 1",
            "0..1 log 3",
            "1..1 linear 3",
            "a..b step 1",
            "1..inf linear 3",
            "0..1 step 1e-9",
            "1..2 setp 1",
            "1..2 step 1 extra",
        ] {
            assert_eq!(Range::parse(text), None, "{text}");
        }
        assert_eq!(reals("1..1 step 1"), [1.0]);
    }
}
