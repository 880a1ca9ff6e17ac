//! A row an interval.

use super::cells::Cell;
use super::layout::{Layout, Table};
use super::lines::Lines;
use super::stamp::Clock;
use super::{Counted, Gaps, MOST_INTERVALS, SECOND, Stop, TraceKeys, TraceProblem, interval, merged};

/// A row: its time, its requests where they are known, its line.
struct Row {
    time: i64,
    requests: Option<f64>,
    line: usize,
}

/// Reads all rows, puts them in order of their times, and fills gaps.
pub(super) fn read(lines: &mut Lines, table: &Table, keys: &TraceKeys) -> Result<Counted, Stop> {
    let Layout::Counts { requests: index, time } = table.layout else {
        return Err(lines.wrong(1, TraceProblem::NoRow));
    };
    let name = &table.names[index];
    let mut rows: Vec<Row> = vec![];
    let mut previous = 0;
    table.for_each_row(lines, |line, cells, number| {
        let requests = requests(cells[index], line, name)?;
        let time = match time {
            Some((index, clock)) => clock.read(cells[index].bytes(line)).ok_or_else(|| {
                let (column, value) = (table.names[index].clone(), cells[index].shown(line));
                (cells[index].column(line), TraceProblem::Stamp { column, value })
            })?,
            None => previous,
        };
        previous += 1;
        if rows.len() == MOST_INTERVALS {
            let interval_s = keys.interval_s.unwrap_or(0.0);
            return Err((1, TraceProblem::TooLong { most: MOST_INTERVALS, interval_s }));
        }
        rows.push(Row { time, requests, line: number });
        Ok(())
    })?;
    // Stable: of two rows for one time the second one is to blame.
    rows.sort_by_key(|row| row.time);
    let last_line = lines.number();
    match time {
        None => {
            let interval = interval(keys).ok_or_else(|| lines.wrong(1, TraceProblem::NoInterval))?;
            let at = |index: i64| format!("interval {}", index + 1);
            let (requests, gaps) = filled(&rows, 1, keys.gaps, &at)?;
            Ok(Counted { requests, interval, start: None, gaps })
        }
        Some((_, clock)) => {
            let interval = spacing(&rows, keys, clock)?;
            let at = |time| clock.written(time);
            let (requests, gaps) = filled(&rows, interval, keys.gaps, &at)?;
            let start = rows.first().map(|row| clock.written(row.time));
            merged(Counted { requests, interval, start, gaps }, keys, last_line)
        }
    }
}

fn requests(cell: Cell, line: &[u8], name: &str) -> Result<Option<f64>, (usize, TraceProblem)> {
    match cell.number(line) {
        Some(number) if number >= 0.0 => Ok(Some(number)),
        None if cell.is_unknown(line) => Ok(None),
        _ => Err(cell.no_number(line, name)),
    }
}

fn wrong(row: &Row, problem: TraceProblem) -> Stop {
    Stop::Wrong { line: row.line, column: 1, problem }
}

/// The time between rows: the shortest there is, and all times a whole number of it after the first.
fn spacing(rows: &[Row], keys: &TraceKeys, clock: Clock) -> Result<i64, Stop> {
    let mut shortest = None;
    for pair in rows.windows(2) {
        let [earlier, later] = pair else { continue };
        let apart = later.time - earlier.time;
        if apart == 0 {
            let problem = TraceProblem::Duplicate { stamp: clock.written(later.time), first: earlier.line };
            return Err(wrong(later, problem));
        }
        shortest = Some(shortest.map_or(apart, |shortest: i64| shortest.min(apart)));
    }
    let first = rows.first().ok_or(Stop::Wrong { line: 1, column: 1, problem: TraceProblem::NoRow })?;
    let interval = shortest.or(interval(keys)).ok_or_else(|| wrong(first, TraceProblem::NoInterval))?;
    let interval_s = interval as f64 / SECOND as f64;
    match rows.iter().find(|row| (row.time - first.time) % interval != 0) {
        Some(row) => Err(wrong(row, TraceProblem::OffGrid { stamp: clock.written(row.time), interval_s })),
        None => Ok(interval),
    }
}

/// Requests in every interval from the first to the last row, and how many the file did not say.
fn filled(
    rows: &[Row],
    interval: i64,
    gaps: Gaps,
    at: &dyn Fn(i64) -> String,
) -> Result<(Vec<f64>, usize), Stop> {
    let known: Vec<&Row> = rows.iter().filter(|row| row.requests.is_some()).collect();
    let (Some(start), Some(end), Some(first)) = (rows.first(), rows.last(), known.first()) else {
        return Err(Stop::Wrong { line: 1, column: 1, problem: TraceProblem::NoRequest });
    };
    let intervals = ((end.time - start.time) / interval) as usize + 1;
    if intervals > MOST_INTERVALS {
        let interval_s = interval as f64 / SECOND as f64;
        return Err(wrong(end, TraceProblem::TooLong { most: MOST_INTERVALS, interval_s }));
    }
    let missing = intervals - known.len();
    if missing > 0 && gaps == Gaps::Error {
        return Err(first_gap(rows, interval, missing, at));
    }
    let index = |row: &Row| ((row.time - start.time) / interval) as usize;
    let value = |row: &Row| row.requests.unwrap_or(0.0);
    let mut requests = vec![0.0; intervals];
    let interpolate = gaps == Gaps::Interpolate;
    if interpolate {
        requests[..index(first)].fill(value(first));
    }
    for (position, row) in known.iter().enumerate() {
        let (from, here) = (index(row), value(row));
        requests[from] = here;
        if !interpolate {
            continue;
        }
        match known.get(position + 1) {
            Some(next) => {
                let (to, there) = (index(next), value(next));
                for (step, between) in requests[from..to].iter_mut().enumerate() {
                    let share = step as f64 / (to - from) as f64;
                    *between = here + share * (there - here);
                }
            }
            None => requests[from..].fill(here),
        }
    }
    Ok((requests, missing))
}

/// Blames the row that says nothing, or the one after the missing one.
fn first_gap(rows: &[Row], interval: i64, missing: usize, at: &dyn Fn(i64) -> String) -> Stop {
    let mut expected = rows.first().map_or(0, |row| row.time);
    for row in rows {
        if row.time != expected || row.requests.is_none() {
            return wrong(row, TraceProblem::Gap { stamp: at(expected), others: missing - 1 });
        }
        expected += interval;
    }
    Stop::Wrong { line: 1, column: 1, problem: TraceProblem::NoRequest }
}
