//! As many replications as a precision needs.

use std::sync::atomic::AtomicU64;

use alba_model::Measure;

use crate::simulate::{Reduction, whole_replications};
use crate::{CtmcError, Estimate, Experiment, Outcome, Problem};
use alba_replicate::{Moments, Quantiles};

/// How wide half a 95 % confidence interval may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tolerance {
    /// As a fraction of the value, > 0.
    Relative(f64),
    /// In the measure's own unit, > 0.
    Absolute(f64),
}

impl Tolerance {
    /// The widest half-width allowed of this value.
    pub fn allowed(self, value: f64) -> f64 {
        match self {
            Self::Relative(fraction) => fraction * value.abs(),
            Self::Absolute(half_width) => half_width,
        }
    }

    /// The number in it.
    pub fn number(self) -> f64 {
        match self {
            Self::Relative(number) | Self::Absolute(number) => number,
        }
    }
}

/// Which estimates are to be precise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Those at every report time.
    ReportTimes,
    /// The averages along the run.
    TimeAverages,
}

/// What precision to simulate to.
#[derive(Debug, Clone, PartialEq)]
pub struct Precision {
    tolerances: Vec<Option<Tolerance>>,
    most_replications: u64,
    only_seen: bool,
}

impl Precision {
    /// A tolerance for every measure of the experiment, in its order, or none; at most `most_replications >= 1`.
    ///
    /// # Errors
    /// [`CtmcError::Tolerance`] unless all are finite and above 0, [`CtmcError::NoReplications`].
    pub fn new(tolerances: Vec<Option<Tolerance>>, most_replications: u64) -> Result<Self, CtmcError> {
        for tolerance in tolerances.iter().flatten().map(|tolerance| tolerance.number()) {
            if !(tolerance > 0.0 && tolerance.is_finite()) {
                return Err(CtmcError::Tolerance { tolerance });
            }
        }
        if most_replications == 0 {
            return Err(CtmcError::NoReplications);
        }
        Ok(Self { tolerances, most_replications, only_seen: false })
    }

    /// The same for whatever measures are seen at all: one that was 0 or 1 in every replication, such as a share of lost jobs of
    /// which there was none, need not be known to any precision. Otherwise it must, and is not, unless it cannot change.
    #[must_use]
    pub fn of_what_is_seen(self) -> Self {
        Self { only_seen: true, ..self }
    }

    /// The cap.
    pub fn most_replications(&self) -> u64 {
        self.most_replications
    }

    /// Whether the measure of this index has a tolerance.
    pub(crate) fn asks_for(&self, index: usize) -> bool {
        self.tolerances.get(index).is_some_and(Option::is_some)
    }

    /// Whether these estimates, one for every measure, are precise enough. What is undefined need not be.
    pub fn is_met(&self, estimates: &[Estimate]) -> bool {
        self.shortfalls(estimates).all(|(_, excess)| excess <= 1.0)
    }

    /// Measures left out by [`Self::of_what_is_seen`], by index, though they may change.
    pub fn left_out(&self, estimates: &[Estimate]) -> Vec<usize> {
        let left_out = |index: &usize| {
            let Estimate { value, half_width } = estimates[*index];
            self.only_seen && self.asks_for(*index) && value.is_some_and(is_limit) && half_width != Some(0.0)
        };
        (0..estimates.len()).filter(left_out).collect()
    }

    /// Half-width over what is allowed, by the index of the measure.
    pub(crate) fn shortfalls(&self, estimates: &[Estimate]) -> impl Iterator<Item = (usize, f64)> {
        let tolerances = self.tolerances.iter().zip(estimates).enumerate();
        tolerances.filter_map(|(index, (tolerance, estimate))| {
            let value = estimate.value.filter(|&value| !(self.only_seen && is_limit(value)))?;
            let allowed = (*tolerance)?.allowed(value);
            Some((index, estimate.half_width.map_or(f64::INFINITY, |half_width| excess(half_width, allowed))))
        })
    }
}

/// Up to rounding.
fn is_limit(value: f64) -> bool {
    const ROUNDING: f64 = 1e-11;
    [0.0, 1.0].into_iter().any(|limit| (value - limit).abs() < ROUNDING)
}

/// At most 1 if precise enough. An interval without width is: only what cannot change has one.
fn excess(half_width: f64, allowed: f64) -> f64 {
    if half_width > 0.0 { half_width / allowed } else { 0.0 }
}

