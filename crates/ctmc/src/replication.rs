//! One replication: from stop to stop, with a look at the state at every grid point.

use std::ops::Range;

use alba_model::{Account, Delay, Ledger, PowerDraw, ScalingRule, Scheme, Snapshot};

use crate::agenda::{Task, agenda};
use crate::central_queue::CentralQueue;
use crate::chain::{Chain, Engine, Reached};
use crate::events::{EventCounts, Tally, TurnedAway};
use crate::pick::{Pick, WithPick, with_pick};
use crate::random::Streams;
use crate::servers::{Integrals, Servers};
use crate::system::System;
use crate::uniformized::{MOST_SERVERS_ABREAST, Means, Uniformized, run_abreast};
use crate::{CtmcError, Problem};

/// What one replication counted on its way.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    /// All events.
    pub(crate) events: EventCounts,
    /// What happened after the warm-up; none if the replication ended before.
    pub(crate) average: Option<Average>,
}

/// A stretch of a path, from the warm-up to its end.
#[derive(Debug, Clone)]
pub(crate) struct Average {
    pub(crate) duration: f64,
    pub(crate) integrals: Integrals,
    /// `found[i]`: accepted jobs that found `i` jobs.
    pub(crate) found: Vec<u64>,
    pub(crate) turned_away: TurnedAway,
    /// Accepted jobs that joined the central queue, where there is one.
    pub(crate) queued: Option<u64>,
}

impl Average {
    /// Over `duration`, of what an engine gave at its end.
    pub(crate) fn new(problem: &Problem, duration: f64, integrals: Integrals, tally: &Tally) -> Self {
        Self {
            duration,
            integrals,
            found: tally.found.clone(),
            turned_away: tally.turned_away(),
            queued: (problem.model.scheme() == Scheme::CentralQueue).then_some(tally.queued),
        }
    }
}

impl Average {
    /// What it keeps of `servers` servers: over time by integrals, over jobs by counts.
    pub(crate) fn ledger<'a>(&'a self, servers: f64, power: &'a PowerDraw) -> PathLedger<'a> {
        PathLedger { average: self, servers, power }
    }
}

/// See [`Average::ledger`].
#[derive(Clone, Copy)]
pub(crate) struct PathLedger<'a> {
    average: &'a Average,
    servers: f64,
    power: &'a PowerDraw,
}

impl PathLedger<'_> {
    fn tail(&self, level: usize) -> f64 {
        self.average.integrals.tails.get(level).copied().unwrap_or(0.0)
    }

    fn jobs(&self) -> f64 {
        self.average.integrals.waiting + self.average.integrals.tails.iter().skip(1).sum::<f64>()
    }

    /// Jobs accepted, times what `of` says of the number of jobs at their server with them; none under a central queue, where
    /// that does not tell how long they stay.
    fn over_found(&self, of: impl Fn(u64) -> u64) -> Option<f64> {
        let found = || self.average.found.iter().zip(1u64..);
        let sum = || found().map(|(&count, jobs)| count as f64 * of(jobs) as f64).sum();
        self.average.queued.is_none().then(sum)
    }
}

