//! Many replications of all policies, in parallel, reduced in order.

use std::sync::atomic::{AtomicU64, Ordering};

use alba_model::Parts;
use alba_replicate::{Moments, Nature, PairedMoments, SingleRuns, in_order, student_quantile};

use crate::engine::RequestCounts;
use crate::nature::Fixed;
use crate::outcome::{GridPoint, Outcome, PolicyOutcome};
use crate::percentiles::{Percentiles, Sections};
use crate::run::{Run, STATE};
use crate::{ClusterError, Experiment, Metric, Problem};

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
/// use alba_model::{ArrivalProfile, Counts, Grid};
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
/// let random = outcome.policies[0].metric(Metric::MeanResponseTime).value.unwrap();
/// assert!((random - 1.0 / 0.3).abs() < 0.3); // ten M/M/1 queues
/// let saved = outcome.policies[1].difference(Metric::MeanResponseTime);
/// assert!(saved.value.unwrap() + saved.half_width.unwrap() < -1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn simulate(
    problem: &Problem,
    experiment: &Experiment,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Outcome, ClusterError> {
    let done = AtomicU64::new(0);
    let record = |replication| -> Result<Vec<Run>, ClusterError> {
        let runs = experiment.policies.iter().map(|policy| {
            let run = Run::new(problem, experiment, policy, replication);
            progress(done.fetch_add(1, Ordering::Relaxed) + 1);
            run
        });
        runs.collect()
    };
    let mut reduction: Vec<_> =
        (0..experiment.policies.len()).map(|policy| Reduction::new(problem, experiment, policy)).collect();
    in_order(0..experiment.replications, numbers(problem, experiment), record, |runs| {
        let runs = runs?;
        for (reduction, run) in reduction.iter_mut().zip(&runs) {
            reduction.push(run, &runs[0]);
        }
        Ok::<(), ClusterError>(())
    })?;
    let percentiles: Vec<Percentiles> =
        reduction.iter().map(|reduction| reduction.percentiles(problem)).collect();
    let policies = reduction.into_iter().zip(&experiment.policies).zip(&percentiles);
    let policies = policies.map(|((reduction, policy), own)| {
        let mut outcome = reduction.outcome(problem, policy.clone());
        own.complete(&percentiles[0], &mut outcome);
        outcome
    });
    Ok(Outcome { policies: policies.collect() })
}

/// Numbers that a replication holds until it is reduced: histograms of some 8000 ranges are the most of them.
fn numbers(problem: &Problem, experiment: &Experiment) -> usize {
    const HISTOGRAMS: usize = 2 * 3 * 8000;
    let points = problem.grid.points() * 2 * (STATE.len() + experiment.levels + 1);
    experiment.policies.len() * (HISTOGRAMS + points + problem.servers.count())
}

/// All replications of one policy so far.
struct Reduction {
    points: Vec<Vec<Moments>>,
    metrics: Vec<Moments>,
    differences: Vec<PairedMoments>,
    counts: RequestCounts,
    sections: Sections,
    one_run: Vec<SingleRuns>,
    /// The first replication, while all others are the same.
    first: Option<Box<Run>>,
    given: Vec<u64>,
    /// Shares of levels; levels that came late were empty in the replications before.
    levels: Vec<Moments>,
    /// Of a level's share.
    level: Nature,
    replications: u64,
}

impl Reduction {
    /// Of the policy of this index.
    fn new(problem: &Problem, experiment: &Experiment, policy: usize) -> Self {
        let [own, first] = [policy, 0].map(|policy| Fixed::of(problem, &experiment.policies[policy]));
        let later: Vec<Moments> = own.state(experiment.levels).map(Moments::of).collect();
        // All replications start from the same state.
        let start = own.state(experiment.levels).map(|nature| Moments::of(nature.constant_if(true)));
        let mut points = vec![later; problem.grid.points()];
        points[0] = start.collect();
        let pair = |metric| {
            let natures = [own.metric(metric), first.metric(metric)];
            // From itself a policy differs by nothing.
            let same = experiment.policies[policy] == experiment.policies[0];
            PairedMoments::of(natures.map(|nature| nature.constant_if(same)))
        };
        Self {
            points,
            metrics: Metric::ALL.into_iter().map(|metric| Moments::of(own.metric(metric))).collect(),
            differences: Metric::ALL.into_iter().map(pair).collect(),
            counts: RequestCounts::default(),
            sections: Sections::new(),
            one_run: vec![SingleRuns::default(); Metric::ALL.len()],
            first: None,
            given: vec![0; problem.servers.count()],
            levels: vec![],
            level: own.level(),
            replications: 0,
        }
    }

