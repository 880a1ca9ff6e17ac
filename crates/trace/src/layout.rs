//! How a file is laid out: what its first lines say, and the keys.

use super::cells::{Cell, delimiter, split};
use super::lines::Lines;
use super::names::{self, Says};
use super::stamp::{Clock, of_log_line, unit_since_1970};
use super::units::unit_named;
use super::{Stop, TraceFormat, TraceKeys, TraceProblem, TraceRemark, Values};
use alba_table::nearest;

/// A file whose rows come next.
pub(super) struct Table {
    pub(super) layout: Layout,
    pub(super) names: Vec<String>,
    delimiter: u8,
}

/// A column of service times, and what one counts, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Duration {
    pub(super) index: usize,
    pub(super) unit_s: f64,
}

/// What stands where: indices of columns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Layout {
    Counts {
        requests: usize,
        time: Option<(usize, Clock)>,
        values: Meaning,
    },
    TimeStamps {
        time: (usize, Clock),
        duration: Option<Duration>,
    },
    /// Minutes from one column to before another.
    Functions {
        hash: usize,
        minutes: (usize, usize),
    },
    AccessLog,
}

const HASH: &str = "HashFunction";
/// So many rows below the first are looked at where names do not say how the file is laid out.
const SAMPLE: usize = 20;

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
            Layout::Counts { requests, time, .. } => {
                (name(requests), time.and_then(|(index, _)| name(index)))
            }
            Layout::TimeStamps { time, .. } => (None, name(time.0)),
            Layout::Functions { .. } | Layout::AccessLog => (None, None),
        }
    }

    /// What numbers of requests are.
    pub(super) fn values(&self) -> Option<Values> {
        match self.layout {
            Layout::Counts { values, .. } => Some(values.kind()),
            Layout::TimeStamps { .. } | Layout::Functions { .. } | Layout::AccessLog => None,
        }
    }

    /// The column of service times, and what one counts, in seconds.
    pub(super) fn durations(&self) -> Option<(String, f64)> {
        match self.layout {
            Layout::TimeStamps { duration, .. } => {
                duration.and_then(|found| Some((self.names.get(found.index)?.clone(), found.unit_s)))
            }
            Layout::Counts { .. } | Layout::Functions { .. } | Layout::AccessLog => None,
        }
    }

    /// The unit of times that neither a key nor a name says, in seconds, and that it was assumed.
    pub(super) fn found_unit(&self, keys: &TraceKeys) -> (Option<f64>, Option<TraceRemark>) {
        let time = match self.layout {
            Layout::Counts { time, .. } => time,
            Layout::TimeStamps { time, .. } => Some(time),
            Layout::Functions { .. } | Layout::AccessLog => None,
        };
        let Some((index, Clock::Numbers { unit_s })) = time else { return (None, None) };
        let column = &self.names[index];
        let is_said = keys.time_unit_s.is_some() || names::time(column).flatten().is_some();
        let Some(unit) = unit_named(unit_s).filter(|_| !is_said && unit_s != 1.0) else {
            return (None, None);
        };
        (Some(unit_s), Some(TraceRemark::TimeUnit { column: column.clone(), unit }))
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
    let is_data = |cell: &Cell| {
        let number = cell.number(first).is_some() || cell.is_unknown(first);
        number || Clock::of(cell.bytes(first), 1.0).is_some()
    };
    // No header is a date.
    let is_date = |cell: &Cell| Clock::of(cell.bytes(first), 1.0) == Some(Clock::Calendar);
    let has_header = !cells.iter().all(is_data) && !cells.iter().any(is_date);
    let name = |(index, cell): (usize, &Cell)| {
        if has_header { cell.text(first) } else { (index + 1).to_string() }
    };
    let names: Vec<String> = cells.iter().enumerate().map(name).collect();
    let columns = Cell::columns(&cells, first);
    let line = lines.number();
    let in_name = names::mentions_requests(lines.name());
    let header = Header { names: &names, has_names: has_header, columns: &columns, line, keys, in_name };
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
    /// Whether the file gives them; else columns are numbered.
    has_names: bool,
    columns: &'h [usize],
    line: usize,
    keys: &'h TraceKeys,
    /// Whether the file's name is one of numbers of requests.
    in_name: bool,
}

