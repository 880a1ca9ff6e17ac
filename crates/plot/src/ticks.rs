//! Where the ticks of an axis are and what they say.

pub(super) type Tick = (f64, String);

const HOURS: [f64; 7] = [1.0, 2.0, 3.0, 4.0, 6.0, 12.0, 24.0];

/// From this value on, numbers are written with a power of ten.
const LARGE: f64 = 1e5;
/// And so they are when steps need more decimals than this.
const DECIMALS: i32 = 4;
/// More powers of ten than this are thinned out.
const DECADES: usize = 8;
/// An end of the axis this near to a tick, in steps, has the tick: 0.3 / 0.1 is below 3.
const NEAR: f64 = 1e-6;

/// Ticks 1, 2 or 5 times a power of ten apart, about `count` of them at most.
pub(super) fn linear(low: f64, high: f64, count: f64) -> Vec<Tick> {
    let raw = (high - low) / count;
    let exponent = raw.log10().floor() as i32;
    let (digit, exponent) = match raw / scaled(1.0, exponent) - NEAR {
        ratio if ratio <= 1.0 => (1.0, exponent),
        ratio if ratio <= 2.0 => (2.0, exponent),
        ratio if ratio <= 5.0 => (5.0, exponent),
        _ => (1.0, exponent + 1),
    };
    let values: Vec<f64> =
        multiples(low, high, scaled(digit, exponent)).map(|index| scaled(index * digit, exponent)).collect();
    let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    values.into_iter().map(|value| (value, number(value, largest, exponent))).collect()
}

/// Ticks that divide a day; as [`linear`] below an hour and above a day.
pub(super) fn hours(low: f64, high: f64, count: f64) -> Vec<Tick> {
    let raw = (high - low) / count;
    match HOURS.iter().find(|&&step| step >= raw) {
        Some(&step) if raw > 0.25 => {
            multiples(low, high, step).map(|index| (index * step, format!("{}", index * step))).collect()
        }
        _ => linear(low, high, count),
    }
}

/// Ticks at powers of ten between two decimal logarithms; with few of these also at 2 and 5 times, or as [`linear`].
pub(super) fn log10(low: f64, high: f64, count: f64) -> Vec<Tick> {
    let (first, last) = ((low - NEAR).ceil() as i32, (high + NEAR).floor() as i32);
    let stride = (last - first).max(0) as usize / DECADES + 1;
    let decades: Vec<Tick> =
        (first..=last).step_by(stride).map(|exponent| decade(exponent, first, last)).collect();
    let between: Vec<Tick> = (first - 1..=last)
        .flat_map(|exponent| [1.0, 2.0, 5.0].map(|digit| (scaled(digit, exponent), exponent)))
        .filter(|(value, _)| (low - NEAR..=high + NEAR).contains(&value.log10()))
        .map(|(value, exponent)| (value, number(value, value, exponent)))
        .collect();
    match (decades.len(), between.len()) {
        (3.., _) => decades,
        (_, 3..) if between.len() as f64 <= count => between,
        (2.., _) => decades,
        _ => linear(10f64.powf(low), 10f64.powf(high), count),
    }
}

fn multiples(low: f64, high: f64, step: f64) -> impl Iterator<Item = f64> {
    let (first, last) = ((low / step - NEAR).ceil() as i64, (high / step + NEAR).floor() as i64);
    (first..=last).map(|index| index as f64)
}

/// `digits` times a power of ten, rounded once: 3 / 10 is 0.3, 3 * 0.1 is not.
fn scaled(digits: f64, exponent: i32) -> f64 {
    if exponent < 0 { digits / 10f64.powi(-exponent) } else { digits * 10f64.powi(exponent) }
}

fn decade(exponent: i32, first: i32, last: i32) -> Tick {
    let value = scaled(1.0, exponent);
    if first >= -3 && last <= 4 { (value, number(value, value, exponent)) } else { (value, ten_to(exponent)) }
}

/// Writes a value with the decimals that steps of 10^`exponent` need.
fn number(value: f64, largest: f64, exponent: i32) -> String {
    if value == 0.0 {
        return "0".into();
    }
    if largest < LARGE && exponent >= -DECIMALS {
        return minus(&format!("{value:.*}", usize::try_from(-exponent).unwrap_or(0)));
    }
    let common = largest.log10().floor() as i32;
    let decimals = usize::try_from(common - exponent).unwrap_or(0);
    minus(&format!("{:.decimals$}×{}", value / scaled(1.0, common), ten_to(common)))
}

/// A minus is as wide as a plus, a hyphen is not.
fn minus(number: &str) -> String {
    number.replace('-', "−")
}

fn ten_to(exponent: i32) -> String {
    let raised = |character| match character {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁰',
    };
    format!("10{}", exponent.to_string().chars().map(raised).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|(_, label)| label.as_str()).collect()
    }

    #[test]
    fn linear_ticks_are_round_and_reach_the_ends() {
        assert_eq!(labels(&linear(0.0, 1.0, 6.0)), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(&linear(-0.05, 0.3, 4.0)), ["0", "0.1", "0.2", "0.3"]);
        assert_eq!(labels(&linear(-10.0, 10.0, 4.0)), ["−10", "−5", "0", "5", "10"]);
        assert_eq!(linear(0.0, 0.3, 3.0)[3].0, 0.3);
    }

    #[test]
    fn large_and_small_numbers_have_a_power_of_ten() {
        assert_eq!(labels(&linear(0.0, 2e6, 4.0)), ["0", "0.5×10⁶", "1.0×10⁶", "1.5×10⁶", "2.0×10⁶"]);
        assert_eq!(labels(&linear(0.0, 2e-6, 2.0)), ["0", "1×10⁻⁶", "2×10⁻⁶"]);
    }

    #[test]
    fn a_day_is_cut_into_equal_parts() {
        assert_eq!(labels(&hours(0.0, 24.0, 11.0)), ["0", "3", "6", "9", "12", "15", "18", "21", "24"]);
        assert_eq!(labels(&hours(0.0, 24.0, 5.0)), ["0", "6", "12", "18", "24"]);
        assert_eq!(labels(&hours(0.0, 8.0, 17.0)), ["0", "1", "2", "3", "4", "5", "6", "7", "8"]);
        assert_eq!(labels(&hours(0.0, 1.0, 5.0)), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
    }

    #[test]
    fn logarithmic_ticks_are_decades_if_there_are_some() {
        assert_eq!(labels(&log10(0.9, 4.1, 5.0)), ["10", "100", "1000", "10000"].as_slice());
        assert_eq!(labels(&log10(-5.0, -2.0, 5.0)), ["10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²"]);
        assert_eq!(labels(&log10(-1.0, 0.1, 5.0)), ["0.1", "0.2", "0.5", "1"]);
        assert_eq!(
            labels(&log10(3f64.log10(), 4f64.log10(), 5.0)),
            ["3.0", "3.2", "3.4", "3.6", "3.8", "4.0"]
        );
        assert_eq!(labels(&log10(-0.1, 1.9, 3.0)), ["1", "10"]);
        assert_eq!(log10(-10.0, 10.0, 5.0).len(), 7);
    }
}
