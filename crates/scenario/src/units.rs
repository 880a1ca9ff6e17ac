//! Numbers with a unit: durations and rates.

use super::section::{Item, Noted};
use alba_model::ModelError;
use alba_trace::unit_s;

/// How long a service time is: what numbers with a unit are converted by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Clock {
    /// So many seconds.
    ServiceTime(f64),
    /// Nothing says it.
    Unknown,
    /// What says it is wrong, which has been noted.
    Faulty,
}

const DURATION: &str = ", or a time with a unit (ns, us, ms, s, min, h, d), as in \"400 ms\"";
const RATE: &str = ", or a total with a unit, as in \"12.5 /s\"";

impl Clock {
    /// The length of a service time in seconds, for `item`, which `needs` it.
    pub(super) fn service_time_s(self, item: &Item<'_>, needs: &str) -> Result<f64, Noted> {
        match self {
            Self::ServiceTime(seconds) => Ok(seconds),
            Self::Unknown => {
                Err(item.reject(format!("{needs} needs system.mean_service_time, as in \"250 ms\"")))
            }
            Self::Faulty => Err(Noted),
        }
    }

    /// A duration in service times: a bare number, or a text with a unit.
    pub(super) fn duration(
        self,
        item: &Item<'_>,
        check: impl Fn(f64) -> Result<(), ModelError>,
    ) -> Result<f64, Noted> {
        let Some(seconds) = item.text().and_then(seconds) else {
            return item.checked(item.number(), check, DURATION);
        };
        let length = self.service_time_s(item, "a unit")?;
        item.checked(Some(seconds / length), check, DURATION)
    }

    /// A rate per server and service time: a bare number, or a total over all servers as a text with a unit.
    pub(super) fn rate(
        self,
        item: &Item<'_>,
        servers: u64,
        check: impl Fn(f64) -> Result<(), ModelError>,
    ) -> Result<f64, Noted> {
        let Some(per_second) = item.text().and_then(per_second) else {
            return item.checked(item.number(), check, RATE);
        };
        let length = self.service_time_s(item, "a unit")?;
        item.checked(Some(per_second * length / servers as f64), check, RATE)
    }
}

/// `"400 ms"` in seconds; none unless it is a time > 0 with a unit.
///
/// ```
/// assert_eq!(alba_scenario::duration_s("400 ms"), Some(0.4));
/// assert_eq!(alba_scenario::duration_s("400"), None);
/// ```
pub fn duration_s(text: &str) -> Option<f64> {
    seconds(text).filter(|seconds| *seconds > 0.0 && seconds.is_finite())
}

/// `"400 ms"` in seconds.
pub(super) fn seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    let (number, unit) =
        text.split_at(text.find(|c: char| c.is_ascii_alphabetic() && !matches!(c, 'e' | 'E'))?);
    Some(number.trim().parse::<f64>().ok()? * unit_s(unit)?)
}

/// `"12.5 /s"` per second.
fn per_second(text: &str) -> Option<f64> {
    let (number, unit) = text.split_once('/')?;
    Some(number.trim().parse::<f64>().ok()? / unit_s(unit.trim())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_rates() {
        for (text, expected) in [
            ("400 ms", Some(0.4)),
            ("8h", Some(28800.0)),
            (" 1.5 min ", Some(90.0)),
            ("1e3 ms", Some(1.0)),
            ("-2 s", Some(-2.0)),
            ("5", None),
            ("ms", None),
            ("1 week", None),
            ("inf", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
        assert_eq!(per_second("12.5 /s"), Some(12.5));
        assert_eq!(per_second("90/min"), Some(1.5));
        assert_eq!(per_second("12.5"), None);
    }
}
