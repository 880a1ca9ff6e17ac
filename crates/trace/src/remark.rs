//! What was assumed of a trace file because it can be read in this way only if something is.

use super::Values;
use std::fmt;

/// Something that a reader of the trace's numbers should know.
#[derive(Debug, Clone, PartialEq)]
pub enum TraceRemark {
    /// Times of requests begin or end in the middle of an interval, which is left out.
    LeftOut {
        /// Whether it is the last interval; else the first.
        last: bool,
        /// Requests in it.
        requests: f64,
        /// How much of it the times cover, in seconds.
        covered_s: f64,
        /// Its length in seconds.
        interval_s: f64,
    },
    /// The file's intervals at the end do not make a whole one of the length asked for.
    Rest {
        /// Intervals of the file.
        intervals: usize,
        /// Requests in them.
        requests: f64,
        /// The length asked for, in seconds.
        interval_s: f64,
    },
    /// Rows are not exactly whole intervals apart.
    Rounded {
        /// Rows that are not.
        rows: usize,
        /// How far the time between two rows is from a whole number of intervals at most, in seconds.
        most_s: f64,
        /// The line of that row.
        line: usize,
        /// The length of an interval in seconds.
        interval_s: f64,
    },
    /// Rows for one interval were added up.
    Summed {
        /// Rows beyond the first for their interval.
        rows: usize,
        /// The line of the first such row.
        line: usize,
    },
    /// A column's name does not say whether it holds numbers or rates.
    Values {
        /// The column.
        column: String,
        /// What it was read as.
        values: Values,
        /// Whether its name says so.
        named: bool,
    },
    /// Numbers in the column of times are too large for seconds.
    TimeUnit {
        /// The column.
        column: String,
        /// What one counts: ms, us or ns since 1970.
        unit: &'static str,
    },
}

impl fmt::Display for TraceRemark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeftOut { last: true, requests, covered_s, interval_s } => write!(
                f,
                "the last interval is left out: the times of requests end {} s into its {interval_s} s ({requests} requests)",
                shown(*covered_s)
            ),
            Self::LeftOut { last: false, requests, covered_s, interval_s } => write!(
                f,
                "the first interval is left out: the times of requests cover the last {} s of its {interval_s} s ({requests} \
                 requests)",
                shown(*covered_s)
            ),
            Self::Rest { intervals, requests, interval_s } => write!(
                f,
                "the last {intervals} rows are left out: they do not fill an interval of {interval_s} s ({requests} requests)"
            ),
            Self::Rounded { rows, most_s, line, interval_s } => write!(
                f,
                "{rows} rows are not whole intervals of {interval_s} s after the row before, by up to {} s (line {line}): rounded",
                shown(*most_s)
            ),
            Self::Summed { rows, line } => write!(
                f,
                "{rows} rows (the first: line {line}) are for the same interval as another row: added up (duplicates = \"sum\")"
            ),
            Self::Values { column, values, named } => {
                let why = if *named { "by its name" } else { "which its name does not say" };
                let what = match values {
                    Values::Counts => "numbers of requests per interval",
                    Values::PerSecond => "requests per second",
                    Values::PerMinute => "requests per minute",
                    Values::PerHour => "requests per hour",
                };
                write!(f, "column {column:?} is read as {what}, {why}: else add the key values = ")?;
                let other = if *values == Values::Counts { Values::PerSecond } else { Values::Counts };
                write!(f, "{0:?} (--values {0})", other.name())
            }
            Self::TimeUnit { column, unit } => write!(
                f,
                "column {column:?} is read in {unit} since 1970, as its numbers are too large for seconds (key time_unit, \
                 --time-unit {unit})"
            ),
        }
    }
}

/// With four significant digits or so.
fn shown(seconds: f64) -> String {
    let digits = if seconds >= 100.0 { 1 } else { 3 };
    let text = if seconds >= 1e-3 || seconds == 0.0 {
        format!("{seconds:.digits$}")
    } else {
        format!("{seconds:.1e}")
    };
    if text.contains('.') && !text.contains('e') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn seconds_are_short() {
        for (seconds, expected) in [
            (0.0, "0"),
            (0.2, "0.2"),
            (29.5, "29.5"),
            (60.0, "60"),
            (100.0, "100"),
            (1e-6, "1.0e-6"),
            (3600.25, "3600.2"),
        ] {
            assert_eq!(shown(seconds), expected);
        }
    }
}
