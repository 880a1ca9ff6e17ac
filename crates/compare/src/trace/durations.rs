//! A column of measured times, and times of requests one by one.

use super::cells::{Cell, delimiter, split};
use super::layout::{self, Layout, Table};
use super::lines::Lines;
use super::stamp::of_log_line;
use super::{DEFAULT_INTERVAL, SECOND, Stop, TraceKeys, TraceProblem, interval};
use std::path::Path;

/// The numbers >= 0 in the column called `column` of the CSV file at `path`.
pub(crate) fn durations(path: &Path, column: &str) -> Result<Vec<f64>, Stop> {
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

/// When every request of the trace at `path` came, in seconds after the beginning of its first interval, in order.
pub(crate) fn times(path: &Path, keys: &TraceKeys) -> Result<Vec<f64>, Stop> {
    let mut lines = Lines::open(path).map_err(Stop::Unreadable)?;
    let table = layout::find(&mut lines, keys)?;
    let mut times = vec![];
    match table.layout {
        Layout::TimeStamps { time: (index, clock) } => table.for_each_row(&mut lines, |line, cells, _| {
            let cell = cells[index];
            times.push(clock.read(cell.bytes(line)).ok_or_else(|| {
                let value = cell.shown(line);
                (cell.column(line), TraceProblem::Stamp { column: table.names[index].clone(), value })
            })?);
            Ok(())
        })?,
        Layout::AccessLog => {
            while let Some((line, number)) = lines.next()? {
                let wrong = Stop::Wrong { line: number, column: 1, problem: TraceProblem::LogLine };
                times.push(of_log_line(line).ok_or(wrong)?);
            }
        }
        Layout::Counts { .. } | Layout::Functions { .. } => {
            return Err(Stop::Wrong { line: 1, column: 1, problem: TraceProblem::NoStamps });
        }
    }
    // Intervals are counted from the first row, in both directions.
    let interval = interval(keys).unwrap_or(DEFAULT_INTERVAL);
    let first = times.first().copied().unwrap_or(0);
    let earliest = times.iter().copied().min().unwrap_or(0);
    let start = first + (earliest - first).div_euclid(interval) * interval;
    times.sort_unstable();
    Ok(times.into_iter().map(|time| (time - start) as f64 / SECOND as f64).collect())
}
