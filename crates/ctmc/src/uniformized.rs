//! The chain without a clock: uniformized in bursts of steps, alone on a table of the servers' levels, or several side by side
//! on counts alone (ARCHITECTURE.md says why it is exact).

mod abreast;
mod bounds;
mod burst;
mod columns;
mod decode;
mod frequent;
mod lanes;
mod singly;
pub(crate) mod table;
#[cfg(test)]
mod tests;
mod times;

use alba_model::Counts;
use pulp::Arch;

use crate::CtmcError;
use crate::chain::{Chain, Engine, Reached};
use crate::events::Tally;
use crate::pick::Pick;
use crate::random::{Streams, erlang};
use crate::servers::{Integrals, Servers};
use crate::system::System;
pub(crate) use abreast::{MOST_ABREAST, MOST_SERVERS_ABREAST, run_abreast};
use alba_replicate::Stream;
use bounds::Bounds;
use burst::Burst;
use decode::CountQuiet;
use frequent::{HALF, Pause};
use lanes::{BLOCK, Lanes};
use table::{HIGHEST, State, Step, Table};
use times::Times;

/// What changes nothing but speed; the bounds change which path a seed gives, but not its law.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Means {
    /// What the processor can do.
    arch: Arch,
    /// How many null steps new bounds are worth.
    patience: f64,
}

impl Default for Means {
    fn default() -> Self {
        Self { arch: Arch::new(), patience: 20.0 }
    }
}

/// The most servers: beyond, a byte for each of them is a lot of memory, and its caches miss.
const MOST_SERVERS: u64 = 1 << 27;

/// Whether neither servers are too many, nor a queue too long.
pub(crate) fn takes(initial: &Counts) -> bool {
    state(initial).is_some()
}

fn state(initial: &Counts) -> Option<State> {
    State::new(initial).filter(|_| initial.servers() <= MOST_SERVERS)
}

/// One replication of the chain of a scheme whose servers have queues of their own.
pub(crate) struct Uniformized<P> {
    system: System<P>,
    streams: Streams,
    /// What is drawn one by one.
    rng: Stream,
    means: Means,
    lanes: Lanes,
    /// Of every step of the block: class (upper half) and first rank.
    draws: Box<[u64; BLOCK]>,
    /// More random bits for the rank, where the rule uses them.
    more: Box<[u64; BLOCK]>,
    /// What the draws mean, as long as neither bounds nor the number of warm servers change.
    codes: Box<[u32; BLOCK]>,
    /// Up to where the block's codes hold.
    decoded: usize,
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

impl<P: Pick> Uniformized<P> {
    /// None if it does not take such a state.
    pub(crate) fn new(system: System<P>, initial: &Counts, streams: Streams, means: Means) -> Option<Self> {
        let state = state(initial)?;
        Some(Self {
            bounds: Bounds::new(&system, &state, means.patience),
            system,
            rng: streams.scalar(),
            means,
            lanes: Lanes::new(streams),
            streams,
            draws: Box::new([0; BLOCK]),
            more: Box::new([0; BLOCK]),
            codes: Box::new([0; BLOCK]),
            decoded: 0,
            next: BLOCK,
            shown: state.clone(),
            table: Table::new(state),
            burst: Burst::new(),
            tally: Tally::new(HIGHEST + 1),
            integrals: Integrals::none(HIGHEST + 1),
            long_queues: None,
        })
    }

    /// Steps until the block is used up or the bounds are passed, and the time of the last one; a burst has begun.
    fn run(&mut self) {
        while !self.is_over() {
            match self.run_frequent() {
                Pause::Over => {}
                Pause::Rare => self.take_rare(),
                Pause::Undecided => self.take_undecided(),
                Pause::Arrival(level) => self.arrive(level),
                Pause::Completion(level) => {
                    self.table.complete(level);
                    self.take(Step::completion(level));
                }
            }
        }
        self.end();
        self.heed_last_event();
    }

    /// Prepares for the next steps; if there can be none, ever, that is all.
    fn begin(&mut self) -> bool {
        let state = &self.table.state;
        if !self.bounds.hold(state) || self.bounds.are_wide(state) {
            self.bounds = Bounds::new(&self.system, state, self.means.patience);
            self.decoded = 0;
        }
        if self.bounds.mean_holding == f64::INFINITY {
            self.burst.end = f64::INFINITY;
            return false;
        }
        self.refill();
        self.table.clear_null_steps();
        true
    }

