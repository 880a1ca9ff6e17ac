//! What the problem says of a metric before anything is simulated: its limits, and whether it can change at all.

use alba_model::Measure;
use alba_replicate::Nature;

use crate::run::STATE;
use crate::scaling::Chance;
use crate::{Arbitrator, Metric, Problem};

/// What cannot change under a policy.
pub(crate) struct Fixed {
    /// Every replication is the same.
    everything: bool,
    cold: bool,
    initializing: bool,
    always_warm: bool,
    never_warm: bool,
    /// Cold servers are never given requests.
    warm_only: bool,
    never_lost: bool,
    never_full: bool,
    energy: bool,
    servers: f64,
}

impl Fixed {
    pub(crate) fn of(problem: &Problem, policy: &Arbitrator) -> Self {
        let initial = &problem.initial;
        let warm: u64 = initial.warm.iter().sum();
        let scaling = problem.scaling.facts();
        let expiring = problem.times.expiration.is_some();
        let at_once = expiring && warm + initial.initializing > 0;
        let starts = scaling.starts && (initial.cold > 0 || at_once);
        let expirations = at_once || expiring && starts;
        let (cold, initializing) = (!starts && !expirations, initial.initializing == 0 && !starts);
        Self {
            everything: is_deterministic(problem, policy),
            cold,
            initializing,
            always_warm: warm > 0 && !expirations,
            never_warm: warm == 0 && initializing,
            warm_only: !scaling.to_cold || cold && initial.cold == 0 && initializing,
            never_lost: scaling.any_server,
            never_full: problem.servers.groups().iter().all(|group| group.capacity().is_none()),
            energy: cold && initializing && work_draws_nothing(problem),
            servers: problem.servers.count() as f64,
        }
    }

    /// Of a metric of whole runs. Quantiles have intervals of their own.
    pub(crate) fn metric(&self, metric: Metric) -> Nature {
        let jobs = Nature::SHARE.counted(1.0).in_clusters();
        let nature = match metric {
            Metric::P50
            | Metric::P95
            | Metric::P99
            | Metric::P99_9
            | Metric::WaitingP50
            | Metric::WaitingP95
            | Metric::WaitingP99
            | Metric::WaitingP99_9 => Nature::default(),
            Metric::MeanResponseTime | Metric::MeanWaitingTime | Metric::JobsPerServer => {
                Nature::between(0.0, f64::INFINITY)
            }
            Metric::Energy => Nature::between(0.0, f64::INFINITY).constant_if(self.energy),
            Metric::WaitingProbability => jobs,
            Metric::RejectedFraction => jobs.constant_if(self.never_full),
            Metric::LostFraction => jobs.constant_if(self.never_lost || self.always_warm),
            Metric::ColdStartFraction => jobs.constant_if(self.warm_only),
            Metric::Cold => Nature::SHARE.constant_if(self.cold),
            Metric::Initializing => Nature::SHARE.constant_if(self.initializing),
            Metric::Idle | Metric::Busy => Nature::SHARE.constant_if(self.never_warm),
            Metric::ServersOn => Nature::between(0.0, self.servers).constant_if(self.cold),
            Metric::OverloadFraction => Nature::SHARE.constant_if(self.never_full),
        };
        nature.constant_if(self.everything)
    }

    /// Of what is reported at a time, in its order: [`STATE`], `levels` levels, overload.
    pub(crate) fn state(&self, levels: usize) -> impl Iterator<Item = Nature> {
        let measures =
            STATE.into_iter().chain((0..levels).map(Measure::Warm)).map(|measure| self.at(measure));
        measures.chain([self.metric(Metric::OverloadFraction)])
    }

    fn at(&self, measure: Measure) -> Nature {
        let one = 1.0 / self.servers;
        let share = Nature::SHARE.counted(one);
        let nature = match measure {
            Measure::Cold => share.constant_if(self.cold),
            Measure::Initializing => share.constant_if(self.initializing),
            Measure::Idle | Measure::Busy | Measure::Warm(_) => share.constant_if(self.never_warm),
            Measure::JobsPerServer | Measure::JobsPerWarm => Nature::between(0.0, f64::INFINITY).counted(one),
            Measure::Energy => self.metric(Metric::Energy),
            // Not reported at a time.
            Measure::MeanResponseTime
            | Measure::LostFraction
            | Measure::RejectedFraction
            | Measure::SomeWith(_) => Nature::default(),
        };
        nature.constant_if(self.everything)
    }

    /// Of the share of servers with so many requests, over time.
    pub(crate) fn level(&self) -> Nature {
        Nature::SHARE.constant_if(self.everything)
    }
}

/// Whether neither requests nor servers nor the policy leave anything to chance.
fn is_deterministic(problem: &Problem, policy: &Arbitrator) -> bool {
    // Which of the servers that are alike is drawn makes no difference.
    let alike = problem.servers.groups().len() == 1;
    let scaling = match problem.scaling.facts().chance {
        Chance::Nothing => true,
        Chance::Taker => alike,
        Chance::Started | Chance::Times => false,
    };
    let choice = policy.is_deterministic(alike) || problem.servers.count() == 1;
    choice && scaling && problem.random_inputs().is_empty()
}

/// Whether a warm server draws the same with and without work.
fn work_draws_nothing(problem: &Problem) -> bool {
    let same = |draw: &crate::Draw| draw.warm().power_w(0.0) == draw.warm().power_w(1.0);
    problem.servers.groups().iter().all(|group| same(group.draw()))
}
