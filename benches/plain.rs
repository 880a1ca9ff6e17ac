//! The plain loop over counts that a person would write first: the engine's yardstick. No library code but the
//! random numbers: two draws and a logarithm an event, linear scans.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Figure 1's system, with a dispatching rule of two.
pub struct Plain {
    /// Join the idle queue instead of Power-of-2.
    pub join_idle_queue: bool,
    /// N.
    pub servers: f64,
    /// Cold servers.
    pub cold: u64,
    /// Initializing servers.
    pub initializing: u64,
    /// Warm servers by jobs.
    pub warm: Vec<u64>,
    /// Events so far.
    pub events: u64,
    /// Time.
    pub time: f64,
    /// Random numbers.
    pub rng: Xoshiro256PlusPlus,
}

const LAMBDA: f64 = 0.7;
const ALPHA: f64 = 0.05;
const BETA: f64 = 0.1;
const GAMMA: f64 = 0.025;
const THETA: f64 = 0.06;
const BUFFER: usize = 100;

impl Plain {
    /// Figure 1's start: 30 % cold, the rest idle.
    pub fn new(join_idle_queue: bool, servers: u64, seed: u64) -> Self {
        let mut warm = vec![0; BUFFER + 1];
        warm[0] = servers * 7 / 10;
        Self {
            join_idle_queue,
            servers: servers as f64,
            cold: servers - warm[0],
            initializing: 0,
            warm,
            events: 0,
            time: 0.0,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    /// The level of the server of rank `rank`, emptiest first, from `first` on.
    fn level(&self, first: usize, mut rank: f64) -> usize {
        for (level, &count) in self.warm.iter().enumerate().skip(first) {
            rank -= count as f64;
            if rank < 0.0 {
                return level;
            }
        }
        BUFFER
    }

    fn arrive(&mut self, warm: f64) {
        let level = if warm == 0.0 {
            return;
        } else if !self.join_idle_queue {
            let rank = warm * self.rng.random::<f64>().min(self.rng.random::<f64>());
            self.level(0, rank)
        } else if self.warm[0] > 0 {
            0
        } else {
            let rank = warm * self.rng.random::<f64>();
            self.level(0, rank)
        };
        if level < BUFFER {
            self.warm[level] -= 1;
            self.warm[level + 1] += 1;
        }
    }

    /// One event.
    pub fn step(&mut self) {
        let warm: u64 = self.warm_servers();
        let busy = (warm - self.warm[0]) as f64;
        let arrivals = LAMBDA * self.servers;
        let scalings = ALPHA * self.servers;
        let initializations = BETA * self.initializing as f64;
        let expirations = GAMMA * self.warm[0] as f64;
        let total = arrivals + busy + scalings + initializations + expirations;
        self.time -= (1.0 - self.rng.random::<f64>()).ln() / total;
        self.events += 1;
        let mut class = self.rng.random::<f64>() * total;
        if class < arrivals {
            self.arrive(warm as f64);
            return;
        }
        class -= arrivals;
        if class < busy {
            let level = self.level(1, class);
            self.warm[level] -= 1;
            self.warm[level - 1] += 1;
            return;
        }
        class -= busy;
        if class < scalings {
            if self.cold > 0 && class < THETA * scalings {
                self.cold -= 1;
                self.initializing += 1;
            }
        } else if class - scalings < initializations {
            self.initializing -= 1;
            self.warm[0] += 1;
        } else {
            self.warm[0] -= 1;
            self.cold += 1;
        }
    }

    fn warm_servers(&self) -> u64 {
        self.servers as u64 - self.cold - self.initializing
    }
}
