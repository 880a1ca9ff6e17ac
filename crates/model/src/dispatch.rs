//! Dispatching rules: which warm server an arriving job joins.

mod join_below_threshold;
mod power_of_d;

pub use join_below_threshold::JoinBelowThreshold;
pub use power_of_d::PowerOfD;

use crate::named::{Kind, names};
use crate::{Buffer, ModelError, Occupancy};

/// A dispatching rule; ties are broken at random.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(strum::EnumCount))]
pub enum Dispatch {
    /// The shortest of `d` warm servers drawn with replacement.
    PowerOfD(PowerOfD),
    /// A warm server with at most `d` jobs if there is one, else any.
    JoinBelowThreshold(JoinBelowThreshold),
}

/// What happens to arrivals in one state: rates per server and mean service time; they sum to the arrival rate.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Inflow {
    /// `h_i`: accepted jobs that find `i` jobs at their server.
    pub levels: Vec<f64>,
    /// Jobs sent to a full server.
    pub rejected: f64,
    /// Jobs that find no warm server.
    pub lost: f64,
    /// Jobs that join the central queue, where there is one; then the state does not tell how long a job will wait.
    pub queued: Option<f64>,
}

impl Inflow {
    /// All accepted jobs, `sum_i h_i` and those that join a central queue.
    pub fn accepted(&self) -> f64 {
        crate::occupancy::total(&self.levels) + self.queued.unwrap_or(0.0)
    }
}

impl Dispatch {
    /// Every kind of rule.
    pub const KINDS: [&'static Kind<Self>; 3] =
        [&PowerOfD::KIND, &JoinBelowThreshold::KIND, &JoinBelowThreshold::IDLE];

    /// Names in scenario files.
    pub const NAMES: [&'static str; Self::KINDS.len()] = names(&Self::KINDS);

    /// Join the idle queue: join below threshold 0.
    pub const JOIN_IDLE_QUEUE: Self = Self::JoinBelowThreshold(JoinBelowThreshold::new(0));

    /// Power-of-d with `d >= 1`.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] for `d = 0`.
    pub fn power_of_d(d: u32) -> Result<Self, ModelError> {
        PowerOfD::new(d).map(Self::PowerOfD)
    }

    /// Join below threshold `d >= 0`.
    pub const fn join_below_threshold(d: u32) -> Self {
        Self::JoinBelowThreshold(JoinBelowThreshold::new(d))
    }

    /// An idle server if there is one, else the shortest of several: the dispatching of [`crate::Scheme::Tabs`].
    pub const fn idle_or_shortest_of(choices: PowerOfD) -> Self {
        Self::JoinBelowThreshold(JoinBelowThreshold::idle_or(choices))
    }

    /// Every rule, with the parameters that behave differently: what tests, benches and studies loop over.
    ///
    /// # Errors
    /// None in practice: all parameters are valid.
    pub fn catalogue() -> Result<Vec<Self>, ModelError> {
        let mut rules = (1..=3).map(Self::power_of_d).collect::<Result<Vec<_>, _>>()?;
        rules.extend((0..=2).map(Self::join_below_threshold));
        Ok(rules)
    }

    /// Its kind: name and parameters in scenario files.
    pub fn kind(&self) -> &'static Kind<Self> {
        match self {
            Self::PowerOfD(_) => &PowerOfD::KIND,
            Self::JoinBelowThreshold(rule) => rule.kind(),
        }
    }

    /// The values of its kind's parameters.
    pub fn values(&self) -> Vec<f64> {
        match self {
            Self::PowerOfD(rule) => vec![f64::from(rule.d())],
            Self::JoinBelowThreshold(rule) => rule.values(),
        }
    }

    /// The rule's name in scenario files.
    pub fn name(&self) -> &'static str {
        self.kind().name
    }

    /// The rule, if it is one that sends no job to servers with more than so many as long as others have fewer.
    pub fn threshold(&self) -> Option<JoinBelowThreshold> {
        match *self {
            Self::PowerOfD(_) => None,
            Self::JoinBelowThreshold(rule) => Some(rule),
        }
    }

