//! Traces: how many requests arrived when, from the files that people have.
//!
//! A file is read once, line by line, and binned on the way: memory grows with the number of intervals, not with the
//! number of requests. Rows may come in any order.

mod bins;
mod cells;
mod counts;
mod durations;
mod functions;
mod layout;
mod lines;
mod problem;
mod stamp;

pub(crate) use durations::{durations, times};
pub use problem::TraceProblem;

use crate::scenario::{Fault, Place, Problem};
use crate::{Cell, InputError, Table};
use lines::Lines;
use std::path::{Path, PathBuf};

/// Nanoseconds: time stamps and intervals are whole numbers of them, so that none falls on the wrong side of a bound.
pub(crate) const SECOND: i64 = 1_000_000_000;
/// What requests are counted per where nothing says otherwise.
const DEFAULT_INTERVAL: i64 = 60 * SECOND;
/// A trace has no more intervals: a hundred days of seconds.
const MOST_INTERVALS: usize = 10_000_000;

/// How a trace file is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceFormat {
    /// CSV, a row an interval, a column with the number of requests in it.
    Counts,
    /// CSV, a row a request, a column with its time.
    TimeStamps,
    /// The layout of the Azure Functions 2019 trace: a row a function, a column a minute.
    AzureFunctions,
    /// A web server's log in common or combined format, a line a request.
    AccessLog,
}

impl TraceFormat {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Counts, Self::TimeStamps, Self::AzureFunctions, Self::AccessLog];
    /// Their names in scenario files, in the same order.
    pub const NAMES: &[&str] = &["counts", "time-stamps", "azure-functions", "access-log"];

    /// Its name in scenario files.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// What an interval that the file says nothing about holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gaps {
    /// There must be none.
    #[default]
    Error,
    /// No requests.
    Zero,
    /// A straight line between its neighbours; before the first and after the last one, as many as there.
    Interpolate,
}

impl Gaps {
    /// All ways.
    pub const ALL: [Self; 3] = [Self::Error, Self::Zero, Self::Interpolate];
    /// Their names in scenario files, in the same order.
    pub const NAMES: &[&str] = &["error", "zero", "interpolate"];

    /// Its name in scenario files.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// How to read a trace file; what is absent is found out from the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TraceKeys {
    /// How it is laid out.
    pub format: Option<TraceFormat>,
    /// The column of numbers of requests, or of times if each row is a request.
    pub column: Option<String>,
    /// The column of times.
    pub time_column: Option<String>,
    /// What a number in the column of times counts: seconds; at least a nanosecond.
    pub time_unit_s: Option<f64>,
    /// Requests are counted per so many seconds; at least a nanosecond.
    pub interval_s: Option<f64>,
    /// What to make of gaps.
    pub gaps: Gaps,
    /// Functions to count, by the beginning of their hash; all if there are none.
    pub functions: Vec<String>,
}

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
    /// Size of the file.
    pub bytes: u64,
    /// CRC-32 of the file's bytes as they are on disk: what `crc32 FILE` and Python's `zlib.crc32` print.
    pub crc32: u32,
}

impl Trace {
    /// Reads the file at `path`; one that begins with gzip's mark is unpacked on the way.
    ///
    /// # Errors
    /// [`InputError::Unreadable`]; [`InputError::Faults`] with the line that is wrong.
    pub fn read(path: &Path, keys: &TraceKeys) -> Result<Self, InputError> {
        read(path, keys).map_err(|stop| match stop {
            Stop::Unreadable(source) => InputError::Unreadable { path: path.to_owned(), source },
            Stop::Wrong { line, column, problem } => InputError::from(fault(path, line, column, problem)),
        })
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

/// The problem with the place that it has in the file.
pub(crate) fn fault(path: &Path, line: usize, column: usize, problem: TraceProblem) -> Fault {
    Fault {
        place: Place::File { file: path.display().to_string(), line, column },
        problem: Problem::Trace(problem),
    }
}

/// Why a trace was not read.
#[derive(Debug)]
pub(crate) enum Stop {
    Unreadable(std::io::Error),
    /// Line and column from 1.
    Wrong {
        line: usize,
        column: usize,
        problem: TraceProblem,
    },
}

/// What a layout's reader found.
struct Counted {
    requests: Vec<f64>,
    interval: i64,
    start: Option<String>,
    gaps: usize,
}

/// Reads the file at `path`.
pub(crate) fn read(path: &Path, keys: &TraceKeys) -> Result<Trace, Stop> {
    let mut lines = Lines::open(path).map_err(Stop::Unreadable)?;
    let table = layout::find(&mut lines, keys)?;
    refuse_unused(table.layout.format(), keys)?;
    let counted = match table.layout {
        layout::Layout::Counts { .. } => counts::read(&mut lines, &table, keys)?,
        layout::Layout::TimeStamps { .. } => bins::read(&mut lines, &table, keys)?,
        layout::Layout::Functions { .. } => functions::read(&mut lines, &table, keys)?,
        layout::Layout::AccessLog => bins::read_log(&mut lines, keys)?,
    };
    let (bytes, crc32) = lines.finish().map_err(Stop::Unreadable)?;
    let requests = counted.requests;
    let (column, time_column) = table.columns();
    let facts = TraceFacts {
        path: path.to_owned(),
        format: table.layout.format(),
        column,
        time_column,
        interval_s: counted.interval as f64 / SECOND as f64,
        start: counted.start,
        intervals: requests.len(),
        total: requests.iter().sum(),
        peak: requests.iter().copied().fold(0.0, f64::max),
        dispersion: dispersion(&requests),
        gaps: counted.gaps,
        bytes,
        crc32,
    };
    Ok(Trace { facts, requests })
}

/// Keys that the format has no use for are as good as typing errors.
fn refuse_unused(format: TraceFormat, keys: &TraceKeys) -> Result<(), Stop> {
    let rows = matches!(format, TraceFormat::Counts | TraceFormat::TimeStamps);
    let unused = [
        ("functions", !keys.functions.is_empty() && format != TraceFormat::AzureFunctions),
        ("column", keys.column.is_some() && !rows),
        ("time_column", keys.time_column.is_some() && !rows),
        ("time_unit", keys.time_unit_s.is_some() && !rows),
    ];
    match unused.into_iter().find(|(_, unused)| *unused) {
        Some((key, _)) => {
            let problem = TraceProblem::Unused { key, format: format.name() };
            Err(Stop::Wrong { line: 1, column: 1, problem })
        }
        None => Ok(()),
    }
}

/// The interval asked for, in nanoseconds.
fn interval(keys: &TraceKeys) -> Option<i64> {
    keys.interval_s.map(|seconds| ((seconds * SECOND as f64).round() as i64).max(1))
}

/// Intervals as long as asked for: a whole number of `found` intervals each. What is left at the end is left out.
fn merged(counted: Counted, keys: &TraceKeys, line: usize) -> Result<Counted, Stop> {
    let Some(asked) = interval(keys) else { return Ok(counted) };
    let times = asked / counted.interval;
    if times < 1 || asked % counted.interval != 0 || times as usize > counted.requests.len() {
        let [asked, found] = [asked, counted.interval].map(|ns| ns as f64 / SECOND as f64);
        let length = found * counted.requests.len() as f64;
        let problem = TraceProblem::Interval { asked, found, length };
        return Err(Stop::Wrong { line, column: 1, problem });
    }
    let requests = counted.requests.chunks_exact(times as usize).map(|chunk| chunk.iter().sum()).collect();
    Ok(Counted { requests, interval: asked, ..counted })
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