impl Header<'_> {
    /// Decides by the names, else by the first row, which is read again later.
    fn layout(&self, lines: &mut Lines, delimiter: u8) -> Result<Layout, Stop> {
        let at_header = |(column, problem)| Stop::Wrong { line: self.line, column, problem };
        let by_name = self.by_name().map_err(at_header)?;
        let Some((row, number)) = lines.next()? else {
            return Err(lines.wrong(1, TraceProblem::NoRow));
        };
        let row = row.to_owned();
        let more = lines.look_ahead(SAMPLE)?;
        // A row that cannot be cut is reported when it is read.
        let cut = |row: &[u8]| {
            let mut cells = vec![];
            split(row, delimiter, &mut cells).map_or(vec![], |()| cells)
        };
        let cells = cut(&row);
        let fields = |row: &[u8]| cut(row).iter().map(|cell| cell.bytes(row).to_vec()).collect();
        let sample: Vec<Vec<Vec<u8>>> = std::iter::once(&row).chain(&more).map(|row| fields(row)).collect();
        let layout = by_name.map_or_else(|| self.by_sample(&sample), Ok).map_err(|blame| match blame {
            Blame::Header(column, problem) => at_header((column, problem)),
            Blame::Row(index, problem) => {
                let column = cells.get(index).map_or(1, |cell| cell.column(&row));
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
            (true, Some(hash)) => Ok(Some(Layout::Functions { hash, minutes: self.minutes()? })),
            (true, None) if asked => self.find(HASH).map(|_| None),
            (true | false, _) => Ok(None),
        }
    }

    /// The columns of minutes: `480`, `481` and so on, or `minute_1`, `minute_2`, up to the last column.
    fn minutes(&self) -> Result<(usize, usize), Wrong> {
        let minutes: Vec<_> = self.names.iter().map(|name| names::minute(name)).collect();
        let first = minutes.iter().position(Option::is_some).ok_or((1, TraceProblem::NoMinutes))?;
        for index in first + 1..self.names.len() {
            let follows = match (&minutes[index - 1], &minutes[index]) {
                (Some((prefix, before)), Some((other, found))) => {
                    prefix == other && before.checked_add(1) == Some(*found)
                }
                (None, _) | (_, None) => false,
            };
            if !follows {
                let [before, found] = [index - 1, index].map(|index| self.names[index].clone());
                return Err((self.columns[index], TraceProblem::Minutes { before, found }));
            }
        }
        Ok((first, self.names.len()))
    }

    /// The layout, where names and the first rows together say it.
    fn by_sample(&self, rows: &[Vec<Vec<u8>>]) -> Result<Layout, Blame> {
        let sample = rows.first().map_or(&[][..], |row| row);
        let time_column = self.keys.time_column.as_deref().map(|name| self.find(name)).transpose()?;
        let column = self.keys.column.as_deref().map(|name| self.find(name)).transpose()?;
        let time = time_column.or_else(|| self.guess_time(sample, column));
        let requests = column.or_else(|| self.guess_requests(time));
        match (self.keys.format, requests, time) {
            (Some(TraceFormat::TimeStamps), _, _) => {
                // The one column that is named holds the times.
                let time = time_column.or(column).or(time).ok_or_else(|| self.unrecognised())?;
                self.time_stamps(time, sample)
            }
            (None, Some(requests), None) if time_column.is_none() && self.is_stamp(requests, sample) => {
                self.time_stamps(requests, sample)
            }
            (None | Some(TraceFormat::Counts), Some(requests), time) => {
                let time = time.map(|time| self.clocked(time, sample)).transpose()?;
                Ok(Layout::Counts { requests, time, values: self.meaning(requests)? })
            }
            (None, None, Some(time)) => {
                self.refuse_two_ways(time, rows)?;
                self.time_stamps(time, sample)
            }
            _ => Err(self.unrecognised().into()),
        }
    }

    fn time_stamps(&self, time: usize, sample: &[Vec<u8>]) -> Result<Layout, Blame> {
        let time = self.clocked(time, sample)?;
        Ok(Layout::TimeStamps { time, duration: self.duration(time) })
    }

    /// The likeliest column of service times. A name without a unit means that of the times, if they are numbers.
    fn duration(&self, time: (usize, Clock)) -> Option<Duration> {
        let named = |index: usize| Some((names::duration(&self.names[index])?, index));
        let others = (0..self.names.len()).filter(|index| *index != time.0);
        let ((_, unit_s), index) =
            others.filter_map(named).min_by_key(|((rank, _), index)| (*rank, *index))?;
        let unit_s = unit_s.unwrap_or(match time.1 {
            Clock::Calendar => 1.0,
            Clock::Numbers { unit_s } => unit_s,
        });
        Some(Duration { index, unit_s })
    }

    /// A row a request, or a row an interval with a number of requests that no name tells? Not clear where columns have
    /// no names, where there is but one other column, or where rows come like a clock's ticks.
    fn refuse_two_ways(&self, time: usize, rows: &[Vec<Vec<u8>>]) -> Result<(), Wrong> {
        let sample = rows.first().map_or(&[][..], |row| row);
        let is_number = |index: &usize| sample.get(*index).and_then(|field| number(field)).is_some();
        let others: Vec<usize> =
            (0..self.names.len()).filter(|index| *index != time).filter(is_number).collect();
        let says_request = self.names.iter().any(|name| names::duration(name).is_some());
        let chosen = self.keys.time_column.is_some();
        let bare = !self.has_names || self.names.len() == 2;
        if others.is_empty() || says_request || !(bare && !chosen || self.ticks(time, rows)) {
            return Ok(());
        }
        let names: Vec<String> = others.iter().map(|index| self.names[*index].clone()).collect();
        Err((1, TraceProblem::Ambiguous { others: some_of(&names) }))
    }

    /// Whether the first rows' times, of three rows or more, are equally far apart.
    fn ticks(&self, time: usize, rows: &[Vec<Vec<u8>>]) -> bool {
        let read = |row: &Vec<Vec<u8>>| {
            let field = row.get(time)?;
            Clock::of(field, 1.0)?.read(field).map(|read| read.time)
        };
        let times: Option<Vec<i64>> = rows.iter().map(read).collect();
        let Some(times) = times else { return false };
        let apart = |pair: &[i64]| pair[1] - pair[0];
        let first = times.windows(2).next().map(apart);
        times.len() > 2 && first != Some(0) && times.windows(2).all(|pair| Some(apart(pair)) == first)
    }

    /// What the numbers of requests are.
    fn meaning(&self, requests: usize) -> Result<Meaning, Wrong> {
        if let Some(values) = self.keys.values {
            return Ok(Meaning::Said(values));
        }
        match names::requests(&self.names[requests]) {
            Some(Says::Values(values)) => Ok(Meaning::Named(values)),
            // Whoever names the column or the format says that they are requests, and so does a file's name.
            Some(Says::Number)
                if self.keys.column.is_some() || self.keys.format.is_some() || self.in_name =>
            {
                Ok(Meaning::Assumed)
            }
            Some(Says::Rate | Says::Number) => {
                Err((self.columns[requests], TraceProblem::RateOf { column: self.names[requests].clone() }))
            }
            Some(Says::Sum) | None => Ok(Meaning::Assumed),
        }
    }

    fn unrecognised(&self) -> Wrong {
        (1, TraceProblem::Unrecognised { columns: some_of(self.names) })
    }

    /// What a number in a column of times counts, in seconds: what the key or the name says, else seconds, unless they
    /// cannot be.
    fn unit_s(&self, index: usize, field: &[u8]) -> f64 {
        let by_name = names::time(&self.names[index]).flatten();
        let since_1970 = || unit_since_1970(field).map(|(_, unit_s)| unit_s);
        self.keys.time_unit_s.or(by_name).or_else(since_1970).unwrap_or(1.0)
    }

    /// How the column writes times.
    fn clocked(&self, index: usize, sample: &[Vec<u8>]) -> Result<(usize, Clock), Blame> {
        // A row that is too short is reported when it is read.
        let Some(field) = sample.get(index) else { return Ok((index, Clock::Calendar)) };
        let unit_s = self.unit_s(index, field);
        Clock::of(field, unit_s).map(|clock| (index, clock)).ok_or_else(|| {
            let value: String = String::from_utf8_lossy(field).chars().take(60).collect();
            Blame::Row(index, TraceProblem::stamp(&self.names[index], &value))
        })
    }

    fn is_stamp(&self, index: usize, sample: &[Vec<u8>]) -> bool {
        sample.get(index).and_then(|field| Clock::of(field, 1.0)) == Some(Clock::Calendar)
    }

    /// The first column that is called like one of times, else the first that holds a date.
    fn guess_time(&self, sample: &[Vec<u8>], not: Option<usize>) -> Option<usize> {
        let candidates = || (0..self.names.len()).filter(|index| Some(*index) != not);
        let named = |index: &usize| names::time(&self.names[*index]).is_some();
        candidates().find(named).or_else(|| candidates().find(|index| self.is_stamp(*index, sample)))
    }

    /// The first column that is called like one of requests; the clearer, the better.
    fn guess_requests(&self, time: Option<usize>) -> Option<usize> {
        let rank = |index: usize| match names::requests(&self.names[index])? {
            Says::Values(Values::Counts) => Some(0),
            Says::Values(Values::PerSecond | Values::PerMinute | Values::PerHour) => Some(1),
            Says::Rate => time.map(|_| 2),
            Says::Sum | Says::Number => Some(3),
        };
        let others = (0..self.names.len()).filter(|index| Some(*index) != time);
        let ranked = others.filter_map(|index| Some((rank(index)?, index)));
        ranked.min().map(|(_, index)| index)
    }
}

fn number(field: &[u8]) -> Option<f64> {
    std::str::from_utf8(field).ok()?.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0)
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

/// What the numbers of requests are, and how that is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Meaning {
    /// The key says it.
    Said(Values),
    /// The column's name says it.
    Named(Values),
    /// Nothing says it: numbers, if they are whole.
    Assumed,
}

impl Meaning {
    pub(super) fn kind(self) -> Values {
        match self {
            Self::Said(values) | Self::Named(values) => values,
            Self::Assumed => Values::Counts,
        }
    }
}
