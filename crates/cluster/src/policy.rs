//! Policies: which server gets a request.

mod join_below_threshold;
mod join_idle_queue;
mod least_work_left;
mod most_recently_used_idle;
mod power_of_d;
mod random;
mod weighted_least_connections;
mod weighted_round_robin;

pub use join_below_threshold::JoinBelowThreshold;
pub use join_idle_queue::JoinIdleQueue;
pub use least_work_left::LeastWorkLeft;
pub use most_recently_used_idle::MostRecentlyUsedIdle;
pub use power_of_d::PowerOfD;
pub use random::Random;
pub use weighted_least_connections::WeightedLeastConnections;
pub use weighted_round_robin::WeightedRoundRobin;

use rand_xoshiro::Xoshiro256PlusPlus;

/// What a server tells the policy.
#[derive(Debug, Clone, Copy, PartialEq)]
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
    /// Whether it takes one more request.
    pub fn has_room(&self) -> bool {
        self.available && self.connections < self.capacity
    }
}

/// Decides which server gets a request.
///
/// Servers tell of every change of theirs, so that no decision looks at all of them.
pub trait Policy {
    /// `server`, from 0, is now like this. Servers that were never heard of are not available.
    fn notify(&mut self, server: usize, load: ServerLoad);

    /// The server for one more request; none: it is refused. The server may be full: then it refuses.
    fn pick(&mut self, random: &mut Xoshiro256PlusPlus) -> Option<usize>;
}
