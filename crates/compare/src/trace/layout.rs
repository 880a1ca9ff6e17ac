//! How a file is laid out: what its first lines say, and the keys.

use super::cells::{Cell, delimiter, split};
use super::lines::Lines;
use super::stamp::{Clock, of_log_line};
use super::{Stop, TraceFormat, TraceKeys, TraceProblem};
use crate::scenario::spelling::nearest;

/// A file whose rows come next.
pub(super) struct Table {
    pub(super) layout: Layout,
    pub(super) names: Vec<String>,
    delimiter: u8,
}

/// What stands where: indices of columns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Layout {
    Counts { requests: usize, time: Option<(usize, Clock)> },
    TimeStamps { time: (usize, Clock) },
    Functions { hash: usize, first_minute: usize },
    AccessLog,
}

/// Columns that hold times whatever is in them, and what a number there counts, in seconds. Letters and digits only.
const TIMES: [(&str, f64); 24] = [
    ("time", 1.0),
    ("times", 1.0),
    ("timestamp", 1.0),
    ("datetime", 1.0),
    ("date", 1.0),
    ("t", 1.0),
    ("ts", 1.0),
    ("timems", 1e-3),
    ("timeus", 1e-6),
    ("timens", 1e-9),
    ("tms", 1e-3),
    ("timemin", 60.0),
    ("timeh", 3600.0),
    ("second", 1.0),
    ("seconds", 1.0),
    ("secondofday", 1.0),
    ("minute", 60.0),
    ("minutes", 60.0),
    ("minuteofday", 60.0),
    ("hour", 3600.0),
    ("hours", 3600.0),
    ("epoch", 1.0),
    ("unixtime", 1.0),
    ("starttime", 1.0),
];
const REQUESTS: [&str; 12] = [
    "requests",
    "request",
    "requestcount",
    "count",
    "counts",
    "invocations",
    "arrivals",
    "hits",
    "total",
    "sum",
    "value",
    "calls",
];
const HASH: &str = "HashFunction";

impl Layout {
    pub(super) fn format(self) -> TraceFormat {
        match self {
            Self::Counts { .. } => TraceFormat::Counts,
            Self::TimeStamps { .. } => TraceFormat::TimeStamps,
            Self::Functions { .. } => TraceFormat::AzureFunctions,
            Self::AccessLog => TraceFormat::AccessLog,
        }
    }
}

impl Table {
    /// With these columns.
    pub(super) fn new(layout: Layout, names: Vec<String>, delimiter: u8) -> Self {
        Self { layout, names, delimiter }
    }

    /// The columns of requests and of times.
    pub(super) fn columns(&self) -> (Option<String>, Option<String>) {
        let name = |index: usize| self.names.get(index).cloned();
        match self.layout {
            Layout::Counts { requests, time } => (name(requests), time.and_then(|(index, _)| name(index))),
            Layout::TimeStamps { time } => (None, name(time.0)),
            Layout::Functions { .. } | Layout::AccessLog => (None, None),
        }
    }

    /// Cuts the next row into `cells` and hands it to `visit`, until there is none left.
    pub(super) fn for_each_row(
        &self,
        lines: &mut Lines,
        mut visit: impl FnMut(&[u8], &[Cell], usize) -> Result<(), (usize, TraceProblem)>,
    ) -> Result<(), Stop> {
        let mut cells = vec![];
        while let Some((line, number)) = lines.next()? {
            let row = split(line, self.delimiter, &mut cells).map_err(|column| (column, TraceProblem::Quote));
            let row = row.and_then(|()| {
                let (expected, found) = (self.names.len(), cells.len());
                (expected == found).then_some(()).ok_or((1, TraceProblem::Fields { expected, found }))
            });
            row.and_then(|()| visit(line, &cells, number)).map_err(|(column, problem)| Stop::Wrong {
                line: number,
                column,
                problem,
            })?;
        }
        Ok(())
    }
}

