//! JBT-d: a server with at most `d` requests if there is one, else any.

use alba_model::JoinBelowThreshold as Rule;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Policy, ServerLoad};
use crate::sets::RandomSet;

/// An available server with at most `d` connections if there is one, else any available server, in both cases each as
/// likely as the others; a full one refuses.
///
/// # Source
/// [`alba_model::JoinBelowThreshold`] is the same rule on counts.
#[derive(Debug, Clone)]
pub struct JoinBelowThreshold {
    d: u32,
    below: RandomSet,
    available: RandomSet,
}

impl JoinBelowThreshold {
    /// For `servers` servers.
    pub fn new(rule: Rule, servers: usize) -> Self {
        Self { d: rule.d(), below: RandomSet::new(servers), available: RandomSet::new(servers) }
    }
}

impl Policy for JoinBelowThreshold {
    fn notify(&mut self, server: usize, load: ServerLoad) {
        self.available.set(server, load.available);
        self.below.set(server, load.available && load.connections <= self.d);
    }

    fn pick(&mut self, random: &mut Xoshiro256PlusPlus) -> Option<usize> {
        self.below.draw(random).or_else(|| self.available.draw(random))
    }
}
