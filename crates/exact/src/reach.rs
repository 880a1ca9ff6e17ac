//! The search for all states that a chain reaches.

use std::collections::{BinaryHeap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

use alba_model::Model;

use crate::ExactError;
use crate::numbering::{Numbered, Numbering};
use crate::rows::Rows;

/// All states that one leads to, and the jumps out of them: what can happen in a state is worked out once.
pub(crate) struct Reach {
    /// Of all states, increasing.
    pub(crate) ranks: Vec<u64>,
    /// Jumps between states by their places among `ranks`, while jobs arrive at the first of the rates; in another order.
    pub(crate) rows: Rows,
    /// The row of every state.
    pub(crate) order: Vec<u32>,
}

impl Reach {
    /// From the state of rank `first`, at any of the arrival rates; jumps are those at `rates[0]`. None if there are more
    /// states than `most`.
    pub(crate) fn new(
        model: &Model,
        first: u64,
        rates: &[f64],
        numbering: &Numbering,
        most: usize,
    ) -> Result<Option<Self>, ExactError> {
        let mut found = Found::new(numbering.states(), most);
        found.number(first, 0);
        let (mut ranks, mut row_of) = (vec![first], vec![0]);
        // The highest first: then rows come nearly in the order of ranks, and those of neighbours are near in memory.
        let mut open = BinaryHeap::from([(first, 0_u32)]);
        let mut rows = Rows::default();
        let mut here = Numbered::default();
        for done in 0.. {
            let Some((rank, number)) = open.pop() else { break };
            numbering.read(rank, &mut here);
            row_of[number as usize] = done;
            let row = rows.last();
            for (index, &rate) in rates.iter().enumerate() {
                numbering.for_each_jump(model, &mut here, rate, &mut |rank, rate| {
                    let next = ranks.len() as u32;
                    let number = found.number(rank, next);
                    if number == next {
                        ranks.push(rank);
                        row_of.push(0);
                        open.push((rank, number));
                    }
                    if index == 0 {
                        row.push(number, rate);
                    }
                })?;
            }
            row.end();
            if ranks.len() > most {
                return Ok(None);
            }
        }
        Ok(Some(Self::in_order(&found.in_order(&ranks), &ranks, rows, &row_of)))
    }

    /// From what is known by number, where `numbers` are in the order of ranks.
    fn in_order(numbers: &[u32], ranks: &[u64], mut rows: Rows, row_of: &[u32]) -> Self {
        let mut place_of = vec![0; numbers.len()];
        for (place, &number) in (0..).zip(numbers) {
            place_of[number as usize] = place;
        }
        rows.renumber(&place_of);
        let ranks = numbers.iter().map(|&number| ranks[number as usize]).collect();
        let order = numbers.iter().map(|&number| row_of[number as usize]).collect();
        Self { ranks, rows, order }
    }
}

/// Numbers of the states found, from 0 in the order in which they were, by rank.
enum Found {
    /// One more than the number, for every rank; 0 if it was not found.
    Table(Vec<u32>),
    Map(HashMap<u64, u32, BuildHasherDefault<Mixer>>),
}

impl Found {
    /// A table where it takes no more memory than a map of as many states as may be found, `most`: some 16 bytes each.
    /// Where neighbours are looked up it is many times faster.
    fn new(ranks: u64, most: usize) -> Self {
        if ranks / 4 <= most as u64 {
            Self::Table(vec![0; ranks as usize])
        } else {
            Self::Map(HashMap::default())
        }
    }

    /// The number of the state of this rank: `next` if it is new.
    fn number(&mut self, rank: u64, next: u32) -> u32 {
        match self {
            Self::Table(numbers) => {
                let number = &mut numbers[rank as usize];
                if *number == 0 {
                    *number = next + 1;
                }
                *number - 1
            }
            Self::Map(numbers) => *numbers.entry(rank).or_insert(next),
        }
    }

    /// The numbers in the order of ranks.
    fn in_order(self, ranks: &[u64]) -> Vec<u32> {
        match self {
            Self::Table(numbers) => numbers.iter().filter_map(|number| number.checked_sub(1)).collect(),
            Self::Map(numbers) => {
                drop(numbers);
                let mut order: Vec<u32> = (0..ranks.len() as u32).collect();
                order.sort_unstable_by_key(|&number| ranks[number as usize]);
                order
            }
        }
    }
}

/// Hashes of ranks, which nobody chooses to collide: a multiplication.
#[derive(Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32);
    }
}

#[cfg(test)]
mod tests {
    use crate::ExactError;
    use crate::{Limits, StateSpace};
    use alba_model::{ArrivalProfile, Buffer, Counts, Dispatch, Model, Rates, ScalingRule, Scheme};

    /// Servers that never go cold: C(14, 12) = 91 states of C(16, 12) = 1820.
    #[test]
    fn a_map_finds_what_a_table_finds() {
        let scheme = Scheme::asynchronous(Dispatch::power_of_d(2).unwrap(), ScalingRule::None);
        let rates = Rates::new(0.5, 0.1, 0.0).unwrap();
        let arrivals = ArrivalProfile::constant(0.7).unwrap();
        let model = Model::new(arrivals, rates, Buffer::finite(2).unwrap(), scheme).unwrap();
        let start = Counts { cold: 0, initializing: 0, warm: vec![12], waiting: 0 };
        let found =
            |most: usize| StateSpace::with_generator(&model, &start, &Limits::new(most, 0.1).unwrap());
        let table = found(1000).unwrap();
        assert_eq!(table.0.len(), 91);
        assert_eq!(table.1, table.0.generator(0.7).unwrap());
        assert_eq!(found(91).unwrap(), table);
        assert!(matches!(found(90), Err(ExactError::TooManyStates { .. })));
    }
}
