//! Steady state from long runs: the transient is cut off, what is left is cut into batches.

use std::sync::atomic::{AtomicU64, Ordering};

use alba_model::{Measure, Parts, Snapshot};
use alba_replicate::{Batching, Precision, Sample, Shortfall, Steady, in_order};

use crate::nature::known;
use crate::random::Streams;
use crate::replication::{Average, engine};
use crate::uniformized::Means;
use crate::{CtmcError, EventCounts, Experiment, Problem};

/// Cells of a run: its finest averages. 512 groups of five for MSER-5.
const CELLS: usize = 5 * 512;
/// More runs than this would only repeat the transient: they become fewer and longer.
const MOST_RUNS: u64 = 32;
/// Cells between two reports of progress.
const REPORTED: usize = 64;

/// What long runs say about the steady state.
#[derive(Debug, Clone, PartialEq)]
pub struct SteadyState {
    /// Independent runs.
    pub runs: u64,
    /// Length of each, in mean service times, the problem's warm-up included.
    pub length: f64,
    /// Left out of each run, from its start; none where the transient is not over by the middle of the run.
    pub truncation: Option<f64>,
    /// Batches of all runs together.
    pub batches: u64,
    /// In mean service times.
    pub batch_length: f64,
    /// One for every measure of the experiment, in its order.
    pub measures: Vec<Steady>,
    /// Events of all runs together, the transient included.
    pub events: EventCounts,
}

