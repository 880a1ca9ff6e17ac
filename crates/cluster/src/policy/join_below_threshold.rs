//! JBT-d: a server with at most `d` requests if there is one, else any.

use alba_model::JoinBelowThreshold as Rule;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Policy, PowerOfD, ServerLoad};
use crate::sets::RandomSet;

/// An available server with at most `d` connections if there is one, each as likely as the others; else any, or as the rule
/// says; a full one refuses.
///
/// # Source
/// [`alba_model::JoinBelowThreshold`] is the same rule on counts.
#[derive(Debug, Clone)]
pub struct JoinBelowThreshold {
    d: u32,
    below: RandomSet,
    otherwise: PowerOfD,
}

impl JoinBelowThreshold {
    /// For `servers` servers.
    pub fn new(rule: Rule, servers: usize) -> Self {
        let otherwise = PowerOfD::new(rule.otherwise(), servers);
        Self { d: rule.d(), below: RandomSet::new(servers), otherwise }
    }
}

impl Policy for JoinBelowThreshold {
    fn notify(&mut self, server: usize, load: ServerLoad) {
        self.otherwise.notify(server, load);
        self.below.set(server, load.available && load.connections <= self.d);
    }

    fn pick(&mut self, random: &mut Xoshiro256PlusPlus) -> Option<usize> {
        self.below.draw(random).or_else(|| self.otherwise.pick(random))
    }
}
