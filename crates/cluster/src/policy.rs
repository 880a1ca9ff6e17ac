//! Policies: which server gets a request.

mod join_below_threshold;
mod join_idle_queue;
mod least_connections;
mod least_work_left;
mod literal_least_connections;
mod literal_partition;
mod literal_round_robin;
mod most_recently_used_idle;
mod phase_partition;
mod power_of_d;
mod random;
mod round_robin;
mod weighted_least_connections;
mod weighted_round_robin;

pub use join_below_threshold::JoinBelowThreshold;
pub use join_idle_queue::JoinIdleQueue;
pub use least_connections::LeastConnections;
pub use least_work_left::LeastWorkLeft;
pub use literal_least_connections::LiteralLeastConnections;
pub use literal_partition::LiteralPartition;
pub use literal_round_robin::LiteralRoundRobin;
pub use most_recently_used_idle::MostRecentlyUsedIdle;
pub use phase_partition::PhasePartition;
pub use power_of_d::PowerOfD;
pub use random::Random;
pub use round_robin::RoundRobin;
pub use weighted_least_connections::WeightedLeastConnections;
pub use weighted_round_robin::WeightedRoundRobin;

use rand_xoshiro::Xoshiro256PlusPlus;

/// What a server tells the policy.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ServerLoad {
    /// Requests present, in service or waiting.
    pub connections: u32,
    /// The most requests present; `u32::MAX`: no limit.
    pub capacity: u32,
    /// Whether it may be given requests: warm, or under the arbitrator's switch-on any.
    pub available: bool,
    /// When it became idle, if it has no connection.
    pub idle_since: f64,
    /// When it would be empty if nothing more came; 0 without a connection.
    pub empty_at: f64,
}

impl ServerLoad {
    /// Whether it is available and not full.
    pub fn takes_one_more(&self) -> bool {
        self.available && self.connections < self.capacity
    }
}

/// Says which server takes the next request. Servers are numbered from 0.
///
/// To the phase-partition arbitrator and the paper's literal algorithms numbers are an order. No other policy goes by them:
/// where its rule leaves several servers, one is drawn, each as likely as the others.
///
/// A policy looks at no server: it is told. Whoever drives it notifies it of every server once before the first pick, and then
/// of each change, also of the one that follows from a pick, before it asks again. So a pick need not look at all servers.
pub trait Policy {
    /// A server's load or availability changed.
    fn notify(&mut self, server: usize, load: ServerLoad);

    /// An available server for the next request; `None`: refused. One that is full refuses by itself.
    fn pick(&mut self, random: &mut Xoshiro256PlusPlus) -> Option<usize>;
}

impl Policy for Box<dyn Policy> {
    fn notify(&mut self, server: usize, load: ServerLoad) {
        (**self).notify(server, load);
    }

    fn pick(&mut self, random: &mut Xoshiro256PlusPlus) -> Option<usize> {
        (**self).pick(random)
    }
}

#[cfg(test)]
mod tests;
