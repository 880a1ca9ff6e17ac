//! Power-of-d: the shortest of `d` servers drawn with replacement.

use alba_model::PowerOfD as Rule;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Policy, ServerLoad};
use crate::sets::RandomSet;

/// The server with the fewest connections of `d` available ones drawn with replacement, the first drawn if several; a
/// full one refuses.
///
/// # Source
/// Mitzenmacher 2001; [`alba_model::PowerOfD`] is the same rule on counts.
#[derive(Debug, Clone)]
pub struct PowerOfD {
    d: u32,
    available: RandomSet,
    connections: Vec<u32>,
}

impl PowerOfD {
    /// For `servers` servers.
    pub fn new(rule: Rule, servers: usize) -> Self {
        Self { d: rule.d(), available: RandomSet::new(servers), connections: vec![0; servers] }
    }
}

impl Policy for PowerOfD {
    fn notify(&mut self, server: usize, load: ServerLoad) {
        self.available.set(server, load.available);
        self.connections[server] = load.connections;
    }

    fn pick(&mut self, random: &mut Xoshiro256PlusPlus) -> Option<usize> {
        let mut best = self.available.draw(random)?;
        for _ in 1..self.d {
            let other = self.available.draw(random)?;
            if self.connections[other] < self.connections[best] {
                best = other;
            }
        }
        Some(best)
    }
}
