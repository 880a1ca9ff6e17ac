//! Numbered servers: closed forms, the chain of counts, published data.

mod agreement;
mod command;
mod published;
mod queues;
mod repeatable;
mod replay;

use alba_cluster::{
    Arbitrator, Arrivals, Discipline, Estimate, Experiment, Group, Law, Outcome, Problem, ProblemParts,
    Scaling, Servers, Times, simulate,
};
use alba_model::{ArrivalProfile, Counts, Grid};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Warm servers of one group with Poisson arrivals of total rate `rate`, and nothing that scales.
pub(crate) fn always_warm(group: Group, discipline: Discipline, rate: f64, service: Law) -> ProblemParts {
    let servers = group.count();
    ProblemParts {
        servers: Servers::new(vec![group]).unwrap(),
        discipline,
        arrivals: Arrivals::poisson(ArrivalProfile::constant(rate / f64::from(servers)).unwrap()),
        times: Times { service, initialization: Law::deterministic(0.0).unwrap(), expiration: None },
        scaling: Scaling::None,
        initial: Counts { cold: 0, initializing: 0, warm: vec![servers.into()], waiting: 0 },
        grid: Grid::new(9000.0, 1).unwrap(),
        warm_up: 1000.0,
    }
}

pub(crate) fn simulated(
    parts: &ProblemParts,
    policies: Vec<Arbitrator>,
    replications: u64,
    seed: u64,
) -> Outcome {
    let problem = Problem::new(parts.clone()).unwrap();
    simulate(&problem, &Experiment::new(replications, seed, policies).unwrap(), &|_| ()).unwrap()
}

/// The standard error behind a half-width.
pub(crate) fn standard_error(estimate: &Estimate, replications: u64) -> f64 {
    let student = StudentsT::new(0.0, 1.0, (replications - 1) as f64).unwrap();
    estimate.half_width.unwrap() / student.inverse_cdf(0.975)
}