/// Runs `problem` as often as `experiment` says (more than 32 runs are made 32 longer ones) and estimates every measure in
/// steady state. Each run begins after the problem's warm-up and is averaged over 2560 cells. The transient is what MSER-5
/// cuts off the mean of all runs, the most for any of five averages of the state. What is left of each run is cut into equal
/// batches, ten or some more in all. The interval is Student's, from the spread of the batches, for measures that are
/// ratios by the delta method, widened for skewness (the longer arm of Willink's interval) and for what correlation of neighbouring
/// batches that of their tenths implies, as if it were an autoregression of order one; where what is counted was seen in few
/// batches, or in none, exact limits for few events take its place if they are wider. There is no estimate where tenths of
/// batches are correlated by more than 0.5: batches are then too short for that correction.
///
/// `progress` hears the number of cells done and planned. The outcome is the same on any number of threads.
///
/// # Errors
/// [`CtmcError::NoStationaryLaw`] if the arrival rate changes, [`CtmcError::EventsLimited`],
/// [`CtmcError::TooManyLevels`] if queues of an infinite buffer grow without end.
///
/// # Source
/// K. P. White, *An effective truncation heuristic for bias reduction in simulation output*, Simulation 69, 1997; A. M. Law
/// and J. S. Carson, *A sequential procedure for determining the length of a steady-state simulation*, Operations Research 27,
/// 1979 (few large batches, judged by the correlation of ten times as many); N. M. Steiger et al., *ASAP3*, ACM TOMACS 15, 2005
/// (correction for correlation).
pub fn steady_state(
    problem: &Problem,
    experiment: &Experiment,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<SteadyState, CtmcError> {
    let runs = Runs::of(problem, experiment);
    runs.simulate(problem, experiment, progress)
}

/// The same with runs made longer until every estimate is as precise as asked for, at most to as much time in all as the most
/// replications of `precision` would take. With it comes the measure that is furthest from what is allowed of it, if any.
///
/// # Errors
/// Those of [`steady_state`].
pub fn steady_state_to_precision(
    problem: &Problem,
    experiment: &Experiment,
    precision: &Precision,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<(SteadyState, Option<Shortfall>), CtmcError> {
    let mut runs = Runs::of(problem, experiment);
    let allowed = runs.measured * precision.most_replications() as f64 / experiment.replications as f64;
    let longest = allowed.max(runs.measured);
    loop {
        let found = runs.simulate(problem, experiment, progress)?;
        let worst = precision.worst_of_steady(&found.measures);
        let excess = worst.map_or(0.0, |(_, excess)| excess);
        if excess <= 1.0 || runs.measured >= longest {
            let worst = worst.filter(|(_, excess)| *excess > 1.0);
            let shortfall = worst.map(|(index, excess)| Shortfall {
                measure: experiment.measures[index],
                row: 0,
                excess,
            });
            return Ok((found, shortfall));
        }
        // Half-widths are themselves uncertain by a quarter, and a longer run begins anew.
        let longer = (1.2 * excess.powi(2)).clamp(1.5, 4.0);
        runs.measured = (runs.measured * longer).min(longest);
    }
}

/// How many runs, and how long.
#[derive(Debug, Clone, Copy)]
struct Runs {
    count: u64,
    /// After the problem's warm-up.
    measured: f64,
}

impl Runs {
    fn of(problem: &Problem, experiment: &Experiment) -> Self {
        let count = experiment.replications.min(MOST_RUNS);
        let measured = problem.grid.horizon() - problem.warm_up;
        Self { count, measured: measured * experiment.replications as f64 / count as f64 }
    }

    fn simulate(
        self,
        problem: &Problem,
        experiment: &Experiment,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<SteadyState, CtmcError> {
        if problem.max_events.is_some() {
            return Err(CtmcError::EventsLimited);
        }
        let steps = problem.model.arrivals().segments(f64::INFINITY).count() - 1;
        let rate = problem.model.arrivals().constant_rate().ok_or(CtmcError::NoStationaryLaw { steps })?;
        let (done, planned) = (AtomicU64::new(0), self.count * CELLS as u64);
        let hear = || {
            let more = REPORTED as u64;
            progress(done.fetch_add(more, Ordering::Relaxed) + more, planned);
        };
        let mut records = Vec::with_capacity(self.count as usize);
        let make = |run| Record::new(problem, experiment, self.measured, rate, run, &hear);
        in_order(0..self.count, CELLS, make, |record: Result<Record, CtmcError>| {
            records.push(record?);
            Ok::<(), CtmcError>(())
        })?;
        Ok(self.estimates(problem, experiment, &records))
    }

    fn estimates(self, problem: &Problem, experiment: &Experiment, records: &[Record]) -> SteadyState {
        let states: Vec<&[[f64; 5]]> = records.iter().map(|record| &record.states[..]).collect();
        let cut = Batching::of(&states);
        let cell = self.measured / CELLS as f64;
        let known = known(problem, &experiment.power);
        let measured = |(index, &measure): (usize, &Measure)| {
            let parts = |record: &'_ Record| -> Vec<Parts> {
                let width = experiment.measures.len();
                record.parts.iter().skip(index).step_by(width).copied().collect()
            };
            let last = records.first().and_then(|record| measure.value(&record.last.with(&experiment.power)));
            let nature = known.nature(measure, Sample::AlongRuns);
            cut.estimate(records.iter().map(parts).collect(), nature, last)
        };
        let mut events = EventCounts::default();
        records.iter().for_each(|record| events.add(&record.events));
        SteadyState {
            runs: self.count,
            length: problem.warm_up + self.measured,
            truncation: cut.left_out().map(|cells| problem.warm_up + cells as f64 * cell),
            batches: cut.batches() as u64,
            batch_length: cut.cells_in_batch() as f64 * cell,
            measures: experiment.measures.iter().enumerate().map(measured).collect(),
            events,
        }
    }
}

/// One run, cell by cell.
struct Record {
    /// Measures of every cell, cell by cell.
    parts: Vec<Parts>,
    /// Cold, initializing, idle and busy servers and jobs per server in every cell.
    states: Vec<[f64; 5]>,
    last: Snapshot,
    events: EventCounts,
}

/// What shows whether a system has settled.
const STATE: [Measure; 5] =
    [Measure::Cold, Measure::Initializing, Measure::Idle, Measure::Busy, Measure::JobsPerServer];

impl Record {
    fn new(
        problem: &Problem,
        experiment: &Experiment,
        measured: f64,
        rate: f64,
        run: u64,
        hear: &(dyn Fn() + Sync),
    ) -> Result<Self, CtmcError> {
        let servers = problem.servers() as f64;
        let time = |cell: usize| problem.warm_up + measured * (cell as f64 / CELLS as f64);
        let mut engine = engine(problem, Streams::new(experiment.seed, run), Some(Means::default()));
        engine.set_arrival_rate(rate, 0.0);
        engine.advance(time(0))?;
        let (mut parts, mut states) = (Vec::with_capacity(CELLS * experiment.measures.len()), vec![]);
        let mut events = EventCounts::default();
        for cell in 0..CELLS {
            engine.begin_averages(time(cell));
            engine.advance(time(cell + 1))?;
            let (integrals, tally) = engine.finish(time(cell + 1));
            events = tally.all();
            let average = Average::new(problem, time(cell + 1) - time(cell), integrals, &tally);
            let ledger = average.ledger(servers, &experiment.power);
            parts.extend(experiment.measures.iter().map(|measure| measure.parts(&ledger)));
            states.push(STATE.map(|measure| measure.parts(&ledger).numerator / average.duration));
            if (cell + 1) % REPORTED == 0 {
                hear();
            }
        }
        let last = problem.model.snapshot(time(CELLS), engine.counts().occupancy()?);
        Ok(Self { parts, states, last, events })
    }
}
