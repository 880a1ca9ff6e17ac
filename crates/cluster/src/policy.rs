//! Policies: who takes the next request. One file each.

mod least_connections;
mod literal_partition;
mod phase_partition;
mod ranking;
mod round_robin;

pub use least_connections::LeastConnections;
pub use literal_partition::LiteralPartition;
pub use phase_partition::PhasePartition;
pub use round_robin::RoundRobin;

use rand_xoshiro::Xoshiro256PlusPlus;

/// What a policy is told of a server whenever it changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServerLoad {
    /// Requests present, in service or waiting.
    pub connections: u32,
    /// The most that may be present.
    pub capacity: u32,
    /// Warm: may be given requests.
    pub available: bool,
}

impl ServerLoad {
    /// Whether it is warm and not full.
    pub fn takes_one_more(&self) -> bool {
        self.available && self.connections < self.capacity
    }
}

/// Says which server takes the next request. Servers are numbered from 0.
///
/// A policy looks at no server: it is told. Whoever drives it notifies it of every server once before the first pick, and then of each
/// change, also of the one that follows from a pick, before it asks again. So a pick need not look at all servers.
///
/// Round robin and least connections pick available servers only. The phase-partition arbitrator does not look at availability: that it
/// picks a cold server is how it switches servers on, and the request waits there.
pub trait Policy {
    /// A server's load or availability changed.
    fn notify(&mut self, server: usize, load: ServerLoad);

    /// The server that takes the next request; `None`: refused.
    fn pick(&mut self, random: &mut Xoshiro256PlusPlus) -> Option<usize>;
}

#[cfg(test)]
mod tests;
