//! Whether the fluid model is good for so many servers: measured against a short run of the chain.

#[cfg(test)]
use super::fluid;
use crate::Error;
use alba_ctmc::{Estimate, Experiment, Problem, student_quantile};
use alba_fluid::Tolerances;
use alba_model::{ArrivalProfile, Counts, Grid, Measure, Model, Occupancy, Parts, Snapshot};
use alba_scenario::Scenario;
use std::fmt;

mod verdict;

pub use verdict::{Deviation, Judged, Judgement};

/// So many events of the chain at most, all runs together: about a tenth of a second.
const EVENTS: f64 = 1e7;
/// An event of the chain takes longer with few servers, twice as long with so many.
const FEW_SERVERS: f64 = 50.0;
/// Runs of the whole horizon: as many as the events allow, within this; the spread of two would tell nothing.
const RUNS: (u64, u64) = (3, 200);
/// A longer run is judged by so many stretches of it, with so many runs each.
const STRETCHES: (usize, u64) = (4, 2);
/// Whatever the scenario's seed: a judgement is no replication of it.
const SEED: u64 = 1;
/// Beyond, a stretch is over before anything has happened; what is left of fluctuations there is below a thousandth.
const MOST_SERVERS: u64 = 10_000_000;
/// Fluid averages are taken over so many equal parts, at their middles: as many as the arrival rate has steps, within this.
const PARTS: (usize, usize) = (256, 1024);

/// What judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Runs {
    /// Of the chain, over the whole horizon.
    Whole {
        /// How many.
        runs: u64,
    },
    /// Of the chain, over parts of the horizon; each starts from the fluid model's state, and its first half is left out.
    Stretches {
        /// How many parts.
        stretches: usize,
        /// How many of each.
        runs: u64,
        /// How much of the horizon they are together.
        share: f64,
        /// How many events the whole would take.
        events: f64,
    },
}

/// A stretch of the run, and where the fluid model is at its beginning.
struct Stretch {
    start: f64,
    length: f64,
    /// Left out of averages.
    warm_up: f64,
    state: Occupancy,
}

/// Judges the fluid model of `scenario`, whose trajectory is `snapshots`; none where the chain cannot tell: too many servers, or
/// queues that grow beyond all bounds.
pub(super) fn judge(scenario: &Scenario, snapshots: &[Snapshot]) -> Result<Option<Judgement>, Error> {
    if scenario.servers() > MOST_SERVERS {
        return Ok(None);
    }
    let run = scenario.run();
    let events = events(scenario, snapshots);
    let whole = (most_events(scenario) / events) as u64;
    let (runs, stretches) = if whole >= RUNS.0 {
        let horizon = run.grid.horizon();
        let (warm_up, state) = (run.warm_up, scenario.initial().clone());
        (whole.min(RUNS.1), vec![Stretch { start: 0.0, length: horizon, warm_up, state }])
    } else {
        (STRETCHES.1, cut(scenario, snapshots))
    };
    let mut sides = Sides::default();
    for stretch in &stretches {
        let Some(chain) = chain(scenario, stretch, runs) else { return Ok(None) };
        sides.add(stretch, &average(scenario, stretch)?, &chain, runs);
    }
    let length: f64 = stretches.iter().map(|stretch| stretch.length).sum();
    let judged_by = if whole >= RUNS.0 {
        Runs::Whole { runs }
    } else {
        let share = length / run.grid.horizon();
        Runs::Stretches { stretches: stretches.len(), runs, share, events }
    };
    Ok(Some(Judgement::new(scenario, judged_by, sides.deviations())))
}

/// The same by a simulation of the whole that somebody has made: its averages along the run, one for each of [`Measure::ALL`].
pub(super) fn judge_by(
    scenario: &Scenario,
    runs: u64,
    averages: &[Estimate],
) -> Result<Option<Judgement>, Error> {
    let run = scenario.run();
    if run.max_events.is_some() {
        return Ok(None); // the run may have ended before the horizon
    }
    let state = scenario.initial().clone();
    let whole = Stretch { start: 0.0, length: run.grid.horizon(), warm_up: run.warm_up, state };
    let mut sides = Sides::default();
    sides.add(&whole, &average(scenario, &whole)?, averages, runs);
    Ok(Some(Judgement::new(scenario, Runs::Whole { runs }, sides.deviations())))
}

