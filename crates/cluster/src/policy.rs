//! Policies: which server gets a request, and their names.
//!
//! One that is to be added is a file in `policy/` that implements [`Policy`], and a variant of [`Arbitrator`]: the compiler asks what
//! else has to be known of it, tests loop over its catalogue, and a scenario file says it as `policies.rs` of the section reads and
//! writes it.

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

use alba_model::Dispatch;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{ClusterError, Decimal, PartitionTable, Ratios, Servers};

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

/// A policy as a person asks for it, with its parameters; each is a file in `policy/`.
#[derive(Debug, Clone, PartialEq)]
pub enum Arbitrator {
    /// The phase-partition arbitrator in normal mode.
    PhasePartition {
        /// What portions are divided by.
        ratios: Ratios,
    },
    /// The phase-partition arbitrator in power-saving mode: servers are first filled to the share `eta` one after the other.
    PowerSaving {
        /// What portions are divided by.
        ratios: Ratios,
        /// The share, in (0, 1].
        eta: Decimal,
    },
    /// Turns.
    RoundRobin,
    /// Turns in proportion to weights.
    WeightedRoundRobin,
    /// The fewest connections.
    LeastConnections,
    /// The fewest connections per weight.
    WeightedLeastConnections,
    /// Any available server.
    Random,
    /// The shortest of `d` drawn with replacement.
    PowerOfD(alba_model::PowerOfD),
    /// One with at most `d` requests, else any.
    JoinBelowThreshold(alba_model::JoinBelowThreshold),
    /// An idle one, else as the rule says.
    JoinIdleQueue {
        /// Among busy servers.
        otherwise: alba_model::PowerOfD,
    },
    /// The idle one that was busy last, else any.
    MostRecentlyUsedIdle,
    /// The one that would be empty first.
    LeastWorkLeft,
}

impl Arbitrator {
    /// Names in scenario files; those that [`alba_model::Dispatch`] has too mean the same.
    pub const ALL: [&'static str; 12] = [
        "phase-partition",
        "phase-partition-power-saving",
        "round-robin",
        "weighted-round-robin",
        "least-connections",
        "weighted-least-connections",
        "random",
        "power-of-d",
        "join-below-threshold",
        "join-idle-queue",
        "most-recently-used-idle",
        "least-work-left",
    ];

    /// Every policy of [`Self::ALL`], with typical parameters: what tests, benches and studies loop over.
    ///
    /// # Errors
    /// None in practice: all parameters are valid.
    pub fn catalogue() -> Result<Vec<Self>, ClusterError> {
        let ratios = Ratios::parse(&["2", "2.5", "2"])?;
        Ok(vec![
            Self::PhasePartition { ratios: ratios.clone() },
            Self::PowerSaving { ratios, eta: "0.7".parse()? },
            Self::RoundRobin,
            Self::WeightedRoundRobin,
            Self::LeastConnections,
            Self::WeightedLeastConnections,
            Self::Random,
            Self::PowerOfD(alba_model::PowerOfD::new(2)?),
            Self::JoinBelowThreshold(alba_model::JoinBelowThreshold::new(1)),
            Self::JoinIdleQueue { otherwise: alba_model::PowerOfD::new(1)? },
            Self::MostRecentlyUsedIdle,
            Self::LeastWorkLeft,
        ])
    }

