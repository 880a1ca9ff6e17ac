//! What can be wrong with a trace file.

use super::stamp::unit_since_1970;

/// One thing that is wrong; where is said beside it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TraceProblem {
    /// Nothing in it, or nothing but comments.
    #[error("the file is empty")]
    Empty,
    /// Nothing below the header.
    #[error("there is no row below the header")]
    NoRow,
    /// Rows, but no number in any of them.
    #[error("no row says how many requests there were")]
    NoRequest,
    /// UTF-16, as some spreadsheets export.
    #[error("the file is UTF-16: save it as UTF-8")]
    Utf16,
    /// Numbers of requests where their times are needed.
    #[error("the trace has numbers of requests: times of requests, one by one, are needed")]
    NoStamps,
    /// Service times that are all zero.
    #[error("all times in column {column:?} are 0: these are no service times")]
    NoTime {
        /// The column.
        column: String,
    },
    /// Looks like JSON.
    #[error("the file is JSON: a trace is CSV or an access log")]
    Json,
    /// More than a line can hold.
    #[error("the line is longer than {most} bytes: this is no trace")]
    LongLine {
        /// The most bytes.
        most: usize,
    },
    /// More empty lines than a trace has.
    #[error("more than {most} empty lines follow each other: this is no trace")]
    EmptyLines {
        /// The most.
        most: usize,
    },
    /// A quote that is not closed, or in the middle of a field.
    #[error("a quoted field does not end where its line or the next delimiter says")]
    Quote,
    /// A row with more or fewer fields than the header.
    #[error("{found} fields, but the first line has {expected}")]
    Fields {
        /// In the first line.
        expected: usize,
        /// In this one.
        found: usize,
    },
    /// Not a number of requests.
    #[error("{column} = {value:?} is not allowed: a finite number >= 0")]
    Number {
        /// The column.
        column: String,
        /// The field.
        value: String,
    },
    /// Not a time.
    #[error(
        "{column} = {value:?} is not allowed: a time as in 2024-05-31T08:00:00Z (1850 to 2090), or a number of seconds, \
         like the first one{}",
        time_unit(*unit)
    )]
    Stamp {
        /// The column.
        column: String,
        /// The field.
        value: String,
        /// The unit in which it would be a time since 1970.
        unit: Option<&'static str>,
    },
    /// More than a double counts exactly.
    #[error(
        "{what} is not allowed: at most 9007199254740991 (2^53 - 1) requests in all, more are not counted exactly"
    )]
    TooMany {
        /// What is so large.
        what: String,
    },
    /// A number of requests that is not whole.
    #[error(
        "{column} = {value:?} is no whole number: is it the requests of an interval on average, or a rate? Add the key \
         values = \"counts\" or values = \"rate-per-second\" (--values)"
    )]
    Fraction {
        /// The column.
        column: String,
        /// The field.
        value: String,
    },
    /// Times of requests that span less than an interval.
    #[error(
        "the times of requests span {span_s} s, less than an interval of {interval_s} s: choose a shorter interval (key \
         interval, --interval)"
    )]
    TooShort {
        /// From the first to the last.
        span_s: f64,
        /// Of the intervals.
        interval_s: f64,
    },
    /// Intervals that stamps are too coarse for.
    #[error(
        "the times of requests are whole multiples of {resolution_s} s, and many are equal: an interval of {interval_s} s is \
         not allowed, but a whole number of times as long (key interval, --interval), or stamps = \"keep\" (--stamps)"
    )]
    Coarse {
        /// Of the stamps.
        resolution_s: f64,
        /// Of the intervals.
        interval_s: f64,
    },
    /// Equal times where there must be none.
    #[error(
        "a second request at {stamp}: stamps = \"error\" allows none; \"spread\" spreads them within the stamps' resolution, \
         \"keep\" lets them come together"
    )]
    EqualStamps {
        /// The time.
        stamp: String,
    },
    /// A column that says rates, without their unit.
    #[error(
        "column {column:?} may be requests per interval or a rate: add the key values = \"counts\", \"rate-per-second\", ... \
         (--values)"
    )]
    RateOf {
        /// The column.
        column: String,
    },
    /// Not a line of an access log.
    #[error("no time as in [17/May/2015:10:05:03 +0000]: this is no line of an access log")]
    LogLine,
    /// Two rows for one interval.
    #[error(
        "a second row for {stamp}; the first is line {first}: if they are parts of one number add the key duplicates = \"sum\" \
         (--duplicates sum); if clocks were set back write times with their zone"
    )]
    Duplicate {
        /// The time.
        stamp: String,
        /// The line of the first row.
        first: usize,
    },
    /// A row that is not a whole number of intervals after the first.
    #[error(
        "{stamp} is not a whole number of intervals ({interval_s} s) after the first row's time: if times are not exact add the \
         key interval (--interval); half of the rows are {median_s} s apart or less"
    )]
    OffGrid {
        /// The time.
        stamp: String,
        /// The intervals.
        interval_s: f64,
        /// Between neighbouring rows.
        median_s: f64,
    },
    /// A row that cannot be moved to a whole number of intervals.
    #[error(
        "{stamp} is not a whole number of intervals ({interval_s} s) after the row before, up to {percent} % of one, or after the \
         first row: is the interval right?"
    )]
    FarOff {
        /// The time.
        stamp: String,
        /// The intervals.
        interval_s: f64,
        /// Allowed.
        percent: f64,
    },
    /// Intervals without a row.
    #[error(
        "no requests are given for {stamp}{}: add the key gaps = \"zero\" or gaps = \"interpolate\" (--gaps)",
        more(*others)
    )]
    Gap {
        /// The first one.
        stamp: String,
        /// How many more there are.
        others: usize,
    },
    /// A column that is not there.
    #[error("there is no column {name:?}{}: one of {}", suggestion(nearest.as_deref()), columns.join(", "))]
    NoColumn {
        /// The name asked for.
        name: String,
        /// What may have been meant.
        nearest: Option<String>,
        /// The columns there are.
        columns: Vec<String>,
    },
    /// Neither times nor numbers of requests are recognised.
    #[error(
        "neither requests nor times are recognised: name them with the keys column and time_column; the columns are {}",
        columns.join(", ")
    )]
    Unrecognised {
        /// The columns there are.
        columns: Vec<String>,
    },
    /// A column of times and others that may be requests, or anything.
    #[error(
        "is each row a request, or does {} say how many there were? Add the key format = \"time-stamps\" (--trace-format \
         time-stamps) or column = {} (--column)",
        any_of(others),
        others.join(" or ")
    )]
    Ambiguous {
        /// The columns, in quotes, that hold no times.
        others: Vec<String>,
    },
    /// A file of the Azure Functions trace, but not the one with invocations.
    #[error(
        "a row a function, but no column a minute: this is the file of durations or memory, not the one of invocations"
    )]
    NoMinutes,
    /// Minutes that do not follow each other.
    #[error(
        "column {found:?} follows {before:?}: minutes must follow each other, from the first one to the last column"
    )]
    Minutes {
        /// A column.
        before: String,
        /// The next one.
        found: String,
    },
    /// A function that is not there.
    #[error("there is no function whose hash begins with {name:?}")]
    NoFunction {
        /// What was asked for.
        name: String,
    },
    /// A key that says nothing about a file laid out like this.
    #[error("the key {key} has no meaning in the format {format}")]
    Unused {
        /// The key.
        key: &'static str,
        /// The file's format.
        format: &'static str,
    },
    /// The length of intervals is not known.
    #[error("nothing says how long an interval is: add the key interval, as in \"1 min\"")]
    NoInterval,
    /// The interval asked for is no multiple of the file's.
    #[error(
        "interval = {asked} s is not allowed: a whole number of times the file's interval, {found} s, up to its length, \
         {length} s"
    )]
    Interval {
        /// The interval asked for.
        asked: f64,
        /// The file's.
        found: f64,
        /// Of the whole trace.
        length: f64,
    },
    /// Too many intervals.
    #[error(
        "the trace has more than {most} intervals of {interval_s} s: is this time right, and its unit (key time_unit)? \
         Or choose a longer interval"
    )]
    TooLong {
        /// The most.
        most: usize,
        /// Their length.
        interval_s: f64,
    },
}

impl TraceProblem {
    /// A field `value` of the column of times `column` that is none.
    pub(super) fn stamp(column: &str, value: &str) -> Self {
        let unit = unit_since_1970(value.as_bytes()).map(|(name, _)| name);
        Self::Stamp { column: column.to_owned(), value: value.to_owned(), unit }
    }
}

fn any_of(others: &[String]) -> String {
    match others {
        [one] => one.clone(),
        several => format!("one of {}", several.join(", ")),
    }
}

fn time_unit(unit: Option<&str>) -> String {
    let hint =
        |unit| format!("; if it counts {unit} since 1970: the key time_unit = {unit:?} (--time-unit {unit})");
    unit.map(hint).unwrap_or_default()
}

fn more(others: usize) -> String {
    match others {
        0 => String::new(),
        others => format!(" and {others} more intervals"),
    }
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map(|name| format!(" (did you mean {name}?)")).unwrap_or_default()
}