    /// Whether no step may follow in this burst.
    fn is_over(&self) -> bool {
        let state = &self.table.state;
        self.next == BLOCK || !self.bounds.hold(state) || state.tails[HIGHEST] > 0
    }

    /// Levels from 1 on with a server at or above them.
    fn occupied(&self) -> usize {
        self.table.state.tails[1..].iter().take_while(|&&tail| tail > 0).count()
    }

    /// Counts what was not, and draws the time of the last step.
    fn end(&mut self) {
        self.count_quiet();
        let duration = self.bounds.mean_holding * erlang(self.burst.steps, &mut self.rng);
        self.burst.end = self.burst.start + duration;
    }

    fn refill(&mut self) {
        if self.next == BLOCK {
            self.lanes.fill(&mut self.draws[..], self.means.arch);
            if P::MORE {
                let words = if P::CHOICES == 2 { HALF } else { BLOCK };
                self.lanes.fill(&mut self.more[..words], self.means.arch);
            }
            (self.next, self.decoded) = (0, 0);
        }
    }

    /// Scaling times that start nothing, whatever the state, were null steps so far.
    fn count_quiet(&mut self) {
        let first = self.next - self.burst.steps;
        let (from, below) = (self.bounds.completion_below.into(), self.bounds.quiet_below.into());
        let draws = &self.draws[first..self.next];
        let count = self.means.arch.dispatch(CountQuiet { draws, from, below });
        self.tally.counted.idle_scalings += count;
        self.tally.events += count;
    }

    /// And here, where the burst is looked into, each has its place.
    fn note_quiet(&mut self) {
        let first = self.next - self.burst.steps;
        let from_below = self.bounds.completion_below..self.bounds.quiet_below;
        for (&draw, logged) in self.draws[first..self.next].iter().zip(&mut self.burst.log) {
            if from_below.contains(&((draw >> 32) as u32)) {
                *logged = Step::IDLE_SCALING;
            }
        }
    }

    /// Whether the last event allowed may be in the burst.
    fn is_near_last_event(&self) -> bool {
        self.tally.events.saturating_add(2 * self.burst.steps as u64) >= self.system.max_events
    }

    /// Ends the burst with the last event allowed, if that is among its steps.
    fn heed_last_event(&mut self) {
        if !self.is_near_last_event() {
            return;
        }
        let most = self.system.max_events;
        self.note_quiet();
        let log = &self.burst.log[..self.burst.steps];
        let mut events = self.tally.events - log.iter().map(|step| step.counted()).sum::<u64>();
        let last = log.iter().position(|step| {
            events += step.events();
            events >= most
        });
        if let Some(last) = last {
            let (streams, number) = (self.streams, self.burst.number);
            let end = self.times().of(last, streams, number);
            self.rewind(last + 1);
            self.burst.end = end;
        }
    }

    /// When the steps of the burst were.
    fn times(&mut self) -> &mut Times {
        if !self.burst.times.are_known() {
            self.note_quiet();
            let Burst { start, end, steps, number, .. } = self.burst;
            self.burst.times.draw((start, end), steps, self.streams, number);
        }
        &mut self.burst.times
    }

    /// How many steps of the burst are not after `time`.
    fn steps_until(&mut self, time: f64) -> usize {
        let (streams, number) = (self.streams, self.burst.number);
        // Some may have been taken back since.
        self.times().steps_until(time, streams, number).min(self.burst.steps)
    }

    /// Takes back all steps of the burst but the first `steps`.
    fn rewind(&mut self, steps: usize) {
        self.decoded = 0; // there may have been another number of warm servers
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

    /// Whether the time asked for is reached, or the last event allowed; if not, another burst is needed.
    fn reached(&mut self, until: f64) -> Result<Option<Reached>, CtmcError> {
        if let Some(chain) = &mut self.long_queues {
            return chain.advance(until).map(Some);
        }
        if self.burst.end > until {
            self.look(until);
            return Ok(Some(Reached::Time));
        }
        self.close();
        if self.tally.events >= self.system.max_events {
            return Ok(Some(Reached::MaxEvents(self.burst.end)));
        }
        if self.table.state.tails[HIGHEST] > 0 {
            return self.hand_over().advance(until).map(Some);
        }
        Ok(None)
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
        self.bounds = Bounds::new(&self.system, &self.table.state, self.means.patience);
        self.decoded = 0;
    }

    fn advance(&mut self, until: f64) -> Result<Reached, CtmcError> {
        loop {
            if let Some(reached) = self.reached(until)? {
                return Ok(reached);
            }
            if self.begin() {
                self.run();
            }
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
