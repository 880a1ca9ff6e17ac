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
    /// Empty where one draw decides: nothing is compared then.
    connections: Vec<u32>,
}

impl PowerOfD {
    /// For `servers` servers.
    pub fn new(rule: Rule, servers: usize) -> Self {
        let compared = if rule.d() > 1 { servers } else { 0 };
        Self { d: rule.d(), available: RandomSet::new(servers), connections: vec![0; compared] }
    }
}

impl Policy for PowerOfD {
    fn notify(&mut self, server: usize, load: ServerLoad) {
        self.available.set(server, load.available);
        if let Some(connections) = self.connections.get_mut(server) {
            *connections = load.connections;
        }
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
