//! The chain's exact simulation: against exact solutions, a slow oracle and published data, and what must always hold.

use alba_ctmc::{Estimate, Experiment, Outcome, Problem, simulate};
use alba_model::{
    ArrivalProfile, Buffer, Counts, Dispatch, Grid, Measure, Model, PowerDraw, Rates, ScalingRule, Scheme,
};

mod against_oracle;
mod exact;
mod far_apart;
mod invariants;
mod published;

/// Student's 97.5 % quantiles for 9 degrees of freedom and more, to undo half-widths; 1.96 beyond.
fn standard_error(estimate: &Estimate, replications: u64) -> f64 {
    let student = match replications {
        10 => 2.262157,
        32 => 2.039513,
        64 => 1.998341,
        _ => 1.96,
    };
    estimate.half_width.unwrap() / student
}

/// A model with the rates of the stationary table: alpha .5, beta .1, gamma .025.
fn table_model(dispatch: Dispatch, scaling: ScalingRule, lambda: f64, buffer: u32) -> Model {
    let rates = Rates::new(0.5, 0.1, 0.025).unwrap();
    let arrivals = ArrivalProfile::constant(lambda).unwrap();
    Model::new(arrivals, rates, Buffer::finite(buffer).unwrap(), Scheme::asynchronous(dispatch, scaling))
        .unwrap()
}

/// Figure 1's system with `servers` servers.
fn figure_1(
    dispatch: Dispatch,
    servers: u64,
    horizon: f64,
    samples: usize,
    max_events: Option<u64>,
) -> Problem {
    let scheme = Scheme::asynchronous(dispatch, ScalingRule::blind(0.06).unwrap());
    let rates = Rates::new(0.05, 0.1, 0.025).unwrap();
    let arrivals = ArrivalProfile::constant(0.7).unwrap();
    let model = Model::new(arrivals, rates, Buffer::finite(100).unwrap(), scheme).unwrap();
    let idle = servers * 7 / 10;
    let start = Counts { cold: servers - idle, initializing: 0, warm: vec![idle], waiting: 0 };
    Problem::new(model, start, Grid::new(horizon, samples).unwrap(), 0.0, max_events).unwrap()
}

/// All measures of `problem`.
fn all_measures(problem: &Problem, replications: u64, seed: u64) -> Outcome {
    let experiment =
        Experiment::new(replications, seed, Measure::ALL.to_vec(), PowerDraw::default()).unwrap();
    simulate(problem, &experiment, &|_| ()).unwrap()
}

fn index_of(measure: Measure) -> usize {
    Measure::ALL.iter().position(|&other| other == measure).unwrap()
}
