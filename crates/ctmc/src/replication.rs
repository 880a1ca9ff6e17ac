//! One replication: from stop to stop, with a look at the state at every grid point.

use alba_model::{Dispatch, ScalingRule, Scheme, Snapshot};

use crate::central_queue::CentralQueue;
use crate::chain::{Chain, Engine, Reached};
use crate::events::{EventCounts, Tally, TurnedAway};
use crate::pick::{Below, BestOf, BestOfFew, IdleOrBestOf, Pick};
use crate::random::Streams;
use crate::servers::{Integrals, Servers};
use crate::system::System;
use crate::uniformized::{Means, Uniformized};
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

/// Runs replication `replication`; `look` gets the state at each grid point, in order, until the replication ends.
pub(crate) fn run(
    problem: &Problem,
    seed: u64,
    replication: u64,
    look: impl FnMut(&Snapshot),
) -> Result<Run, CtmcError> {
    let streams = Streams::new(seed, replication);
    run_on(engine(problem, streams, Some(Means::default())), problem, look)
}

/// The same on an engine of one's choice.
pub(crate) fn run_on(
    engine: Box<dyn Engine>,
    problem: &Problem,
    mut look: impl FnMut(&Snapshot),
) -> Result<Run, CtmcError> {
    let (model, grid) = (&problem.model, &problem.grid);
    let mut walk = Walk { problem, engine, averaging: false };
    let mut next_point = 0;
    for segment in model.arrivals().segments(grid.horizon()) {
        walk.engine.set_arrival_rate(segment.rate, segment.start);
        // A grid point at a step comes before it: the state is the same, and its arrival rate is the profile's.
        while next_point < grid.points() && grid.time(next_point) <= segment.end {
            let time = grid.time(next_point);
            if let ended @ Reached::MaxEvents(_) = walk.go_to(time)? {
                return Ok(walk.finish(ended));
            }
            look(&model.snapshot(time, walk.engine.counts().occupancy()?));
            next_point += 1;
        }
        if let ended @ Reached::MaxEvents(_) = walk.go_to(segment.end)? {
            return Ok(walk.finish(ended));
        }
    }
    Ok(walk.finish(Reached::Time))
}

struct Walk<'a> {
    problem: &'a Problem,
    engine: Box<dyn Engine>,
    averaging: bool,
}

impl Walk<'_> {
    /// Runs to `time`, with a stop at the end of the warm-up on the way.
    fn go_to(&mut self, time: f64) -> Result<Reached, CtmcError> {
        let warm_up = self.problem.warm_up;
        if !self.averaging && warm_up <= time {
            let reached = self.engine.advance(warm_up)?;
            if reached != Reached::Time {
                return Ok(reached);
            }
            self.engine.begin_averages(warm_up);
            self.averaging = true;
        }
        self.engine.advance(time)
    }

    fn finish(mut self, end: Reached) -> Run {
        let time = match end {
            Reached::Time => self.problem.grid.horizon(),
            Reached::MaxEvents(time) => time,
        };
        let (integrals, tally) = self.engine.finish(time);
        let average = self.averaging.then(|| Average {
            duration: time - self.problem.warm_up,
            integrals,
            found: tally.found.clone(),
            turned_away: tally.turned_away(),
            queued: (self.problem.model.scheme() == Scheme::CentralQueue).then_some(tally.queued),
        });
        Run { events: tally.all(), average }
    }
}

/// The engine for the problem's scheme: the fast one by `means`, if any, where the state fits its table, else the one that
/// goes event by event.
pub(crate) fn engine(problem: &Problem, streams: Streams, means: Option<Means>) -> Box<dyn Engine> {
    let model = &problem.model;
    match model.scheme() {
        Scheme::Asynchronous { dispatch, scaling } => match dispatch {
            Dispatch::PowerOfD(rule) => match rule.d() {
                1 => chain(BestOfFew::<1>, scaling, problem, streams, means),
                2 => chain(BestOfFew::<2>, scaling, problem, streams, means),
                3 => chain(BestOfFew::<3>, scaling, problem, streams, means),
                _ => chain(BestOf::new(rule), scaling, problem, streams, means),
            },
            Dispatch::JoinBelowThreshold(rule) => chain(Below::new(rule), scaling, problem, streams, means),
        },
        Scheme::Tabs(choices) => {
            chain(IdleOrBestOf::new(choices), ScalingRule::None, problem, streams, means)
        }
        Scheme::CentralQueue => {
            let servers = Servers::new(&problem.initial);
            let most = problem.max_events.unwrap_or(u64::MAX);
            Box::new(CentralQueue::new(model, servers, most, streams.scalar()))
        }
    }
}

fn chain<P: Pick + 'static>(
    pick: P,
    scaling: ScalingRule,
    problem: &Problem,
    streams: Streams,
    means: Option<Means>,
) -> Box<dyn Engine> {
    let system = System::new(pick, scaling, problem);
    let fast = means.and_then(|means| Uniformized::new(system, &problem.initial, streams, means));
    if let Some(engine) = fast {
        return Box::new(engine);
    }
    let servers = Servers::new(&problem.initial);
    let tally = Tally::new(servers.tails.len());
    Box::new(Chain::new(system, servers, tally, streams.scalar()))
}
