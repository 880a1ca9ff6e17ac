//! Who has the smallest key.

/// A key for each of the numbers `0..size`; those out of the game have an infinite one. A change takes at most one step
/// for each doubling of `size`, and so does finding the winner.
#[derive(Debug, Clone)]
pub(crate) struct Tournament {
    /// Node `n` holds the smaller key of nodes `2n` and `2n + 1`; the keys themselves are the last `width` nodes.
    nodes: Vec<f64>,
    width: usize,
}

impl Tournament {
    /// Nobody in the game.
    pub(crate) fn new(size: usize) -> Self {
        let width = size.next_power_of_two();
        Self { nodes: vec![f64::INFINITY; 2 * width], width }
    }

    /// Gives `player` a key; none takes it out of the game.
    pub(crate) fn set(&mut self, player: usize, key: Option<f64>) {
        let mut node = self.width + player;
        self.nodes[node] = key.unwrap_or(f64::INFINITY);
        while node > 1 {
            node /= 2;
            let smaller = self.nodes[2 * node].min(self.nodes[2 * node + 1]);
            if self.nodes[node] == smaller {
                return;
            }
            self.nodes[node] = smaller;
        }
    }

    /// The player with the smallest key, of several the lowest number.
    pub(crate) fn winner(&self) -> Option<usize> {
        let smallest = self.nodes[1];
        if smallest == f64::INFINITY {
            return None;
        }
        let mut node = 1;
        while node < self.width {
            node *= 2;
            node += usize::from(self.nodes[node] != smallest);
        }
        Some(node - self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn like_a_scan(
            size in 1usize..40,
            changes in prop::collection::vec((any::<prop::sample::Index>(), prop::option::of(0u8..6)), 1..200),
        ) {
            let mut tournament = Tournament::new(size);
            let mut keys = vec![None; size];
            for (index, key) in changes {
                let player = index.index(size);
                tournament.set(player, key.map(f64::from));
                keys[player] = key;
                let scanned = (0..size).filter(|&p| keys[p].is_some()).min_by_key(|&p| keys[p]);
                prop_assert_eq!(tournament.winner(), scanned);
            }
        }
    }
}
