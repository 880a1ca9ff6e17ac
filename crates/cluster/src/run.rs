//! One replication under one policy, from stop to stop.

use alba_model::{Measure, Parts};

use crate::engine::{Delays, Engine, RequestCounts};
use crate::ledger::{Recorded, Requests};
use crate::{Arbitrator, ClusterError, Experiment, Problem};

/// What is kept of a run until it is reduced.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    /// The measures of [`at_times`] at every report time.
    pub(crate) points: Vec<Vec<Parts>>,
    /// [`Measure::OF_REQUESTS`]; percentiles over 1.
    pub(crate) metrics: Vec<Parts>,
    pub(crate) counts: RequestCounts,
    pub(crate) delays: Delays,
    /// Accepted requests by server, after the warm-up.
    pub(crate) given: Vec<u64>,
    /// Time averages: shares of servers that are warm with 0, 1, ... requests.
    pub(crate) levels: Vec<f64>,
}

/// What is measured at report times, with this many levels.
pub(crate) fn at_times(levels: usize) -> impl Iterator<Item = Measure> {
    let levels = (0..levels).map(Measure::Warm);
    Measure::of_state().chain(levels).chain([Measure::OverloadFraction])
}

impl Run {
    /// Whether nothing differs but which servers, whose numbers are drawn, took the requests.
    pub(crate) fn is_alike(&self, other: &Self) -> bool {
        let Self { points, metrics, counts, delays, given: _, levels } = self;
        points == &other.points
            && metrics == &other.metrics
            && counts == &other.counts
            && delays == &other.delays
            && levels == &other.levels
    }

    pub(crate) fn new(
        problem: &Problem,
        experiment: &Experiment,
        policy: &Arbitrator,
        replication: u64,
    ) -> Result<Self, ClusterError> {
        experiment.deadline.check()?;
        let engine = Engine::new(problem, policy, experiment.seed, replication)?;
        let mut engine = engine.with_deadline(experiment.deadline);
        let servers = problem.servers.count() as f64;
        let (grid, warm_up) = (problem.grid(), problem.warm_up);
        let mut points = Vec::with_capacity(grid.points());
        let mut begun = false;
        for time in grid.times() {
            if !begun && warm_up <= time {
                engine.advance(warm_up, false)?;
                engine.begin(warm_up);
                begun = true;
            }
            engine.advance(time, true)?;
            let totals = engine.now();
            let state = Recorded { servers, duration: 1.0, totals: &totals, requests: None };
            points.push(at_times(experiment.levels).map(|measure| measure.parts(&state)).collect());
        }
        let horizon = grid.horizon();
        let (areas, duration) = (engine.areas(horizon), horizon - warm_up);
        let (counts, after) = (engine.counts(), engine.counts_after_warm_up());
        engine.finish()?;
        let (delays, given) = engine.into_delays_and_given();
        let requests = Some(Requests { delays: &delays, counts: &after });
        let recorded = Recorded { servers, duration, totals: &areas, requests };
        let metrics = Measure::OF_REQUESTS.into_iter().map(|measure| parts(measure, &recorded)).collect();
        let levels = areas.levels.iter().map(|area| area / duration / servers).collect();
        Ok(Self { points, metrics, counts, delays, given, levels })
    }
}

fn parts(measure: Measure, run: &Recorded<'_>) -> Parts {
    match measure.percentile() {
        None => measure.parts(run),
        Some(_) => measure.value(run).map_or(Parts::UNDEFINED, Parts::plain),
    }
}
