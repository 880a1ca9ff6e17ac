//! What to simulate, and how much of it.

use alba_model::{Counts, Grid};
use alba_replicate::{Deadline, Persistence};

use crate::error::checked;
use crate::scaling::Chance;
use crate::{Arbitrator, Arrivals, ClusterError, Discipline, Group, Law, Scaling, Servers};

/// How long things take, in mean service times.
#[derive(Debug, Clone, PartialEq)]
pub struct Times {
    /// A request's service demand: its service time in a server of speed 1. Mean > 0.
    pub service: Law,
    /// From a server's start until it is warm.
    pub initialization: Law,
    /// An idle server goes cold after this time; none: it stays warm.
    pub expiration: Option<Law>,
}

/// Numbered servers, what reaches them, where they start, and until when they are watched.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    pub(crate) servers: Servers,
    pub(crate) discipline: Discipline,
    pub(crate) arrivals: Arrivals,
    pub(crate) times: Times,
    pub(crate) scaling: Scaling,
    pub(crate) initial: Counts,
    pub(crate) grid: Grid,
    pub(crate) warm_up: f64,
    pub(crate) unit_s: f64,
}

/// The parts of a [`Problem`], not yet checked against each other.
#[derive(Debug, Clone, PartialEq)]
pub struct ProblemParts {
    /// Numbered servers.
    pub servers: Servers,
    /// How they work.
    pub discipline: Discipline,
    /// When requests arrive.
    pub arrivals: Arrivals,
    /// How long things take.
    pub times: Times,
    /// When servers are started.
    pub scaling: Scaling,
    /// How many servers start in each place. Which servers these are is drawn in every replication; under a policy that
    /// goes by number the lowest numbers are warm with no request, then come those with one, and so on, then those that
    /// initialize, then cold ones. Requests present at the start begin their service at 0.
    pub initial: Counts,
    /// Report times; arrivals up to the last one, it included, are simulated.
    pub grid: Grid,
    /// Left out of averages.
    pub warm_up: f64,
}

impl Problem {
    /// Checks the parts.
    ///
    /// # Errors
    /// [`ClusterError::OutOfRange`] for service times of mean 0, [`ClusterError::InitialServers`] for another number of
    /// servers, [`ClusterError::InitialRequests`] for requests above some server's capacity, [`ClusterError::WarmUp`] unless
    /// `0 <= warm_up < horizon`.
    pub fn new(parts: ProblemParts) -> Result<Self, ClusterError> {
        let ProblemParts { servers, discipline, arrivals, times, scaling, initial, grid, warm_up } = parts;
        let mean = times.service.mean();
        checked("mean service time", mean, "a finite number > 0", |mean| mean > 0.0)?;
        let places = [initial.cold, initial.initializing];
        let counted =
            places.iter().chain(&initial.warm).fold(0, |sum: u64, &count| sum.saturating_add(count));
        if counted != servers.count() as u64 {
            return Err(ClusterError::InitialServers { initial: counted, servers: servers.count() as u64 });
        }
        let allowed = "0: numbered servers have no central queue";
        checked("jobs waiting at the start", initial.waiting as f64, allowed, |waiting| waiting == 0.0)?;
        let requests = initial.warm.iter().rposition(|&count| count > 0).unwrap_or(0);
        // Any server may start with the most requests.
        for (server, (_, group)) in servers.each().enumerate() {
            if requests > group.room() as usize {
                let (server, capacity) = (server + 1, group.room());
                return Err(ClusterError::InitialRequests { server, requests, capacity });
            }
        }
        let horizon = grid.horizon();
        if !(warm_up >= 0.0 && warm_up < horizon) {
            return Err(ClusterError::WarmUp { warm_up, horizon });
        }
        Ok(Self { servers, discipline, arrivals, times, scaling, initial, grid, warm_up, unit_s: 1.0 })
    }

    /// The same where the unit of time takes `seconds > 0`. Times are kept as whole numbers of a decimal fraction of a second then,
    /// and not of the unit: events that are to come at the same time do.
    ///
    /// # Errors
    /// [`ClusterError::OutOfRange`] otherwise.
    pub fn with_unit_s(self, seconds: f64) -> Result<Self, ClusterError> {
        let unit_s = checked("unit of time", seconds, "a finite number of seconds > 0", |v| v > 0.0)?;
        Ok(Self { unit_s, ..self })
    }