/// Reads the header, if there is one, and decides.
pub(super) fn find(lines: &mut Lines, keys: &TraceKeys) -> Result<Table, Stop> {
    let Some((first, _)) = lines.next()? else {
        return Err(lines.wrong(1, TraceProblem::Empty));
    };
    let is_log =
        keys.format.map_or_else(|| of_log_line(first).is_some(), |format| format == TraceFormat::AccessLog);
    if is_log {
        lines.push_back();
        return Ok(Table { layout: Layout::AccessLog, names: vec![], delimiter: b',' });
    }
    if keys.format.is_none() && matches!(first.trim_ascii_start().first(), Some(b'{' | b'[')) {
        return Err(lines.wrong(1, TraceProblem::Json));
    }
    let delimiter = delimiter(first);
    let mut cells = vec![];
    if let Err(column) = split(first, delimiter, &mut cells) {
        return Err(lines.wrong(column, TraceProblem::Quote));
    }
    let is_data = |cell: &Cell| cell.is_unknown(first) || Clock::of(cell.bytes(first), 1.0).is_some();
    let has_header = !cells.iter().all(is_data);
    let name = |(index, cell): (usize, &Cell)| {
        if has_header { cell.text(first) } else { (index + 1).to_string() }
    };
    let names: Vec<String> = cells.iter().enumerate().map(name).collect();
    let columns: Vec<usize> = cells.iter().map(|cell| cell.column(first)).collect();
    let header = Header { names: &names, columns: &columns, line: lines.number(), keys };
    if !has_header {
        lines.push_back();
    }
    let layout = header.layout(lines, delimiter)?;
    Ok(Table { layout, names, delimiter })
}

type Wrong = (usize, TraceProblem);

/// Where a decision failed: at a column of the header, or at a field of the first row.
enum Blame {
    Header(usize, TraceProblem),
    Row(usize, TraceProblem),
}

impl From<Wrong> for Blame {
    fn from((column, problem): Wrong) -> Self {
        Self::Header(column, problem)
    }
}

/// Names of columns, where they stand in the line, and the keys.
struct Header<'h> {
    names: &'h [String],
    columns: &'h [usize],
    line: usize,
    keys: &'h TraceKeys,
}

