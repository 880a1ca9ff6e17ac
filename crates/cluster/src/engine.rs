//! One run of one policy, event by event.

mod census;
mod counts;
mod delays;
mod events;
mod life;
mod service;
mod shape;
mod sharing;
mod watch;

use alba_replicate::{Deadline, OutOfTime, Stream, streams};

use crate::clock::Clock;
use crate::policy::{Policy, ServerLoad};
use crate::problem::{Problem, Start};
use crate::scaling::{AtArrival, Scaler};
use crate::sets::{RandomSet, Shuffle};
use crate::workload::ArrivalClock;
use crate::{Arbitrator, ClusterError, Group};

pub(crate) use census::{Census, Totals};
pub use counts::RequestCounts;
pub(crate) use delays::{Delays, TimeCounts, Times as DelayTimes};
use events::{Events, Kind};
use life::Expiry;
use service::Lines;
use watch::Watch;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Cold,
    Initializing,
    Warm,
}

/// A numbered server.
///
/// Half a cache line: with many servers, looking one up is what costs time.
#[derive(Debug, Clone)]
struct Server {
    connections: u32,
    /// Requests that it was given after the warm-up.
    given: u32,
    group: u32,
    phase: Phase,
    /// When it is or was warm.
    ready_at: f64,
    /// When the work that it was given so far is done; if it is idle, since when.
    empty_at: f64,
}

/// What is random, each on its own: a policy that draws, or that refuses, changes no arrival and no service demand.
struct Streams {
    demands: Stream,
    policy: Stream,
    scaling: Stream,
    initialization: Stream,
    expiration: Stream,
    /// Which cold server is started.
    choice: Stream,
}

/// Times in here are in ticks of the clock.
///
/// What happens at one instant happens in this order: servers get ready and requests leave, requests arrive, idle servers go cold,
/// servers are started at scaling times. So whoever leaves makes room for whoever comes, and a server that has been idle for exactly
/// its expiration time still takes a request.
pub(crate) struct Engine<'p> {
    problem: &'p Problem,
    clock: Clock,
    policy: Box<dyn Policy>,
    arrivals: ArrivalClock<'p>,
    next_arrival: f64,
    streams: Streams,
    scaler: Box<dyn Scaler>,
    /// The scaler's next tick.
    next_scaling: f64,
    /// Whether the policy may pick servers that are not warm.
    any_server: bool,
    events: Events,
    servers: Vec<Server>,
    lines: Lines,
    /// Empty if servers do not go cold.
    expiries: Vec<Expiry>,
    cold: RandomSet,
    /// Warm servers, and those of them without a request.
    warm: usize,
    idle: usize,
    census: Census,
    counts: RequestCounts,
    /// After the warm-up.
    begun_at: f64,
    before: RequestCounts,
    delays: Delays,
    watch: Watch,
}

impl<'p> Engine<'p> {
    pub(crate) fn new(
        problem: &'p Problem,
        arbitrator: &Arbitrator,
        seed: u64,
        replication: u64,
    ) -> Result<Self, ClusterError> {
        let [arrivals, demands, mut initial, mut policy, mut scaling, initialization, expiration, mut choice] =
            streams::<8>(seed, replication);
        let count = problem.servers.count();
        let clock = Clock::new(problem.unit_s, problem.grid.horizon(), problem.durations());
        let arrivals = ArrivalClock::new(&problem.arrivals, count as f64, arrivals);
        // Under most policies a number is a name: the same servers start warm whatever they are called.
        let drawn = (!arbitrator.goes_by_number()).then(|| Shuffle::new(count, &mut choice));
        let expiries = problem.times.expiration.as_ref().map_or(0, |_| count);
        let scaler = problem.scaling.scaler(count, clock, &mut scaling);
        let mut engine = Self {
            problem,
            clock,
            policy: arbitrator.build(&problem.servers, &mut policy)?,
            next_arrival: clock.moment(arrivals.next()),
            arrivals,
            streams: Streams { demands, policy, scaling, initialization, expiration, choice },
            next_scaling: scaler.next_tick(),
            scaler,
            any_server: problem.scaling.facts().any_server,
            events: Events::new(),
            servers: problem.servers.each().map(|(group, _)| Server::new(group)).collect(),
            lines: Lines::new(problem),
            expiries: vec![Expiry::default(); expiries],
            cold: RandomSet::new(count),
            warm: 0,
            idle: 0,
            census: Census::new(&problem.servers),
            counts: RequestCounts::default(),
            begun_at: 0.0,
            before: RequestCounts::default(),
            delays: Delays::new(),
            watch: Watch::default(),
        };
        for (index, start) in problem.starts().enumerate() {
            let server = drawn.as_ref().map_or(index, |drawn| drawn.member(index));
            engine.place(server as u32, &start, &mut initial);
        }
        Ok(engine)
    }

    /// Puts a server where it starts.
    fn place(&mut self, server: u32, start: &Start, initial: &mut Stream) {
        let index = server as usize;
        self.cold.set(index, true);
        match *start {
            Start::Cold => {}
            Start::Initializing => self.start(server, 0.0),
            Start::Warm(requests) => {
                self.start_within(server, 0.0, 0.0);
                self.make_ready(server, 0.0);
                for _ in 0..requests {
                    let demand = self.problem.times.service.sample(initial);
                    self.serve(server, 0.0, demand, BEFORE_THE_START);
                }
                self.counts.present_at_start += requests as u64;
            }
        }
        self.notify(server);
    }

    /// The same run, given up after `deadline`.
    pub(crate) fn with_deadline(self, deadline: Deadline) -> Self {
        Self { watch: Watch::until(deadline), ..self }
    }

