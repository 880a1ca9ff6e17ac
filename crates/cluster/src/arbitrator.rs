//! Policies by name.

use alba_model::{Dispatch, JoinBelowThreshold, ModelError, PowerOfD};

use crate::policy::{self, Policy};
use crate::{ClusterError, Servers};

/// A policy as a person asks for it, with its parameters; [`crate::policy`] has what each does.
#[derive(Debug, Clone, PartialEq)]
pub enum Arbitrator {
    /// Turns in proportion to weights.
    WeightedRoundRobin,
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
    pub const ALL: [&'static str; 8] = [
        "weighted-round-robin",
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
    pub fn catalogue() -> Result<Vec<Self>, ModelError> {
        Ok(vec![
            Self::WeightedRoundRobin,
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

    /// The policy for these servers, before any of them was heard of.
    ///
    /// # Errors
    /// [`ClusterError::NeedsCapacity`] where a policy has nothing to go by.
    pub fn build(&self, servers: &Servers) -> Result<Box<dyn Policy>, ClusterError> {
        let count = servers.count();
        Ok(match *self {
            Self::WeightedRoundRobin => Box::new(policy::WeightedRoundRobin::new(servers.weights())),
            Self::WeightedLeastConnections => Box::new(policy::WeightedLeastConnections::new(servers.weights())),
            Self::Random => Box::new(policy::Random::new(count)),
            Self::PowerOfD(rule) => Box::new(policy::PowerOfD::new(rule, count)),
            Self::JoinBelowThreshold(rule) => Box::new(policy::JoinBelowThreshold::new(rule, count)),
            Self::JoinIdleQueue { otherwise } => Box::new(policy::JoinIdleQueue::new(otherwise, count)),
            Self::MostRecentlyUsedIdle => Box::new(policy::MostRecentlyUsedIdle::new(count)),
            Self::LeastWorkLeft => Box::new(policy::LeastWorkLeft::new(count)),
        })
    }
}

impl From<Dispatch> for Arbitrator {
    /// The policy that does with numbered servers what the rule does with counts.
    fn from(dispatch: Dispatch) -> Self {
        match dispatch {
            Dispatch::PowerOfD(rule) => Self::PowerOfD(rule),
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
            Self::WeightedRoundRobin
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
