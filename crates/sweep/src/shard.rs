//! A part of a sweep.

use std::fmt;
use std::str::FromStr;

/// Part `index` of `count`: what one task of a job array computes.
///
/// ```
/// use alba_sweep::Shard;
///
/// let shard: Shard = "2/8".parse()?;
/// assert_eq!((shard.index(), shard.count()), (2, 8));
/// assert!("8/8".parse::<Shard>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    index: u64,
    count: u64,
}

impl Shard {
    /// All cells.
    pub const ALL: Self = Self { index: 0, count: 1 };

    /// None unless `index < count`.
    pub fn new(index: u64, count: u64) -> Option<Self> {
        (index < count).then_some(Self { index, count })
    }

    /// From 0.
    pub fn index(self) -> u64 {
        self.index
    }

    /// At least 1.
    pub fn count(self) -> u64 {
        self.count
    }

    /// Whether the cell that is number `rank` of all by cost is in this part: dealt out forwards and backwards in
    /// turn, so that no part gets the dearer one of every round.
    pub(super) fn has(self, rank: u64) -> bool {
        let (round, place) = (rank / self.count, rank % self.count);
        self.index == if round % 2 == 0 { place } else { self.count - 1 - place }
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.trim().parse().ok();
        let parts = text.split_once('/').and_then(|(index, count)| number(index).zip(number(count)));
        parts
            .and_then(|(index, count)| Self::new(index, count))
            .ok_or_else(|| "I/N with I from 0 to N - 1, as in 0/8".to_owned())
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_in_one_part_and_parts_are_even() {
        for count in 1..=7 {
            let shards: Vec<Shard> = (0..count).map(|index| Shard::new(index, count).unwrap()).collect();
            let mut sizes = vec![0; count as usize];
            let mut costs = vec![0; count as usize];
            for rank in 0..100 {
                let owners: Vec<_> = shards.iter().filter(|shard| shard.has(rank)).collect();
                assert_eq!(owners.len(), 1);
                sizes[owners[0].index() as usize] += 1;
                costs[owners[0].index() as usize] += 100 - rank;
            }
            assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
            assert!(costs.iter().max().unwrap() - costs.iter().min().unwrap() <= 100, "{costs:?}");
        }
    }
}
