//! Policies: which server gets a request, and their names.
//!
//! One that is to be added is a file in `policy/` that implements [`Policy`], and a variant of [`Arbitrator`]: the compiler asks what
//! else has to be known of it, tests loop over its catalogue, and a scenario file says it as `policies.rs` of the section reads and
//! writes it.

mod least_connections;
mod least_work_left;
mod literal_least_connections;
mod literal_partition;
mod literal_round_robin;
mod most_recently_used_idle;
mod phase_partition;
mod random;
mod round_robin;
mod rules;
mod weighted_least_connections;
mod weighted_round_robin;

pub use least_connections::LeastConnections;
pub use least_work_left::LeastWorkLeft;
pub use literal_least_connections::LiteralLeastConnections;
pub use literal_partition::LiteralPartition;
pub use literal_round_robin::LiteralRoundRobin;
pub use most_recently_used_idle::MostRecentlyUsedIdle;
pub use phase_partition::PhasePartition;
pub use random::Random;
pub use round_robin::RoundRobin;
pub use rules::{JoinBelowThreshold, PowerOfD};
pub use weighted_least_connections::WeightedLeastConnections;
pub use weighted_round_robin::WeightedRoundRobin;

use alba_model::{Dispatch, Kind, names};
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
#[cfg_attr(test, derive(strum::EnumCount))]
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
    /// As a dispatching rule of the model says.
    Rule(Dispatch),
    /// The idle one that was busy last, else any.
    MostRecentlyUsedIdle,
    /// The one that would be empty first.
    LeastWorkLeft,
}

/// What is known of a policy before any run.
#[derive(Debug, Clone, Copy)]
struct Facts {
    /// Whether servers are taken in the order of their numbers.
    by_number: bool,
    /// Whether it goes by the weights of servers.
    by_weight: bool,
    chance: Chance,
}

/// What a policy leaves to chance.
#[derive(Debug, Clone, Copy)]
enum Chance {
    Nothing,
    /// An order of servers: nothing, where all are alike.
    Names,
    /// Who is picked.
    Draws,
}

/// Puts `some` names at `index` and after.
const fn put(all: &mut [&'static str], index: usize, some: &[&'static str]) -> usize {
    let mut next = 0;
    while next < some.len() {
        all[index + next] = some[next];
        next += 1;
    }
    index + next
}

impl Arbitrator {
    /// Every kind of policy but the phase-partition arbitrators and the rules of [`Dispatch`].
    pub const KINDS: [&'static Kind<Self>; 7] = [
        &round_robin::KIND,
        &weighted_round_robin::KIND,
        &least_connections::KIND,
        &weighted_least_connections::KIND,
        &random::KIND,
        &most_recently_used_idle::KIND,
        &least_work_left::KIND,
    ];

    /// Names in scenario files; those that [`Dispatch`] has mean the same.
    pub const ALL: [&'static str; 2 + Self::KINDS.len() + Dispatch::NAMES.len()] = {
        let mut all = [""; 2 + Self::KINDS.len() + Dispatch::NAMES.len()];
        let (first, last) = names(&Self::KINDS).split_at(5);
        let next = put(&mut all, 0, &["phase-partition", "phase-partition-power-saving"]);
        let next = put(&mut all, next, first);
        let next = put(&mut all, next, &Dispatch::NAMES);
        put(&mut all, next, last);
        all
    };

    /// Every policy of [`Self::ALL`], with typical parameters: what tests, benches and studies loop over.
    ///
    /// # Errors
    /// None in practice: all parameters are valid.
    pub fn catalogue() -> Result<Vec<Self>, ClusterError> {
        let ratios = Ratios::parse(&["2", "2.5", "2"])?;
        let mut all = vec![
            Self::PhasePartition { ratios: ratios.clone() },
            Self::PowerSaving { ratios, eta: "0.7".parse()? },
            Self::RoundRobin,
            Self::WeightedRoundRobin,
            Self::LeastConnections,
            Self::WeightedLeastConnections,
            Self::Random,
            Self::MostRecentlyUsedIdle,
            Self::LeastWorkLeft,
        ];
        all.extend(Dispatch::catalogue()?.into_iter().map(Self::Rule));
        Ok(all)
    }

    /// Its name in scenario files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::PhasePartition { .. } => Self::ALL[0],
            Self::PowerSaving { .. } => Self::ALL[1],
            Self::Rule(dispatch) => dispatch.name(),
            Self::RoundRobin => round_robin::KIND.name,
            Self::WeightedRoundRobin => weighted_round_robin::KIND.name,
            Self::LeastConnections => least_connections::KIND.name,
            Self::WeightedLeastConnections => weighted_least_connections::KIND.name,
            Self::Random => random::KIND.name,
            Self::MostRecentlyUsedIdle => most_recently_used_idle::KIND.name,
            Self::LeastWorkLeft => least_work_left::KIND.name,
        }
    }

    /// The values of its kind's parameters, if it is one of [`Self::KINDS`].
    pub fn values(&self) -> Option<Vec<f64>> {
        match self {
            Self::PhasePartition { .. } | Self::PowerSaving { .. } | Self::Rule(_) => None,
            Self::RoundRobin
            | Self::WeightedRoundRobin
            | Self::LeastConnections
            | Self::WeightedLeastConnections
            | Self::Random
            | Self::MostRecentlyUsedIdle
            | Self::LeastWorkLeft => Some(vec![]),
        }
    }

    /// What is known of it before any run.
    fn facts(&self) -> Facts {
        let random = Facts { by_number: false, by_weight: false, chance: Chance::Draws };
        match self {
            Self::PhasePartition { .. } | Self::PowerSaving { .. } => {
                Facts { by_number: true, chance: Chance::Nothing, ..random }
            }
            Self::RoundRobin => Facts { chance: Chance::Names, ..random },
            Self::WeightedRoundRobin => Facts { by_weight: true, chance: Chance::Names, ..random },
            Self::WeightedLeastConnections => Facts { by_weight: true, ..random },
            Self::LeastConnections
            | Self::Random
            | Self::Rule(_)
            | Self::MostRecentlyUsedIdle
            | Self::LeastWorkLeft => random,
        }
    }

    /// Whether servers are taken in the order of their numbers. To all others numbers are names: another numbering changes
    /// no distribution.
    pub fn goes_by_number(&self) -> bool {
        self.facts().by_number
    }

    /// Whether it goes by the weights of servers.
    pub fn goes_by_weight(&self) -> bool {
        self.facts().by_weight
    }

    /// Whether it leaves nothing to chance but names: which of the servers that are alike is drawn makes no difference.
    pub(crate) fn is_deterministic(&self, all_alike: bool) -> bool {
        match self.facts().chance {
            Chance::Nothing => true,
            Chance::Names => all_alike,
            Chance::Draws => false,
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
            | Self::Rule(_)
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
            Self::Rule(dispatch) => rules::policy(dispatch, count),
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
        Self::Rule(dispatch)
    }
}

impl std::fmt::Display for Arbitrator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Rule(dispatch) => dispatch.fmt(f),
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
