//! What can be wrong with a trace file.

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
    /// Looks like JSON.
    #[error("the file is JSON: a trace is CSV or an access log")]
    Json,
    /// More than a line can hold.
    #[error("the line is longer than {most} bytes: this is no trace")]
    LongLine {
        /// The most bytes.
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
         like the first one"
    )]
    Stamp {
        /// The column.
        column: String,
        /// The field.
        value: String,
    },
    /// Not a line of an access log.
    #[error("no time as in [17/May/2015:10:05:03 +0000]: this is no line of an access log")]
    LogLine,
    /// Two rows for one interval.
    #[error("a second row for {stamp}; the first is line {first}")]
    Duplicate {
        /// The time.
        stamp: String,
        /// The line of the first row.
        first: usize,
    },
    /// A row that is not a whole number of intervals after the first.
    #[error("{stamp} is not a whole number of intervals ({interval_s} s) after the first row's time")]
    OffGrid {
        /// The time.
        stamp: String,
        /// The intervals.
        interval_s: f64,
    },
    /// Intervals without a row.
    #[error(
        "no requests are given for {stamp}{}: add the key gaps = \"zero\" or gaps = \"interpolate\"",
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
    /// A column of times and one that may be requests, or anything.
    #[error(
        "is each row a request, or does {other:?} say how many there were? Add the key format = \"time-stamps\" or \
         column = {other:?}"
    )]
    Ambiguous {
        /// The column that holds no times.
        other: String,
    },
    /// A file of the Azure Functions trace, but not the one with invocations.
    #[error(
        "a row a function, but no column a minute: this is the file of durations or memory, not the one of invocations"
    )]
    NoMinutes,
    /// Minutes that do not follow each other.
    #[error("the minute {found} follows {before}: minutes must follow each other")]
    Minutes {
        /// A minute.
        before: u32,
        /// The next column's.
        found: u32,
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

fn more(others: usize) -> String {
    match others {
        0 => String::new(),
        others => format!(" and {others} more intervals"),
    }
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map(|name| format!(" (did you mean {name}?)")).unwrap_or_default()
}