fn bare(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

impl Header<'_> {
    /// Decides by the names, else by the first row, which is read again later.
    fn layout(&self, lines: &mut Lines, delimiter: u8) -> Result<Layout, Stop> {
        let at_header = |(column, problem)| Stop::Wrong { line: self.line, column, problem };
        let by_name = self.by_name().map_err(at_header)?;
        let Some((row, number)) = lines.next()? else {
            return Err(lines.wrong(1, TraceProblem::NoRow));
        };
        let mut cells = vec![];
        // A row that cannot be cut is reported when it is read.
        let sample: Vec<&[u8]> = match split(row, delimiter, &mut cells) {
            Ok(()) => cells.iter().map(|cell| cell.bytes(row)).collect(),
            Err(_) => vec![],
        };
        let layout = by_name.map_or_else(|| self.by_sample(&sample), Ok).map_err(|blame| match blame {
            Blame::Header(column, problem) => at_header((column, problem)),
            Blame::Row(index, problem) => {
                let column = cells.get(index).map_or(1, |cell| cell.column(row));
                Stop::Wrong { line: number, column, problem }
            }
        });
        lines.push_back();
        layout
    }

    fn find(&self, name: &str) -> Result<usize, Wrong> {
        find_column(self.names, name)
    }

    /// The layout, where names say it.
    fn by_name(&self) -> Result<Option<Layout>, Wrong> {
        let asked = self.keys.format == Some(TraceFormat::AzureFunctions);
        let hash = self.names.iter().position(|name| name == HASH);
        match (self.keys.format.is_none() || asked, hash) {
            (true, Some(hash)) => {
                let first_minute = self
                    .names
                    .iter()
                    .position(|name| name.parse::<u32>().is_ok())
                    .ok_or((1, TraceProblem::NoMinutes))?;
                self.check_minutes(first_minute)?;
                Ok(Some(Layout::Functions { hash, first_minute }))
            }
            (true, None) if asked => self.find(HASH).map(|_| None),
            (true | false, _) => Ok(None),
        }
    }

    fn check_minutes(&self, first: usize) -> Result<(), Wrong> {
        let mut before: Option<u32> = None;
        for (name, &column) in self.names.iter().zip(self.columns).skip(first) {
            let found: u32 = name.parse().map_err(|_| {
                let problem = TraceProblem::Number { column: "minute".to_owned(), value: name.clone() };
                (column, problem)
            })?;
            match before {
                Some(before) if before.checked_add(1) != Some(found) => {
                    return Err((column, TraceProblem::Minutes { before, found }));
                }
                _ => before = Some(found),
            }
        }
        Ok(())
    }

    /// The layout, where names and the first row together say it.
    fn by_sample(&self, sample: &[&[u8]]) -> Result<Layout, Blame> {
        let time_column = self.keys.time_column.as_deref().map(|name| self.find(name)).transpose()?;
        let column = self.keys.column.as_deref().map(|name| self.find(name)).transpose()?;
        let time = time_column.or_else(|| self.guess_time(sample, column));
        let requests = column.or_else(|| self.guess_requests(time));
        match (self.keys.format, requests, time) {
            (Some(TraceFormat::TimeStamps), _, _) => {
                // The one column that is named holds the times.
                let time = time_column.or(column).or(time).ok_or_else(|| self.unrecognised())?;
                Ok(Layout::TimeStamps { time: self.clocked(time, sample)? })
            }
            (None, Some(requests), None) if time_column.is_none() && self.is_stamp(requests, sample) => {
                Ok(Layout::TimeStamps { time: self.clocked(requests, sample)? })
            }
            (None | Some(TraceFormat::Counts), Some(requests), time) => {
                let time = time.map(|time| self.clocked(time, sample)).transpose()?;
                Ok(Layout::Counts { requests, time })
            }
            (None, None, Some(time)) if self.names.len() == 2 && time_column.is_none() => {
                let other = self.names[1 - time].clone();
                Err(Blame::Header(1, TraceProblem::Ambiguous { other }))
            }
            (None, None, Some(time)) => Ok(Layout::TimeStamps { time: self.clocked(time, sample)? }),
            _ => Err(self.unrecognised().into()),
        }
    }

    fn unrecognised(&self) -> Wrong {
        (1, TraceProblem::Unrecognised { columns: some_of(self.names) })
    }

    /// What a number in a column of times counts, in seconds.
    fn unit_s(&self, index: usize) -> f64 {
        let name = bare(&self.names[index]);
        let by_name = TIMES.iter().find(|(known, _)| *known == name).map(|(_, unit)| *unit);
        self.keys.time_unit_s.or(by_name).unwrap_or(1.0)
    }

    /// How the column writes times.
    fn clocked(&self, index: usize, sample: &[&[u8]]) -> Result<(usize, Clock), Blame> {
        let unit_s = self.unit_s(index);
        // A row that is too short is reported when it is read.
        let Some(field) = sample.get(index) else { return Ok((index, Clock::Calendar)) };
        Clock::of(field, unit_s).map(|clock| (index, clock)).ok_or_else(|| {
            let value = String::from_utf8_lossy(field).chars().take(60).collect();
            Blame::Row(index, TraceProblem::Stamp { column: self.names[index].clone(), value })
        })
    }

    fn is_stamp(&self, index: usize, sample: &[&[u8]]) -> bool {
        sample.get(index).and_then(|field| Clock::of(field, 1.0)) == Some(Clock::Calendar)
    }

    /// The first column that is called like one of times, else the first that holds a date.
    fn guess_time(&self, sample: &[&[u8]], not: Option<usize>) -> Option<usize> {
        let candidates = || (0..self.names.len()).filter(|index| Some(*index) != not);
        let named = |index: &usize| {
            let name = bare(&self.names[*index]);
            let with_unit = name.strip_suffix('s').unwrap_or(&name);
            TIMES.iter().any(|(known, _)| *known == name || *known == with_unit)
        };
        candidates().find(named).or_else(|| candidates().find(|index| self.is_stamp(*index, sample)))
    }

    /// The first column that is called like one of requests.
    fn guess_requests(&self, time: Option<usize>) -> Option<usize> {
        let named = REQUESTS.iter().find_map(|known| self.names.iter().position(|name| bare(name) == *known));
        named.filter(|index| Some(*index) != time)
    }
}

/// The index of the column called `name`.
pub(super) fn find_column(names: &[String], name: &str) -> Result<usize, (usize, TraceProblem)> {
    names.iter().position(|known| known == name).ok_or_else(|| {
        let columns: Vec<&str> = names.iter().map(String::as_str).collect();
        let nearest = nearest(name, &columns).map(str::to_owned);
        (1, TraceProblem::NoColumn { name: name.to_owned(), nearest, columns: some_of(names) })
    })
}

/// As many names as a message can hold.
fn some_of(names: &[String]) -> Vec<String> {
    const SHOWN: usize = 12;
    let shown = |name: &String| format!("{:?}", name.chars().take(40).collect::<String>());
    let more = (names.len() > SHOWN).then(|| format!("and {} more", names.len() - SHOWN));
    names.iter().take(SHOWN).map(shown).chain(more).collect()
}