/// An interval that is too wide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shortfall {
    /// Of this measure.
    pub measure: Measure,
    /// At this report time, in mean service times; none for an average along the run.
    pub time: Option<f64>,
    /// How many times as wide as allowed; infinite where there is no interval, or where nothing is allowed because the
    /// estimate is 0.
    pub excess: f64,
}

/// Fewer replications say too little about their spread to plan with.
pub(crate) const PILOT: u64 = 20;

/// Simulates `problem` until the estimates of `scope` are as precise as asked for: first the replications of
/// `experiment`, 20 at least, then as many more as their spread calls for, at most doubling them, and so on, up to
/// the cap. Replication `r` is the one that [`crate::simulate`] makes, and the outcome the same on any number of threads.
///
/// A run that stops when an interval looks narrow stops too often where the spread was underestimated. Half-widths are
/// therefore Stein's, from the spread among the first replications, or the usual ones, whichever are wider: for
/// normal data they cover in at least 95 % of cases. With the outcome comes the interval that is furthest from what is
/// allowed of it, if the cap was reached before all were precise. `progress` hears the number of replications done and planned so far.
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
    let done = AtomicU64::new(0);
    let mut reduction = Reduction::new(problem, experiment);
    let mut planned = experiment.replications.max(PILOT).min(precision.most_replications);
    let mut pilot: Option<Pilot> = None;
    let mut simulated = 0;
    loop {
        let progress = |replications| progress(replications, planned);
        reduction.add(problem, simulated..planned, &whole_replications(problem, &done, progress))?;
        simulated = planned;
        let pilot = pilot.get_or_insert_with(|| Pilot::of(&reduction));
        let worst = pilot.worst(&reduction, precision, scope);
        let excess = worst.map_or(0.0, |(_, excess)| excess);
        if excess <= 1.0 || simulated >= precision.most_replications {
            reduction.finish_single_runs(problem)?;
            let outcome = pilot.widen(reduction, problem);
            return Ok((outcome, shortfall(problem, experiment, worst)));
        }
        // Rounded up by a little: neither is the mean known, nor are steps of one replication worth a look.
        let needed = simulated as f64 * excess.powi(2) * 1.02;
        planned = (needed.min(2.0 * simulated as f64) as u64 + 1).min(precision.most_replications);
    }
}

fn shortfall(problem: &Problem, experiment: &Experiment, worst: Option<(usize, f64)>) -> Option<Shortfall> {
    let (index, excess) = worst.filter(|(_, excess)| *excess > 1.0)?;
    let (point, measure) = (index / experiment.measures.len(), index % experiment.measures.len());
    let time = (point < problem.grid.points()).then(|| problem.grid.time(point));
    Some(Shortfall { measure: experiment.measures[measure], time, excess })
}

/// The first replications.
struct Pilot {
    points: Vec<Moments>,
    averages: Vec<Moments>,
}

impl Pilot {
    fn of(reduction: &Reduction<'_>) -> Self {
        Self { points: reduction.points.clone(), averages: reduction.averages.clone() }
    }

    fn estimates(pilot: &[Moments], all: &[Moments]) -> Vec<Estimate> {
        let mut quantiles = Quantiles::default();
        pilot.iter().zip(all).map(|(pilot, all)| all.sequential_estimate(pilot, &mut quantiles)).collect()
    }

    /// The estimate of the largest excess; its index counts points first, then measures, averages come last.
    fn worst(&self, reduction: &Reduction<'_>, precision: &Precision, scope: Scope) -> Option<(usize, f64)> {
        let measures = reduction.averages.len().max(1);
        let (estimates, first) = match scope {
            Scope::ReportTimes => (Self::estimates(&self.points, &reduction.points), 0),
            Scope::TimeAverages => {
                (Self::estimates(&self.averages, &reduction.averages), reduction.points.len())
            }
        };
        let excesses = estimates.chunks(measures).enumerate().flat_map(|(point, estimates)| {
            let index = move |(measure, excess)| (first + point * measures + measure, excess);
            precision.shortfalls(estimates).map(index)
        });
        excesses.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The outcome with the intervals of a sequential run.
    fn widen(&self, reduction: Reduction<'_>, problem: &Problem) -> Outcome {
        let points = Self::estimates(&self.points, &reduction.points);
        let averages = Self::estimates(&self.averages, &reduction.averages);
        let measures = averages.len().max(1);
        let mut outcome = reduction.outcome(problem);
        for (point, estimates) in outcome.points.iter_mut().zip(points.chunks(measures)) {
            point.estimates = estimates.to_vec();
        }
        outcome.summary.time_averages = averages;
        outcome
    }
}
