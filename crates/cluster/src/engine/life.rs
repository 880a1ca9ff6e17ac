//! How servers start, warm up and go cold.

use alba_model::Observation;
use rand::RngExt;
use rand_distr::Exp1;

use super::events::Kind;
use super::service::Lines;
use super::{Engine, Phase};
use crate::scaling::{Asynchronous, Scaling};

/// With more scaling times for a server in a mean service time, those that cannot start one are skipped: they would be nearly
/// all that happens.
const MANY_SCALINGS: f64 = 5.0;

/// When a server goes cold.
#[derive(Debug, Clone, Default)]
pub(super) struct Expiry {
    /// If it stays idle.
    at: f64,
    /// Its expiration events to come, the earliest last. An idle time that ends later than that needs no event of its own
    /// yet, so that events of idle times long past do not pile up.
    events: Vec<f64>,
}

impl Engine<'_> {
    pub(super) fn become_idle(&mut self, server: u32, now: f64) {
        self.idle += 1;
        self.servers[server as usize].empty_at = now;
        let Some(law) = &self.problem.times.expiration else { return };
        self.expiries[server as usize].at =
            now + self.clock.duration(law.sample(&mut self.streams.expiration));
        self.await_expiration(server);
    }

    fn await_expiration(&mut self, server: u32) {
        let expiry = &mut self.expiries[server as usize];
        if expiry.events.last().is_none_or(|next| expiry.at < *next) {
            expiry.events.push(expiry.at);
            self.events.push(expiry.at, Kind::Expiration, server);
        }
    }

    pub(super) fn expire(&mut self, server: u32, now: f64) {
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
    pub(super) fn start(&mut self, server: u32, now: f64) {
        let time = self.problem.times.initialization.sample(&mut self.streams.initialization);
        let time = self.clock.duration(time);
        self.start_within(server, now, time);
        self.events.push(now + time, Kind::Ready, server);
    }

    pub(super) fn start_within(&mut self, server: u32, now: f64, time: f64) {
        let state = &mut self.servers[server as usize];
        state.phase = Phase::Initializing;
        state.ready_at = now + time;
        self.census.start(state.group, now);
        self.cold.set(server as usize, false);
    }

    /// Starts any of the cold servers.
    pub(super) fn start_any(&mut self, now: f64) {
        if let Some(server) = self.cold.draw(&mut self.streams.choice) {
            self.start(server as u32, now);
            self.notify(server as u32);
        }
    }

    pub(super) fn make_ready(&mut self, server: u32, now: f64) {
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

    pub(super) fn scale(&mut self, now: f64) {
        self.draw_scaling();
        let Scaling::Asynchronous(scaling) = self.problem.scaling else { return };
        let uniform = self.streams.scaling.random::<f64>();
        let none_cold = self.cold.is_empty();
        let probability = if none_cold { 0.0 } else { scaling.rule().probability(&self.observe(now)) };
        if uniform < probability {
            self.start_any(now);
        } else if probability == 0.0
            && scaling.rate() > MANY_SCALINGS
            && (none_cold || self.problem.arrivals.demand_is_constant())
        {
            self.skip_idle_scalings();
        }
    }

    /// Until something else happens no scaling time starts a server; those after it do not depend on those before.
    fn skip_idle_scalings(&mut self) {
        let next = self.events.next().0.min(self.next_arrival);
        if self.next_scaling < next {
            self.next_scaling = next;
            self.draw_scaling();
        }
    }

    pub(super) fn draw_scaling(&mut self) {
        let rate = match &self.problem.scaling {
            Scaling::Asynchronous(scaling) => Asynchronous::rate(scaling) * self.servers.len() as f64,
            Scaling::None | Scaling::Tabs | Scaling::PerRequest | Scaling::SwitchOn => 0.0,
        };
        self.next_scaling += self.clock.duration(self.streams.scaling.sample::<f64, _>(Exp1) / rate);
    }

    fn observe(&self, now: f64) -> Observation {
        let counts = self.census.counts();
        let size = self.servers.len() as f64;
        let initializing = counts.initializing as f64 / size;
        let mean = self.problem.times.initialization.mean();
        Observation {
            demand: self.problem.arrivals.demand(self.clock.time(now), size, self.problem.grid.horizon()),
            initializing,
            // Who initializes at once is never seen to.
            warming: if mean > 0.0 { initializing / mean } else { 0.0 },
            one_job: counts.warm.get(1).map_or(0.0, |&count| count as f64 / size),
            warm: self.warm as f64 / size,
        }
    }
}
