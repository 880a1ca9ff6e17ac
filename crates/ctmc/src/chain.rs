//! The chain, event by event: the direct method with a local bound on completions ([`crate::odds`]). It takes what does not
//! fit [`crate::uniformized`], and is what that is tested against.

use alba_model::Counts;
use alba_replicate::Stream;
use rand::{Rng, RngExt};
use rand_distr::{Exp1, Poisson};

use crate::CtmcError;
use crate::events::Tally;
use crate::odds::{ClassRates, Odds, Rare};
use crate::pick::Pick;
use crate::random::below;
use crate::servers::{Integrals, MOST_LEVELS, Servers, level_of};
use crate::system::System;

/// Why an engine handed back control.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Reached {
    /// The time asked for; the state is the one at that time.
    Time,
    /// The last event allowed, at this time; nothing happens any more.
    MaxEvents(f64),
}

/// One replication, from stop to stop. Stops do not change its path.
pub(crate) trait Engine {
    /// Jobs arrive at `rate` per server from `time` on, where the last stop was. To be called first, at 0.
    fn set_arrival_rate(&mut self, rate: f64, time: f64);

    /// Runs to `until` or to the last event allowed.
    fn advance(&mut self, until: f64) -> Result<Reached, CtmcError>;

    /// Integrals, levels found and jobs turned away count from `time` on, where the last stop was.
    fn begin_averages(&mut self, time: f64);

    /// The state at the last stop.
    fn counts(&self) -> Counts;

    /// What was integrated and counted until `time`, where the last stop was.
    fn finish(&mut self, time: f64) -> (Integrals, Tally);
}

/// The chain of a scheme whose servers have queues of their own.
pub(crate) struct Chain<P> {
    system: System<P>,
    rng: Stream,
    servers: Servers,
    tally: Tally,
    odds: Odds,
    /// Of the last step.
    time: f64,
    /// Of the next step.
    next: f64,
    /// Scaling times left out, which start nothing.
    left_out: LeftOut,
}

/// Of what is left out: given the path, its number is a Poisson one.
#[derive(Debug, Clone, Copy, Default)]
struct LeftOut {
    /// Up to `since`.
    mean: f64,
    /// From `since` on.
    rate: f64,
    since: f64,
}

impl LeftOut {
    /// The rate is another one from `time` on.
    fn change(&mut self, rate: f64, time: f64) {
        *self = Self { mean: self.mean + self.rate * (time - self.since), rate, since: time };
    }

    fn draw(mut self, time: f64, rng: &mut Stream) -> u64 {
        self.change(0.0, time);
        Poisson::new(self.mean).map_or(0, |law| rng.sample::<f64, _>(law) as u64) // none of a mean of 0
    }
}

/// Why a burst of frequent steps ended.
enum Pause {
    /// The next step is beyond the time asked for.
    Until,
    /// The next step is of a rare class.
    Rare,
    /// A job meets a server with this many jobs: it is full, or room for one more level must be made.
    Edge(usize),
    /// An arrival starts a server.
    Starts,
    /// The number of busy servers left the range of the odds, or these hold for one state only.
    Bounds,
    /// That was the last event allowed.
    Events,
}

impl<P: Pick> Chain<P> {
    /// From `servers`, with what was counted before.
    pub(crate) fn new(system: System<P>, servers: Servers, mut tally: Tally, rng: Stream) -> Self {
        tally.found.resize(servers.tails.len().max(tally.found.len()), 0);
        let odds = Odds::new(&system.rates, servers.initializing, servers.warm(), servers.busy());
        let (time, next, left_out) = (0.0, f64::INFINITY, LeftOut::default());
        Self { odds, system, rng, tally, servers, time, next, left_out }
    }

    fn renew_odds(&mut self) {
        let servers = &self.servers;
        let mut rates = self.system.rates;
        if self.system.leaves_out_idle {
            let places = [servers.cold, servers.initializing, servers.warm()];
            let scaling = self.system.scale_up_rate(places, &servers.tails);
            self.left_out.change(rates.scaling - scaling, self.time);
            rates = ClassRates { scaling, ..rates };
        }
        self.odds = Odds::new(&rates, servers.initializing, servers.warm(), servers.busy());
    }

    fn schedule(&mut self) {
        self.next = self.time + self.odds.mean_holding * self.rng.sample::<f64, _>(Exp1);
    }

