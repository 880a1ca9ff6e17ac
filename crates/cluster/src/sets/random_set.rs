//! A set whose members are drawn at random.

use alba_replicate::Stream;
use rand::RngExt;

/// Some of the numbers `0..size`; every operation takes constant time.
#[derive(Debug, Clone)]
pub(crate) struct RandomSet {
    members: Vec<u32>,
    /// Where each number is in `members`.
    places: Vec<u32>,
}

const ABSENT: u32 = u32::MAX;

impl RandomSet {
    /// The empty set.
    pub(crate) fn new(size: usize) -> Self {
        Self { members: Vec::new(), places: vec![ABSENT; size] }
    }

    /// Puts `member` in or takes it out.
    pub(crate) fn set(&mut self, member: usize, present: bool) {
        let place = self.places[member];
        if present && place == ABSENT {
            self.places[member] = self.members.len() as u32;
            self.members.push(member as u32);
        } else if !present && place != ABSENT {
            self.members.swap_remove(place as usize);
            if let Some(&moved) = self.members.get(place as usize) {
                self.places[moved as usize] = place;
            }
            self.places[member] = ABSENT;
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    /// A member, each as likely as the others.
    pub(crate) fn draw(&self, random: &mut Stream) -> Option<usize> {
        let count = self.members.len();
        (count > 0).then(|| self.members[random.random_range(0..count as u32) as usize] as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alba_replicate::stream;

    #[test]
    fn members_and_nobody_else_are_drawn() {
        let mut set = RandomSet::new(6);
        for (member, present) in
            [(1, true), (4, true), (5, true), (4, false), (4, false), (2, true), (2, true)]
        {
            set.set(member, present);
        }
        let mut random = stream(1, 0);
        let mut drawn = [0; 6];
        for _ in 0..30_000 {
            drawn[set.draw(&mut random).unwrap()] += 1;
        }
        for (member, count) in drawn.into_iter().enumerate() {
            let expected = if [1, 2, 5].contains(&member) { 10_000i32 } else { 0 };
            assert!((count - expected).abs() < 400, "{member}: {count}"); // 4.9 standard deviations
        }
        [1, 2, 5].into_iter().for_each(|member| set.set(member, false));
        assert_eq!(set.draw(&mut random), None);
    }
}
