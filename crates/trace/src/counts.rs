//! A row an interval.

use super::cells::Cell;
use super::grid::{Row, spacing, wrong};
use super::layout::{Layout, Meaning, Table};
use super::lines::Lines;
use super::stamp::Clock;
use super::{
    Counted, Duplicates, Gaps, LARGEST, MOST_INTERVALS, SECOND, Stop, TraceKeys, TraceProblem, TraceRemark,
    Values, interval, merged,
};

/// Reads all rows, puts them in order of their times, and fills gaps.
pub(super) fn read(lines: &mut Lines, table: &Table, keys: &TraceKeys) -> Result<Counted, Stop> {
    let Layout::Counts { requests: index, time, values } = table.layout else {
        return Err(lines.wrong(1, TraceProblem::NoRow));
    };
    let mut rows = rows(lines, table, keys)?;
    let mut remarks: Vec<TraceRemark> =
        values_remark(&table.names[index], keys, values).into_iter().collect();
    let factor = |interval: i64| values.kind().requests(interval as f64 / SECOND as f64);
    match time {
        None => {
            let interval = interval(keys).ok_or_else(|| lines.wrong(1, TraceProblem::NoInterval))?;
            scale(&mut rows, factor(interval));
            let at = |index: i64| format!("interval {}", index + 1);
            let (requests, gaps) = filled(&rows, 1, keys.gaps, &at)?;
            Ok(Counted { requests, interval, start: None, gaps, remarks })
        }
        Some((_, clock)) => {
            // Stable: of two rows for one time the second one is to blame.
            rows.sort_by_key(|row| row.time);
            rows = added_up(rows, keys, clock, &mut remarks)?;
            let interval = spacing(&mut rows, keys, clock, &mut remarks)?;
            rows = added_up(rows, keys, clock, &mut remarks)?;
            scale(&mut rows, factor(interval));
            let at = |time| clock.written(time);
            let (requests, gaps) = filled(&rows, interval, keys.gaps, &at)?;
            let start = rows.first().map(|row| clock.written(row.time));
            merged(Counted { requests, interval, start, gaps, remarks }, keys, lines.number())
        }
    }
}

fn values_remark(column: &str, keys: &TraceKeys, meaning: Meaning) -> Option<TraceRemark> {
    let (values, named) = match meaning {
        Meaning::Said(_) | Meaning::Named(Values::Counts) => return None,
        Meaning::Named(values) => (values, true),
        // Who gives the format says that rows are counts.
        Meaning::Assumed if keys.format.is_some() => return None,
        Meaning::Assumed => (Values::Counts, false),
    };
    Some(TraceRemark::Values { column: column.to_owned(), values, named })
}

/// All rows in the file's order; without times they are one interval apart.
fn rows(lines: &mut Lines, table: &Table, keys: &TraceKeys) -> Result<Vec<Row>, Stop> {
    let Layout::Counts { requests: index, time, values } = table.layout else { return Ok(vec![]) };
    let name = &table.names[index];
    let mut rows: Vec<Row> = vec![];
    let whole = !matches!(values, Meaning::Said(_)) && values.kind() == Values::Counts;
    table.for_each_row(lines, |line, cells, number| {
        let requests = requests(cells[index], line, name)?;
        if whole && requests.is_some_and(|requests| requests.fract() != 0.0) {
            let (column, value) = (name.clone(), cells[index].shown(line));
            return Err((cells[index].column(line), TraceProblem::Fraction { column, value }));
        }
        let time = match time {
            Some((index, clock)) => {
                clock.read(cells[index].bytes(line)).map(|read| read.time).ok_or_else(|| {
                    let problem = TraceProblem::stamp(&table.names[index], &cells[index].shown(line));
                    (cells[index].column(line), problem)
                })?
            }
            None => rows.len() as i64,
        };
        if rows.len() == MOST_INTERVALS {
            let interval_s = keys.interval_s.unwrap_or(0.0);
            return Err((1, TraceProblem::TooLong { most: MOST_INTERVALS, interval_s }));
        }
        rows.push(Row { time, requests, line: number });
        Ok(())
    })?;
    Ok(rows)
}

fn requests(cell: Cell, line: &[u8], name: &str) -> Result<Option<f64>, (usize, TraceProblem)> {
    match cell.number(line) {
        Some(number) if (0.0..=LARGEST).contains(&number) => Ok(Some(number)),
        Some(number) if number > LARGEST => Err((
            cell.column(line),
            TraceProblem::TooMany { what: format!("{name} = {:?}", cell.shown(line)) },
        )),
        None if cell.is_unknown(line) => Ok(None),
        _ => Err(cell.no_number(line, name)),
    }
}

fn scale(rows: &mut [Row], factor: f64) {
    for row in rows {
        row.requests = row.requests.map(|requests| requests * factor);
    }
}

/// Rows, in order of their times, of which several are for the same interval: one of them where they are to be added up.
fn added_up(
    rows: Vec<Row>,
    keys: &TraceKeys,
    clock: Clock,
    remarks: &mut Vec<TraceRemark>,
) -> Result<Vec<Row>, Stop> {
    let mut kept: Vec<Row> = Vec::with_capacity(rows.len());
    let mut summed: Option<(usize, usize)> = None;
    for row in rows {
        match kept.last_mut().filter(|last| last.time == row.time) {
            None => kept.push(row),
            Some(last) if keys.duplicates == Duplicates::Sum => {
                last.requests = match (last.requests, row.requests) {
                    (Some(one), Some(other)) => Some(one + other),
                    (one, other) => one.or(other),
                };
                summed = Some(summed.map_or((1, row.line), |(rows, line)| (rows + 1, line.min(row.line))));
            }
            Some(last) => {
                let problem = TraceProblem::Duplicate { stamp: clock.written(row.time), first: last.line };
                return Err(wrong(&row, problem));
            }
        }
    }
    remarks.extend(summed.map(|(rows, line)| TraceRemark::Summed { rows, line }));
    Ok(kept)
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