    /// Arrivals and completions, until something else is due. Everything that changes lives in locals: through
    /// `self` it would be loaded and stored at every step.
    fn burst(&mut self, until: f64) -> Pause {
        let (pick, odds, max_events) = (self.system.pick, self.odds, self.system.max_events);
        let (busy_width, leaves_out_idle) = (odds.high - odds.low, self.system.leaves_out_idle);
        let mut rng = self.rng.clone();
        let (mut time, mut next, mut events) = (self.time, self.next, self.tally.events);
        let any_cold = self.servers.cold > 0;
        let levels = self.servers.tails.len();
        let moments = &mut self.servers.tail_moments[..levels];
        let found = &mut self.tally.found[..levels];
        let tails = self.servers.tails.as_mut_slice();
        // Highest level that a job may bring a server to, and one always stays empty.
        let room = self.system.buffer.limit().map_or(usize::MAX, |limit| limit as usize).min(levels - 2);
        let pause = loop {
            if next > until {
                break Pause::Until;
            }
            time = next;
            let class = rng.next_u64();
            if class >= odds.frequent_below {
                break Pause::Rare;
            }
            let arrival = class >= odds.completion_below;
            let bits = rng.next_u64();
            let more = if P::MORE { rng.next_u64() } else { 0 };
            let candidates =
                std::hint::select_unpredictable(arrival, pick.candidates(tails[0], tails), (0, odds.high));
            let first = candidates.0 + below(candidates.1, bits as u32, &mut rng);
            let rank = pick.rank(arrival, first, candidates, more, &mut rng);
            let level =
                if P::SHALLOW { level_of::<true>(tails, rank) } else { level_of::<false>(tails, rank) };
            // An arrival at level i changes tails[i+1], a completion tails[i], a null step adds 0 to tails[0].
            let changed = level + usize::from(arrival);
            if arrival && changed > room {
                break Pause::Edge(level);
            }
            let finished = !arrival & (level > 0);
            tails[changed] = tails[changed] + u32::from(arrival) - u32::from(finished);
            moments[changed].change(f64::from(i32::from(arrival) - i32::from(finished)), time);
            found[level] += u64::from(arrival);
            events += u64::from(arrival | finished);
            if P::STARTS && any_cold && arrival && level > 0 {
                break Pause::Starts;
            }
            let renews = leaves_out_idle & (arrival | finished);
            if renews || tails[1].wrapping_sub(odds.low) > busy_width {
                break Pause::Bounds;
            }
            if events >= max_events {
                break Pause::Events;
            }
            next = time + odds.mean_holding * rng.sample::<f64, _>(Exp1);
        };
        self.rng = rng;
        (self.time, self.next, self.tally.events) = (time, next, events);
        pause
    }

    /// A job meets a server with `level` jobs, and there is no room for one more; or not yet.
    fn meet_edge(&mut self, level: usize) -> Result<(), CtmcError> {
        self.tally.events += 1;
        if !self.system.buffer.has_room(level) {
            self.tally.counted.rejected += 1;
            return Ok(());
        }
        let levels = 2 * self.servers.tails.len();
        if levels > MOST_LEVELS {
            return Err(CtmcError::TooManyLevels { time: self.time, levels: level });
        }
        self.servers.grow(levels);
        self.tally.found.resize(levels, 0);
        self.servers.accept(level, self.time);
        self.tally.found[level] += 1;
        Ok(())
    }

    /// An arrival that found no idle server starts a cold one, if that is how the scheme starts servers.
    fn start_at_arrival(&mut self) {
        if P::STARTS && self.servers.cold > 0 {
            self.tally.events += 1;
            self.tally.counted.scale_ups += 1;
            self.servers.start(self.time);
            self.renew_odds();
        }
    }

    fn take_rare_step(&mut self) {
        let uniform = self.rng.random::<f64>();
        match self.odds.rare(uniform) {
            Some(Rare::Lost) => {
                self.tally.events += 1;
                self.tally.counted.lost += 1;
                self.start_at_arrival();
            }
            Some(Rare::Scaling) => self.scale(),
            Some(Rare::Initialization) => {
                self.tally.events += 1;
                self.tally.counted.initializations += 1;
                self.servers.warm_up(self.time);
                self.renew_odds();
            }
            Some(Rare::Expiration) => self.expire(),
            None => {}
        }
    }

    fn scale(&mut self) {
        self.tally.events += 1;
        let servers = &self.servers;
        let places = [servers.cold, servers.initializing, servers.warm()];
        let starts =
            self.system.leaves_out_idle || self.system.scales_up(1.0, places, &servers.tails, &mut self.rng);
        if starts {
            self.tally.counted.scale_ups += 1;
            self.servers.start(self.time);
            self.renew_odds();
        } else {
            self.tally.counted.idle_scalings += 1;
        }
    }

    fn expire(&mut self) {
        let bits = (self.rng.next_u64() >> 32) as u32;
        if below(self.odds.idle_bound, bits, &mut self.rng) < self.servers.idle() {
            self.tally.events += 1;
            self.tally.counted.expirations += 1;
            self.servers.expire(self.time);
            self.renew_odds();
        }
    }
}

impl<P: Pick> Engine for Chain<P> {
    fn set_arrival_rate(&mut self, rate: f64, time: f64) {
        self.system.set_arrival_rate(rate);
        self.time = time;
        self.renew_odds();
        self.schedule();
    }

    fn advance(&mut self, until: f64) -> Result<Reached, CtmcError> {
        while self.tally.events < self.system.max_events {
            match self.burst(until) {
                Pause::Until => return Ok(Reached::Time),
                Pause::Rare => self.take_rare_step(),
                Pause::Edge(level) => {
                    self.meet_edge(level)?;
                    self.start_at_arrival();
                    if self.system.leaves_out_idle {
                        self.renew_odds();
                    }
                }
                Pause::Starts => self.start_at_arrival(),
                Pause::Bounds => self.renew_odds(),
                Pause::Events => {}
            }
            self.schedule();
        }
        Ok(Reached::MaxEvents(self.time))
    }

    fn begin_averages(&mut self, time: f64) {
        self.servers.begin_integrals(time);
        self.tally.begin();
    }

    fn counts(&self) -> Counts {
        self.servers.counts()
    }

    fn finish(&mut self, time: f64) -> (Integrals, Tally) {
        let mut tally = self.tally.clone();
        let left_out = self.left_out.draw(time, &mut self.rng);
        tally.events += left_out;
        tally.counted.idle_scalings += left_out;
        (self.servers.integrals(time), tally)
    }
}
