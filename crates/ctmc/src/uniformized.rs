//! The chain without a clock: uniformized in bursts of steps, on a table of the servers' levels (ARCHITECTURE.md says
//! why it is exact).

mod bounds;
mod burst;
mod lanes;
pub(crate) mod table;

use alba_model::Counts;
use rand::Rng;

use crate::CtmcError;
use crate::chain::{Chain, Engine, Reached};
use crate::events::Tally;
use crate::pick::Pick;
use crate::random::{Stream, Streams, below, erlang};
use crate::servers::{Integrals, Servers};
use crate::system::System;
use bounds::{Bounds, Class};
use burst::{Burst, ONE};
use lanes::{BLOCK, Lanes};
use table::{HIGHEST, State, Step, Table};

/// One replication of the chain of a scheme whose servers have queues of their own.
pub(crate) struct Uniformized<P> {
    system: System<P>,
    streams: Streams,
    /// What is drawn one by one.
    rng: Stream,
    lanes: Lanes,
    /// Of every step of the block: class (upper half) and first rank.
    draws: Box<[u64; BLOCK]>,
    /// More random bits for the rank, where the rule uses them.
    more: Box<[u64; BLOCK]>,
    /// The first step of the block that was not taken.
    next: usize,
    table: Table,
    bounds: Bounds,
    burst: Burst,
    tally: Tally,
    integrals: Integrals,
    /// The state at the last stop; the table's may be later.
    shown: State,
    /// The chain that goes on where a queue is too long for a byte.
    long_queues: Option<Chain<P>>,
}

/// Why a run of frequent steps ended.
enum Pause {
    /// The block is used up, or the bounds are passed.
    Over,
    /// The class of the next step is rare.
    Rare,
    /// Next a job meets a server with this many jobs: it is full, or its queue gets too long for a byte, or that job
    /// starts a cold server.
    Arrival(usize),
}

impl<P: Pick> Uniformized<P> {
    /// The most servers: beyond, a byte for each of them is a lot of memory, and its caches miss.
    const MOST_SERVERS: u64 = 1 << 27;

    /// None if the servers are too many, or a queue too long.
    pub(crate) fn new(system: System<P>, initial: &Counts, streams: Streams) -> Option<Self> {
        let state = State::new(initial).filter(|_| initial.servers() <= Self::MOST_SERVERS)?;
        Some(Self {
            bounds: Bounds::new(&system.rates, system.most_starts(), &state),
            system,
            rng: streams.scalar(),
            lanes: Lanes::new(streams),
            streams,
            draws: Box::new([0; BLOCK]),
            more: Box::new([0; BLOCK]),
            next: BLOCK,
            shown: state.clone(),
            table: Table::new(state),
            burst: Burst::new(),
            tally: Tally::new(HIGHEST + 1),
            integrals: Integrals::none(HIGHEST + 1),
            long_queues: None,
        })
    }

    /// Steps until the block is used up or the bounds are passed, and the time of the last one.
    fn run(&mut self) {
        let state = &self.table.state;
        if !self.bounds.hold(state) || self.bounds.are_wide(state) {
            self.bounds = Bounds::new(&self.system.rates, self.system.most_starts(), state);
        }
        if self.bounds.mean_holding == f64::INFINITY {
            self.burst.end = f64::INFINITY; // nothing can happen
            return;
        }
        self.refill();
        loop {
            match self.run_frequent() {
                Pause::Over => break,
                Pause::Rare => self.take_rare(),
                Pause::Arrival(level) => self.arrive(level),
            }
            if !self.bounds.hold(&self.table.state) || self.table.state.tails[HIGHEST] > 0 {
                break;
            }
        }
        let duration = self.bounds.mean_holding * erlang(self.burst.steps, &mut self.rng);
        self.burst.end = self.burst.start + duration;
        self.heed_last_event();
    }

    fn refill(&mut self) {
        if self.next == BLOCK {
            self.lanes.fill(&mut self.draws);
            if P::MORE {
                self.lanes.fill(&mut self.more);
            }
            self.next = 0;
        }
    }

