//! Many replications, in parallel, reduced in order.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use alba_model::{Delay, ErlangMixture, Measure, Parts, Percentile, Scheme};
use alba_replicate::{
    Estimate, Moments, Persistence, Pilot, Quantile, Quantiles, Sample, Section, in_order_by_groups,
};

use crate::nature::{known, mode};
use crate::outcome::response_quantile;
use crate::replication::{Run, run};
use crate::single_runs::{FEW_SERVERS, SingleRunsOf};
use crate::uniformized::{MOST_ABREAST, Means};
use crate::{CtmcError, EventCounts, Experiment, GridPoint, Outcome, Problem, Summary};

/// Simulates `problem` as often as `experiment` says, on the current rayon pool. The outcome is the same on any number
/// of threads; memory does not grow with replications, events or horizon. `progress` hears how many replications the work done is
/// worth, each time it is one more.
///
/// # Errors
/// [`CtmcError::TooManyLevels`] if queues of an infinite buffer grow without end.
///
/// ```
/// use alba_ctmc::{Experiment, Problem, simulate};
/// use alba_model::*;
///
/// let scheme = Scheme::asynchronous(Dispatch::power_of_d(2)?, ScalingRule::blind(0.06)?);
/// let rates = Rates::new(0.05, 0.1, 0.025)?;
/// let model = Model::new(ArrivalProfile::constant(0.7)?, rates, Buffer::finite(100)?, scheme)?;
/// let start = Counts::apportion(&Occupancy::new(0.0, vec![0.7])?, 1000);
/// let problem = Problem::new(model, start, Grid::new(20.0, 4)?, 0.0, None)?;
/// let experiment = Experiment::new(10, 1, vec![Measure::Cold, Measure::JobsPerWarm], PowerDraw::default())?;
/// let outcome = simulate(&problem, &experiment, &|_| ())?;
/// let cold = outcome.points[4].estimates[0];
/// assert!((cold.value.unwrap() - 0.2864).abs() < 0.02); // the fluid limit at t = 20
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn simulate(
    problem: &Problem,
    experiment: &Experiment,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Outcome, CtmcError> {
    let done = AtomicU64::new(0);
    let mut reduction = Reduction::new(problem, experiment);
    let hear = whole_replications(problem, &done, progress);
    reduction.add(problem, 0..experiment.replications, &hear)?;
    reduction.finish_single_runs(problem)?;
    Ok(reduction.outcome(problem, &Default::default()))
}

/// Hears of report times passed, and tells how many replications they are worth: several go side by side, and would be done all at
/// once.
pub(crate) fn whole_replications(
    problem: &Problem,
    done: &AtomicU64,
    progress: impl Fn(u64) + Sync,
) -> impl Fn(usize) + Sync {
    let points = problem.grid.points() as u64;
    move |passed| {
        let before = done.fetch_add(passed as u64, Ordering::Relaxed);
        let replications = (before + passed as u64) / points;
        if replications > before / points {
            progress(replications);
        }
    }
}

/// What is kept of one replication until it is reduced.
struct Record {
    /// Measures at every grid point reached, point by point, and which of two modes arrivals are in, if there are two.
    points: Vec<(Parts, Option<bool>)>,
    /// `h_i` at every grid point reached.
    inflows: Vec<Vec<f64>>,
    run: Run,
}

/// The records of these replications; `hear` is told how many report times were passed.
fn records(
    problem: &Problem,
    experiment: &Experiment,
    replications: Range<u64>,
    hear: &(dyn Fn(usize) + Sync),
) -> Vec<Result<Record, CtmcError>> {
    let size = problem.grid.points() * experiment.measures.len();
    let empty = |_| (Vec::with_capacity(size), Vec::with_capacity(problem.grid.points()));
    let scheme = problem.model.scheme();
    let mut looks: Vec<(Vec<_>, Vec<Vec<f64>>)> = replications.clone().map(empty).collect();
    let first = replications.start;
    let runs = run(problem, experiment.seed, replications, Means::default(), &mut |replication, snapshot| {
        let (points, inflows) = &mut looks[(replication - first) as usize];
        let ledger = snapshot.with(&experiment.power);
        let look = |&measure: &Measure| (measure.parts(&ledger), mode(measure, snapshot, scheme));
        points.extend(experiment.measures.iter().map(look));
        inflows.push(snapshot.inflow.levels.clone());
        hear(1);
    });
    let record = |(run, (points, inflows)): (Result<Run, _>, (_, Vec<_>))| {
        hear(problem.grid.points() - inflows.len()); // those after the last event allowed
        Ok(Record { points, inflows, run: run? })
    };
    runs.into_iter().zip(looks).map(record).collect()
}

/// All replications so far.
pub(crate) struct Reduction<'a> {
    experiment: &'a Experiment,
    servers: f64,
    has_central_queue: bool,
    persistence: Persistence,
    pub(crate) replications: u64,
    /// Point by point.
    pub(crate) points: Vec<Moments>,
    /// Sums of `h_i` over replications, at every grid point.
    inflows: Vec<Vec<f64>>,
    pub(crate) averages: Vec<Moments>,
    events: EventCounts,
    found: Vec<u64>,
    /// The same in sections of replications.
    sections: Vec<Vec<u64>>,
    /// Jobs accepted that found another one at their server, of all accepted.
    waiting: Moments,
    queued: u64,
    single_runs: SingleRunsOf,
}

