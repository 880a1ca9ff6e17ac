//! Policies by name.

use alba_model::{Dispatch, JoinBelowThreshold, PowerOfD};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::policy::{self, Policy};
use crate::{ClusterError, Decimal, PartitionTable, Ratios, Servers};

/// A policy as a person asks for it, with its parameters; [`crate::policy`] has what each does.
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
    PowerOfD(PowerOfD),
    /// One with at most `d` requests, else any.
    JoinBelowThreshold(JoinBelowThreshold),
    /// An idle one, else as the rule says.
    JoinIdleQueue {
        /// Among busy servers.
        otherwise: PowerOfD,
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
            Self::PowerOfD(PowerOfD::new(2)?),
            Self::JoinBelowThreshold(JoinBelowThreshold::new(1)),
            Self::JoinIdleQueue { otherwise: PowerOfD::new(1)? },
            Self::MostRecentlyUsedIdle,
            Self::LeastWorkLeft,
        ])
    }

    /// Its name in scenario files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::PhasePartition { .. } => "phase-partition",
            Self::PowerSaving { .. } => "phase-partition-power-saving",
            Self::RoundRobin => "round-robin",
            Self::LeastConnections => "least-connections",
            Self::WeightedRoundRobin => "weighted-round-robin",
            Self::WeightedLeastConnections => "weighted-least-connections",
            Self::Random => "random",
            Self::PowerOfD(_) => "power-of-d",
            Self::JoinBelowThreshold(_) => "join-below-threshold",
            Self::JoinIdleQueue { .. } => "join-idle-queue",
            Self::MostRecentlyUsedIdle => "most-recently-used-idle",
            Self::LeastWorkLeft => "least-work-left",
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
            Self::RoundRobin => Box::new(policy::RoundRobin::new(count, random)),
            Self::LeastConnections => Box::new(policy::LeastConnections::new(count)),
            Self::WeightedRoundRobin => Box::new(policy::WeightedRoundRobin::new(servers.weights(), random)),
            Self::WeightedLeastConnections => {
                Box::new(policy::WeightedLeastConnections::new(servers.weights()))
            }
            Self::Random => Box::new(policy::Random::new(count)),
            Self::PowerOfD(rule) => Box::new(policy::PowerOfD::new(rule, count)),
            Self::JoinBelowThreshold(rule) => Box::new(policy::JoinBelowThreshold::new(rule, count)),
            Self::JoinIdleQueue { otherwise } => Box::new(policy::JoinIdleQueue::new(otherwise, count)),
            Self::MostRecentlyUsedIdle => Box::new(policy::MostRecentlyUsedIdle::new(count)),
            Self::LeastWorkLeft => Box::new(policy::LeastWorkLeft::new(count)),
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
    Ok(Box::new(policy::PhasePartition::new(table, first_phase)?))
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
mod tests {
    use super::*;

    #[test]
    fn all_names_are_in_the_catalogue() {
        let names: Vec<_> = Arbitrator::catalogue().unwrap().iter().map(Arbitrator::name).collect();
        let known: Vec<_> = Arbitrator::ALL.into_iter().filter(|name| names.contains(name)).collect();
        assert_eq!(known, Arbitrator::ALL);
        assert!(names.iter().all(|name| Arbitrator::ALL.contains(name)));
        for dispatch in Dispatch::catalogue().unwrap() {
            assert!(Arbitrator::ALL.contains(&dispatch.name()));
        }
    }
}