    /// Everything that happens before time `until`, and at `until` if `inclusive`.
    pub(crate) fn advance(&mut self, until: f64, inclusive: bool) -> Result<(), OutOfTime> {
        let until = self.clock.moment(until);
        loop {
            let (event, yields) = self.events.next();
            let (arrival, scaling) = (self.next_arrival, self.next_scaling);
            let time = event.min(arrival).min(scaling);
            let over = if inclusive { time > until } else { time >= until };
            if over || time == f64::INFINITY {
                return Ok(());
            }
            self.watch.notice()?;
            if event <= time && !(yields && arrival <= time) {
                self.happen();
            } else if arrival <= time {
                self.arrive(time);
            } else {
                self.scale(time);
            }
        }
    }

    /// Those present are served to their end, and nobody comes any more: of requests that share a server it is known then
    /// only how long they took. What is counted along the way has been looked at before.
    pub(crate) fn finish(&mut self) -> Result<(), OutOfTime> {
        if matches!(self.lines, Lines::Sharing(_)) {
            while self.census.jobs() > 0 && self.events.next().0 < f64::INFINITY {
                self.watch.notice()?;
                self.happen();
            }
        }
        Ok(())
    }

    /// Averages, delays and numbers of requests for each server count from time `now` on.
    pub(crate) fn begin(&mut self, now: f64) {
        let now = self.clock.moment(now);
        self.begun_at = now;
        self.before = self.counts;
        self.census.begin(now);
        self.delays = Delays::new();
        self.servers.iter_mut().for_each(|server| server.given = 0);
    }

    fn happen(&mut self) {
        let Some((now, kind, server)) = self.events.pop() else { return };
        match kind {
            Kind::Completion => self.complete(server, now),
            Kind::Ready => {
                self.make_ready(server, now);
                self.notify(server);
            }
            Kind::Expiration => self.expire(server, now),
        }
    }

    fn arrive(&mut self, now: f64) {
        self.arrivals.draw();
        self.next_arrival = self.clock.moment(self.arrivals.next());
        self.counts.arrived += 1;
        // Drawn for every request, also one that is refused: the demands are the same under all policies.
        let demand = self.problem.times.service.sample(&mut self.streams.demands);
        let (scaler, seen, _) = self.scaler(now);
        let at_arrival = scaler.on_arrival(&seen);
        match self.choose(at_arrival) {
            Some(server) if self.has_room(server) => self.accept(server, now, demand),
            None if self.warm == 0 && !self.any_server => self.counts.lost += 1,
            _ => self.counts.rejected += 1,
        }
        if at_arrival == AtArrival::StartAnother {
            self.start_any(now);
        }
    }

    fn accept(&mut self, server: u32, now: f64, demand: f64) {
        if self.servers[server as usize].phase == Phase::Cold {
            self.start(server, now);
        }
        let state = &mut self.servers[server as usize];
        self.counts.cold_starts += u64::from(state.phase != Phase::Warm);
        state.given += 1;
        self.serve(server, now, demand, now);
        self.notify(server);
    }

    fn has_room(&self, server: u32) -> bool {
        let state = &self.servers[server as usize];
        state.connections < self.group(state.group).room()
    }

    fn group(&self, group: u32) -> &'p Group {
        &self.problem.servers.groups()[group as usize]
    }

    /// The server for the next request.
    fn choose(&mut self, at_arrival: AtArrival) -> Option<u32> {
        let own = match at_arrival {
            AtArrival::StartForIt => self.cold.draw(&mut self.streams.choice),
            AtArrival::Nothing | AtArrival::StartAnother => None,
        };
        own.or_else(|| self.policy.pick(&mut self.streams.policy)).map(|server| server as u32)
    }

    fn notify(&mut self, server: u32) {
        let state = &self.servers[server as usize];
        self.policy.notify(
            server as usize,
            ServerLoad {
                connections: state.connections,
                capacity: self.group(state.group).room(),
                available: self.any_server || state.phase == Phase::Warm,
                idle_since: state.empty_at,
                empty_at: if state.connections == 0 { 0.0 } else { state.empty_at },
            },
        );
    }

    /// Everything since the start.
    pub(crate) fn counts(&self) -> RequestCounts {
        RequestCounts { present_at_end: self.census.jobs(), ..self.counts }
    }

    /// Requests since the warm-up: arrived, rejected, lost, cold starts.
    pub(crate) fn counts_after_warm_up(&self) -> RequestCounts {
        let (all, before) = (&self.counts, &self.before);
        RequestCounts {
            arrived: all.arrived - before.arrived,
            done: all.done - before.done,
            rejected: all.rejected - before.rejected,
            lost: all.lost - before.lost,
            cold_starts: all.cold_starts - before.cold_starts,
            ..RequestCounts::default()
        }
    }

    /// Numbers of servers at the last event.
    pub(crate) fn now(&self) -> Totals {
        self.census.now(&self.problem.servers, self.problem.discipline)
    }

    /// Integrals over time from the warm-up to time `now`.
    pub(crate) fn areas(&self, now: f64) -> Totals {
        let now = self.clock.moment(now);
        self.census.areas(&self.problem.servers, self.problem.discipline, now, self.clock)
    }

    pub(crate) fn into_delays_and_given(self) -> (Delays, Vec<u64>) {
        let given = self.servers.iter().map(|server| server.given.into()).collect();
        (self.delays, given)
    }
}

/// When requests arrived that are present at the start: their delays are not recorded.
const BEFORE_THE_START: f64 = -1.0;

impl Server {
    fn new(group: u32) -> Self {
        Self { connections: 0, given: 0, group, phase: Phase::Cold, ready_at: 0.0, empty_at: 0.0 }
    }
}

#[cfg(test)]
mod tests;
