//! A set whose members are found in order.

/// Some of the numbers `0..size`, as bits, and above every 64 bits one that says whether any is set; every operation
/// takes a step a level, of which 10^9 numbers need five.
#[derive(Debug, Clone)]
pub(crate) struct IndexSet {
    /// The numbers themselves first.
    levels: Vec<Vec<u64>>,
}

impl IndexSet {
    /// The empty set.
    pub(crate) fn new(size: usize) -> Self {
        let mut levels = vec![vec![0; size.div_ceil(64).max(1)]];
        while let Some(below) = levels.last().map(Vec::len).filter(|words| *words > 1) {
            levels.push(vec![0; below.div_ceil(64)]);
        }
        Self { levels }
    }

    /// Puts `member` in or takes it out.
    pub(crate) fn set(&mut self, member: usize, present: bool) {
        let mut index = member;
        for level in &mut self.levels {
            let (word, bit) = (index / 64, 1u64 << (index % 64));
            let before = level[word];
            level[word] = if present { before | bit } else { before & !bit };
            if (before == 0) == (level[word] == 0) {
                return;
            }
            index = word;
        }
    }

    /// The lowest member.
    pub(crate) fn first(&self) -> Option<usize> {
        self.from(0)
    }

    /// The lowest member that is at least `start`.
    pub(crate) fn from(&self, start: usize) -> Option<usize> {
        let mut index = start;
        for (height, level) in self.levels.iter().enumerate() {
            let here = level.get(index / 64).map_or(0, |word| word & (u64::MAX << (index % 64)));
            if here != 0 {
                return Some(self.descend(height, index / 64 * 64 + here.trailing_zeros() as usize));
            }
            index = index / 64 + 1;
        }
        None
    }

    /// The lowest member below bit `index` of a level.
    fn descend(&self, height: usize, mut index: usize) -> usize {
        for level in self.levels[..height].iter().rev() {
            index = index * 64 + level[index].trailing_zeros() as usize;
        }
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn like_a_sorted_set(
            size in prop_oneof![1usize..200, Just(300_000)],
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 1..200),
        ) {
            let (mut set, mut sorted) = (IndexSet::new(size), BTreeSet::new());
            for (index, present) in changes {
                let member = index.index(size);
                set.set(member, present);
                if present { sorted.insert(member); } else { sorted.remove(&member); }
                prop_assert_eq!(set.first(), sorted.first().copied());
                for start in [member, member + 1, size / 2, size] {
                    prop_assert_eq!(set.from(start), sorted.range(start..).next().copied());
                }
            }
        }
    }
}
