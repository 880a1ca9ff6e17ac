//! Servers ranked by a key, as a tournament.

/// Finds the server with the lowest key, the lowest number among equals, and the next one in the ranking, in O(log m); a change of a
/// key takes as long.
#[derive(Debug, Clone)]
pub(super) struct Ranking {
    /// A complete binary tree: node i is the lower one of nodes 2i and 2i + 1; the leaves, from `first_leaf` on, are the servers.
    keys: Vec<u64>,
    first_leaf: usize,
}

impl Ranking {
    /// The key of a server that is out of the ranking.
    pub(super) const OUT: u64 = u64::MAX;

    /// All are out.
    pub(super) fn new(servers: usize) -> Self {
        let first_leaf = servers.next_power_of_two();
        Self { keys: vec![Self::OUT; 2 * first_leaf], first_leaf }
    }

    pub(super) fn set(&mut self, server: usize, key: u64) {
        let mut node = self.first_leaf + server;
        self.keys[node] = key;
        while node > 1 {
            node /= 2;
            let lower = self.keys[2 * node].min(self.keys[2 * node + 1]);
            if self.keys[node] == lower {
                return;
            }
            self.keys[node] = lower;
        }
    }

    /// The lowest-numbered of the servers with the lowest key.
    pub(super) fn lowest(&self) -> Option<usize> {
        (self.keys[1] != Self::OUT).then(|| self.descend(1, self.keys[1]))
    }

    /// The first server from `from` on that is in the ranking.
    pub(super) fn first_from(&self, from: usize) -> Option<usize> {
        let mut node = self.first_leaf + from;
        if from >= self.first_leaf {
            return None;
        }
        // Up until a subtree that begins at or right of `from` has one, then down to its first.
        while self.keys[node] == Self::OUT {
            while node % 2 == 1 {
                node /= 2;
            }
            if node == 0 {
                return None;
            }
            node += 1;
        }
        Some(self.descend_to_any(node))
    }

    fn descend(&self, mut node: usize, key: u64) -> usize {
        while node < self.first_leaf {
            node = if self.keys[2 * node] == key { 2 * node } else { 2 * node + 1 };
        }
        node - self.first_leaf
    }

    fn descend_to_any(&self, mut node: usize) -> usize {
        while node < self.first_leaf {
            node = if self.keys[2 * node] == Self::OUT { 2 * node + 1 } else { 2 * node };
        }
        node - self.first_leaf
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn as_a_look_at_all_of_them(
            servers in 1usize..20,
            changes in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![0u64..4, Just(Ranking::OUT)]), 1..60),
        ) {
            let mut ranking = Ranking::new(servers);
            let mut keys = vec![Ranking::OUT; servers];
            for (server, key) in changes {
                let server = server.index(servers);
                ranking.set(server, key);
                keys[server] = key;
                let lowest = (0..servers).filter(|i| keys[*i] != Ranking::OUT).min_by_key(|i| (keys[*i], *i));
                prop_assert_eq!(ranking.lowest(), lowest);
                for from in 0..=servers {
                    let first = (from..servers).find(|i| keys[*i] != Ranking::OUT);
                    prop_assert_eq!(ranking.first_from(from), first);
                }
            }
        }
    }
}
