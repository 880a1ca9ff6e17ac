//! The model's dispatching rules as policies.

use alba_model::Dispatch;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Policy, ServerLoad};
use crate::sets::RandomSet;

/// The policy that does with `servers` numbered servers what the rule does with counts.
pub(super) fn policy(dispatch: Dispatch, servers: usize) -> Box<dyn Policy> {
    match dispatch {
        Dispatch::PowerOfD(rule) => Box::new(PowerOfD::new(rule, servers)),
        Dispatch::JoinBelowThreshold(rule) => Box::new(JoinBelowThreshold::new(rule, servers)),
    }
}

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
    pub fn new(rule: alba_model::PowerOfD, servers: usize) -> Self {
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
    pub fn new(rule: alba_model::JoinBelowThreshold, servers: usize) -> Self {
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
