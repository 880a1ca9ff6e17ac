//! Traces: how many requests arrived when, from the files that people have.
//!
//! A file is read once, line by line, and binned on the way: memory grows with the number of intervals, not with the
//! number of requests. Rows may come in any order.

mod bins;
mod cells;
mod counts;
mod durations;
mod functions;
mod grain;
mod grid;
mod keys;
mod layout;
mod lines;
mod names;
mod problem;
mod remark;
mod rows;
mod stamp;
mod units;

pub use durations::{Times, durations, times};
pub use keys::{Duplicates, Gaps, Stamps, TraceFormat, TraceKeys, Values};
pub use problem::TraceProblem;
pub use remark::TraceRemark;
pub use units::{unit_named, unit_s};

use alba_table::{Cell, Table};
use lines::Lines;
use std::path::{Path, PathBuf};

/// Nanoseconds: time stamps and intervals are whole numbers of them, so that none falls on the wrong side of a bound.
pub(crate) const SECOND: i64 = 1_000_000_000;
/// What requests are counted per where nothing says otherwise.
const DEFAULT_INTERVAL: i64 = 60 * SECOND;
/// A trace has no more intervals: a hundred days of seconds.
const MOST_INTERVALS: usize = 10_000_000;
/// Doubles count exactly so far: 2^53 - 1.
const LARGEST: f64 = 9_007_199_254_740_991.0;

/// A trace: numbers of requests in intervals of equal length.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// What was read.
    pub facts: TraceFacts,
    /// Requests in each interval, in order; at least one interval.
    pub requests: Vec<f64>,
}

/// What is known of a trace file after reading it.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceFacts {
    /// The file.
    pub path: PathBuf,
    /// How it is laid out.
    pub format: TraceFormat,
    /// The column that was read, where the format has a choice.
    pub column: Option<String>,
    /// The column of times, where there is one.
    pub time_column: Option<String>,
    /// What a number in the column of times counts, in seconds, where that was found out.
    pub time_unit_s: Option<f64>,
    /// What numbers are, where the format has a choice.
    pub values: Option<Values>,
    /// The column of service times and what one counts, in seconds, where each row is a request and has one.
    pub durations: Option<(String, f64)>,
    /// Length of an interval in seconds.
    pub interval_s: f64,
    /// When it begins, as the file says it.
    pub start: Option<String>,
    /// Number of intervals.
    pub intervals: usize,
    /// All requests.
    pub total: f64,
    /// Requests in the fullest interval.
    pub peak: f64,
    /// Index of dispersion: the mean of `(b - a)^2 / (a + b)` over neighbouring intervals, about 1 for Poisson
    /// arrivals; none without requests.
    pub dispersion: Option<f64>,
    /// Intervals that the file says nothing about.
    pub gaps: usize,
    /// What was assumed.
    pub remarks: Vec<TraceRemark>,
    /// Size of the file.
    pub bytes: u64,
    /// CRC-32 of the file's bytes as they are on disk: what `crc32 FILE` and Python's `zlib.crc32` print.
    pub crc32: u32,
}

impl Trace {
    /// Reads the file at `path`; one that begins with gzip's mark is unpacked on the way.
    ///
    /// # Errors
    /// [`TraceError`] with the line that is wrong.
    pub fn read(path: &Path, keys: &TraceKeys) -> Result<Self, TraceError> {
        read(path, keys).map_err(|stop| stop.of(path))
    }
}

impl Trace {
    /// `time_s`, from the beginning of the trace, and `requests`, a row an interval.
    pub fn table(&self) -> Table {
        let mut table = Table::new(["time_s", "requests"]);
        for (index, requests) in self.requests.iter().enumerate() {
            table.push(vec![Cell::from(index as f64 * self.facts.interval_s), Cell::from(*requests)]);
        }
        table
    }
}

/// Why a trace was not read.
#[derive(Debug)]
pub enum Stop {
    /// The file is missing or cannot be read.
    Unreadable(std::io::Error),
    /// Something in it is wrong.
    Wrong {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// What.
        problem: TraceProblem,
    },
}

impl Stop {
    /// The error, of the file at `path`.
    pub fn of(self, path: &Path) -> TraceError {
        let path = path.to_owned();
        match self {
            Self::Unreadable(source) => TraceError::Unreadable { path, source },
            Self::Wrong { line, column, problem } => TraceError::Wrong { path, line, column, problem },
        }
    }
}

/// Why the trace in a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file is missing or cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Something in it is wrong.
    #[error("{}:{line}:{column}: {problem}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// What.
        problem: TraceProblem,
    },
}

/// What a layout's reader found.
struct Counted {
    requests: Vec<f64>,
    interval: i64,
    start: Option<String>,
    gaps: usize,
    remarks: Vec<TraceRemark>,
}