impl<'a> Reduction<'a> {
    pub(crate) fn new(problem: &Problem, experiment: &'a Experiment) -> Self {
        let known = known(problem, &experiment.power);
        let of = |sample| -> Vec<_> {
            experiment.measures.iter().map(|&measure| known.nature(measure, sample)).collect()
        };
        let at_times = of(Sample::AtATime);
        // All start from the same state.
        let at_start = at_times.iter().map(|nature| nature.constant_if(true));
        let later = (1..problem.grid.points()).flat_map(|_| at_times.iter().copied());
        Self {
            experiment,
            servers: problem.servers() as f64,
            has_central_queue: problem.model.scheme() == Scheme::CentralQueue,
            persistence: problem.persistence(),
            replications: 0,
            points: at_start.chain(later).map(Moments::of).collect(),
            inflows: vec![Vec::new(); problem.grid.points()],
            averages: of(Sample::AlongRuns).into_iter().map(Moments::of).collect(),
            events: EventCounts::default(),
            found: Vec::new(),
            sections: Vec::new(),
            waiting: Moments::default(),
            queued: 0,
            single_runs: SingleRunsOf::new(experiment.measures.len()),
        }
    }

    /// Simulates these replications too, which come next; `hear` is told how many report times were passed.
    pub(crate) fn add(
        &mut self,
        problem: &Problem,
        replications: Range<u64>,
        hear: &(dyn Fn(usize) + Sync),
    ) -> Result<(), CtmcError> {
        let experiment = self.experiment;
        let make = |group| records(problem, experiment, group, hear);
        // Levels are as many as there happen to be: 16 are a guess, not a bound.
        let numbers = problem.grid.points() * (2 * experiment.measures.len() + 16);
        in_order_by_groups(replications, numbers, MOST_ABREAST, make, |record| {
            record.map(|record| self.push(record))
        })
    }

    fn push(&mut self, record: Record) {
        self.replications += 1;
        for (moments, (parts, mode)) in self.points.iter_mut().zip(record.points) {
            match mode {
                Some(first) => moments.push_in_mode(parts, first),
                None => moments.push(parts),
            }
        }
        for (sums, levels) in self.inflows.iter_mut().zip(record.inflows) {
            sums.resize(levels.len().max(sums.len()), 0.0);
            sums.iter_mut().zip(levels).for_each(|(sum, level)| *sum += level);
        }
        self.events.add(&record.run.events);
        let Some(average) = record.run.average else { return };
        let ledger = average.ledger(self.servers, &self.experiment.power);
        for (moments, measure) in self.averages.iter_mut().zip(&self.experiment.measures) {
            moments.push(measure.parts(&ledger));
        }
        self.single_runs.push(&average, self.experiment, self.servers);
        self.queued += average.queued.unwrap_or(0);
        let accepted = average.found.iter().sum::<u64>() as f64;
        let alone = average.found.first().copied().unwrap_or(0) as f64;
        self.waiting.push(Parts { numerator: accepted - alone, denominator: accepted });
        let section = (self.replications - 1) as usize % Section::MOST;
        self.sections.resize(self.sections.len().max(section + 1), Vec::new());
        add_levels(&mut self.sections[section], &average.found);
        add_levels(&mut self.found, &average.found);
    }

