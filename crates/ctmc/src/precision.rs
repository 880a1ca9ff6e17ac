//! As many replications of the chain as a precision needs.

use std::sync::atomic::AtomicU64;

use alba_model::{Delay, Measure, PowerDraw, Scheme};
use alba_replicate::{Estimate, Pilot, Precision, Sequential, Shortfall, replicate_to_precision};

use crate::events::Tally;
use crate::replication::Average;
use crate::servers::Integrals;
use crate::simulate::{Reduction, whole_replications};
use crate::{CtmcError, Experiment, Outcome, Problem};

/// Which estimates are to be precise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Those at every report time.
    ReportTimes,
    /// The averages along the run.
    TimeAverages,
}

impl Problem {
    /// Whether simulations estimate a measure there, with an interval.
    pub fn estimates(&self, measure: Measure, scope: Scope) -> bool {
        let power = PowerDraw::default();
        match (scope, measure.percentile()) {
            (Scope::ReportTimes, _) => {
                let start = self.initial.occupancy();
                let start = start.map(|state| self.model.snapshot(0.0, state));
                start.is_ok_and(|start| measure.parts_if_kept(&start.with(&power)).is_some())
            }
            (Scope::TimeAverages, Some((delay, _))) => {
                delay == Delay::Response && self.model.scheme() != Scheme::CentralQueue
            }
            (Scope::TimeAverages, None) => {
                let nothing = Average::new(self, 0.0, Integrals::none(0), &Tally::new(0));
                measure.parts_if_kept(&nothing.ledger(1.0, &power)).is_some()
            }
        }
    }
}

/// Simulates `problem` until the estimates of `scope` are as precise as asked for, see [`replicate_to_precision`]: first the
/// replications of `experiment`, 20 at least. Replication `r` is the one that [`crate::simulate`] makes, and the outcome the same
/// on any number of threads. With it comes the interval that is furthest from what is allowed of it, if the cap was reached before
/// all were precise; its row is the report time, or 0. `progress` hears the number of replications done and planned
/// so far.
///
/// # Errors
/// [`CtmcError::TooManyLevels`] if queues of an infinite buffer grow without end.
pub fn simulate_to_precision(
    problem: &Problem,
    experiment: &Experiment,
    precision: &Precision,
    scope: Scope,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<(Outcome, Option<Shortfall>), CtmcError> {
    let (reduction, done) = (Reduction::new(problem, experiment), AtomicU64::new(0));
    let mut replications =
        Replications { problem, experiment, scope, progress, done, reduction, pilots: Default::default() };
    let shortfall = replicate_to_precision(&mut replications, experiment.replications, precision)?;
    let Replications { mut reduction, pilots, .. } = replications;
    reduction.finish_single_runs(problem)?;
    Ok((reduction.outcome(problem, &pilots), shortfall))
}

struct Replications<'a> {
    problem: &'a Problem,
    experiment: &'a Experiment,
    scope: Scope,
    progress: &'a (dyn Fn(u64, u64) + Sync),
    /// Report times passed.
    done: AtomicU64,
    reduction: Reduction<'a>,
    /// At report times, and along the run.
    pilots: [Pilot; 2],
}

impl Sequential for Replications<'_> {
    type Error = CtmcError;

    fn measures(&self) -> &[Measure] {
        &self.experiment.measures
    }

    fn simulate_to(&mut self, planned: u64) -> Result<(), CtmcError> {
        let progress = |replications| (self.progress)(replications, planned);
        let hear = whole_replications(self.problem, &self.done, progress);
        self.reduction.add(self.problem, self.reduction.replications..planned, &hear)
    }

    fn end_stage(&mut self) {
        let [at_times, along_runs] = &mut self.pilots;
        let reduction = &self.reduction;
        let percentiles: Vec<_> = reduction.percentiles().into_iter().map(|(.., own)| own).collect();
        at_times.end_stage(&reduction.points, &[], reduction.replications);
        along_runs.end_stage(&reduction.averages, &percentiles, reduction.replications);
    }

    fn watched(&self) -> Vec<Vec<Estimate>> {
        let width = self.experiment.measures.len().max(1);
        let [at_times, along_runs] = &self.pilots;
        match self.scope {
            Scope::ReportTimes => {
                self.reduction.at_times(at_times).chunks(width).map(<[Estimate]>::to_vec).collect()
            }
            Scope::TimeAverages => vec![self.reduction.along_runs(along_runs)],
        }
    }
}