    /// `f_i(x)` into `shares[i]`, one for every level of `warm`; all 0 if no server is warm.
    ///
    /// # Source
    /// Equations (2) and (3).
    pub fn shares(self, warm: &[f64], shares: &mut Vec<f64>) {
        match self {
            Self::PowerOfD(rule) => rule.shares(warm, shares),
            Self::JoinBelowThreshold(rule) => rule.shares(warm, shares),
        }
    }

    /// Where jobs arriving at `arrival_rate` go in `state`.
    pub fn inflow(self, state: &Occupancy, buffer: Buffer, arrival_rate: f64) -> Inflow {
        if state.warm() <= 0.0 {
            return Inflow { lost: arrival_rate, ..Inflow::default() };
        }
        let mut levels = Vec::new();
        self.shares(state.levels(), &mut levels);
        levels.iter_mut().for_each(|share| *share *= arrival_rate);
        let room = buffer.limit().map_or(levels.len(), |limit| levels.len().min(limit as usize));
        let rejected = levels.drain(room..).fold(0.0, |sum, level| sum + level);
        Inflow { levels, rejected, ..Inflow::default() }
    }
}

impl std::fmt::Display for Dispatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::PowerOfD(rule) => rule.fmt(f),
            Self::JoinBelowThreshold(rule) => rule.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::named::check_catalogue;
    use proptest::prelude::*;
    use std::collections::HashSet;
    use strum::EnumCount;

    fn shares(rule: Dispatch, warm: &[f64]) -> Vec<f64> {
        let mut shares = Vec::new();
        rule.shares(warm, &mut shares);
        shares
    }

    #[test]
    fn every_rule_is_made_of_what_is_said_of_it() {
        let rules = Dispatch::catalogue().unwrap();
        let made =
            check_catalogue(&Dispatch::KINDS, &rules, |rule| (rule.kind(), rule.values()), |rule| *rule);
        assert_eq!(made, Ok(()));
        let variants: HashSet<_> = rules.iter().map(std::mem::discriminant).collect();
        assert_eq!(variants.len(), Dispatch::COUNT, "a rule is not in the catalogue");
    }

    #[test]
    fn shares_by_hand() {
        let two = Dispatch::power_of_d(2).unwrap();
        assert_eq!(shares(two, &[0.25, 0.25]), [0.75, 0.25]);
        assert_eq!(shares(Dispatch::JOIN_IDLE_QUEUE, &[0.1, 0.3]), [1.0, 0.0]);
        assert_eq!(shares(Dispatch::JOIN_IDLE_QUEUE, &[0.0, 0.125, 0.375]), [0.0, 0.25, 0.75]);
        assert_eq!(shares(Dispatch::join_below_threshold(1), &[0.125, 0.375, 0.25]), [0.25, 0.75, 0.0]);
    }

    #[test]
    fn jobs_are_lost_without_warm_servers_and_rejected_at_full_ones() {
        let cold = Occupancy::new(0.2, vec![]).unwrap();
        let full = Occupancy::new(0.0, vec![0.0, 0.0, 0.5]).unwrap();
        for rule in Dispatch::catalogue().unwrap() {
            let inflow = rule.inflow(&cold, Buffer::Infinite, 0.7);
            assert_eq!((inflow.lost, inflow.rejected, inflow.accepted()), (0.7, 0.0, 0.0));
        }
        let inflow = Dispatch::JOIN_IDLE_QUEUE.inflow(&full, Buffer::finite(2).unwrap(), 0.7);
        assert_eq!((inflow.lost, inflow.rejected, inflow.accepted()), (0.0, 0.7, 0.0));
    }

    proptest! {
        #[test]
        fn shares_are_a_distribution(warm in prop::collection::vec(prop_oneof![Just(0.0), 0.0f64..1.0], 1..9)) {
            for rule in Dispatch::catalogue().unwrap() {
                let shares = shares(rule, &warm);
                let expected = if warm.iter().sum::<f64>() > 0.0 { 1.0 } else { 0.0 };
                prop_assert!((shares.iter().sum::<f64>() - expected).abs() < 1e-12);
                prop_assert!(shares.iter().zip(&warm).all(|(f, x)| *f >= 0.0 && (*x > 0.0 || *f < 1e-12)));
            }
        }
    }
}
