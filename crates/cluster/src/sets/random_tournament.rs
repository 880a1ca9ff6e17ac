//! Who has the smallest key, drawn among equals.

use alba_replicate::Stream;
use rand::RngExt;

/// A key for each of the numbers `0..size`, as in [`super::Tournament`]; of several with the smallest key each wins as often as
/// the others, whatever happened before. A change takes at most one step for each doubling of `size`, and so does a draw.
///
/// Nodes count who is tied. A random number drawn with each key would not do instead: those that were passed over have
/// large ones, and whoever came last would be preferred.
#[derive(Debug, Clone)]
pub(crate) struct RandomTournament {
    /// Node `n` holds the smaller key of nodes `2n` and `2n + 1`; the keys themselves are the last `width` nodes.
    nodes: Vec<Node>,
    width: usize,
}

/// The smallest key below a node.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    key: f64,
    /// How many have it.
    tied: u32,
}

const NOBODY: Node = Node { key: f64::INFINITY, tied: 0 };

impl Node {
    #[inline]
    fn of(one: Self, other: Self) -> Self {
        let tied = |node: Self, key: f64| if node.key == key { node.tied } else { 0 };
        let key = one.key.min(other.key);
        Self { key, tied: tied(one, key) + tied(other, key) }
    }
}

impl RandomTournament {
    /// Nobody in the game.
    pub(crate) fn new(size: usize) -> Self {
        let width = size.next_power_of_two();
        Self { nodes: vec![NOBODY; 2 * width], width }
    }

    /// Gives `player` a finite key; none takes it out of the game.
    pub(crate) fn set(&mut self, player: usize, key: Option<f64>) {
        let mut node = self.width + player;
        self.nodes[node] = key.map_or(NOBODY, |key| Node { key, tied: 1 });
        while node > 1 {
            node /= 2;
            let best = Node::of(self.nodes[2 * node], self.nodes[2 * node + 1]);
            if self.nodes[node] == best {
                return;
            }
            self.nodes[node] = best;
        }
    }

    /// A player with the smallest key, of several each as likely as the others.
    pub(crate) fn draw(&self, random: &mut Stream) -> Option<usize> {
        let Node { key, tied } = self.nodes[1];
        let mut before = match tied {
            0 => return None,
            1 => 0,
            several => random.random_range(0..several),
        };
        let mut node = 1;
        while node < self.width {
            node *= 2;
            let left = self.nodes[node];
            let here = if left.key == key { left.tied } else { 0 };
            if before >= here {
                before -= here;
                node += 1;
            }
        }
        Some(node - self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alba_replicate::stream;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn winners_and_ties_are_those_of_a_scan(
            size in 1usize..40,
            changes in prop::collection::vec((any::<prop::sample::Index>(), prop::option::of(0u8..6)), 1..200),
        ) {
            let (mut tournament, mut keys) = (RandomTournament::new(size), vec![None; size]);
            let mut random = stream(1, 0);
            for (index, key) in changes {
                let player = index.index(size);
                tournament.set(player, key.map(f64::from));
                keys[player] = key;
                let smallest = keys.iter().flatten().min();
                let tied = keys.iter().flatten().filter(|key| Some(*key) == smallest).count();
                prop_assert_eq!(tournament.nodes[1].tied as usize, tied);
                let winner = tournament.draw(&mut random);
                prop_assert_eq!(winner.map(|winner| keys[winner].unwrap()), smallest.copied());
            }
        }
    }

    /// 40,000 draws, seed 2: each of the tied within 4.5 standard deviations, and nobody else; also after one of them left and
    /// came back, time and again.
    #[test]
    fn equals_win_equally_often() {
        let mut tournament = RandomTournament::new(7);
        for (player, key) in [(0, 2.0), (1, 1.0), (2, 1.0), (4, 1.0), (5, 3.0), (6, 1.0)] {
            tournament.set(player, Some(key));
        }
        let mut random = stream(2, 0);
        let mut won = [0.0f64; 7];
        for _ in 0..40_000 {
            let winner = tournament.draw(&mut random).unwrap();
            won[winner] += 1.0;
            tournament.set(winner, None);
            tournament.set(winner, Some(1.0));
        }
        for (player, won) in won.into_iter().enumerate() {
            let share = if [1, 2, 4, 6].contains(&player) { 0.25 } else { 0.0f64 };
            let spread = (40_000.0 * share * (1.0 - share)).sqrt();
            assert!((won - 40_000.0 * share).abs() <= 4.5 * spread, "{player}: {won}");
        }
    }
}