    /// Arrivals and completions, until something else is due. No step's outcome is waited for but through the table.
    fn run_frequent(&mut self) -> Pause {
        let (pick, bounds, rng) = (self.system.pick, self.bounds, &mut self.rng);
        let State { cold, tails, .. } = &mut self.table.state;
        let levels = self.table.levels.as_mut_slice();
        let Burst { log, sums, steps, .. } = &mut self.burst;
        let any_cold = *cold > 0;
        let least_busy = tails[0].saturating_sub(bounds.idle);
        let busy_width = bounds.busy - least_busy;
        // Highest level that a job may bring a server to on the way.
        let room = self.system.buffer.limit().map_or(HIGHEST - 1, |limit| (limit as usize).min(HIGHEST - 1));
        let mut one = ONE + 1 + *steps as u64;
        let mut pause = Pause::Over;
        let draws = self.draws[self.next..].iter().zip(&self.more[self.next..]);
        let before = *steps;
        for ((&draw, &more), logged) in draws.zip(&mut log[before..]) {
            let class = (draw >> 32) as u32;
            if class >= bounds.frequent_below {
                pause = Pause::Rare;
                break;
            }
            let arrival = class >= bounds.completion_below;
            let (base, candidates) =
                std::hint::select_unpredictable(arrival, pick.candidates(tails), (0, bounds.busy));
            let first = base + below(candidates, draw as u32, rng);
            let rank = pick.rank(arrival, first, candidates, more, rng);
            let level = usize::from(levels[rank as usize]);
            // An arrival at level i changes tails[i+1], a completion tails[i], a null step adds 0 to tails[0].
            let changed = level + usize::from(arrival);
            if changed > room || (P::STARTS && any_cold && arrival && level > 0) {
                pause = Pause::Arrival(level);
                break;
            }
            let finished = !arrival & (level > 0);
            let tail = tails[changed] - u32::from(finished);
            levels[tail as usize] = (changed - usize::from(finished)) as u8;
            tails[changed] = tail + u32::from(arrival);
            let step = 2 * changed + usize::from(arrival);
            *logged = Step(step as u32);
            sums[step] += one;
            one += 1;
            *steps += 1;
            if tails[1].wrapping_sub(least_busy) > busy_width {
                break;
            }
        }
        self.next += *steps - before;
        pause
    }

    fn take_rare(&mut self) {
        let state = &self.table.state;
        let (cold, initializing, idle) = (state.cold, state.initializing, state.idle());
        let step = match self.bounds.rare(&mut self.rng) {
            Class::Completion => self.complete(),
            Class::Arrival => {
                let level = self.level_to_join();
                return self.arrive(level);
            }
            Class::Lost if P::STARTS && cold > 0 => Step::LOST.with_start(),
            Class::Lost => Step::LOST,
            Class::Scaling => {
                let tails = &state.tails;
                let up = self.system.scales_up(cold, initializing, tails, &mut self.rng);
                if up { Step::SCALE_UP } else { Step::IDLE_SCALING }
            }
            Class::Initialization if self.uniform_below(self.bounds.initializing) < initializing => {
                Step::INITIALIZATION
            }
            Class::Expiration if self.uniform_below(self.bounds.idle) < idle => Step::EXPIRATION,
            Class::Initialization | Class::Expiration => Step::NULL,
        };
        self.take(step);
    }

    fn uniform_below(&mut self, bound: u32) -> u32 {
        let bits = self.rng.next_u64() as u32;
        below(bound, bits, &mut self.rng)
    }

    /// One of the servers that may be busy finishes its job, if it has one.
    fn complete(&mut self) -> Step {
        let rank = self.uniform_below(self.bounds.busy);
        let level = usize::from(self.table.levels[rank as usize]);
        if level == 0 {
            return Step::NULL;
        }
        self.table.complete(level);
        Step::completion(level)
    }

    fn level_to_join(&mut self) -> usize {
        let pick = self.system.pick;
        let (base, candidates) = pick.candidates(&self.table.state.tails);
        let first = base + self.uniform_below(candidates);
        let more = self.rng.next_u64();
        let rank = pick.rank(true, first, candidates, more, &mut self.rng);
        self.table.levels[rank as usize].into()
    }

    /// A job comes to a server with `level` jobs.
    fn arrive(&mut self, level: usize) {
        let joined = if self.system.buffer.has_room(level) {
            self.table.accept(level);
            Step::accepted(level)
        } else {
            Step::REJECTED
        };
        let starts = P::STARTS && level > 0 && self.table.state.cold > 0;
        self.take(if starts { joined.with_start() } else { joined });
    }

    /// Moves servers at a step that has moved its job, and writes it down.
    fn take(&mut self, step: Step) {
        self.table.state.apply(step);
        self.tally.count(step, 1);
        self.burst.push(step);
        self.next += 1;
    }

