//! The central queue with set-up and delayed-off, event by event: the direct method.

use alba_model::{Counts, Model};
use rand::RngExt;
use rand_distr::Exp1;

use crate::CtmcError;
use crate::chain::{Engine, Reached};
use crate::events::Tally;
use crate::random::weighted;
use crate::servers::{Integrals, Servers};
use alba_replicate::Stream;

/// One replication. `tails[0]` and `tails[1]` of its servers are the warm and the busy ones; while jobs wait, no warm
/// server is idle, and as many servers initialize as jobs wait, if there are so many.
pub(crate) struct CentralQueue {
    /// lambda N.
    arrivals: f64,
    size: f64,
    initialization: f64,
    expiration: f64,
    /// The most jobs in all.
    room: u64,
    max_events: u64,
    rng: Stream,
    servers: Servers,
    tally: Tally,
    /// Of the last event.
    time: f64,
    /// Of the next one.
    next: f64,
}

impl CentralQueue {
    pub(crate) fn new(model: &Model, servers: Servers, max_events: u64, rng: Stream) -> Self {
        let all = u64::from(servers.cold) + u64::from(servers.initializing) + u64::from(servers.warm());
        Self {
            arrivals: 0.0,
            size: all as f64,
            initialization: model.rates().initialization(),
            expiration: model.rates().expiration(),
            room: model.buffer().limit().map_or(u64::MAX, |limit| u64::from(limit) * all),
            max_events,
            rng,
            tally: Tally::new(servers.tails.len()),
            servers,
            time: 0.0,
            next: f64::INFINITY,
        }
    }

    /// Rates of arrivals, completions, initializations and expirations.
    fn rates(&self) -> [f64; 4] {
        let servers = &self.servers;
        [
            self.arrivals,
            servers.busy().into(),
            self.initialization * f64::from(servers.initializing),
            self.expiration * f64::from(servers.idle()),
        ]
    }

    fn schedule(&mut self) {
        let total: f64 = self.rates().iter().sum();
        self.next = self.time + self.rng.sample::<f64, _>(Exp1) / total;
    }

    fn step(&mut self) {
        self.time = self.next;
        self.tally.events += 1;
        match weighted(&self.rates(), self.rng.random()).unwrap_or(0) {
            0 => self.arrive(),
            1 => self.finish(),
            2 => self.warm_up(),
            _ => {
                self.tally.counted.expirations += 1;
                self.servers.expire(self.time);
            }
        }
        self.schedule();
    }

    fn arrive(&mut self) {
        if self.servers.idle() > 0 {
            self.tally.found[0] += 1;
            self.servers.accept(0, self.time);
        } else if self.servers.waiting + u64::from(self.servers.busy()) >= self.room {
            self.tally.counted.rejected += 1;
        } else {
            self.tally.queued += 1;
            self.servers.enqueue(self.time);
            if self.servers.cold > 0 {
                self.tally.events += 1;
                self.tally.counted.scale_ups += 1;
                self.servers.start(self.time);
            }
        }
    }

    /// The server takes the next job, and initializing servers for which no job waits any more go cold.
    fn finish(&mut self) {
        if self.servers.waiting == 0 {
            return self.servers.complete(1, self.time);
        }
        self.servers.dequeue(self.time);
        if u64::from(self.servers.initializing) > self.servers.waiting {
            self.servers.cancel(self.time);
        }
    }

    fn warm_up(&mut self) {
        self.tally.counted.initializations += 1;
        self.servers.warm_up(self.time);
        self.servers.dequeue(self.time);
        self.servers.accept(0, self.time);
    }
}

impl Engine for CentralQueue {
    fn set_arrival_rate(&mut self, rate: f64, time: f64) {
        self.arrivals = rate * self.size;
        self.time = time;
        self.schedule();
    }

    fn advance(&mut self, until: f64) -> Result<Reached, CtmcError> {
        while self.tally.events < self.max_events {
            // Not a number where nothing can happen.
            if self.next.is_nan() || self.next > until {
                return Ok(Reached::Time);
            }
            self.step();
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
        (self.servers.integrals(time), self.tally.clone())
    }
}
