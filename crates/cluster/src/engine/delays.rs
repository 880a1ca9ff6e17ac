//! Response and waiting times of the requests of one run.

use alba_replicate::Distribution;

use super::shape::Shape;
use crate::histogram::{Ranges, range_of};

/// Times: how many are in every narrow range, how they lie there, and their sum.
///
/// A quantile is exact where most times of its range are equal, as under deterministic laws; else it is off by less than the
/// range, 0.2 % of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Times {
    counts: Ranges<u64>,
    shapes: Ranges<Shape>,
    count: u64,
    sum: f64,
    /// Those above zero.
    positive: u64,
}

/// How many times are in every range.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TimeCounts {
    counts: Ranges<u64>,
    count: u64,
}

impl Times {
    pub(crate) fn new() -> Self {
        Self { counts: Ranges::new(), shapes: Ranges::new(), count: 0, sum: 0.0, positive: 0 }
    }

    #[inline]
    pub(crate) fn record(&mut self, time: f64) {
        let range = range_of(time);
        self.sum += time;
        self.count += 1;
        self.positive += u64::from(time > 0.0);
        *self.counts.at(range) += 1;
        self.shapes.at(range).add(&Shape::one(time));
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.sum += other.sum;
        self.count += other.count;
        self.positive += other.positive;
        for (range, count) in other.counts.from(0).filter(|(_, count)| *count > 0) {
            *self.counts.at(range) += count;
            self.shapes.at(range).add(&other.shapes.get(range));
        }
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    pub(crate) fn sum(&self) -> f64 {
        self.sum
    }

    pub(crate) fn positive(&self) -> u64 {
        self.positive
    }

    /// The smallest time that a share `probability` of all does not exceed; none of none. Never below the smallest or above
    /// the largest one.
    pub(crate) fn quantile(&self, probability: f64) -> Option<f64> {
        // 0.95 times 140 is 133, not just above it.
        let rank = ((probability * self.count as f64 - 1e-9).ceil() as u64).max(1);
        let mut before = 0;
        for (range, count) in self.counts.from(0) {
            if count > 0 && before + count >= rank {
                return Some(self.shapes.get(range).nth(rank - before - 1, count));
            }
            before += count;
        }
        None
    }

    /// Which share of those in the range of `time` is above it; equal ones too if `inclusive`.
    fn share_above_within(&self, time: f64, inclusive: bool) -> f64 {
        let range = range_of(time);
        let count = self.counts.get(range);
        if count == 0 {
            0.0
        } else {
            self.shapes.get(range).above(time, inclusive, count) as f64 / count as f64
        }
    }

    /// How many of `part`, which are some of these times, are above `time`: those in its range as if they were spread there as
    /// all are.
    pub(crate) fn above_of(&self, part: &TimeCounts, time: f64) -> f64 {
        part.counts.beyond(time)
            + self.share_above_within(time, false) * part.counts.get(range_of(time)) as f64
    }
}

impl Ranges<u64> {
    /// How many are in higher ranges.
    fn beyond(&self, time: f64) -> f64 {
        self.from(range_of(time) + 1).map(|(_, count)| count).sum::<u64>() as f64
    }
}

impl Distribution for Times {
    fn above(&self, time: f64) -> f64 {
        if time < 0.0 {
            return 1.0;
        }
        let within = self.share_above_within(time, false) * self.counts.get(range_of(time)) as f64;
        (self.counts.beyond(time) + within) / self.count as f64
    }

    fn at_least(&self, time: f64) -> f64 {
        if time < 0.0 {
            return 1.0;
        }
        let within = self.share_above_within(time, true) * self.counts.get(range_of(time)) as f64;
        (self.counts.beyond(time) + within) / self.count as f64
    }

    fn largest(&self) -> f64 {
        self.shapes.from(0).map(|(_, shape)| shape.high).fold(0.0, f64::max)
    }
}

impl TimeCounts {
    pub(crate) fn new() -> Self {
        Self { counts: Ranges::new(), count: 0 }
    }

    pub(crate) fn add(&mut self, times: &Times) {
        self.count += times.count;
        for (range, count) in times.counts.from(0).filter(|(_, count)| *count > 0) {
            *self.counts.at(range) += count;
        }
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }
}

/// What requests that arrived after the warm-up went through.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Delays {
    pub(crate) response: Times,
    pub(crate) waiting: Times,
}

impl Delays {
    pub(crate) fn new() -> Self {
        Self { response: Times::new(), waiting: Times::new() }
    }

