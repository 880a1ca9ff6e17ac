//! What a person should know of a sweep before it runs.

use alba_compare::Engine;
use alba_model::{ScalingRule, Scheme};
use alba_scenario::Scenario;
use std::fmt;

/// Something that some cells have in common, and that their author may not have meant.
#[derive(Debug, Clone, PartialEq)]
pub struct Lint {
    /// What.
    pub kind: LintKind,
    /// How many cells have it.
    pub cells: u64,
    /// Of so many.
    pub of: u64,
    /// The first of them.
    pub first: u64,
}

/// What cells may have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LintKind {
    /// At least one job per server and service time, for good or on average, and no limit to queues.
    Unstable,
    /// The same with a finite buffer: all servers together cannot do the work.
    Overloaded,
    /// A buffer of one job: no job ever waits.
    NoWaiting,
    /// No server is warm or initializing, and none is ever started.
    NeverWarm,
    /// Fixed points or equilibria are asked for, and the arrival rate changes.
    NoRest,
    /// One replication: no half-widths.
    OneReplication,
    /// Section `[cluster]` makes another system of it than the one that the engine follows.
    NumberedServers,
    /// Nothing starts a server, and idle ones go cold.
    ServersVanish,
    /// A precision is asked for where nothing is left to chance.
    NoPrecision,
}

impl LintKind {
    const ALL: [Self; 9] = [
        Self::Unstable,
        Self::Overloaded,
        Self::NoWaiting,
        Self::NeverWarm,
        Self::NoRest,
        Self::OneReplication,
        Self::NumberedServers,
        Self::ServersVanish,
        Self::NoPrecision,
    ];

    fn applies(self, scenario: &Scenario, engine: &dyn Engine) -> bool {
        let model = scenario.model();
        let limit = model.buffer().limit();
        match self {
            Self::Unstable => limit.is_none() && mean_rate(scenario) >= 1.0,
            Self::Overloaded => limit.is_some() && mean_rate(scenario) >= 1.0,
            Self::NoWaiting => limit == Some(1),
            Self::NeverWarm => {
                let initial = scenario.initial();
                initial.warm() + initial.initializing() == 0.0 && starts_never(scenario)
            }
            Self::NoRest => engine.needs_constant_rate() && model.arrivals().constant_rate().is_none(),
            Self::OneReplication => engine.has_randomness() && scenario.run().replications == 1,
            Self::NumberedServers => {
                !engine.follows_requests() && !scenario.for_numbered_servers_alone().is_empty()
            }
            Self::ServersVanish => scenario.keeps_warm(engine.follows_requests()).is_some(),
            Self::NoPrecision => scenario.run().precision.is_some() && !engine.has_randomness(),
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Unstable => "arrival rate of at least 1 with an infinite buffer: queues grow for ever",
            Self::Overloaded => {
                "arrival rate of at least 1: however many servers are warm, the buffer fills and jobs are rejected"
            }
            Self::NoWaiting => {
                "buffer = 1 holds the job in service alone: every job that is sent to a busy server is rejected"
            }
            Self::NeverWarm => "no server is warm or initializing and none ever starts: every job is lost",
            Self::NoRest => {
                "the arrival rate changes: there is no fixed point or equilibrium, such cells fail"
            }
            Self::OneReplication => "run.replications = 1: there are no half-widths",
            Self::NumberedServers => {
                "section [cluster] is for the engine cluster: [system] and [scheme] are followed"
            }
            Self::ServersVanish => "nothing ever starts a server, and idle ones go cold for ever",
            Self::NoPrecision => {
                "run.precision is for simulate and cluster: this engine leaves nothing to chance"
            }
        }
    }
}

fn mean_rate(scenario: &Scenario) -> f64 {
    let horizon = scenario.run().grid.horizon();
    scenario.model().arrivals().mean_rate(0.0, horizon)
}

fn starts_never(scenario: &Scenario) -> bool {
    match scenario.model().scheme() {
        Scheme::Asynchronous { scaling, .. } => {
            matches!(scaling, ScalingRule::None) || scenario.model().rates().scaling() == 0.0
        }
        Scheme::Tabs(_) | Scheme::CentralQueue => false,
    }
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, cells, of, first } = self;
        write!(f, "{cells} of {of} cells (the first: {first}): {}", kind.text())
    }
}

/// How many cells have what, and which is the first.
#[derive(Debug, Default)]
pub(super) struct Lints([(u64, u64); LintKind::ALL.len()]);

impl Lints {
    pub(super) fn note(&mut self, cell: u64, scenario: &Scenario, engine: &dyn Engine) {
        for (kind, (count, first)) in LintKind::ALL.into_iter().zip(&mut self.0) {
            if kind.applies(scenario, engine) {
                *first = if *count == 0 { cell } else { cell.min(*first) };
                *count += 1;
            }
        }
    }

    pub(super) fn summed(&self, of: u64) -> Vec<Lint> {
        let kinds = LintKind::ALL.into_iter().zip(self.0);
        kinds
            .filter(|(_, (cells, _))| *cells > 0)
            .map(|(kind, (cells, first))| Lint { kind, cells, of, first })
            .collect()
    }
}
