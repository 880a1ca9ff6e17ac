//! How servers start, warm up and go cold.

use alba_replicate::Stream;

use super::events::Kind;
use super::service::Lines;
use super::{Engine, Phase};
use crate::scaling::{Scaler, Seen};

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
        let (state, expiry) = (&self.servers[server as usize], &mut self.expiries[server as usize]);
        expiry.events.pop();
        if state.phase != Phase::Warm || state.connections > 0 {
            return;
        }
        if expiry.at > now {
            return self.await_expiration(server);
        }
        let (scaler, seen, _) = self.scaler(now);
        if !scaler.may_go(&seen) {
            return self.put_off(server);
        }
        self.go_cold(server, now);
    }

    /// It is asked about again after the next tick.
    fn put_off(&mut self, server: u32) {
        const TICK: f64 = 1.0;
        if self.next_scaling < f64::INFINITY {
            self.expiries[server as usize].at = self.next_scaling + TICK;
            self.await_expiration(server);
        }
    }

    fn go_cold(&mut self, server: u32, now: f64) {
        let state = &mut self.servers[server as usize];
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

    /// The scaler, what it sees, and what it draws from.
    #[inline]
    pub(super) fn scaler(&mut self, now: f64) -> (&mut dyn Scaler, Seen<'_>, &mut Stream) {
        let seen = Seen {
            now,
            quiet_until: self.events.next().0.min(self.next_arrival),
            idle: self.idle,
            warm: self.warm,
            cold: self.cold.len(),
            clock: self.clock,
            servers: self.problem.servers.count(),
            arrivals: &self.problem.arrivals,
            initialization: &self.problem.times.initialization,
            horizon: self.problem.grid.horizon(),
            census: &self.census,
        };
        (&mut *self.scaler, seen, &mut self.streams.scaling)
    }

    pub(super) fn scale(&mut self, now: f64) {
        let (scaler, seen, random) = self.scaler(now);
        let starts = scaler.on_tick(&seen, random);
        self.next_scaling = self.scaler.next_tick();
        (0..starts.min(self.cold.len())).for_each(|_| self.start_any(now));
    }
}