    /// Ends the burst with the last event allowed, if that is among its steps.
    fn heed_last_event(&mut self) {
        let most = self.system.max_events;
        let log = &self.burst.log[..self.burst.steps];
        if self.tally.events.saturating_add(2 * log.len() as u64) < most {
            return;
        }
        let mut events = self.tally.events - log.iter().map(|step| step.counted()).sum::<u64>();
        let last = log.iter().position(|step| {
            events += step.events();
            events >= most
        });
        if let Some(last) = last {
            let end = self.times()[last];
            self.rewind(last + 1);
            self.burst.end = end;
        }
    }

    fn times(&mut self) -> &[f64] {
        let (streams, number) = (self.streams, self.burst.number);
        self.burst.times(|| streams.times(number))
    }

    /// How many steps of the burst are not after `time`.
    fn steps_until(&mut self, time: f64) -> usize {
        self.times().partition_point(|&step| step <= time)
    }

    /// Takes back all steps of the burst but the first `steps`.
    fn rewind(&mut self, steps: usize) {
        while self.burst.steps > steps {
            let Some(step) = self.burst.pop() else { break };
            self.table.undo(step);
            self.tally.count(step, -1);
        }
    }

    /// Adds up the burst, which is over.
    fn close(&mut self) {
        if self.burst.steps > 0 {
            let (end, steps) = (self.burst.end, self.burst.steps);
            self.burst.fold(end, steps, &self.table.state, &mut self.integrals, &mut self.tally);
            self.burst.begin(end);
        }
    }

    /// Ends the burst at `time`: what was drawn for later is dropped.
    fn cut(&mut self, time: f64) {
        let steps = self.steps_until(time);
        self.rewind(steps);
        self.burst.fold(time, steps + 1, &self.table.state, &mut self.integrals, &mut self.tally);
        self.burst.begin(time);
    }

    /// Keeps the state at `time` to show it.
    fn look(&mut self, time: f64) {
        let steps = self.steps_until(time);
        self.shown.clone_from(&self.table.state);
        for &step in self.burst.log[steps..self.burst.steps].iter().rev() {
            self.shown.undo(step);
        }
    }

    /// The chain that takes longer queues, from here on.
    fn hand_over(&mut self) -> &mut Chain<P> {
        let time = self.burst.end;
        let mut servers = Servers::new(&self.table.state.counts());
        servers.begin_integrals(time);
        let mut chain = Chain::new(self.system, servers, self.tally.clone(), self.rng.clone());
        chain.set_arrival_rate(self.system.demand, time);
        self.long_queues.insert(chain)
    }
}

impl<P: Pick> Engine for Uniformized<P> {
    fn set_arrival_rate(&mut self, rate: f64, time: f64) {
        self.system.set_arrival_rate(rate);
        if let Some(chain) = &mut self.long_queues {
            return chain.set_arrival_rate(rate, time);
        }
        self.cut(time);
        self.bounds = Bounds::new(&self.system.rates, self.system.most_starts(), &self.table.state);
    }

    fn advance(&mut self, until: f64) -> Result<Reached, CtmcError> {
        if let Some(chain) = &mut self.long_queues {
            return chain.advance(until);
        }
        loop {
            if self.burst.end > until {
                self.look(until);
                return Ok(Reached::Time);
            }
            self.close();
            if self.tally.events >= self.system.max_events {
                return Ok(Reached::MaxEvents(self.burst.end));
            }
            if self.table.state.tails[HIGHEST] > 0 {
                return self.hand_over().advance(until);
            }
            self.run();
        }
    }

    fn begin_averages(&mut self, time: f64) {
        match &mut self.long_queues {
            Some(chain) => chain.begin_averages(time),
            None => {
                self.cut(time);
                self.tally.begin();
            }
        }
        self.integrals = Integrals::none(HIGHEST + 1);
    }

    fn counts(&self) -> Counts {
        self.long_queues.as_ref().map_or_else(|| self.shown.counts(), Engine::counts)
    }

    fn finish(&mut self, time: f64) -> (Integrals, Tally) {
        match &mut self.long_queues {
            Some(chain) => {
                let (integrals, tally) = chain.finish(time);
                self.integrals.add(&integrals);
                (self.integrals.clone(), tally)
            }
            None => {
                self.cut(time);
                (self.integrals.clone(), self.tally.clone())
            }
        }
    }
}
