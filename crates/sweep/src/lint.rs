//! What a person should know of a sweep before it runs.

use alba_compare::Engine;
use alba_scenario::Scenario;
use std::collections::BTreeMap;
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
    /// The key that it is about, where it is about one.
    pub key: Option<String>,
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
    /// A key that varies, or that was given for this sweep, and that makes no difference to any cell.
    Unread,
}

impl LintKind {
    const ALL: [Self; 8] = [
        Self::Unstable,
        Self::Overloaded,
        Self::NoWaiting,
        Self::NeverWarm,
        Self::NoRest,
        Self::OneReplication,
        Self::NumberedServers,
        Self::ServersVanish,
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
                initial.warm() + initial.initializing() == 0.0 && !model.starts_servers()
            }
            Self::NoRest => engine.needs_constant_rate() && model.arrivals().constant_rate().is_none(),
            Self::OneReplication => engine.has_randomness() && scenario.run().replications == 1,
            Self::NumberedServers => {
                !engine.follows_requests() && !scenario.for_numbered_servers_alone().is_empty()
            }
            Self::ServersVanish => scenario.keeps_warm(engine.follows_requests()).is_some(),
            // Of keys, not of cells: see Lints::note.
            Self::Unread => false,
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
            Self::Unread => "no engine here depends on",
        }
    }
}

fn mean_rate(scenario: &Scenario) -> f64 {
    let horizon = scenario.run().grid.horizon();
    scenario.model().arrivals().mean_rate(0.0, horizon)
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, cells, of, first, key } = self;
        write!(f, "{cells} of {of} cells (the first: {first}): {}", kind.text())?;
        key.as_ref().map_or(Ok(()), |key| write!(f, " {key}"))
    }
}

/// How many cells have what, and which is the first.
#[derive(Debug, Default)]
pub(super) struct Lints {
    kinds: [Count; LintKind::ALL.len()],
    all: Count,
    /// For each key that makes no difference to some cell.
    unread: BTreeMap<String, Count>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Count {
    cells: u64,
    first: u64,
}

impl Count {
    fn add(&mut self, cell: u64) {
        self.first = if self.cells == 0 { cell } else { cell.min(self.first) };
        self.cells += 1;
    }

    fn lint(self, kind: LintKind, of: u64, key: Option<String>) -> Lint {
        Lint { kind, cells: self.cells, of, first: self.first, key }
    }
}

impl Lints {
    /// `given` are the keys that vary or were given for this sweep alone.
    pub(super) fn note(&mut self, cell: u64, scenario: &Scenario, engine: &dyn Engine, given: &[String]) {
        for (kind, count) in LintKind::ALL.into_iter().zip(&mut self.kinds) {
            if kind.applies(scenario, engine) {
                count.add(cell);
            }
        }
        self.all.add(cell);
        let unread = |key: &&String| engine.reader().is_some_and(|reader| scenario.is_unread(key, reader));
        given.iter().filter(unread).for_each(|key| self.unread.entry(key.clone()).or_default().add(cell));
    }

    pub(super) fn summed(self, of: u64) -> Vec<Lint> {
        let kinds = LintKind::ALL.into_iter().zip(self.kinds).filter(|(_, count)| count.cells > 0);
        // What some engine depends on is there for that one.
        let unread = self.unread.into_iter().filter(|(_, count)| count.cells == self.all.cells);
        let kinds = kinds.map(|(kind, count)| count.lint(kind, of, None));
        kinds.chain(unread.map(|(key, count)| count.lint(LintKind::Unread, of, Some(key)))).collect()
    }
}
