//! Processor sharing.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Requests that share a server's speed equally.
///
/// Service attained by one request that never leaves is the server's own clock; a request that arrives when it shows `a`
/// and needs `s` leaves when it shows `a + s`, whatever comes and goes. So the order of leaving is known on arrival, and
/// every change costs `O(log n)`. Times are whole ticks; the server's own clock shows fractions of them.
///
/// # Source
/// The fluid fair-queueing clock; dslab's throughput sharing models use the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sharing {
    attained: f64,
    /// When `attained` was true.
    at: f64,
    present: BinaryHeap<Reverse<Guest>>,
}

/// A request present.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Guest {
    /// What the clock shows when it leaves.
    leaves: f64,
    /// When it came; negative: was there at the start.
    pub(crate) arrived: f64,
    /// Its service time alone.
    pub(crate) service: f64,
}

/// A share just below a whole number of ticks is that number: it was divided and multiplied.
const UP: f64 = 1.0 + 4.0 * f64::EPSILON;

impl Eq for Guest {}

impl Ord for Guest {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.leaves.total_cmp(&other.leaves).then(self.arrived.total_cmp(&other.arrived))
    }
}

impl PartialOrd for Guest {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Sharing {
    /// The server works from `now` on.
    pub(crate) fn begin(&mut self, now: f64) {
        self.at = now;
    }

    /// A request that needs `service` comes at `now`; `working`: the server is warm.
    pub(crate) fn join(&mut self, now: f64, service: f64, arrived: f64, working: bool) {
        if working {
            self.go_to(now);
        }
        self.present.push(Reverse(Guest { leaves: self.attained + service, arrived, service }));
    }

    /// When the next request leaves if none comes before, in whole ticks.
    pub(crate) fn next_completion(&self) -> Option<f64> {
        let Reverse(first) = self.present.peek()?;
        let left = (first.leaves - self.attained).max(0.0) * self.present.len() as f64;
        Some(self.at + (left * UP).floor())
    }

    /// The next request leaves now, when it is due.
    pub(crate) fn leave(&mut self, now: f64) -> Option<Guest> {
        let Reverse(guest) = self.present.pop()?;
        // Exactly, and from zero again where that is possible: rounding does not build up.
        self.attained = if self.present.is_empty() { 0.0 } else { guest.leaves };
        self.at = now;
        Some(guest)
    }

    fn go_to(&mut self, now: f64) {
        if !self.present.is_empty() {
            self.attained += (now - self.at) / self.present.len() as f64;
        }
        self.at = now;
    }
}

#[cfg(test)]
mod tests;
