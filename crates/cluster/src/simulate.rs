//! Many replications of all policies, in parallel, reduced in order.

use std::sync::atomic::{AtomicU64, Ordering};

use alba_model::Measure;
use alba_replicate::{Estimate, Precision, Sequential, Shortfall, in_order, replicate_to_precision};

use crate::outcome::Outcome;
use crate::percentiles::Percentiles;
use crate::reduction::Reduction;
use crate::run::{Run, at_times};
use crate::{ClusterError, Experiment, Problem};

/// Simulates `problem` under every policy as often as `experiment` says, on the current rayon pool. The outcome is the
/// same on any number of threads, and a policy's the same whatever other policies there are; memory does not grow with
/// replications, requests or horizon. `progress` hears the number of runs done, policies times replications, each time one
/// more is.
///
/// # Errors
/// [`ClusterError::NeedsCapacity`] from a policy.
///
/// ```
/// use alba_cluster::*;
/// use alba_model::{ArrivalProfile, Counts, Grid, Measure};
///
/// let parts = ProblemParts {
///     servers: Servers::new(vec![Group::new(10)?])?,
///     discipline: Discipline::FirstComeFirstServed,
///     arrivals: Arrivals::poisson(ArrivalProfile::constant(0.7)?),
///     times: Times { service: Law::exponential(1.0)?, initialization: Law::deterministic(0.0)?, expiration: None },
///     scaling: Scaling::None,
///     initial: Counts { cold: 0, initializing: 0, warm: vec![10], waiting: 0 },
///     grid: Grid::new(2000.0, 1)?,
///     warm_up: 100.0,
/// };
/// let policies = vec![Arbitrator::Random, Arbitrator::LeastWorkLeft];
/// let outcome = simulate(&Problem::new(parts)?, &Experiment::new(4, 1, policies)?, &|_| ())?;
/// let random = outcome.policies[0].metric(Measure::MeanResponseTime).value.unwrap();
/// assert!((random - 1.0 / 0.3).abs() < 0.3); // ten M/M/1 queues
/// let saved = outcome.policies[1].difference(Measure::MeanResponseTime);
/// assert!(saved.value.unwrap() + saved.half_width.unwrap() < -1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn simulate(
    problem: &Problem,
    experiment: &Experiment,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Outcome, ClusterError> {
    let mut replications = Replications::new(problem, experiment, |done, _| progress(done));
    replications.simulate_to(experiment.replications)?;
    Ok(replications.outcome())
}

/// The same until all estimates of whole runs of all policies are as precise as asked for, see [`replicate_to_precision`]: first as
/// many replications as `experiment` says, 20 at least. Replication `r` is the one that [`simulate()`] makes. With the outcome comes
/// the interval that is furthest from what is allowed of it, if the cap was reached before all were precise; its row is the policy.
/// `precision` has a tolerance for each of [`Measure::OF_REQUESTS`], or none. `progress` hears the number of runs done and planned so far.
///
/// # Errors
/// Those of [`simulate()`].
pub fn simulate_to_precision(
    problem: &Problem,
    experiment: &Experiment,
    precision: &Precision,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<(Outcome, Option<Shortfall>), ClusterError> {
    let mut replications = Replications::new(problem, experiment, progress);
    let shortfall = replicate_to_precision(&mut replications, experiment.replications, precision)?;
    Ok((replications.outcome(), shortfall))
}

/// All policies.
struct Replications<'a, P> {
    problem: &'a Problem,
    experiment: &'a Experiment,
    progress: P,
    /// Runs: policies times replications.
    done: AtomicU64,
    policies: Vec<Reduction>,
}

impl<'a, P: Fn(u64, u64) + Sync> Replications<'a, P> {
    fn new(problem: &'a Problem, experiment: &'a Experiment, progress: P) -> Self {
        let policies = 0..experiment.policies.len();
        let policies = policies.map(|policy| Reduction::new(problem, experiment, policy)).collect();
        Self { problem, experiment, progress, done: AtomicU64::new(0), policies }
    }

    fn outcome(self) -> Outcome {
        let percentiles: Vec<Percentiles> =
            self.policies.iter().map(|policy| policy.percentiles(self.problem)).collect();
        let policies = self.policies.into_iter().zip(&self.experiment.policies).zip(&percentiles);
        let policies = policies.map(|((reduction, policy), own)| {
            let mut outcome = reduction.outcome(self.problem, policy.clone(), own);
            own.complete(&percentiles[0], &mut outcome);
            outcome
        });
        Outcome { policies: policies.collect() }
    }
}

impl<P: Fn(u64, u64) + Sync> Sequential for Replications<'_, P> {
    type Error = ClusterError;

    fn measures(&self) -> &[Measure] {
        &Measure::OF_REQUESTS
    }

    fn simulate_to(&mut self, planned: u64) -> Result<(), ClusterError> {
        let Self { problem, experiment, progress, done, policies } = self;
        let runs = planned.saturating_mul(experiment.policies.len() as u64);
        let record = |replication| -> Result<Vec<Run>, ClusterError> {
            let runs = experiment.policies.iter().map(|policy| {
                let run = Run::new(problem, experiment, policy, replication);
                progress(done.fetch_add(1, Ordering::Relaxed) + 1, runs);
                run
            });
            runs.collect()
        };
        let so_far = policies.first().map_or(0, Reduction::replications);
        in_order(so_far..planned, numbers(problem, experiment), record, |runs| {
            let runs = runs?;
            for (reduction, run) in policies.iter_mut().zip(&runs) {
                reduction.push(run, &runs[0]);
            }
            Ok(())
        })
    }

    fn end_stage(&mut self) {
        self.policies.iter_mut().for_each(|policy| policy.end_stage(self.problem));
    }

    fn watched(&self) -> Vec<Vec<Estimate>> {
        self.policies.iter().map(|policy| policy.metrics(&policy.percentiles(self.problem))).collect()
    }
}

/// Numbers that a replication holds until it is reduced: histograms of some 8000 ranges are the most of them.
fn numbers(problem: &Problem, experiment: &Experiment) -> usize {
    const HISTOGRAMS: usize = 2 * 3 * 8000;
    let points = problem.grid.points() * 2 * at_times(experiment.levels).count();
    experiment.policies.len() * (HISTOGRAMS + points + problem.servers.count())
}

#[cfg(test)]
mod tests;
