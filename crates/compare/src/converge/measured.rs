//! Biases of means, as they are measured.

use super::{Convergence, Finite};
use crate::engine::Simulate;
use crate::simulate::failed;
use crate::{Error, InputError, Progress, limit};
use alba_ctmc::{Estimate, Experiment, Problem, simulate};
use alba_replicate::Deadline;
use alba_scenario::Scenario;

/// A bias at a report time.
#[derive(Clone, Copy)]
pub(super) struct Bias {
    pub(super) time: f64,
    pub(super) simulated: Option<f64>,
    pub(super) fluid: Option<f64>,
    /// Simulated less fluid.
    pub(super) bias: Estimate,
}

/// The biases of one number of servers.
pub(super) struct Biases {
    /// For every measure, at every report time after the start.
    pub(super) estimates: Vec<Vec<Bias>>,
}

/// Of so many replications of so many servers that begin now.
pub(super) fn deadline(scenario: &Scenario, servers: u64, replications: u64) -> Result<Deadline, InputError> {
    let servers = servers as f64 / scenario.servers() as f64;
    limit::deadline(scenario, &Simulate, servers * (replications as f64 / scenario.run().replications as f64))
}

/// So many replications of so many servers.
pub(super) fn biases(
    scenario: &Scenario,
    convergence: &Convergence,
    servers: u64,
    replications: u64,
    progress: &dyn Progress,
) -> Result<Biases, Error> {
    let run = scenario.run();
    let finite = Finite::new(scenario, servers, run.grid)?;
    let deadline = deadline(scenario, servers, replications)?;
    let outcome = Problem::new(scenario.model().clone(), finite.start, run.grid, 0.0, None)
        .and_then(|problem| {
            let problem = problem.with_deadline(deadline);
            let measures = convergence.measures.clone();
            let experiment = Experiment::new(replications, run.seed, measures, *scenario.power())?;
            simulate(&problem, &experiment, &|_| progress.advance(servers))
        })
        .map_err(|source| failed(scenario, source))?;
    let estimates = convergence.measures.iter().enumerate().map(|(index, measure)| {
        let points = outcome.points.iter().zip(&finite.fluid).skip(1);
        let bias = points.map(|(point, snapshot)| {
            let (estimate, fluid) = (point.estimates[index], measure.value(&snapshot.with(scenario.power())));
            let value = estimate.value.zip(fluid).map(|(simulated, fluid)| simulated - fluid);
            let half_width = estimate.half_width.filter(|_| value.is_some());
            Bias { time: point.time, simulated: estimate.value, fluid, bias: Estimate { value, half_width } }
        });
        bias.collect()
    });
    Ok(Biases { estimates: estimates.collect() })
}
