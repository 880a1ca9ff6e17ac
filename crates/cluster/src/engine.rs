//! One run of one policy, event by event.

mod census;
mod delays;
mod events;
mod sharing;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use alba_model::Observation;
use alba_replicate::{Stream, streams};
use rand::RngExt;
use rand_distr::Exp1;

use crate::policy::{Policy, ServerLoad};
use crate::problem::{Problem, Start};
use crate::scaling::{Asynchronous, Scaling};
use crate::sets::IndexSet;
use crate::workload::ArrivalClock;
use crate::{Arbitrator, ClusterError, Discipline, Group};

pub(crate) use census::{Census, Totals};
pub(crate) use delays::{Delays, Times as DelayTimes};
use events::{Events, Kind};
use sharing::Sharing;

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

/// When a server goes cold.
#[derive(Debug, Clone, Default)]
struct Expiry {
    /// If it stays idle.
    at: f64,
    /// Its expiration events to come, the earliest last. An idle time that ends later than that needs no event of its own
    /// yet, so that events of idle times long past do not pile up.
    events: Vec<f64>,
}

/// What is to be known of the requests at every server.
enum Lines {
    /// Who comes next starts when the work before is done.
    OneWorker,
    /// Bits of the times when the workers that have had work are free, for every server.
    Workers(Vec<BinaryHeap<Reverse<u64>>>),
    Parallel,
    Sharing(Vec<Shared>),
}

/// A server whose requests share it.
#[derive(Debug, Clone)]
struct Shared {
    requests: Sharing,
    /// The completion event that counts: others are out of date.
    completion: f64,
}

/// What is random, each on its own: a policy that draws, or that refuses, changes no arrival and no service demand.
struct Streams {
    demands: Stream,
    policy: Stream,
    scaling: Stream,
    initialization: Stream,
    expiration: Stream,
}

/// Numbers of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RequestCounts {
    /// Present at the start.
    pub present_at_start: u64,
    /// Arrived.
    pub arrived: u64,
    /// Done.
    pub done: u64,
    /// Refused by the policy, or sent to a full server.
    pub rejected: u64,
    /// Found no server that could be given requests.
    pub lost: u64,
    /// Of those accepted: given to a server that was not warm.
    pub cold_starts: u64,
    /// Present at the end.
    pub present_at_end: u64,
}

impl RequestCounts {
    /// Arrived and neither rejected nor lost.
    pub fn accepted(&self) -> u64 {
        self.arrived - self.rejected - self.lost
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.present_at_start += other.present_at_start;
        self.arrived += other.arrived;
        self.done += other.done;
        self.rejected += other.rejected;
        self.lost += other.lost;
        self.cold_starts += other.cold_starts;
        self.present_at_end += other.present_at_end;
    }
}

pub(crate) struct Engine<'p> {
    problem: &'p Problem,
    policy: Box<dyn Policy>,
    arrivals: ArrivalClock<'p>,
    streams: Streams,
    next_scaling: f64,
    events: Events,
    servers: Vec<Server>,
    lines: Lines,
    /// Empty if servers do not go cold.
    expiries: Vec<Expiry>,
    cold: IndexSet,
    /// Warm servers, and those of them without a request.
    warm: usize,
    idle: usize,
    census: Census,
    counts: RequestCounts,
    /// After the warm-up.
    begun_at: f64,
    before: RequestCounts,
    delays: Delays,
}

