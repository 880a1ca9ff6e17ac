//! One replication under one policy, from stop to stop.

use alba_model::{Measure, Parts};

use crate::engine::{Delays, Engine, RequestCounts, Totals};
use crate::metric::{Metric, Recorded};
use crate::{Arbitrator, ClusterError, Experiment, Problem};

/// What is kept of a run until it is reduced.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    /// [`crate::Outcome::STATE`], the levels, and overload, at every report time.
    pub(crate) points: Vec<Vec<Parts>>,
    /// [`Metric::ALL`].
    pub(crate) metrics: Vec<Parts>,
    pub(crate) counts: RequestCounts,
    pub(crate) delays: Delays,
    /// Accepted requests by server, after the warm-up.
    pub(crate) given: Vec<u64>,
    /// Time averages: shares of servers that are warm with 0, 1, ... requests.
    pub(crate) levels: Vec<f64>,
}

/// Functions of the numbers of servers at a time.
pub(crate) const STATE: [Measure; 7] = [
    Measure::Cold,
    Measure::Initializing,
    Measure::Idle,
    Measure::Busy,
    Measure::JobsPerServer,
    Measure::JobsPerWarm,
    Measure::Energy,
];

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
        let mut engine = Engine::new(problem, policy, experiment.seed, replication)?;
        let servers = problem.servers.count() as f64;
        let (grid, warm_up) = (problem.grid(), problem.warm_up);
        let mut points = Vec::with_capacity(grid.points());
        let mut begun = false;
        for time in grid.times() {
            if !begun && warm_up <= time {
                engine.advance(warm_up, false);
                engine.begin(warm_up);
                begun = true;
            }
            engine.advance(time, true);
            points.push(state(&engine.now(), servers, experiment.levels));
        }
        let horizon = grid.horizon();
        let (areas, duration) = (engine.areas(horizon), horizon - warm_up);
        let (counts, after) = (engine.counts(), engine.counts_after_warm_up());
        engine.finish();
        let (delays, given) = engine.into_delays_and_given();
        let recorded = Recorded { delays: &delays, counts: &after, areas: &areas, duration, servers };
        let metrics = Metric::ALL.into_iter().map(|metric| metric.parts(&recorded)).collect();
        let levels = areas.levels.iter().map(|area| area / duration / servers).collect();
        Ok(Self { points, metrics, counts, delays, given, levels })
    }
}

fn state(now: &Totals, servers: f64, levels: usize) -> Vec<Parts> {
    let level = |level: usize| now.levels.get(level).copied().unwrap_or(0.0);
    let per_server = |number: f64| Parts { numerator: number / servers, denominator: 1.0 };
    let measures = STATE.into_iter().chain((0..levels).map(Measure::Warm));
    let parts = measures.filter_map(|measure| match measure {
        Measure::Cold => Some(per_server(now.cold)),
        Measure::Initializing => Some(per_server(now.initializing)),
        Measure::Idle => Some(per_server(now.idle)),
        Measure::Busy => Some(per_server(now.busy)),
        Measure::JobsPerServer => Some(per_server(now.jobs)),
        Measure::JobsPerWarm => {
            Some(Parts { numerator: now.warm_jobs / servers, denominator: (now.idle + now.busy) / servers })
        }
        Measure::Energy => Some(per_server(now.energy)),
        Measure::Warm(index) => Some(per_server(level(index))),
        // What arrivals meet is the policy's to say.
        Measure::MeanResponseTime | Measure::LostFraction | Measure::RejectedFraction => None,
        // Servers may differ in capacity: overload comes last.
        Measure::SomeWith(_) => None,
    });
    parts.chain([Parts { numerator: now.overload, denominator: 1.0 }]).collect()
}
