//! Numbers kept for ranges of times.

/// Ranges in which a time doubles are divided into so many of the same width: times in one differ by 0.2 % at most.
const PARTS: usize = 1 << PART_BITS;
const PART_BITS: u32 = 9;
/// Times from 2^-64 to 2^64 are told apart; what is beyond goes to the first and the last range.
const EXPONENTS: i64 = 64;
const MANTISSA_BITS: u32 = 52;
const BIAS: i64 = 1023;

/// A number for every range of times, zero being a range of its own; room is taken where there is something only.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ranges<T> {
    doublings: Vec<Option<Box<[T; PARTS]>>>,
}

/// The range of a time `>= 0`.
#[inline]
pub(crate) fn range_of(time: f64) -> usize {
    if time <= 0.0 {
        return 0;
    }
    let first = (BIAS - EXPONENTS) << PART_BITS;
    let index = (time.to_bits() >> (MANTISSA_BITS - PART_BITS)) as i64 - first;
    index.clamp(0, ((2 * EXPONENTS) << PART_BITS) - 1) as usize + 1
}

impl<T: Copy + Default> Ranges<T> {
    pub(crate) fn new() -> Self {
        Self { doublings: vec![] }
    }

    /// Of a range.
    #[inline]
    pub(crate) fn at(&mut self, range: usize) -> &mut T {
        let (doubling, part) = (range / PARTS, range % PARTS);
        if doubling >= self.doublings.len() {
            self.doublings.resize(doubling + 1, None);
        }
        &mut self.doublings[doubling].get_or_insert_with(|| Box::new([T::default(); PARTS]))[part]
    }

    /// Of a range, if there ever was something near it.
    pub(crate) fn get(&self, range: usize) -> T {
        let doubling = self.doublings.get(range / PARTS).and_then(Option::as_ref);
        doubling.map_or(T::default(), |parts| parts[range % PARTS])
    }

    /// Those from a range on, in order; ranges without room are left out.
    pub(crate) fn from(&self, first: usize) -> impl Iterator<Item = (usize, T)> {
        let doublings = self.doublings.iter().enumerate().skip(first / PARTS);
        let there = doublings.filter_map(|(doubling, parts)| Some((doubling, parts.as_ref()?)));
        let all = there.flat_map(|(doubling, parts)| {
            parts.iter().enumerate().map(move |(part, value)| (doubling * PARTS + part, *value))
        });
        all.filter(move |(range, _)| *range >= first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_in_order_and_narrow() {
        let mut before = (0.0, range_of(0.0));
        assert_eq!(before.1, 0);
        for step in 0..40_000 {
            let time = 1e-12 * 1.0015f64.powi(step);
            let range = range_of(time);
            assert!(range >= before.1 && (range > before.1 || time / before.0 < 1.002), "{time}");
            before = (time, range);
        }
        assert_eq!((range_of(1e-300), range_of(f64::MAX)), (1, 2 * 64 * PARTS));
    }

    #[test]
    fn what_is_put_in_is_found_in_order() {
        let mut ranges = Ranges::<u64>::new();
        for range in [7000, 3, 3, 0, 9000] {
            *ranges.at(range) += 1;
        }
        assert_eq!((ranges.get(3), ranges.get(4), ranges.get(1 << 30)), (2, 0, 0));
        let from = |first| ranges.from(first).filter(|(_, count)| *count > 0).collect::<Vec<_>>();
        assert_eq!(from(0), [(0, 1), (3, 2), (7000, 1), (9000, 1)]);
        assert_eq!(from(4), [(7000, 1), (9000, 1)]);
    }
}
