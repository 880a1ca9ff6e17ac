//! Rows of requests, one by one: their times.

use super::layout::{Layout, Table};
use super::lines::Lines;
use super::stamp::{Clock, Reading, of_log_line};
use super::{Stop, TraceProblem};

/// Hands the time of every request to `visit`, in the file's order.
pub(super) fn for_each_time(
    lines: &mut Lines,
    table: &Table,
    mut visit: impl FnMut(Reading, usize) -> Result<(), TraceProblem>,
) -> Result<Clock, Stop> {
    match table.layout {
        Layout::TimeStamps { time: (index, clock), .. } => {
            table.for_each_row(lines, |line, cells, number| {
                let cell = cells[index];
                let time = clock.read(cell.bytes(line)).ok_or_else(|| {
                    let problem = TraceProblem::stamp(&table.names[index], &cell.shown(line));
                    (cell.column(line), problem)
                })?;
                visit(time, number).map_err(|problem| (cell.column(line), problem))
            })?;
            Ok(clock)
        }
        Layout::AccessLog => {
            while let Some((line, number)) = lines.next()? {
                of_log_line(line)
                    .ok_or(TraceProblem::LogLine)
                    .and_then(|time| visit(time, number))
                    .map_err(|problem| Stop::Wrong { line: number, column: 1, problem })?;
            }
            Ok(Clock::Calendar)
        }
        Layout::Counts { .. } | Layout::Functions { .. } => {
            Err(Stop::Wrong { line: 1, column: 1, problem: TraceProblem::NoStamps })
        }
    }
}