/// The most events of the chain, all runs together.
fn most_events(scenario: &Scenario) -> f64 {
    EVENTS / (1.0 + FEW_SERVERS / scenario.servers() as f64)
}

/// Events of one run, by the fluid model.
fn events(scenario: &Scenario, snapshots: &[Snapshot]) -> f64 {
    let (horizon, points) = (scenario.run().grid.horizon(), snapshots.len().max(1) as f64);
    let sum: f64 = snapshots.iter().map(|at| rate(scenario, at)).sum();
    // Arrivals are known better than at report times.
    let seen: f64 = snapshots.iter().map(|at| at.arrival_rate).sum();
    let arrivals = scenario.model().arrivals().mean_rate(0.0, horizon) * scenario.servers() as f64;
    horizon * (arrivals + (sum - seen * scenario.servers() as f64) / points)
}

/// Events of the chain in a mean service time.
fn rate(scenario: &Scenario, at: &Snapshot) -> f64 {
    let (rates, state) = (scenario.model().rates(), &at.state);
    let moves = rates.initialization() * state.initializing() + rates.expiration() * state.idle();
    scenario.servers() as f64 * (at.arrival_rate + state.busy() + rates.scaling() + moves)
}

/// Stretches evenly over the run, from report times on, each as long as its share of the events allows.
fn cut(scenario: &Scenario, snapshots: &[Snapshot]) -> Vec<Stretch> {
    let (last, horizon) = (snapshots.len() - 1, scenario.run().grid.horizon());
    let count = STRETCHES.0.min(last);
    let share = most_events(scenario) / (count as f64 * STRETCHES.1 as f64);
    let starts = (0..count).map(|index| index * last / count);
    let ends =
        (1..=count).map(|index| if index < count { snapshots[index * last / count].time } else { horizon });
    let stretch = |(first, end): (usize, f64)| {
        let mut left = share;
        let mut until = snapshots[first].time;
        for pair in snapshots[first..].windows(2).take_while(|pair| pair[0].time < end) {
            let (from, to) = (pair[0].time, pair[1].time.min(end));
            let most = rate(scenario, &pair[0]).max(rate(scenario, &pair[1])).max(f64::MIN_POSITIVE);
            let step = (to - from).min(left / most);
            until = from + step;
            left -= step * most;
            if left <= 0.0 {
                break;
            }
        }
        let (start, state) = (snapshots[first].time, snapshots[first].state.clone());
        Stretch { start, length: until - start, warm_up: 0.5 * (until - start), state }
    };
    starts.zip(ends).map(stretch).filter(|stretch| stretch.length > 0.0).collect()
}

/// The scenario's model as it is from the stretch's start on.
fn model(scenario: &Scenario, stretch: &Stretch) -> Option<Model> {
    let (model, end) = (scenario.model(), stretch.start + stretch.length);
    let segments = model.arrivals().segments(end).filter(|segment| segment.end > stretch.start);
    let steps = segments.map(|segment| ((segment.start - stretch.start).max(0.0), segment.rate)).collect();
    let arrivals = ArrivalProfile::steps(steps).ok()?;
    Model::new(arrivals, model.rates(), model.buffer(), model.scheme()).ok()
}

/// Averages along the stretch of every measure, over `runs`; none where the chain gives none.
fn chain(scenario: &Scenario, stretch: &Stretch, runs: u64) -> Option<Vec<Estimate>> {
    let grid = Grid::new(stretch.length, 1).ok()?;
    let initial = Counts::apportion(&stretch.state, scenario.servers());
    // The fluid model may be wrong about the events, too.
    let most = (4.0 * most_events(scenario) / runs as f64) as u64;
    let problem = Problem::new(model(scenario, stretch)?, initial, grid, stretch.warm_up, Some(most)).ok()?;
    let experiment = Experiment::new(runs, SEED, Measure::ALL.to_vec(), *scenario.power()).ok()?;
    let outcome = alba_ctmc::simulate(&problem, &experiment, &|_| ()).ok()?;
    let ended = outcome.points.iter().any(|point| point.replications < runs);
    (!ended).then_some(outcome.summary.time_averages)
}