impl Ledger for PathLedger<'_> {
    fn servers(&self) -> f64 {
        self.servers
    }

    fn duration(&self) -> f64 {
        self.average.duration
    }

    fn get(&self, account: Account) -> Option<f64> {
        let (integrals, away) = (&self.average.integrals, &self.average.turned_away);
        let (idle, busy) = (self.tail(0) - self.tail(1), self.tail(1));
        let accepted = || self.average.found.iter().sum::<u64>() + self.average.queued.unwrap_or(0);
        Some(match account {
            Account::Cold => integrals.cold,
            Account::Initializing => integrals.initializing,
            Account::Idle => idle,
            Account::Busy => busy,
            Account::Warm => self.tail(0),
            Account::On => integrals.initializing + self.tail(0),
            Account::WarmWith(level) => self.tail(level) - self.tail(level + 1),
            Account::Jobs | Account::JobsOfWarm => self.jobs(),
            Account::Energy => self.power.of(integrals.cold, integrals.initializing, idle, busy),
            Account::Arrivals => away.arrivals as f64,
            Account::Lost => away.lost as f64,
            Account::Rejected => away.rejected as f64,
            Account::Accepted | Account::Responses => accepted() as f64,
            // Little's law under a central queue: which jobs have waited how long is not kept.
            Account::ResponseTimes => self.over_found(|jobs| jobs).unwrap_or_else(|| self.jobs()),
            Account::Waits => self.average.queued.is_none().then(accepted)? as f64,
            Account::WaitingTimes => self.over_found(|jobs| jobs - 1)?,
            Account::Waited => self.over_found(|jobs| u64::from(jobs > 1))?,
            // No integral is kept, no server knows its capacity, and jobs go to warm servers only.
            Account::SomeWith(_) | Account::Overload | Account::ColdStarts => None?,
        })
    }

    /// Percentiles are those of the jobs of all replications together.
    fn quantile(&self, _delay: Delay, _probability: f64) -> Option<f64> {
        None
    }
}

/// Runs these replications, several at once where that is faster, which shows in nothing else. `look` gets the replication and
/// the state at each grid point, in order, until the replication ends.
pub(crate) fn run(
    problem: &Problem,
    seed: u64,
    replications: Range<u64>,
    means: Means,
    look: &mut dyn FnMut(u64, &Snapshot),
) -> Vec<Result<Run, CtmcError>> {
    let stops = agenda(problem);
    let several = Several { problem, stops: &stops, seed, replications: replications.clone(), means, look };
    if let Some(Some(runs)) = with_pick(problem.model.scheme(), several) {
        return runs;
    }
    let singly = |replication| {
        let mut engine = engine(problem, Streams::new(seed, replication), Some(means));
        run_on(&mut *engine, problem, &stops, &mut |snapshot| look(replication, snapshot))
    };
    replications.map(singly).collect()
}

/// One replication on an engine of one's choice.
pub(crate) fn run_on(
    engine: &mut dyn Engine,
    problem: &Problem,
    stops: &[(f64, Task)],
    look: &mut dyn FnMut(&Snapshot),
) -> Result<Run, CtmcError> {
    let mut walk = Walk::new(problem, stops, engine);
    loop {
        if let Some(run) = walk.go_on(engine, |engine, time| engine.advance(time).map(Some), look)? {
            return Ok(run);
        }
    }
}

/// The way of a replication from stop to stop.
pub(crate) struct Walk<'a> {
    problem: &'a Problem,
    /// Those to come.
    stops: &'a [(f64, Task)],
    averaging: bool,
}

impl<'a> Walk<'a> {
    /// At its first stop, with `engine` at its beginning.
    pub(crate) fn new(
        problem: &'a Problem,
        stops: &'a [(f64, Task)],
        engine: &mut (impl Engine + ?Sized),
    ) -> Self {
        let stops = match stops {
            [(time, Task::SetArrivalRate(rate)), rest @ ..] => {
                engine.set_arrival_rate(*rate, *time);
                rest
            }
            _ => stops,
        };
        Self { problem, stops, averaging: false }
    }

    /// The time of the next stop; infinite after the last.
    pub(crate) fn next_stop(&self) -> f64 {
        self.stops.first().map_or(f64::INFINITY, |stop| stop.0)
    }

