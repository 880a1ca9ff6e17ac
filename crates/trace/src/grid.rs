//! Puts the times of rows on whole intervals.

use super::stamp::Clock;
use super::{SECOND, Stop, TraceKeys, TraceProblem, TraceRemark, interval};

/// A row: its time, its requests where they are known, its line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) time: i64,
    pub(super) requests: Option<f64>,
    pub(super) line: usize,
}

/// The time between two rows is a whole number of intervals, up to this share of one: a scrape comes late, not when the
/// next one is due.
const JITTER: f64 = 0.25;
/// A clock is right up to this share of the time.
const DRIFT: f64 = 0.01;

pub(super) fn wrong(row: &Row, problem: TraceProblem) -> Stop {
    Stop::Wrong { line: row.line, column: 1, problem }
}

/// The time between `rows`, which are in order and at least one, each time a whole number of it after the first; where
/// they are not and an interval is asked for, times are moved.
pub(super) fn spacing(
    rows: &mut [Row],
    keys: &TraceKeys,
    clock: Clock,
    remarks: &mut Vec<TraceRemark>,
) -> Result<i64, Stop> {
    let first = *rows.first().ok_or(Stop::Wrong { line: 1, column: 1, problem: TraceProblem::NoRow })?;
    let asked = interval(keys);
    let Some(shortest) = apart(rows).min() else {
        return asked.ok_or_else(|| wrong(&first, TraceProblem::NoInterval));
    };
    let off = rows.iter().find(|row| (row.time - first.time) % shortest != 0).copied();
    match (off, asked) {
        (None, None) => Ok(shortest),
        (None, Some(asked)) if asked % shortest == 0 || shortest % asked == 0 => Ok(shortest),
        (_, Some(asked)) => {
            // So many rows make an interval.
            let each = (asked as f64 / step(rows, asked) as f64).round().max(1.0) as i64;
            let base = (asked / each).max(1);
            match rounded(rows, base) {
                Ok(remark) => {
                    remarks.extend(remark);
                    Ok(base)
                }
                Err(row) if off.is_some() => {
                    let (stamp, interval_s) = (clock.written(row.time), seconds(base));
                    Err(wrong(&row, TraceProblem::FarOff { stamp, interval_s, percent: 100.0 * JITTER }))
                }
                Err(_) => Ok(shortest),
            }
        }
        (Some(row), None) => {
            let (stamp, interval_s) = (clock.written(row.time), seconds(shortest));
            let median_s = seconds(median(apart(rows).collect()));
            Err(wrong(&row, TraceProblem::OffGrid { stamp, interval_s, median_s }))
        }
    }
}

/// Times > 0 between neighbouring rows.
fn apart(rows: &[Row]) -> impl Iterator<Item = i64> {
    rows.windows(2).map(|pair| pair[1].time - pair[0].time).filter(|apart| *apart > 0)
}

fn median(mut times: Vec<i64>) -> i64 {
    let middle = times.len() / 2;
    if times.is_empty() { 1 } else { *times.select_nth_unstable(middle).1 }
}

/// How far apart rows are, not counting those that come shortly after another one for the same interval, as of several
/// servers: where such short times make up less than half of all time.
fn step(rows: &[Row], asked: i64) -> i64 {
    let is_long = |apart: &i64| *apart as f64 > JITTER * asked as f64;
    let long: Vec<i64> = apart(rows).filter(is_long).collect();
    let all: i64 = apart(rows).sum();
    median(if 2 * long.iter().sum::<i64>() > all { long } else { apart(rows).collect() })
}

/// Moves every row to a whole number of intervals after the one before: a clock that runs fast or slow over weeks
/// neither doubles an interval nor leaves one out. The row that is too far from any is the error.
fn rounded(rows: &mut [Row], interval: i64) -> Result<Option<TraceRemark>, Row> {
    let Some(first) = rows.first().copied() else { return Ok(None) };
    let length = interval as f64;
    let (mut before, mut at, mut off, mut most) = (first.time, first.time, 0, (0.0, 0));
    let mut moved = Vec::with_capacity(rows.len());
    for row in rows.iter() {
        let apart = (row.time - before) as f64 / length;
        let distance = (apart - apart.round()).abs();
        if distance > JITTER {
            return Err(*row);
        }
        off += usize::from(distance > 0.0);
        if distance > most.0 {
            most = (distance, row.line);
        }
        before = row.time;
        at += apart.round() as i64 * interval;
        moved.push(at);
    }
    if let Some(last) = rows.last()
        && (at - last.time).abs() as f64 > (DRIFT * (last.time - first.time) as f64).max(JITTER * length)
    {
        return Err(*last);
    }
    rows.iter_mut().zip(moved).for_each(|(row, time)| row.time = time);
    let (most_s, line) = (most.0 * seconds(interval), most.1);
    Ok((off > 0).then_some(TraceRemark::Rounded { rows: off, most_s, line, interval_s: seconds(interval) }))
}

fn seconds(ns: i64) -> f64 {
    ns as f64 / SECOND as f64
}
