//! Who is on the lowest level, drawn among equals.

use std::collections::BTreeMap;

use alba_replicate::Stream;
use rand::RngExt;

/// A level for each of the numbers `0..size`; those out of the game have none. Every operation takes a step for each doubling of the
/// number of different levels: where these are few, this is quicker than a [`super::RandomTournament`].
#[derive(Debug, Clone)]
pub(crate) struct Levels {
    /// By the bits of the level, which are in its order: levels are not negative. None is empty.
    members: BTreeMap<u64, Vec<u32>>,
    /// Where each number is.
    homes: Vec<Option<Home>>,
    /// Lists to be used again.
    spare: Vec<Vec<u32>>,
}

#[derive(Debug, Clone, Copy)]
struct Home {
    level: u64,
    place: u32,
}

impl Levels {
    /// Nobody in the game.
    pub(crate) fn new(size: usize) -> Self {
        Self { members: BTreeMap::new(), homes: vec![None; size], spare: vec![] }
    }

    /// Puts `member` on a level >= 0; none takes it out of the game.
    pub(crate) fn set(&mut self, member: usize, level: Option<f64>) {
        // Adding zero makes -0 a 0.
        let level = level.map(|level| (level + 0.0).to_bits());
        let home = self.homes[member];
        if home.map(|home| home.level) == level {
            return;
        }
        if let Some(home) = home {
            self.leave(home);
        }
        let spare = &mut self.spare;
        self.homes[member] = level.map(|level| {
            let list = self.members.entry(level).or_insert_with(|| spare.pop().unwrap_or_default());
            list.push(member as u32);
            Home { level, place: list.len() as u32 - 1 }
        });
    }

    fn leave(&mut self, home: Home) {
        let Some(list) = self.members.get_mut(&home.level) else { return };
        list.swap_remove(home.place as usize);
        if let Some(&moved) = list.get(home.place as usize) {
            self.homes[moved as usize] = Some(home);
        } else if list.is_empty() {
            self.spare.extend(self.members.remove(&home.level));
        }
    }

    /// One on the lowest level, each as likely as the others.
    pub(crate) fn draw(&self, random: &mut Stream) -> Option<usize> {
        let lowest = self.members.first_key_value()?.1;
        let index = match lowest.len() as u32 {
            1 => 0,
            several => random.random_range(0..several),
        };
        Some(lowest[index as usize] as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alba_replicate::stream;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_lowest_are_those_of_a_scan(
            size in 1usize..40,
            changes in prop::collection::vec((any::<prop::sample::Index>(), prop::option::of(0u8..6)), 1..200),
        ) {
            let (mut set, mut levels) = (Levels::new(size), vec![None; size]);
            for (index, level) in changes {
                let member = index.index(size);
                set.set(member, level.map(f64::from));
                levels[member] = level;
                let lowest = levels.iter().flatten().min();
                let expected: Vec<u32> =
                    (0..size as u32).filter(|&m| lowest.is_some() && levels[m as usize].as_ref() == lowest).collect();
                let mut found = set.members.first_key_value().map(|pair| pair.1.clone()).unwrap_or_default();
                found.sort_unstable();
                prop_assert_eq!(found, expected);
                let drawn = set.draw(&mut stream(1, 0));
                prop_assert_eq!(drawn.and_then(|member| levels[member]), lowest.copied());
            }
        }
    }

    /// 40,000 draws, seed 3: each of the lowest within 4.5 standard deviations.
    #[test]
    fn equals_are_drawn_equally_often() {
        let mut set = Levels::new(5);
        [0.5, 2.0, 0.5, 0.5, 0.5]
            .iter()
            .enumerate()
            .for_each(|(member, &level)| set.set(member, Some(level)));
        let (mut random, mut drawn) = (stream(3, 0), [0i32; 5]);
        for _ in 0..40_000 {
            let member = set.draw(&mut random).unwrap();
            drawn[member] += 1;
            set.set(member, None);
            set.set(member, Some(0.5));
        }
        assert_eq!(drawn[1], 0);
        assert!(
            [0, 2, 3, 4].iter().all(|&member: &usize| (drawn[member] - 10_000).abs() <= 390),
            "{drawn:?}"
        );
    }
}
