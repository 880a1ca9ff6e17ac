//! The chain of N servers, event by event from the model's list of transitions.

use alba_model::{Counts, Event, Grid, Model, Move, Place, Snapshot, Transition};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// One run of [`slow_path`].
pub(crate) struct SlowPath {
    /// The state at every grid point.
    pub(crate) snapshots: Vec<Snapshot>,
    /// All events, in order.
    pub(crate) events: Vec<Event>,
}

/// Simulates `model` from `initial`: an exponential time to the next event, the event by its share of the total rate.
pub(crate) fn slow_path(model: &Model, initial: &Counts, grid: &Grid, seed: u64) -> SlowPath {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let servers = initial.servers() as f64;
    let mut state = initial.clone();
    let (mut snapshots, mut events) = (Vec::new(), Vec::new());
    for segment in model.arrivals().segments(grid.horizon()) {
        let mut time = segment.start;
        loop {
            let occupancy = state.occupancy().unwrap();
            let mut transitions: Vec<Transition> = Vec::new();
            model.for_each_transition(&occupancy, segment.rate, &mut |transition| {
                transitions.push(transition);
            });
            let total: f64 = transitions.iter().map(|transition| transition.rate).sum();
            // By inversion, not by the engine's ziggurat; infinite if nothing can happen.
            let next = time - (1.0 - rng.random::<f64>()).ln() / (total * servers);
            let end = next.min(segment.end);
            while snapshots.len() < grid.points() {
                let point = grid.time(snapshots.len());
                if point > end || (point == end && end < grid.horizon()) {
                    break;
                }
                snapshots.push(model.snapshot(point, occupancy.clone()));
            }
            if next.is_nan() || next >= segment.end {
                break;
            }
            time = next;
            let mut share = rng.random::<f64>() * total;
            let chosen = transitions.iter().find(|transition| {
                share -= transition.rate;
                share < 0.0
            });
            let Some(chosen) = chosen.or(transitions.last()) else { break };
            chosen.moves.iter().flatten().for_each(|moved| apply(moved, &mut state));
            state.waiting = state.waiting.checked_add_signed(chosen.waiting.into()).unwrap();
            events.push(chosen.event);
            let starts = chosen.moves[1].is_some_and(|moved| moved.to == Place::Initializing);
            events.extend(starts.then_some(Event::ScaleUp)); // at an arrival
        }
    }
    SlowPath { snapshots, events }
}

fn apply(moved: &Move, state: &mut Counts) {
    *place(moved.from, state) -= 1;
    *place(moved.to, state) += 1;
}

fn place(place: Place, state: &mut Counts) -> &mut u64 {
    match place {
        Place::Cold => &mut state.cold,
        Place::Initializing => &mut state.initializing,
        Place::Warm(level) => {
            state.warm.resize(state.warm.len().max(level + 1), 0);
            &mut state.warm[level]
        }
    }
}
