//! Requests one by one, binned as they are read.

use super::grain::Grain;
use super::layout::Table;
use super::lines::Lines;
use super::rows::for_each_time;
use super::stamp::Reading;
use super::{
    Counted, DEFAULT_INTERVAL, MOST_INTERVALS, SECOND, Stamps, Stop, TraceKeys, TraceProblem, TraceRemark,
    interval,
};
use std::collections::VecDeque;

/// At the rate of the requests before, so many or more are missing in an interval that the file does not cover: of a Poisson
/// number with this mean none come in one case of twenty.
const MISSING: f64 = 3.0;
/// That rate is taken over at least so many requests, if there are as many.
const FOR_A_RATE: u64 = 30;
/// Intervals that are no whole number of the stamps' resolution differ by up to one stamp, which is this share at most.
const UNEVEN: i64 = 100;

/// Counts requests in intervals that are counted from the first row's time, in both directions: rows may come in any
/// order and none is kept.
pub(super) struct Bins {
    interval: i64,
    first: Option<i64>,
    earliest: i64,
    latest: i64,
    counts: VecDeque<u64>,
    /// Intervals before the first row's.
    before: usize,
    grain: Grain,
}

/// Where intervals begin that are covered from their beginning to their end, in nanoseconds, and what was left out.
pub(super) struct Covered {
    pub(super) start: i64,
    pub(super) counts: VecDeque<u64>,
    pub(super) remarks: Vec<TraceRemark>,
}

impl Bins {
    pub(super) fn new(keys: &TraceKeys) -> Self {
        Self {
            interval: interval(keys).unwrap_or(DEFAULT_INTERVAL),
            first: None,
            earliest: i64::MAX,
            latest: i64::MIN,
            counts: VecDeque::new(),
            before: 0,
            grain: Grain::default(),
        }
    }

    pub(super) fn add(&mut self, stamp: Reading) -> Result<(), TraceProblem> {
        let time = stamp.time;
        let first = *self.first.get_or_insert(time);
        self.grain.add(stamp);
        (self.earliest, self.latest) = (self.earliest.min(time), self.latest.max(time));
        let offset = (time - first).div_euclid(self.interval);
        let at = offset + self.before as i64;
        let missing = at.min(0).unsigned_abs() + (at + 1 - self.counts.len() as i64).max(0) as u64;
        if missing + self.counts.len() as u64 > MOST_INTERVALS as u64 {
            return Err(TraceProblem::TooLong { most: MOST_INTERVALS, interval_s: seconds(self.interval) });
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

    /// The resolution of the stamps, in nanoseconds.
    pub(super) fn resolution(&self) -> i64 {
        self.grain.resolution()
    }

    /// Leaves out what is not covered at both ends.
    pub(super) fn covered(mut self, keys: &TraceKeys) -> Result<Covered, TraceProblem> {
        self.refuse_uneven(keys)?;
        let Self { interval, earliest, latest, .. } = self;
        let mut start = self.first.map_or(0, |first| first - self.before as i64 * interval);
        let mut remarks = vec![];
        let last_begins = start + (self.counts.len() as i64 - 1) * interval;
        let to_last = (latest - last_begins + self.resolution()).min(interval);
        if self.is_cut(to_last)? {
            remarks.push(left_out(true, self.counts.pop_back(), to_last, interval));
        }
        let from_first = interval - (earliest - start);
        self.counts.make_contiguous().reverse();
        let cut = self.is_cut(from_first)?;
        self.counts.make_contiguous().reverse();
        if cut {
            remarks.push(left_out(false, self.counts.pop_front(), from_first, interval));
            start += interval;
        }
        Ok(Covered { start, counts: self.counts, remarks })
    }

    /// Whether the last interval, of which times cover `covered`, lacks more requests than chance explains.
    fn is_cut(&self, covered: i64) -> Result<bool, TraceProblem> {
        let missing = self.interval - covered;
        let (mut requests, mut time, mut intervals) = (0, covered, 0);
        for count in self.counts.iter().rev() {
            if intervals > 0 {
                time += self.interval;
            }
            (requests, intervals) = (requests + count, intervals + 1);
            if intervals > 1 && requests >= FOR_A_RATE {
                break;
            }
        }
        let alone = self.counts.len() == 1;
        // Where there is nothing but this interval it begins with a request, which is no part of any time.
        let requests = if alone { requests.saturating_sub(1) } else { requests };
        let is_cut = requests as f64 * missing as f64 > MISSING * time as f64;
        if is_cut && alone {
            let (span_s, interval_s) = (seconds(covered), seconds(self.interval));
            return Err(TraceProblem::TooShort { span_s, interval_s });
        }
        Ok(is_cut)
    }

    /// Equal stamps were cut to their resolution: shorter intervals, or uneven ones, hold what is no property of the
    /// requests.
    fn refuse_uneven(&self, keys: &TraceKeys) -> Result<(), TraceProblem> {
        let resolution = self.resolution();
        let uneven = self.interval % resolution != 0 && resolution.saturating_mul(UNEVEN) > self.interval;
        if uneven && self.grain.has_equal() && keys.stamps != Stamps::Keep {
            let [resolution_s, interval_s] = [resolution, self.interval].map(seconds);
            return Err(TraceProblem::Coarse { resolution_s, interval_s });
        }
        Ok(())
    }
}

fn seconds(ns: i64) -> f64 {
    ns as f64 / SECOND as f64
}

fn left_out(last: bool, requests: Option<u64>, covered: i64, interval: i64) -> TraceRemark {
    let requests = requests.unwrap_or(0) as f64;
    TraceRemark::LeftOut { last, requests, covered_s: seconds(covered), interval_s: seconds(interval) }
}

/// Rows of requests.
pub(super) fn read(lines: &mut Lines, table: &Table, keys: &TraceKeys) -> Result<Counted, Stop> {
    let mut bins = Bins::new(keys);
    let clock = for_each_time(lines, table, |stamp, _| bins.add(stamp))?;
    let interval = bins.interval;
    let covered = bins.covered(keys).map_err(|problem| lines.wrong(1, problem))?;
    Ok(Counted {
        requests: covered.counts.into_iter().map(|count| count as f64).collect(),
        interval,
        start: Some(clock.written(covered.start)),
        gaps: 0,
        remarks: covered.remarks,
    })
}