/// Reads the file at `path`.
///
/// # Errors
/// [`Stop`], without the path.
pub fn read(path: &Path, keys: &TraceKeys) -> Result<Trace, Stop> {
    let mut lines = Lines::open(path).map_err(Stop::Unreadable)?;
    let table = layout::find(&mut lines, keys)?;
    refuse_unused(table.layout.format(), keys)?;
    let counted = match table.layout {
        layout::Layout::Counts { .. } => counts::read(&mut lines, &table, keys)?,
        layout::Layout::Functions { .. } => functions::read(&mut lines, &table, keys)?,
        layout::Layout::TimeStamps { .. } | layout::Layout::AccessLog => {
            bins::read(&mut lines, &table, keys)?
        }
    };
    refuse_too_many(&counted.requests, &lines)?;
    let (bytes, crc32) = lines.finish().map_err(Stop::Unreadable)?;
    Ok(with_facts(path, &table, keys, counted, (bytes, crc32)))
}

/// Requests that cannot be counted exactly, in any interval or in all.
fn refuse_too_many(requests: &[f64], lines: &Lines) -> Result<(), Stop> {
    let total: f64 = requests.iter().sum();
    if total <= LARGEST {
        return Ok(());
    }
    Err(lines.wrong(1, TraceProblem::TooMany { what: format!("a total of {total:e} requests") }))
}

fn with_facts(
    path: &Path,
    table: &layout::Table,
    keys: &TraceKeys,
    counted: Counted,
    (bytes, crc32): (u64, u32),
) -> Trace {
    let requests = counted.requests;
    let (column, time_column) = table.columns();
    let (time_unit_s, unit_remark) = table.found_unit(keys);
    let facts = TraceFacts {
        path: path.to_owned(),
        format: table.layout.format(),
        column,
        time_column,
        time_unit_s,
        values: table.values(),
        durations: table.durations(),
        interval_s: counted.interval as f64 / SECOND as f64,
        start: counted.start,
        intervals: requests.len(),
        total: requests.iter().sum(),
        peak: requests.iter().copied().fold(0.0, f64::max),
        dispersion: dispersion(&requests),
        gaps: counted.gaps,
        remarks: unit_remark.into_iter().chain(counted.remarks).collect(),
        bytes,
        crc32,
    };
    Trace { facts, requests }
}

/// Keys that the format has no use for are as good as typing errors.
fn refuse_unused(format: TraceFormat, keys: &TraceKeys) -> Result<(), Stop> {
    let uses = format.uses();
    let unused = [
        ("functions", !keys.functions.is_empty() && !uses.functions),
        ("column", keys.column.is_some() && !uses.columns),
        ("time_column", keys.time_column.is_some() && !uses.columns),
        ("time_unit", keys.time_unit_s.is_some() && !uses.columns),
        ("values", keys.values.is_some() && !uses.counts),
        ("duplicates", keys.duplicates != Duplicates::default() && !uses.counts),
        ("stamps", keys.stamps != Stamps::default() && !format.is_one_by_one()),
    ];
    match unused.into_iter().find(|(_, unused)| *unused) {
        Some((key, _)) => {
            let problem = TraceProblem::Unused { key, format: format.name() };
            Err(Stop::Wrong { line: 1, column: 1, problem })
        }
        None => Ok(()),
    }
}

/// What the name of a column of durations says that a number counts, in seconds.
pub fn duration_unit_s(column: &str) -> Option<f64> {
    names::duration(column).and_then(|(_, unit_s)| unit_s)
}

/// The interval asked for, in nanoseconds.
fn interval(keys: &TraceKeys) -> Option<i64> {
    keys.interval_s.map(|seconds| ((seconds * SECOND as f64).round() as i64).max(1))
}

/// Intervals as long as asked for: a whole number of `found` intervals each. What is left at the end is left out, and said.
fn merged(counted: Counted, keys: &TraceKeys, line: usize) -> Result<Counted, Stop> {
    let Some(asked) = interval(keys) else { return Ok(counted) };
    let times = asked / counted.interval;
    if times < 1 || asked % counted.interval != 0 || times as usize > counted.requests.len() {
        let [asked, found] = [asked, counted.interval].map(|ns| ns as f64 / SECOND as f64);
        let length = found * counted.requests.len() as f64;
        let problem = TraceProblem::Interval { asked, found, length };
        return Err(Stop::Wrong { line, column: 1, problem });
    }
    let chunks = counted.requests.chunks_exact(times as usize);
    let (intervals, left) = (chunks.remainder().len(), chunks.remainder().iter().sum());
    let requests = chunks.map(|chunk| chunk.iter().sum()).collect();
    let interval_s = asked as f64 / SECOND as f64;
    let rest = (intervals > 0).then_some(TraceRemark::Rest { intervals, requests: left, interval_s });
    let remarks = counted.remarks.into_iter().chain(rest).collect();
    Ok(Counted { requests, interval: asked, remarks, ..counted })
}

/// How much more the numbers of requests in neighbouring intervals differ than Poisson arrivals would have it: the
/// mean of `(b - a)^2 / (a + b)` over neighbours `a`, `b`. About 1 for Poisson arrivals whose rate changes slowly, more
/// if they come in bursts, less if they are regular; none without requests.
pub(crate) fn dispersion(requests: &[f64]) -> Option<f64> {
    let pairs = requests.windows(2).filter(|pair| pair[0] + pair[1] > 0.0);
    let (sum, count) = pairs.fold((0.0, 0.0), |(sum, count), pair| {
        (sum + (pair[1] - pair[0]).powi(2) / (pair[0] + pair[1]), count + 1.0)
    });
    (count > 0.0).then(|| sum / count)
}

#[cfg(test)]
mod tests;