/// The fluid model's averages along the stretch, numerators and denominators of every measure.
fn average(scenario: &Scenario, stretch: &Stretch) -> Result<Vec<Parts>, Error> {
    let failed = |source| Error::Fluid { scenario: scenario.name().to_owned(), source };
    // Middles of parts are every other report time.
    let model = model(scenario, stretch).unwrap_or_else(|| scenario.model().clone());
    let parts = model.arrivals().segments(stretch.length).count().clamp(PARTS.0, PARTS.1);
    let grid = Grid::new(stretch.length, 2 * parts).map_err(|error| failed(error.into()))?;
    let problem = alba_fluid::Problem::new(model, stretch.state.clone(), grid, Tolerances::default());
    let outcome = problem.and_then(|problem| alba_fluid::solve(&problem)).map_err(failed)?;
    let mut sums = vec![Parts { numerator: 0.0, denominator: 0.0 }; Measure::ALL.len()];
    let part = stretch.length / parts as f64;
    for at in outcome.snapshots.iter().skip(1).step_by(2) {
        let weight = (at.time + 0.5 * part - stretch.warm_up).clamp(0.0, part);
        for (sum, measure) in sums.iter_mut().zip(Measure::ALL) {
            let parts = measure.parts(&at.with(scenario.power()));
            sum.numerator += weight * parts.numerator;
            sum.denominator += weight * parts.denominator;
        }
    }
    Ok(sums)
}

/// Both models' averages over all stretches, measure by measure.
#[derive(Default)]
struct Sides {
    measures: Vec<Side>,
    /// Degrees of freedom of the chain's spread.
    freedom: u64,
}

#[derive(Default, Clone)]
struct Side {
    weight: f64,
    fluid: f64,
    chain: f64,
    variance: f64,
}

impl Sides {
    fn add(&mut self, stretch: &Stretch, fluid: &[Parts], chain: &[Estimate], runs: u64) {
        self.measures.resize(Measure::ALL.len(), Side::default());
        self.freedom += runs.saturating_sub(1);
        let quantile = student_quantile(runs.max(2));
        let weight = stretch.length - stretch.warm_up;
        for ((side, fluid), estimate) in self.measures.iter_mut().zip(fluid).zip(chain) {
            let (Some(value), Some(other)) = (fluid.value(), estimate.value) else { continue };
            let half_width = estimate.half_width.unwrap_or(0.0);
            side.weight += weight;
            side.fluid += weight * value;
            side.chain += weight * other;
            side.variance += (weight * half_width / quantile).powi(2);
        }
    }

    fn deviations(&self) -> Vec<Deviation> {
        let quantile = student_quantile(self.freedom.max(1) + 1);
        let of = |judged, measure: Measure, on: fn(f64) -> f64| {
            let index = Measure::ALL.iter().position(|other| *other == measure)?;
            let side = self.measures.get(index).filter(|side| side.weight > 0.0)?;
            Some(Deviation {
                judged,
                fluid: on(side.fluid / side.weight),
                chain: on(side.chain / side.weight),
                half_width: quantile * side.variance.sqrt() / side.weight,
            })
        };
        let on = of(Judged::ServersOn, Measure::Cold, |cold| 1.0 - cold);
        let others =
            Measure::ALL.into_iter().filter_map(|measure| of(Judged::Measure(measure), measure, |x| x));
        on.into_iter().chain(others).collect()
    }
}

impl fmt::Display for Runs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Whole { runs: 1 } => write!(f, "one run of the chain"),
            Self::Whole { runs } => write!(f, "{runs} runs of the chain"),
            Self::Stretches { stretches, runs, share, events } => write!(
                f,
                "{runs} runs of the chain over each of {stretches} stretches of the horizon, {:.2} % of it: the whole would take {events:.1e} \
                 events",
                100.0 * share
            ),
        }
    }
}

#[cfg(test)]
mod tests;
