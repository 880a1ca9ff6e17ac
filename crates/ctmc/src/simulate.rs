//! Many replications, in parallel, reduced in order.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use alba_model::{ErlangMixture, Measure, Parts, PowerDraw, Scheme};
use alba_replicate::{Moments, Quantiles, Section, in_order_by_groups};

use crate::nature::{mode, natures};
use crate::replication::{Average, Run, run};
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
    Ok(reduction.outcome(problem))
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
        let look = |&measure: &Measure| {
            (measure.parts(snapshot, &experiment.power), mode(measure, snapshot, scheme))
        };
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
    replications: u64,
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
        let of = |averages| natures(problem, &experiment.measures, &experiment.power, averages);
        let at_times = of(false);
        // All start from the same state.
        let at_start = at_times.iter().map(|nature| nature.constant_if(true));
        let later = (1..problem.grid.points()).flat_map(|_| at_times.iter().copied());
        Self {
            experiment,
            servers: problem.servers() as f64,
            replications: 0,
            points: at_start.chain(later).map(Moments::of).collect(),
            inflows: vec![Vec::new(); problem.grid.points()],
            averages: of(true).into_iter().map(Moments::of).collect(),
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
        for (moments, &measure) in self.averages.iter_mut().zip(&self.experiment.measures) {
            moments.push(time_average(measure, &average, self.servers, &self.experiment.power));
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

    pub(crate) fn outcome(self, problem: &Problem) -> Outcome {
        let measures = self.experiment.measures.len();
        let mut quantiles = Quantiles::default();
        let has_central_queue = problem.model.scheme() == Scheme::CentralQueue;
        let points = problem.grid.times().enumerate().map(|(index, time)| {
            let moments = &self.points[index * measures..(index + 1) * measures];
            GridPoint {
                time,
                arrival_rate: problem.model.arrivals().rate_at(time),
                replications: moments.first().map_or(0, Moments::count),
                estimates: moments.iter().map(|moments| quantiles.estimate(moments)).collect(),
                response_time: ErlangMixture::new(&self.inflows[index]).filter(|_| !has_central_queue),
            }
        });
        let points = points.collect();
        let summary = Summary {
            replications: self.replications,
            time_averages: self.averages.iter().map(|moments| quantiles.estimate(moments)).collect(),
            events: self.events,
            found: self.found,
            sections: self.sections,
            persistence: problem.persistence(),
            waiting_probability: quantiles.estimate(&self.waiting),
            one_run: if self.experiment.single_runs {
                self.single_runs.intervals(problem, self.experiment)
            } else {
                vec![]
            },
            queued: has_central_queue.then_some(self.queued),
        };
        Outcome { points, summary }
    }
}

fn add_levels(sums: &mut Vec<u64>, found: &[u64]) {
    let levels = found.iter().rposition(|&count| count > 0).map_or(0, |level| level + 1);
    sums.resize(levels.max(sums.len()), 0);
    sums.iter_mut().zip(found).for_each(|(sum, count)| *sum += count);
}

/// A measure along a stretch of a path, as a ratio: over time by integrals, over jobs by counts.
pub(crate) fn time_average(measure: Measure, average: &Average, servers: f64, power: &PowerDraw) -> Parts {
    let tail = |level: usize| average.integrals.tails.get(level).copied().unwrap_or(0.0);
    let (cold, initializing) = (average.integrals.cold, average.integrals.initializing);
    let (idle, busy) = (tail(0) - tail(1), tail(1));
    let jobs = || average.integrals.waiting + average.integrals.tails.iter().skip(1).sum::<f64>();
    let per_time = |integral: f64| Parts { numerator: integral / servers, denominator: average.duration };
    let away = average.turned_away;
    let per_arrival = |count: u64| Parts { numerator: count as f64, denominator: away.arrivals as f64 };
    match measure {
        Measure::Cold => per_time(cold),
        Measure::Initializing => per_time(initializing),
        Measure::Idle => per_time(idle),
        Measure::Busy => per_time(busy),
        Measure::JobsPerServer => per_time(jobs()),
        Measure::JobsPerWarm => Parts { numerator: jobs() / servers, denominator: tail(0) / servers },
        Measure::MeanResponseTime if average.queued.is_some() => Parts {
            // Little's law: which jobs have waited how long is not kept.
            numerator: jobs(),
            denominator: (average.found.iter().sum::<u64>() + average.queued.unwrap_or(0)) as f64,
        },
        Measure::MeanResponseTime => Parts {
            numerator: average
                .found
                .iter()
                .zip(1u64..)
                .map(|(&count, jobs)| count as f64 * jobs as f64)
                .sum(),
            denominator: average.found.iter().sum::<u64>() as f64,
        },
        Measure::LostFraction => per_arrival(away.lost),
        Measure::RejectedFraction => per_arrival(away.rejected),
        Measure::Energy => per_time(power.of(cold, initializing, idle, busy)),
        Measure::Warm(level) => per_time(tail(level) - tail(level + 1)),
        // Known at times only: no integral is kept.
        Measure::SomeWith(_) => Parts { numerator: 0.0, denominator: 0.0 },
    }
}
