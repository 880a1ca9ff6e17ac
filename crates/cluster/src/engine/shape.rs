//! How the times of a narrow range lie in it.

/// The smallest and the largest time, and one that most of them equal, if any does.
///
/// That one is found by majority vote (Boyer and Moore, 1991): an equal time adds a vote, another takes one away. Of `n` times,
/// `votes` at least and `(n + votes) / 2` at most are equal to it, so many where no others are equal. With votes of less than
/// a quarter no time is common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shape {
    pub(crate) low: f64,
    pub(crate) high: f64,
    common: f64,
    votes: u64,
}

impl Default for Shape {
    fn default() -> Self {
        Self { low: f64::INFINITY, high: f64::NEG_INFINITY, common: 0.0, votes: 0 }
    }
}

impl Shape {
    #[inline]
    pub(crate) fn one(time: f64) -> Self {
        Self { low: time, high: time, common: time, votes: 1 }
    }

    #[inline]
    pub(crate) fn add(&mut self, other: &Self) {
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
        if self.common == other.common {
            self.votes += other.votes;
        } else if self.votes >= other.votes {
            self.votes -= other.votes;
        } else {
            (self.common, self.votes) = (other.common, other.votes - self.votes);
        }
    }

    /// Time `index` of `count` in order.
    pub(crate) fn nth(&self, index: u64, count: u64) -> f64 {
        let mut index = index;
        for spread in self.spreads(count) {
            if index < spread.count {
                return spread.at(index).clamp(self.low, self.high);
            }
            index -= spread.count;
        }
        self.high
    }

    /// How many of `count` are above `time`; equal ones too if `inclusive`.
    pub(crate) fn above(&self, time: f64, inclusive: bool, count: u64) -> u64 {
        if time > self.high || (!inclusive && time >= self.high) {
            return 0;
        }
        if time < self.low || (inclusive && time <= self.low) {
            return count;
        }
        count - self.spreads(count).iter().map(|spread| spread.below(time, !inclusive)).sum::<u64>()
    }

    /// Those below the common time, equal to it, and above it, as if others were at equal distances; all in one if none is common.
    fn spreads(&self, count: u64) -> [Spread; 3] {
        let Self { low, high, common, votes } = *self;
        if votes < 2 || 4 * votes < count {
            let step = if count > 1 { (high - low) / (count - 1) as f64 } else { 0.0 };
            return [Spread { first: low, step, count }, Spread::NONE, Spread::NONE];
        }
        let equal = count - (count - votes) / 2;
        let part = if high > low { (common - low) / (high - low) } else { 0.0 };
        let lower = ((count - equal) as f64 * part).round() as u64;
        let upper = count - equal - lower;
        let (down, up) = ((common - low) / lower as f64, (high - common) / upper as f64);
        [
            Spread { first: low, step: down, count: lower },
            Spread { first: common, step: 0.0, count: equal },
            Spread { first: common + up, step: up, count: upper },
        ]
    }
}

/// Times at equal distances.
#[derive(Debug, Clone, Copy)]
struct Spread {
    first: f64,
    step: f64,
    count: u64,
}

impl Spread {
    const NONE: Self = Self { first: 0.0, step: 0.0, count: 0 };

    fn at(&self, index: u64) -> f64 {
        self.first + self.step * index as f64
    }

    /// How many are below `time`; equal ones too if `inclusive`.
    fn below(&self, time: f64, inclusive: bool) -> u64 {
        let Self { first, step, count } = *self;
        if count == 0 || time < first || (!inclusive && time <= first) {
            return 0;
        }
        if step <= 0.0 {
            return count;
        }
        let steps = (time - first) / step;
        let number = if inclusive { steps.floor() + 1.0 } else { steps.ceil() };
        (number as u64).min(count)
    }
}
