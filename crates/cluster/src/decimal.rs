//! Decimal numbers, exactly.

use crate::ClusterError;
use num_bigint::BigUint;
use std::fmt;
use std::str::FromStr;

/// A number above 0 that is written with digits, exactly as written: 2.5 is 25/10.
///
/// ```
/// use alba_cluster::Decimal;
///
/// let ratio: Decimal = "2.50".parse()?;
/// assert_eq!((ratio.to_string().as_str(), ratio.value()), ("2.5", 2.5));
/// assert!("1e3".parse::<Decimal>().is_err());
/// # Ok::<(), alba_cluster::ClusterError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decimal {
    /// Without needless zeros.
    text: String,
    numerator: u128,
    denominator: u128,
}

impl Decimal {
    /// So many digits fit into the numerator.
    const MOST_DIGITS: usize = 38;

    /// The nearest double.
    pub fn value(&self) -> f64 {
        // A text of digits and a point always parses.
        self.text.parse().unwrap_or(f64::NAN)
    }

    /// Numerator over this is the number.
    pub(crate) fn denominator(&self) -> BigUint {
        self.denominator.into()
    }

    /// This over the denominator is the number.
    pub(crate) fn numerator(&self) -> BigUint {
        self.numerator.into()
    }

    pub(crate) fn is_above_one(&self) -> bool {
        self.numerator > self.denominator
    }
}

impl FromStr for Decimal {
    type Err = ClusterError;

    fn from_str(text: &str) -> Result<Self, ClusterError> {
        let refused = || ClusterError::NotDecimal { text: text.to_owned(), most: Self::MOST_DIGITS };
        let trimmed = text.trim();
        let (whole, decimals) = trimmed.split_once('.').unwrap_or((trimmed, "0"));
        let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !all_digits(whole) || !all_digits(decimals) {
            return Err(refused());
        }
        let (whole, decimals) = (whole.trim_start_matches('0'), decimals.trim_end_matches('0'));
        let digits = format!("{whole}{decimals}");
        if digits.len() > Self::MOST_DIGITS {
            return Err(refused());
        }
        let numerator = digits.parse().ok().filter(|numerator| *numerator > 0).ok_or_else(refused)?;
        let whole = if whole.is_empty() { "0" } else { whole };
        let text = if decimals.is_empty() { whole.to_owned() } else { format!("{whole}.{decimals}") };
        Ok(Self { text, numerator, denominator: 10u128.pow(decimals.len() as u32) })
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_meant() {
        let parts = |text: &str| {
            let decimal: Decimal = text.parse().unwrap();
            (decimal.numerator, decimal.denominator, decimal.to_string())
        };
        assert_eq!(parts("2"), (2, 1, "2".to_owned()));
        assert_eq!(parts("2.5"), (25, 10, "2.5".to_owned()));
        assert_eq!(parts("002.500"), (25, 10, "2.5".to_owned()));
        assert_eq!(parts(" 0.07 "), (7, 100, "0.07".to_owned()));
        assert_eq!(parts("10"), (10, 1, "10".to_owned()));
        assert_eq!(parts("1.4142135623"), (14_142_135_623, 10_000_000_000, "1.4142135623".to_owned()));
        assert_eq!("99999999999999999999999999999999999999".parse::<Decimal>().unwrap().value(), 1e38);
    }

    #[test]
    fn what_is_not_a_number_is_refused() {
        let (long, fine) = ("9".repeat(39), format!("0.{:039}", 1));
        for text in [
            "", ".", "2.", ".5", "-2", "+2", "2,5", "1e3", "inf", "NaN", "0", "0.000", "٢", "0x2", "1.2.3",
            &long, &fine,
        ] {
            assert!(matches!(text.parse::<Decimal>(), Err(ClusterError::NotDecimal { .. })), "{text}");
        }
    }
}