    /// Replaces single runs by such as measure time along the path, where that makes a difference.
    pub(crate) fn finish_single_runs(&mut self, problem: &Problem) -> Result<(), CtmcError> {
        if self.experiment.single_runs && problem.servers() < FEW_SERVERS {
            self.single_runs = SingleRunsOf::event_by_event(problem, self.experiment, self.replications)?;
        }
        Ok(())
    }

    /// With intervals as wide as `pilots` say, those at report times and those along the run.
    pub(crate) fn outcome(self, problem: &Problem, pilots: &[Pilot; 2]) -> Outcome {
        let (points, time_averages) = (self.at_times(&pilots[0]), self.along_runs(&pilots[1]));
        let measures = self.experiment.measures.len();
        let points = problem.grid.times().enumerate().map(|(index, time)| {
            let of_point = index * measures..(index + 1) * measures;
            GridPoint {
                time,
                arrival_rate: problem.model.arrivals().rate_at(time),
                replications: self.points.get(of_point.start).map_or(0, Moments::count),
                estimates: points[of_point].to_vec(),
                response_time: ErlangMixture::new(&self.inflows[index]).filter(|_| !self.has_central_queue),
            }
        });
        let points = points.collect();
        let percentiles = self.percentiles().into_iter();
        let waiting =
            index_of(self.experiment, Measure::WaitingProbability).map(|index| time_averages[index]);
        let summary = Summary {
            replications: self.replications,
            percentiles: percentiles
                .map(|(index, percentile, _)| (percentile, time_averages[index]))
                .collect(),
            time_averages,
            events: self.events,
            found: self.found,
            sections: self.sections,
            persistence: self.persistence,
            waiting_probability: waiting.unwrap_or_else(|| Quantiles::default().estimate(&self.waiting)),
            one_run: if self.experiment.single_runs {
                self.single_runs.intervals(problem, self.experiment)
            } else {
                vec![]
            },
            queued: self.has_central_queue.then_some(self.queued),
        };
        Outcome { points, summary }
    }

    /// Estimates at report times, point by point.
    pub(crate) fn at_times(&self, pilot: &Pilot) -> Vec<Estimate> {
        pilot.estimates(&self.points)
    }

    /// Estimates along the run, percentiles too.
    pub(crate) fn along_runs(&self, pilot: &Pilot) -> Vec<Estimate> {
        let mut estimates = pilot.estimates(&self.averages);
        for (order, (index, _, own)) in self.percentiles().into_iter().enumerate() {
            estimates[index] = pilot.percentile(order, own.as_ref(), self.replications);
        }
        estimates
    }

    fn response_quantile(&self, percentile: Percentile) -> Option<Quantile> {
        response_quantile(&self.found, &self.sections, self.persistence, percentile.probability())
    }

    /// Of response times, those that are measured, each with its index among the measures.
    pub(crate) fn percentiles(&self) -> Vec<(usize, Percentile, Option<Quantile>)> {
        let measured = self.experiment.measures.iter().enumerate();
        let estimate = |(index, measure): (usize, &Measure)| {
            let (delay, percentile) = measure.percentile()?;
            let known = delay == Delay::Response && !self.has_central_queue;
            let quantile = known.then(|| self.response_quantile(percentile));
            Some((index, percentile, quantile.flatten()))
        };
        measured.filter_map(estimate).collect()
    }
}

fn index_of(experiment: &Experiment, measure: Measure) -> Option<usize> {
    experiment.measures.iter().position(|other| *other == measure)
}

fn add_levels(sums: &mut Vec<u64>, found: &[u64]) {
    let levels = found.iter().rposition(|&count| count > 0).map_or(0, |level| level + 1);
    sums.resize(levels.max(sums.len()), 0);
    sums.iter_mut().zip(found).for_each(|(sum, count)| *sum += count);
}