    /// Its name in scenario files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::PhasePartition { .. } => Self::ALL[0],
            Self::PowerSaving { .. } => Self::ALL[1],
            Self::RoundRobin => Self::ALL[2],
            Self::LeastConnections => Self::ALL[4],
            Self::WeightedRoundRobin => Self::ALL[3],
            Self::WeightedLeastConnections => Self::ALL[5],
            Self::Random => Self::ALL[6],
            Self::PowerOfD(_) => Self::ALL[7],
            Self::JoinBelowThreshold(_) => Self::ALL[8],
            Self::JoinIdleQueue { .. } => Self::ALL[9],
            Self::MostRecentlyUsedIdle => Self::ALL[10],
            Self::LeastWorkLeft => Self::ALL[11],
        }
    }

    /// Whether servers are taken in the order of their numbers. To all others numbers are names: another numbering changes
    /// no distribution.
    pub fn goes_by_number(&self) -> bool {
        match self {
            Self::PhasePartition { .. } | Self::PowerSaving { .. } => true,
            Self::RoundRobin
            | Self::WeightedRoundRobin
            | Self::LeastConnections
            | Self::WeightedLeastConnections
            | Self::Random
            | Self::PowerOfD(_)
            | Self::JoinBelowThreshold(_)
            | Self::JoinIdleQueue { .. }
            | Self::MostRecentlyUsedIdle
            | Self::LeastWorkLeft => false,
        }
    }

    /// Whether it goes by the weights of servers.
    pub fn goes_by_weight(&self) -> bool {
        match self {
            Self::WeightedRoundRobin | Self::WeightedLeastConnections => true,
            Self::PhasePartition { .. }
            | Self::PowerSaving { .. }
            | Self::RoundRobin
            | Self::LeastConnections
            | Self::Random
            | Self::PowerOfD(_)
            | Self::JoinBelowThreshold(_)
            | Self::JoinIdleQueue { .. }
            | Self::MostRecentlyUsedIdle
            | Self::LeastWorkLeft => false,
        }
    }

    /// Whether it leaves nothing to chance but names: which of the servers that are alike is drawn makes no difference.
    pub(crate) fn is_deterministic(&self, all_alike: bool) -> bool {
        match self {
            Self::RoundRobin | Self::WeightedRoundRobin => all_alike,
            Self::PhasePartition { .. } | Self::PowerSaving { .. } => true,
            Self::LeastConnections
            | Self::WeightedLeastConnections
            | Self::Random
            | Self::PowerOfD(_)
            | Self::JoinBelowThreshold(_)
            | Self::JoinIdleQueue { .. }
            | Self::MostRecentlyUsedIdle
            | Self::LeastWorkLeft => false,
        }
    }

    /// Whether it finds in these servers what it goes by.
    ///
    /// # Errors
    /// Those of [`Self::build`].
    pub fn fits(&self, servers: &Servers) -> Result<(), ClusterError> {
        match self {
            Self::PhasePartition { ratios } => partition(servers, ratios, 1).map(drop),
            Self::PowerSaving { ratios, eta } => {
                partition(servers, ratios, ratios.phase_reaching(eta)?).map(drop)
            }
            Self::RoundRobin
            | Self::WeightedRoundRobin
            | Self::LeastConnections
            | Self::WeightedLeastConnections
            | Self::Random
            | Self::PowerOfD(_)
            | Self::JoinBelowThreshold(_)
            | Self::JoinIdleQueue { .. }
            | Self::MostRecentlyUsedIdle
            | Self::LeastWorkLeft => Ok(()),
        }
    }

    /// The policy for these servers, before any of them was heard of; `random` for an order that is drawn once.
    ///
    /// # Errors
    /// Of the phase-partition arbitrator: [`ClusterError::NeedsCapacity`], and those of [`PartitionTable::new`] and
    /// [`Ratios::phase_reaching`].
    pub fn build(
        &self,
        servers: &Servers,
        random: &mut Xoshiro256PlusPlus,
    ) -> Result<Box<dyn Policy>, ClusterError> {
        let count = servers.count();
        Ok(match *self {
            Self::PhasePartition { ref ratios } => partition(servers, ratios, 1)?,
            Self::PowerSaving { ref ratios, ref eta } => {
                partition(servers, ratios, ratios.phase_reaching(eta)?)?
            }
            Self::RoundRobin => Box::new(RoundRobin::new(count, random)),
            Self::LeastConnections => Box::new(LeastConnections::new(count)),
            Self::WeightedRoundRobin => Box::new(WeightedRoundRobin::new(servers.weights(), random)),
            Self::WeightedLeastConnections => Box::new(WeightedLeastConnections::new(servers.weights())),
            Self::Random => Box::new(Random::new(count)),
            Self::PowerOfD(rule) => Box::new(PowerOfD::new(rule, count)),
            Self::JoinBelowThreshold(rule) => Box::new(JoinBelowThreshold::new(rule, count)),
            Self::JoinIdleQueue { otherwise } => Box::new(JoinIdleQueue::new(otherwise, count)),
            Self::MostRecentlyUsedIdle => Box::new(MostRecentlyUsedIdle::new(count)),
            Self::LeastWorkLeft => Box::new(LeastWorkLeft::new(count)),
        })
    }
}

fn partition(
    servers: &Servers,
    ratios: &Ratios,
    first_phase: usize,
) -> Result<Box<dyn Policy>, ClusterError> {
    let capacities = servers.each().map(|(_, group)| group.capacity());
    let capacities: Option<Vec<u32>> = capacities.collect();
    let capacities =
        capacities.ok_or(ClusterError::NeedsCapacity { what: "the phase-partition arbitrator" })?;
    let table = PartitionTable::new(&capacities, ratios)?;
    // Servers so small that their portions end before that phase are filled at once.
    let first_phase = first_phase.min(table.phases());
    Ok(Box::new(PhasePartition::new(table, first_phase)?))
}

impl From<Dispatch> for Arbitrator {
    /// The policy that does with numbered servers what the rule does with counts.
    fn from(dispatch: Dispatch) -> Self {
        match dispatch {
            Dispatch::PowerOfD(rule) => Self::PowerOfD(rule),
            Dispatch::JoinBelowThreshold(rule) if rule.d() == 0 => {
                Self::JoinIdleQueue { otherwise: rule.otherwise() }
            }
            Dispatch::JoinBelowThreshold(rule) => Self::JoinBelowThreshold(rule),
        }
    }
}

impl std::fmt::Display for Arbitrator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::PowerOfD(rule) => Dispatch::PowerOfD(*rule).fmt(f),
            Self::JoinBelowThreshold(rule) => Dispatch::JoinBelowThreshold(*rule).fmt(f),
            Self::JoinIdleQueue { otherwise } if otherwise.d() > 1 => write!(f, "JIQ-{}", otherwise.d()),
            Self::JoinIdleQueue { .. } => f.write_str("JIQ"),
            Self::PowerSaving { eta, .. } => write!(f, "phase partition (power saving {eta})"),
            Self::PhasePartition { .. }
            | Self::RoundRobin
            | Self::LeastConnections
            | Self::WeightedRoundRobin
            | Self::WeightedLeastConnections
            | Self::Random
            | Self::MostRecentlyUsedIdle
            | Self::LeastWorkLeft => f.write_str(&self.name().replace('-', " ")),
        }
    }
}

#[cfg(test)]
mod tests;