    /// How many servers start in which way: those that are warm with the fewest requests first, cold ones last.
    pub(crate) fn starts(&self) -> impl Iterator<Item = Start> {
        let warm = self.initial.warm.iter().enumerate();
        let warm = warm.flat_map(|(requests, &count)| (0..count).map(move |_| Start::Warm(requests)));
        let initializing = (0..self.initial.initializing).map(|_| Start::Initializing);
        warm.chain(initializing).chain((0..self.initial.cold).map(|_| Start::Cold))
    }

    /// Mean service times of work that all servers do in a unit of time if all of them are busy; none: no limit.
    pub fn most_work(&self) -> Option<f64> {
        let groups = self.servers.groups().iter();
        let work = groups.map(|group| {
            let places = self.discipline.places(group)?;
            Some(f64::from(group.count()) * group.speed() * places / self.times.service.mean())
        });
        work.sum()
    }

    /// Mean lengths of what takes time, and their laws.
    pub(crate) fn durations(&self) -> impl Iterator<Item = (f64, &Law)> {
        let fastest = self.servers.groups().iter().map(Group::speed).fold(1.0, f64::max);
        let Self { times, arrivals, .. } = self;
        let service = (times.service.mean() / fastest, &times.service);
        let others = [Some(&times.initialization), times.expiration.as_ref(), arrivals.gaps()];
        std::iter::once(service).chain(others.into_iter().flatten().map(|law| (law.mean(), law)))
    }

    /// How long delays resemble each other.
    pub(crate) fn persistence(&self) -> Persistence {
        let Some(work) = self.most_work() else { return Persistence::NONE };
        let servers = self.servers.count() as f64;
        let load = self.arrivals.mean_rate(self.warm_up, self.grid.horizon(), servers) / work;
        let variation = self.arrivals.squared_variation() + self.times.service.squared_variation();
        let rooms = self.servers.groups().iter().map(Group::capacity);
        let largest = rooms.reduce(|one, other| Some(one?.max(other?))).flatten();
        Persistence::of_queue(load, variation, largest)
    }

    /// What differs from replication to replication, but for what a policy draws.
    pub fn random_inputs(&self) -> Vec<&'static str> {
        let varies = |law: &Law| law.squared_variation() > 0.0;
        let times = &self.times;
        let chance = self.scaling.facts().chance;
        let starts = self.initial.initializing > 0 || chance != Chance::Nothing;
        let inputs = [
            ("arrivals", self.arrivals.are_random()),
            ("service times", varies(&times.service)),
            ("initialization times", starts && varies(&times.initialization)),
            ("expiration times", times.expiration.as_ref().is_some_and(varies)),
            ("scaling times", chance == Chance::Times),
        ];
        inputs.into_iter().filter(|input| input.1).map(|input| input.0).collect()
    }

    /// The servers.
    pub fn servers(&self) -> &Servers {
        &self.servers
    }

    /// How they work.
    pub fn discipline(&self) -> Discipline {
        self.discipline
    }

    /// When they are started.
    pub fn scaling(&self) -> Scaling {
        self.scaling
    }

    /// The report times.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }
}

/// How a server starts.
pub(crate) enum Start {
    Cold,
    Initializing,
    /// With so many requests.
    Warm(usize),
}

/// How often to simulate a problem, under which policies, and in how much detail.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    pub(crate) replications: u64,
    pub(crate) seed: u64,
    pub(crate) policies: Vec<Arbitrator>,
    pub(crate) levels: usize,
    pub(crate) deadline: Deadline,
}

impl Experiment {
    /// `replications >= 1` of every policy, of which there is at least one. In replication `r` all policies meet the same
    /// arrivals and service demands, which depend on `seed` and `r` alone.
    ///
    /// # Errors
    /// [`ClusterError::NoReplications`], [`ClusterError::NoPolicies`].
    pub fn new(replications: u64, seed: u64, policies: Vec<Arbitrator>) -> Result<Self, ClusterError> {
        if replications == 0 {
            return Err(ClusterError::NoReplications);
        }
        if policies.is_empty() {
            return Err(ClusterError::NoPolicies);
        }
        Ok(Self { replications, seed, policies, levels: 0, deadline: Deadline::NONE })
    }

    /// The same, with the shares of warm servers that hold 0, 1, ..., `levels - 1` requests at every report time.
    #[must_use]
    pub fn with_levels(self, levels: usize) -> Self {
        Self { levels, ..self }
    }

    /// The same, given up with [`ClusterError::OutOfTime`] after `deadline`.
    #[must_use]
    pub fn with_deadline(self, deadline: Deadline) -> Self {
        Self { deadline, ..self }
    }

    /// The policies, in the order of the outcome.
    pub fn policies(&self) -> &[Arbitrator] {
        &self.policies
    }
}