impl<'p> Engine<'p> {
    pub(crate) fn new(
        problem: &'p Problem,
        arbitrator: &Arbitrator,
        seed: u64,
        replication: u64,
    ) -> Result<Self, ClusterError> {
        let [arrivals, demands, mut initial, policy, scaling, initialization, expiration] =
            streams::<7>(seed, replication);
        let count = problem.servers.count();
        let expiries = problem.times.expiration.as_ref().map_or(0, |_| count);
        let mut engine = Self {
            problem,
            policy: arbitrator.build(&problem.servers)?,
            arrivals: ArrivalClock::new(&problem.arrivals, count as f64, arrivals),
            streams: Streams { demands, policy, scaling, initialization, expiration },
            next_scaling: 0.0,
            events: Events::new(),
            servers: problem.servers.each().map(|(group, _)| Server::new(group)).collect(),
            lines: Lines::new(problem),
            expiries: vec![Expiry::default(); expiries],
            cold: IndexSet::new(count),
            warm: 0,
            idle: 0,
            census: Census::new(&problem.servers),
            counts: RequestCounts::default(),
            begun_at: 0.0,
            before: RequestCounts::default(),
            delays: Delays::new(problem.times.service.mean()),
        };
        engine.draw_scaling();
        for (server, start) in (0..).zip(problem.starts()) {
            engine.place(server, &start, &mut initial);
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

    /// Everything that happens before `until`, and at `until` if `inclusive`.
    pub(crate) fn advance(&mut self, until: f64, inclusive: bool) {
        loop {
            let (event, arrival, scaling) = (self.events.next(), self.arrivals.next(), self.next_scaling);
            let time = event.min(arrival).min(scaling);
            let over = if inclusive { time > until } else { time >= until };
            if over || time == f64::INFINITY {
                return;
            }
            // Whoever leaves makes room for whoever comes at the same time.
            if event <= time {
                self.happen();
            } else if arrival <= time {
                self.arrive(time);
            } else {
                self.scale(time);
            }
        }
    }

    /// Averages, delays and numbers of requests for each server count from `now` on.
    pub(crate) fn begin(&mut self, now: f64) {
        self.begun_at = now;
        self.before = self.counts;
        self.census.begin(now);
        self.delays = Delays::new(self.problem.times.service.mean());
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
        self.counts.arrived += 1;
        // Drawn for every request, also one that is refused: the demands are the same under all policies.
        let demand = self.problem.times.service.sample(&mut self.streams.demands);
        let nobody_idle = self.idle == 0;
        match self.choose(nobody_idle) {
            Some(server) if self.has_room(server) => self.accept(server, now, demand),
            None if self.warm == 0 && !matches!(self.problem.scaling, Scaling::SwitchOn) => {
                self.counts.lost += 1;
            }
            _ => self.counts.rejected += 1,
        }
        if nobody_idle && matches!(self.problem.scaling, Scaling::Tabs) {
            self.start_lowest(now);
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
    fn choose(&mut self, nobody_idle: bool) -> Option<u32> {
        let per_request = matches!(self.problem.scaling, Scaling::PerRequest);
        let own = if per_request && nobody_idle { self.cold.first() } else { None };
        own.or_else(|| self.policy.pick(&mut self.streams.policy)).map(|server| server as u32)
    }

    /// Gives `server` a request that arrived at `arrived`, before the start if that is negative.
    fn serve(&mut self, server: u32, now: f64, demand: f64, arrived: f64) {
        let index = server as usize;
        let group = self.group(self.servers[index].group);
        let state = &mut self.servers[index];
        let service = demand / group.speed();
        let warm = state.phase == Phase::Warm;
        let earliest = now.max(state.ready_at);
        self.census.join(state.group, warm, state.connections, now);
        self.idle -= usize::from(warm && state.connections == 0);
        state.connections += 1;
        if state.connections == group.room() {
            self.census.fill(1, now);
        }
        let begins = match &mut self.lines {
            Lines::OneWorker => earliest.max(state.empty_at),
            Lines::Parallel => earliest,
            Lines::Workers(free_at) => begin(&mut free_at[index], group.workers(), earliest, service),
            Lines::Sharing(shared) => {
                shared[index].requests.join(now, service, arrived, warm);
                state.empty_at = state.empty_at.max(earliest) + service;
                if warm {
                    self.await_completion(server);
                }
                return;
            }
        };
        // All is known already: nothing that comes later changes when this one begins and ends.
        let ends = begins + service;
        state.empty_at = state.empty_at.max(ends);
        self.events.push(ends, Kind::Completion, server);
        if arrived >= 0.0 {
            self.delays.record(ends - now, begins - now);
        }
    }

    /// Under processor sharing: when the next request leaves.
    fn await_completion(&mut self, server: u32) {
        if let Lines::Sharing(shared) = &mut self.lines
            && let Some(time) = shared[server as usize].requests.next_completion()
            && time != shared[server as usize].completion
        {
            shared[server as usize].completion = time;
            self.events.push(time, Kind::Completion, server);
        }
    }

    fn complete(&mut self, server: u32, now: f64) {
        let index = server as usize;
        if let Lines::Sharing(shared) = &mut self.lines {
            let line = &mut shared[index];
            if line.completion != now {
                return;
            }
            line.completion = f64::INFINITY;
            if let Some(guest) = line.requests.leave(now)
                && guest.arrived >= self.begun_at
            {
                let response = now - guest.arrived;
                self.delays.record(response, (response - guest.service).max(0.0));
            }
            self.await_completion(server);
        }
        let room = self.group(self.servers[index].group).room();
        let state = &mut self.servers[index];
        if state.connections == room {
            self.census.fill(-1, now);
        }
        self.census.leave(state.group, state.connections, now);
        state.connections -= 1;
        self.counts.done += 1;
        if state.connections == 0 {
            self.become_idle(server, now);
        }
        self.notify(server);
    }

    fn become_idle(&mut self, server: u32, now: f64) {
        self.idle += 1;
        self.servers[server as usize].empty_at = now;
        let Some(law) = &self.problem.times.expiration else { return };
        self.expiries[server as usize].at = now + law.sample(&mut self.streams.expiration);
        self.await_expiration(server);
    }

    fn await_expiration(&mut self, server: u32) {
        let expiry = &mut self.expiries[server as usize];
        if expiry.events.last().is_none_or(|next| expiry.at < *next) {
            expiry.events.push(expiry.at);
            self.events.push(expiry.at, Kind::Expiration, server);
        }
    }

    fn expire(&mut self, server: u32, now: f64) {
        let (state, expiry) = (&mut self.servers[server as usize], &mut self.expiries[server as usize]);
        expiry.events.pop();
        if state.phase != Phase::Warm || state.connections > 0 {
            return;
        }
        if expiry.at > now {
            return self.await_expiration(server);
        }
        state.phase = Phase::Cold;
        self.census.expire(state.group, now);
        self.warm -= 1;
        self.idle -= 1;
        self.cold.set(server as usize, true);
        self.notify(server);
    }

    /// Starts a cold server.
    fn start(&mut self, server: u32, now: f64) {
        let time = self.problem.times.initialization.sample(&mut self.streams.initialization);
        self.start_within(server, now, time);
        self.events.push(now + time, Kind::Ready, server);
    }

    fn start_within(&mut self, server: u32, now: f64, time: f64) {
        let state = &mut self.servers[server as usize];
        state.phase = Phase::Initializing;
        state.ready_at = now + time;
        self.census.start(state.group, now);
        self.cold.set(server as usize, false);
    }

    fn start_lowest(&mut self, now: f64) {
        if let Some(server) = self.cold.first() {
            self.start(server as u32, now);
            self.notify(server as u32);
        }
    }

    fn make_ready(&mut self, server: u32, now: f64) {
        let state = &mut self.servers[server as usize];
        state.phase = Phase::Warm;
        self.census.warm_up(state.group, state.connections, now);
        self.warm += 1;
        if state.connections == 0 {
            self.become_idle(server, now);
        } else if let Lines::Sharing(shared) = &mut self.lines {
            shared[server as usize].requests.begin(now);
            self.await_completion(server);
        }
    }

    fn scale(&mut self, now: f64) {
        self.draw_scaling();
        let Scaling::Asynchronous(scaling) = self.problem.scaling else { return };
        let uniform = self.streams.scaling.random::<f64>();
        if self.cold.first().is_some() && uniform < scaling.rule().probability(&self.observe(now)) {
            self.start_lowest(now);
        }
    }

    fn draw_scaling(&mut self) {
        let rate = match &self.problem.scaling {
            Scaling::Asynchronous(scaling) => Asynchronous::rate(scaling) * self.servers.len() as f64,
            Scaling::None | Scaling::Tabs | Scaling::PerRequest | Scaling::SwitchOn => 0.0,
        };
        self.next_scaling += self.streams.scaling.sample::<f64, _>(Exp1) / rate;
    }

    fn observe(&self, now: f64) -> Observation {
        let counts = self.census.counts();
        let size = self.servers.len() as f64;
        let initializing = counts.initializing as f64 / size;
        let mean = self.problem.times.initialization.mean();
        Observation {
            demand: self.problem.arrivals.demand(now, size, self.problem.grid.horizon()),
            initializing,
            // Who initializes at once is never seen to.
            warming: if mean > 0.0 { initializing / mean } else { 0.0 },
            one_job: counts.warm.get(1).map_or(0.0, |&count| count as f64 / size),
            warm: self.warm as f64 / size,
        }
    }

    fn notify(&mut self, server: u32) {
        let state = &self.servers[server as usize];
        let any = matches!(self.problem.scaling, Scaling::SwitchOn);
        self.policy.notify(
            server as usize,
            ServerLoad {
                connections: state.connections,
                capacity: self.group(state.group).room(),
                available: any || state.phase == Phase::Warm,
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

    /// Integrals from the warm-up to `now`.
    pub(crate) fn areas(&self, now: f64) -> Totals {
        self.census.areas(&self.problem.servers, self.problem.discipline, now)
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

impl Lines {
    fn new(problem: &Problem) -> Self {
        let count = problem.servers.count();
        match problem.discipline {
            Discipline::FirstComeFirstServed
                if problem.servers.groups().iter().all(|group| group.workers() == 1) =>
            {
                Self::OneWorker
            }
            Discipline::FirstComeFirstServed => Self::Workers(vec![BinaryHeap::new(); count]),
            Discipline::Parallel => Self::Parallel,
            Discipline::ProcessorSharing => {
                let nobody = Shared { requests: Sharing::default(), completion: f64::INFINITY };
                Self::Sharing(vec![nobody; count])
            }
        }
    }
}

/// When the worker that is free first, at `earliest` or later, begins a service of that length.
fn begin(free_at: &mut BinaryHeap<Reverse<u64>>, workers: u32, earliest: f64, service: f64) -> f64 {
    let free = if free_at.len() < workers as usize { None } else { free_at.pop() };
    let begins = free.map_or(earliest, |Reverse(bits)| earliest.max(f64::from_bits(bits)));
    free_at.push(Reverse((begins + service).to_bits()));
    begins
}

#[cfg(test)]
mod tests;
