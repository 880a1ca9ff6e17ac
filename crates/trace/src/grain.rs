//! How fine time stamps are.

use super::stamp::Reading;

/// So many changes from a stamp to another one, all whole numbers of a unit, are no chance: if stamps were twice as fine
/// or more, half of them or more would be none, and all are with probability 2^-20.
const CHANGES: u64 = 20;

/// Finds the resolution of stamps as they are read: what all times between them are whole numbers of, where there are
/// enough of them, else the finest that is written.
#[derive(Debug, Default)]
pub(super) struct Grain {
    first: Option<i64>,
    before: i64,
    /// The greatest common divisor of all times since the first stamp.
    common: u64,
    /// The finest place that any stamp is written with.
    finest: Option<i64>,
    changes: u64,
    /// Stamps that equal the one in the row before.
    equal: u64,
}

impl Grain {
    pub(super) fn add(&mut self, stamp: Reading) {
        self.finest = Some(self.finest.map_or(stamp.grain, |finest| finest.min(stamp.grain)));
        let Some(first) = self.first else {
            (self.first, self.before) = (Some(stamp.time), stamp.time);
            return;
        };
        if stamp.time == self.before {
            self.equal += 1;
        } else {
            self.changes += 1;
        }
        self.before = stamp.time;
        let since = (stamp.time - first).unsigned_abs();
        if !since.is_multiple_of(self.common) {
            self.common = common(self.common, since);
        }
    }

    /// The resolution in nanoseconds.
    pub(super) fn resolution(&self) -> i64 {
        let finest = self.finest.unwrap_or(1).max(1);
        let common = i64::try_from(self.common).unwrap_or(1);
        if self.changes >= CHANGES { common.max(finest) } else { finest }
    }

    /// Whether rows that follow each other have equal stamps.
    pub(super) fn has_equal(&self) -> bool {
        self.equal > 0
    }
}

/// The greatest common divisor.
fn common(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SECOND;

    fn resolution(stamps: impl IntoIterator<Item = (i64, i64)>) -> i64 {
        let mut grain = Grain::default();
        stamps.into_iter().for_each(|(time, grain_of)| grain.add(Reading { time, grain: grain_of }));
        grain.resolution()
    }

    #[test]
    fn many_stamps_say_more_than_their_digits() {
        let minute = 60 * SECOND;
        assert_eq!(resolution((0..30).map(|k| (k * k * minute, SECOND))), minute);
        assert_eq!(resolution((0..30).map(|k| (k * k * SECOND + 5, 1))), SECOND);
        assert_eq!(resolution((0..5).map(|k| (k * k * minute, SECOND))), SECOND);
        assert_eq!(
            resolution((0..30).map(|k| (k * k * minute, SECOND)).chain([(77 * SECOND, SECOND)])),
            SECOND
        );
        assert_eq!(resolution([]), 1);
    }
}