    /// From stop to stop as long as `advance` reaches them; all that is to be known of the replication if that was its end.
    pub(crate) fn go_on<E: Engine + ?Sized>(
        &mut self,
        engine: &mut E,
        mut advance: impl FnMut(&mut E, f64) -> Result<Option<Reached>, CtmcError>,
        look: &mut dyn FnMut(&Snapshot),
    ) -> Result<Option<Run>, CtmcError> {
        while let Some((&(time, task), rest)) = self.stops.split_first() {
            match advance(engine, time)? {
                None => return Ok(None),
                Some(Reached::MaxEvents(end)) => return Ok(Some(self.finish(engine, end))),
                Some(Reached::Time) => self.stops = rest,
            }
            match task {
                Task::SetArrivalRate(rate) => engine.set_arrival_rate(rate, time),
                Task::BeginAverages => {
                    self.problem.deadline.check()?;
                    engine.begin_averages(time);
                    self.averaging = true;
                }
                Task::Pause => self.problem.deadline.check()?,
                Task::Look => look(&self.problem.model.snapshot(time, engine.counts().occupancy()?)),
            }
        }
        Ok(Some(self.finish(engine, self.problem.grid.horizon())))
    }

    fn finish(&self, engine: &mut (impl Engine + ?Sized), time: f64) -> Run {
        let (integrals, tally) = engine.finish(time);
        let duration = time - self.problem.warm_up;
        let average = self.averaging.then(|| Average::new(self.problem, duration, integrals, &tally));
        Run { events: tally.all(), average }
    }
}

/// Several replications side by side, if rule and system are fit for it.
struct Several<'a> {
    problem: &'a Problem,
    stops: &'a [(f64, Task)],
    seed: u64,
    replications: Range<u64>,
    means: Means,
    look: &'a mut dyn FnMut(u64, &Snapshot),
}

impl WithPick for Several<'_> {
    type Output = Option<Vec<Result<Run, CtmcError>>>;

    fn with<P: Pick + 'static>(self, pick: P, scaling: ScalingRule) -> Self::Output {
        // Where idle servers get the jobs, few counts are needed, and a chain alone is faster.
        if P::CHOICES == 0 || pick.prefers_idle() || self.problem.servers() > MOST_SERVERS_ABREAST {
            return None;
        }
        let system = System::new(pick, scaling, self.problem);
        if system.leaves_out_idle {
            return None;
        }
        let lane = |replication| {
            let streams = Streams::new(self.seed, replication);
            let mut engine = Uniformized::new(system, &self.problem.initial, streams, self.means)?;
            Some((Walk::new(self.problem, self.stops, &mut engine), engine))
        };
        let first = self.replications.start;
        let lanes = self.replications.map(lane).collect::<Option<Vec<_>>>()?;
        Some(run_abreast(lanes, self.means, &mut |lane, snapshot| (self.look)(first + lane as u64, snapshot)))
    }
}

/// One replication.
struct Alone<'a> {
    problem: &'a Problem,
    streams: Streams,
    means: Option<Means>,
}

impl WithPick for Alone<'_> {
    type Output = Box<dyn Engine>;

    fn with<P: Pick + 'static>(self, pick: P, scaling: ScalingRule) -> Self::Output {
        let Self { problem, streams, means } = self;
        let system = System::new(pick, scaling, problem);
        let means = means.filter(|_| !system.leaves_out_idle);
        let fast = means.and_then(|means| Uniformized::new(system, &problem.initial, streams, means));
        if let Some(engine) = fast {
            return Box::new(engine);
        }
        let servers = Servers::new(&problem.initial);
        let tally = Tally::new(servers.tails.len());
        Box::new(Chain::new(system, servers, tally, streams.scalar()))
    }
}

/// The engine for the problem's scheme: the fast one by `means`, if any, where the state fits its table, else the one that
/// goes event by event.
pub(crate) fn engine(problem: &Problem, streams: Streams, means: Option<Means>) -> Box<dyn Engine> {
    with_pick(problem.model.scheme(), Alone { problem, streams, means }).unwrap_or_else(|| {
        let servers = Servers::new(&problem.initial);
        let most = problem.max_events.unwrap_or(u64::MAX);
        Box::new(CentralQueue::new(&problem.model, servers, most, streams.scalar()))
    })
}
