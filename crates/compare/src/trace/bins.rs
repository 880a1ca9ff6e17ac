//! Requests one by one, binned as they are read.

use super::layout::{Layout, Table};
use super::lines::Lines;
use super::stamp::{Clock, of_log_line};
use super::{Counted, DEFAULT_INTERVAL, MOST_INTERVALS, SECOND, Stop, TraceKeys, TraceProblem, interval};
use std::collections::VecDeque;

/// Counts requests in intervals that are counted from the first row's time, in both directions: rows may come in any
/// order and none is kept.
struct Bins {
    interval: i64,
    first: Option<i64>,
    counts: VecDeque<u64>,
    /// Intervals before the first row's.
    before: usize,
}

impl Bins {
    fn new(keys: &TraceKeys) -> Self {
        Self {
            interval: interval(keys).unwrap_or(DEFAULT_INTERVAL),
            first: None,
            counts: VecDeque::new(),
            before: 0,
        }
    }

    fn add(&mut self, time: i64) -> Result<(), TraceProblem> {
        let first = *self.first.get_or_insert(time);
        let offset = (time - first).div_euclid(self.interval);
        let at = offset + self.before as i64;
        let missing = at.min(0).unsigned_abs() + (at + 1 - self.counts.len() as i64).max(0) as u64;
        if missing + self.counts.len() as u64 > MOST_INTERVALS as u64 {
            let interval_s = self.interval as f64 / SECOND as f64;
            return Err(TraceProblem::TooLong { most: MOST_INTERVALS, interval_s });
        }
        for _ in at..0 {
            self.counts.push_front(0);
            self.before += 1;
        }
        let at = at.max(0) as usize;
        if at >= self.counts.len() {
            self.counts.resize(at + 1, 0);
        }
        self.counts[at] += 1;
        Ok(())
    }

    fn finish(self, clock: Clock) -> Counted {
        let start = self.first.map_or(0, |first| first - self.before as i64 * self.interval);
        Counted {
            requests: self.counts.into_iter().map(|count| count as f64).collect(),
            interval: self.interval,
            start: Some(clock.written(start)),
            gaps: 0,
        }
    }
}

/// CSV with a row a request.
pub(super) fn read(lines: &mut Lines, table: &Table, keys: &TraceKeys) -> Result<Counted, Stop> {
    let Layout::TimeStamps { time: (index, clock) } = table.layout else {
        return Err(lines.wrong(1, TraceProblem::NoRow));
    };
    let mut bins = Bins::new(keys);
    table.for_each_row(lines, |line, cells, _| {
        let cell = cells[index];
        let time = clock.read(cell.bytes(line)).ok_or_else(|| {
            let problem = TraceProblem::Stamp { column: table.names[index].clone(), value: cell.shown(line) };
            (cell.column(line), problem)
        })?;
        bins.add(time).map_err(|problem| (cell.column(line), problem))
    })?;
    Ok(bins.finish(clock))
}

/// An access log.
pub(super) fn read_log(lines: &mut Lines, keys: &TraceKeys) -> Result<Counted, Stop> {
    let mut bins = Bins::new(keys);
    while let Some((line, number)) = lines.next()? {
        of_log_line(line)
            .ok_or(TraceProblem::LogLine)
            .and_then(|time| bins.add(time))
            .map_err(|problem| Stop::Wrong { line: number, column: 1, problem })?;
    }
    Ok(bins.finish(Clock::Calendar))
}
