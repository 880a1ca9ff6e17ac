//! What happens to the requests at a server.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::events::Kind;
use super::sharing::Sharing;
use super::{Engine, Phase};
use crate::Discipline;
use crate::problem::Problem;

/// What is to be known of the requests at every server.
pub(super) enum Lines {
    /// Who comes next starts when the work before is done.
    OneWorker,
    /// Bits of the times when the workers that have had work are free, for every server.
    Workers(Vec<BinaryHeap<Reverse<u64>>>),
    Parallel,
    Sharing(Vec<Shared>),
}

/// A server whose requests share it.
#[derive(Debug, Clone)]
pub(super) struct Shared {
    pub(super) requests: Sharing,
    /// The completion event that counts: others are out of date.
    completion: f64,
}

impl Engine<'_> {
    /// Gives `server` a request that arrived at `arrived`, before the start if that is negative.
    pub(super) fn serve(&mut self, server: u32, now: f64, demand: f64, arrived: f64) {
        let index = server as usize;
        let group = self.group(self.servers[index].group);
        let state = &mut self.servers[index];
        let service = self.clock.duration(demand / group.speed());
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
            self.delays.record(self.clock.time(ends - now), self.clock.time(begins - now));
        }
    }

    /// Under processor sharing: when the next request leaves.
    pub(super) fn await_completion(&mut self, server: u32) {
        if let Lines::Sharing(shared) = &mut self.lines
            && let Some(time) = shared[server as usize].requests.next_completion()
            && time != shared[server as usize].completion
        {
            shared[server as usize].completion = time;
            self.events.push(time, Kind::Completion, server);
        }
    }

    pub(super) fn complete(&mut self, server: u32, now: f64) {
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
                let waiting = (response - guest.service).max(0.0);
                self.delays.record(self.clock.time(response), self.clock.time(waiting));
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
}

impl Lines {
    pub(super) fn new(problem: &Problem) -> Self {
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
