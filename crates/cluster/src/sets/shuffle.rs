//! Numbers in random order.

use alba_replicate::Stream;
use rand::seq::SliceRandom;

/// The numbers `0..size`, each at a place, every order as likely as the others.
#[derive(Debug, Clone)]
pub(crate) struct Shuffle {
    members: Vec<u32>,
    places: Vec<u32>,
}

impl Shuffle {
    /// Draws an order.
    pub(crate) fn new(size: usize, random: &mut Stream) -> Self {
        let mut members: Vec<u32> = (0..size as u32).collect();
        members.shuffle(random);
        let mut places = vec![0; size];
        (0..).zip(&members).for_each(|(place, &member)| places[member as usize] = place);
        Self { members, places }
    }

    /// Where `member` is.
    #[inline]
    pub(crate) fn place(&self, member: usize) -> usize {
        self.places[member] as usize
    }

    /// Who is there.
    #[inline]
    pub(crate) fn member(&self, place: usize) -> usize {
        self.members[place] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alba_replicate::stream;

    /// 24,000 orders of four, seed 1: each of the 24 within 4.5 standard deviations.
    #[test]
    fn every_order_is_as_likely_as_the_others() {
        let mut random = stream(1, 0);
        let mut drawn = std::collections::BTreeMap::new();
        for _ in 0..24_000 {
            let shuffle = Shuffle::new(4, &mut random);
            (0..4).for_each(|member| assert_eq!(shuffle.member(shuffle.place(member)), member));
            *drawn.entry(shuffle.members).or_insert(0i32) += 1;
        }
        assert_eq!(drawn.len(), 24);
        assert!(drawn.values().all(|count| (count - 1000).abs() <= 139), "{drawn:?}");
    }
}
