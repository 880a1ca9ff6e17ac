//! The steady state from long runs.

use alba_ctmc::{Estimate, Experiment, Problem, Verdict, steady_state};
use alba_model::{Grid, Measure, Model, PowerDraw};
use rayon::prelude::*;

use super::{Covered, EVENTS, EXPERIMENTS, QUICK, full, one_server, slow_cold_start, warm};
use crate::steady_state::in_equilibrium;

fn estimates(model: &Model, measure: Measure, [length, runs]: [f64; 2], experiments: u64) -> Vec<Estimate> {
    let problem = Problem::new(model.clone(), warm(1), Grid::new(length, 1).unwrap(), 0.0, None).unwrap();
    let one = |seed| {
        let experiment = Experiment::new(runs as u64, seed, vec![measure], PowerDraw::default()).unwrap();
        let found = steady_state(&problem, &experiment, &|_, _| ()).unwrap().measures[0];
        assert_ne!(found.verdict, Verdict::Constant);
        found.estimate
    };
    (0..experiments).into_par_iter().map(one).collect()
}

fn systems() -> [(&'static str, Model, Measure, f64); 3] {
    let lost = slow_cold_start(2e-4);
    let share = in_equilibrium(&lost, &warm(1))[7].unwrap();
    let (rejected, lost_fraction) = (Measure::RejectedFraction, Measure::LostFraction);
    [
        ("M/M/1/4, load 0.3", one_server(0.3, 4), rejected, full(0.3, 4)),
        ("M/M/1/12, load 0.7", one_server(0.7, 12), rejected, full(0.7, 12)),
        ("slow cold start", lost, lost_fraction, share),
    ]
}

/// `events` in all runs together. Where tenths of batches are correlated, or the transient is not over, there is no interval.
fn check(
    (name, model, measure, truth): &(&str, Model, Measure, f64),
    events: f64,
    runs: f64,
    experiments: u64,
) {
    let length = events / (runs * model.arrivals().peak() * truth);
    let covered = Covered::of(estimates(model, *measure, [length, runs], experiments), *truth);
    let name = format!("{name}, steady, {events} events in {runs} runs of {length:.0}");
    if covered.given * 10 < experiments {
        println!("{name}: {} intervals", covered.given);
        return;
    }
    println!("{name}: {} of {experiments} give an interval", covered.given);
    covered.check(&name, covered.given);
}

#[test]
fn the_steady_state_now_and_then() {
    let [single, _, _] = systems();
    for events in [0.3, 3.0] {
        check(&single, events, 1.0, QUICK / 4);
    }
}

#[test]
#[ignore = "slow statistical check: 2000 experiments of each of 30 kinds, minutes"]
fn the_steady_state() {
    for runs in [1.0, 10.0] {
        for system in systems() {
            EVENTS.into_iter().for_each(|events| check(&system, events, runs, EXPERIMENTS));
        }
    }
}