    #[inline]
    pub(crate) fn record(&mut self, response: f64, waiting: f64) {
        self.response.record(response);
        self.waiting.record(waiting);
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.response.add(&other.response);
        self.waiting.add(&other.waiting);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(values: impl IntoIterator<Item = f64>) -> Times {
        let mut times = Times::new();
        values.into_iter().for_each(|time| times.record(time));
        times
    }

    #[test]
    fn quantiles_to_three_digits_and_an_exact_sum() {
        let times = times((1..=1000).map(|k| f64::from(k) * 1e-3));
        assert!((times.sum() - 500.5).abs() < 1e-9);
        for (probability, expected) in [(0.5, 0.5), (0.95, 0.95), (0.999, 0.999), (1.0, 1.0)] {
            let found = times.quantile(probability).unwrap();
            assert!((found / expected - 1.0).abs() < 2e-3, "{probability}: {found}");
        }
        assert_eq!(Times::new().quantile(0.5), None);
    }

    /// All responses exactly 1 had a 99.9 % quantile of 1.000192, and waiting times of 1e-7 had quantiles of 0.
    #[test]
    fn quantiles_are_within_what_was_seen() {
        for value in [0.0, 1e-7, 0.1, 1.0, 3.0, 1e-30, 1e25] {
            let same = times([value; 7]);
            for probability in [0.5, 0.95, 0.999, 1.0] {
                assert_eq!(same.quantile(probability), Some(value));
            }
            assert_eq!((same.above(value), same.at_least(value), same.largest()), (0.0, 1.0, value));
        }
        let two = times([1.0, 2.0, 2.0, 2.0]);
        assert_eq!([0.25, 0.26, 1.0].map(|p| two.quantile(p).unwrap()), [1.0, 2.0, 2.0]);
        assert_eq!([0.5, 1.0, 1.5, 2.0].map(|t| two.above(t)), [1.0, 0.75, 0.75, 0.0]);
        assert_eq!([0.5, 1.0, 1.5, 2.0, 2.5].map(|t| two.at_least(t)), [1.0, 1.0, 0.75, 0.75, 0.0]);
    }

    /// Two thirds are 1, the others anywhere near it: the median was 1.0003.
    #[test]
    fn a_time_that_most_have_is_a_quantile() {
        let values = (0..3000).map(|k| if k % 3 < 2 { 1.0 } else { 1.0 + f64::from(k) * 5e-7 });
        let skewed = times(values);
        assert_eq!([0.01, 0.3, 0.5, 0.66].map(|p| skewed.quantile(p).unwrap()), [1.0; 4]);
        assert!((skewed.at_least(1.0) - 1.0).abs() + (skewed.above(1.0) - 1.0 / 3.0).abs() < 1e-3);
        let high = skewed.quantile(0.9).unwrap();
        assert!((skewed.above(high) - 0.1).abs() < 1e-3, "{high}");
        let (mut halves, parts) = (Times::new(), [times([1.0; 5]), times([1.001, 1.0, 1.0005, 1.0])]);
        parts.iter().for_each(|part| halves.add(part));
        assert_eq!((halves.quantile(0.7), halves.quantile(1.0)), (Some(1.0), Some(1.001)));
    }

    #[test]
    fn parts_add_up() {
        let values: Vec<f64> = (0..500).map(|k| 1.0 + f64::from(k * k % 97) * 1e-4).collect();
        let (mut whole, all) = (Times::new(), times(values.iter().copied()));
        let parts = values.chunks(61).map(|chunk| times(chunk.iter().copied()));
        let parts: Vec<TimeCounts> = parts
            .map(|part| {
                whole.add(&part);
                let mut counts = TimeCounts::new();
                counts.add(&part);
                counts
            })
            .collect();
        assert_eq!((whole.count(), whole.quantile(0.7)), (all.count(), all.quantile(0.7)));
        assert_eq!(parts.iter().map(TimeCounts::count).sum::<u64>(), 500);
        for time in [0.9, 1.0, 1.0031, 1.0077, 1.1] {
            let sum: f64 = parts.iter().map(|part| whole.above_of(part, time)).sum();
            assert!((sum / 500.0 - whole.above(time)).abs() < 1e-12, "{time}");
            let exact = values.iter().filter(|value| **value > time).count() as f64 / 500.0;
            assert!((exact - whole.above(time)).abs() < 0.02, "{time}: {exact}");
        }
    }
}
