//! A column of measured times, and times of requests one by one.

use super::bins::Bins;
use super::cells::{Cell, delimiter, split};
use super::layout::{self, Layout, Table};
use super::lines::Lines;
use super::rows::for_each_time;
use super::{SECOND, Stamps, Stop, TraceKeys, TraceProblem};
use std::collections::HashSet;
use std::path::Path;

/// The numbers >= 0 in the column called `column` of the CSV file at `path`.
///
/// # Errors
/// [`Stop`], without the path.
pub fn durations(path: &Path, column: &str) -> Result<Vec<f64>, Stop> {
    let mut lines = Lines::open(path).map_err(Stop::Unreadable)?;
    let Some((first, _)) = lines.next()? else {
        return Err(lines.wrong(1, TraceProblem::Empty));
    };
    let delimiter = delimiter(first);
    let mut cells = vec![];
    let names = split(first, delimiter, &mut cells)
        .map(|()| cells.iter().map(|cell: &Cell| cell.text(first)).collect::<Vec<_>>());
    let names = names.map_err(|at| lines.wrong(at, TraceProblem::Quote))?;
    let index = layout::find_column(&names, column).map_err(|(at, problem)| lines.wrong(at, problem))?;
    let table = Table::new(Layout::AccessLog, names, delimiter);
    let mut times = vec![];
    table.for_each_row(&mut lines, |line, cells, _| {
        let number = cells[index].number(line).filter(|number| *number >= 0.0);
        times.push(number.ok_or_else(|| cells[index].no_number(line, column))?);
        Ok(())
    })?;
    if times.is_empty() { Err(lines.wrong(1, TraceProblem::NoRow)) } else { Ok(times) }
}

/// Stamps that are fine enough are now and then equal: up to this share of them, those requests come together, and mean
/// waiting times are right up to this share of a service time.
const CHANCE: f64 = 1e-3;

/// When requests came.
#[derive(Debug, Clone, PartialEq)]
pub struct Times {
    /// In nanoseconds after the beginning of the trace's first interval, in order.
    pub ns: Vec<i64>,
    /// How many equal the one before.
    pub equal: usize,
    /// What the stamps are whole numbers of, in nanoseconds, as far as can be told.
    pub resolution_ns: i64,
}

/// When every request of the trace at `path` came.
///
/// # Errors
/// [`Stop`], without the path.
pub fn times(path: &Path, keys: &TraceKeys) -> Result<Times, Stop> {
    let mut lines = Lines::open(path).map_err(Stop::Unreadable)?;
    let table = layout::find(&mut lines, keys)?;
    let (mut bins, mut times) = (Bins::new(keys), vec![]);
    let mut seen = (keys.stamps == Stamps::Error).then(HashSet::new);
    let mut again: Option<(usize, i64)> = None;
    let clock = for_each_time(&mut lines, &table, |stamp, line| {
        if seen.as_mut().is_some_and(|seen| !seen.insert(stamp.time)) {
            again = again.or(Some((line, stamp.time)));
        }
        times.push(stamp.time);
        bins.add(stamp)
    })?;
    if let Some((line, time)) = again {
        let problem = TraceProblem::EqualStamps { stamp: clock.written(time) };
        return Err(Stop::Wrong { line, column: 1, problem });
    }
    let resolution_ns = bins.resolution();
    let start = bins.covered(keys).map_err(|problem| lines.wrong(1, problem))?.start;
    times.sort_unstable();
    // The others came in a first interval that is left out.
    let mut ns: Vec<i64> = times.split_off(times.partition_point(|time| *time < start));
    ns.iter_mut().for_each(|time| *time -= start);
    let equal = ns.windows(2).filter(|pair| pair[0] == pair[1]).count();
    Ok(Times { ns, equal, resolution_ns })
}

impl Times {
    /// In seconds.
    pub fn seconds(&self) -> impl Iterator<Item = f64> + '_ {
        self.ns.iter().map(|time| *time as f64 / SECOND as f64)
    }

    /// What stamps are spread within, in seconds; none where they are kept, or (nearly) all distinct.
    pub fn spread_s(&self, stamps: Stamps) -> Option<f64> {
        let often = self.equal as f64 > CHANCE * self.ns.len() as f64;
        let spread = often && stamps == Stamps::Spread;
        spread.then(|| self.resolution_ns as f64 / SECOND as f64)
    }
}