    fn push(&mut self, run: &Run, first: &Run) {
        for (moments, parts) in self.points.iter_mut().zip(&run.points) {
            moments.iter_mut().zip(parts).for_each(|(moments, parts)| moments.push(*parts));
        }
        self.metrics.iter_mut().zip(&run.metrics).for_each(|(moments, parts)| moments.push(*parts));
        for (paired, (parts, first)) in
            self.differences.iter_mut().zip(run.metrics.iter().zip(&first.metrics))
        {
            paired.push(*parts, *first);
        }
        self.one_run.iter_mut().zip(&run.metrics).for_each(|(runs, parts)| runs.push(*parts));
        self.counts.add(&run.counts);
        self.sections.add(self.replications, &run.delays);
        if self.replications == 0 {
            self.first = Some(Box::new(run.clone()));
        } else if self.first.as_deref().is_some_and(|first| !first.is_alike(run)) {
            self.first = None;
        }
        self.given.iter_mut().zip(&run.given).for_each(|(sum, given)| *sum += given);
        let missing = run.levels.len().saturating_sub(self.levels.len());
        self.levels.extend(std::iter::repeat_n(self.empty_level(), missing));
        let shares = run.levels.iter().copied().chain(std::iter::repeat(0.0));
        self.levels.iter_mut().zip(shares).for_each(|(moments, share)| moments.push(plain(share)));
        self.replications += 1;
    }

    /// A level that no replication had so far.
    fn empty_level(&self) -> Moments {
        let mut moments = Moments::of(self.level);
        (0..self.replications).for_each(|_| moments.push(plain(0.0)));
        moments
    }

    fn identical(&self) -> bool {
        self.replications > 1 && self.first.is_some()
    }

    fn percentiles(&self, problem: &Problem) -> Percentiles {
        Percentiles::new(&self.sections, (!self.identical()).then(|| problem.persistence()))
    }

    /// But for percentiles and their differences.
    fn outcome(self, problem: &Problem, policy: crate::Arbitrator) -> PolicyOutcome {
        let quantile = student_quantile(self.replications);
        let estimates = |moments: &[Moments]| {
            moments.iter().map(|moments| moments.estimate(quantile)).collect::<Vec<_>>()
        };
        let points = problem.grid.times().zip(&self.points);
        let points = points.map(|(time, moments)| {
            let mut estimates = estimates(moments);
            let overload = estimates.pop().unwrap_or_default();
            GridPoint { time, estimates, overload }
        });
        let points = points.collect();
        let fixed = Fixed::of(problem, &policy);
        // A replay is the same again.
        let replayed = self.identical();
        let one_run = Metric::ALL.into_iter().zip(&self.one_run).map(|(metric, runs)| {
            let nature = fixed.metric(metric).constant_if(replayed);
            Some(runs.interval(&nature)?.within(0.0, metric.most()))
        });
        let one_run = one_run.collect();
        PolicyOutcome {
            policy,
            replications: self.replications,
            points,
            metrics: estimates(&self.metrics),
            differences: self.differences.iter().map(|paired| paired.difference(quantile)).collect(),
            one_run,
            too_few: vec![],
            identical: self.identical(),
            counts: self.counts,
            requests_per_server: self
                .given
                .iter()
                .map(|&given| given as f64 / self.replications as f64)
                .collect(),
            levels: estimates(&self.levels),
        }
    }
}

fn plain(numerator: f64) -> Parts {
    Parts { numerator, denominator: 1.0 }
}

#[cfg(test)]
mod tests;
