//! Where several engines know the same number, they must agree.

use super::contender::{Contender, Setting};
use alba_cluster::PolicyOutcome;
use alba_ctmc::{CtmcError, Estimate, Experiment, Outcome, Problem, simulate};
use alba_exact::{ExactError, Limits, transient};
use alba_model::{Counts, Measure, Model};
use alba_table::Schema;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// Report times compared, at most.
const TIMES: usize = 20;
/// The exact chain is solved up to so many states: some seconds.
const STATES: usize = 20_000;
/// With what probability chance alone makes some score larger than what is allowed.
const FALSE_ALARM: f64 = 0.01;

/// An event of probability `UNSEEN / n` is missed by `n` replications with probability 1 in 22,000.
const UNSEEN: f64 = 10.0;

/// Averages over whole runs, as the chain and as numbered servers know them.
const RUNS: [Measure; 9] = [
    Measure::Cold,
    Measure::Initializing,
    Measure::Idle,
    Measure::Busy,
    Measure::JobsPerServer,
    Measure::MeanResponseTime,
    Measure::LostFraction,
    Measure::RejectedFraction,
    Measure::Energy,
];

/// Who knows a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Engine {
    Cluster,
    Chain,
    Exact,
}

impl Engine {
    fn name(self) -> &'static str {
        match self {
            Self::Cluster => "cluster",
            Self::Chain => "chain",
            Self::Exact => "exact",
        }
    }
}

/// A number as two engines know it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pair {
    contender: String,
    quantity: Measure,
    /// None: the average over the run.
    time: Option<f64>,
    engines: [Engine; 2],
    values: [Estimate; 2],
    replications: u64,
}

/// What the chain knows of a contender.
pub(super) struct Chain {
    pub(super) outcome: Outcome,
    measures: Vec<Measure>,
}

impl Chain {
    pub(super) fn average(&self, measure: Measure) -> Estimate {
        let index = self.measures.iter().position(|&other| other == measure);
        index.map_or(Estimate::default(), |index| self.outcome.summary.time_averages[index])
    }

    pub(super) fn at(&self, point: usize, measure: Measure) -> Estimate {
        let index = self.measures.iter().position(|&other| other == measure);
        index.map_or(Estimate::default(), |index| self.outcome.points[point].estimates[index])
    }
}

fn state_measures(model: &Model) -> Vec<Measure> {
    let overload = model.buffer().limit().map(|limit| Measure::SomeWith(limit as usize));
    Measure::of_state().chain(overload).collect()
}

fn problem(model: &Model, initial: &alba_model::Occupancy, setting: &Setting) -> Result<Problem, CtmcError> {
    let counts = Counts::apportion(initial, setting.servers);
    Problem::new(model.clone(), counts, setting.grid, setting.warm_up, None)
}

/// Simulates the chain of a contender, from other random numbers than those of numbered servers; none where it has no scheme.
pub(super) fn chain(
    contender: &Contender,
    setting: &Setting,
    replications: u64,
    seed: u64,
) -> Result<Option<Chain>, CtmcError> {
    let Some((model, initial)) = contender.model(setting)? else { return Ok(None) };
    let mut measures = state_measures(&model);
    measures.extend([Measure::MeanResponseTime, Measure::LostFraction, Measure::RejectedFraction]);
    let experiment = Experiment::new(replications, seed.wrapping_add(1), measures.clone(), setting.power)?;
    let outcome = simulate(&problem(&model, &initial, setting)?, &experiment, &|_| ())?;
    Ok(Some(Chain { outcome, measures }))
}

/// Every number that numbered servers and the chain both know, and the exact chain where it is small.
pub(super) fn pairs(
    contender: &Contender,
    setting: &Setting,
    numbered: &PolicyOutcome,
    chain: &Chain,
) -> Result<Vec<Pair>, ExactError> {
    let pair = |quantity: Measure, time, engines, values| Pair {
        contender: contender.name.clone(),
        quantity,
        time,
        engines,
        values,
        replications: numbered.replications,
    };
    let mut pairs: Vec<Pair> = RUNS
        .iter()
        .map(|&measure| {
            let values = [numbered.metric(measure), chain.average(measure)];
            pair(measure, None, [Engine::Cluster, Engine::Chain], values)
        })
        .collect();
    let Some((model, initial)) = contender.model(setting)? else { return Ok(pairs) };
    let measures = state_measures(&model);
    let limits = Limits::new(STATES, 1e-9)?;
    let problem = problem(&model, &initial, setting)?;
    let exact = match transient(&problem, &measures, &setting.power, &limits) {
        Ok(exact) => Some(exact),
        Err(ExactError::TooManyStates { .. } | ExactError::NoCut { .. }) => None,
        Err(other) => return Err(other),
    };
    let points = numbered.points.len();
    let stride = points.div_ceil(TIMES).max(1);
    for point in (stride..points).step_by(stride) {
        let at = &numbered.points[point];
        for (index, &measure) in measures.iter().enumerate() {
            let overload = matches!(measure, Measure::SomeWith(_));
            let known = if overload { at.overload } else { at.estimates[index] };
            let simulated = chain.at(point, measure);
            let time = Some(at.time);
            pairs.push(pair(measure, time, [Engine::Cluster, Engine::Chain], [known, simulated]));
            if let Some(exact) = &exact {
                let value = exact.points[point].values[index].value;
                let certain = Estimate { value, half_width: Some(0.0) };
                pairs.push(pair(measure, time, [Engine::Cluster, Engine::Exact], [known, certain]));
                pairs.push(pair(measure, time, [Engine::Chain, Engine::Exact], [simulated, certain]));
            }
        }
    }
    pairs.retain(Pair::tells);
    Ok(pairs)
}

impl Pair {
    /// Whether both are known, and not from a handful of rare events, whose standard errors mean nothing.
    fn tells(&self) -> bool {
        self.values.iter().all(|estimate| {
            let (Some(value), Some(half_width)) = (estimate.value, estimate.half_width) else { return false };
            let rare = matches!(
                self.quantity,
                Measure::LostFraction | Measure::RejectedFraction | Measure::SomeWith(_)
            );
            !rare || half_width == 0.0 && value > 0.0 || value > half_width
        })
    }

    /// The difference in joint standard errors, as a standard normal score: Welch's test, with Student's tails.
    pub(super) fn score(&self) -> f64 {
        let freedom = self.replications as f64 - 1.0;
        let quantile = student(freedom).map_or(1.96, |law| law.inverse_cdf(0.975));
        // Pairs without a value tell nothing, and are not kept.
        let [a, b] = self.values.map(|estimate| {
            let square = (estimate.half_width.unwrap_or(0.0) / quantile).powi(2);
            (estimate.value.unwrap_or_default(), square)
        });
        let (difference, square) = (a.0 - b.0, a.1 + b.1);
        // What never varies differs by rounding only.
        if difference.abs() < 1e-9 {
            return 0.0;
        }
        if square == 0.0 {
            // What no replication has shown may still happen.
            let unseen = difference.abs() < UNSEEN / self.replications as f64;
            return if unseen { 0.0 } else { f64::INFINITY.copysign(difference) };
        }
        let t = difference / square.sqrt();
        let welch = square * square / ((a.1 * a.1 + b.1 * b.1) / freedom);
        let tail = student(welch).map(|law| law.cdf(-t.abs())).filter(|tail| *tail > 0.0);
        tail.map_or(t, |tail| -Normal::standard().inverse_cdf(tail)).copysign(difference)
    }
}

fn student(freedom: f64) -> Option<StudentsT> {
    StudentsT::new(0.0, 1.0, freedom).ok()
}

/// The largest score that chance alone passes with probability [`FALSE_ALARM`] at most among `comparisons`.
pub(super) fn allowed(comparisons: usize) -> f64 {
    -Normal::standard().inverse_cdf(0.5 * FALSE_ALARM / comparisons.max(1) as f64)
}

/// A row a pair, of so many.
pub(super) fn columns(comparisons: usize) -> Schema<'static, Pair> {
    let most = allowed(comparisons);
    Schema::new()
        .column("contender", "", "its name", |row: &Pair| row.contender.clone())
        .column("quantity", "", "what both engines know", |row| match row.quantity {
            Measure::SomeWith(_) => "overload".to_owned(),
            measure => measure.name(),
        })
        .column("time", "service times", "when; empty: the average over the run", |row| row.time)
        .column("engine", "", "which", |row| row.engines[0].name())
        .column("other_engine", "", "which", |row| row.engines[1].name())
        .column("value", "", "of the engine", |row| row.values[0].value)
        .column("half_width", "", "half of its 95 % interval", |row| row.values[0].half_width)
        .column("other_value", "", "of the other engine", |row| row.values[1].value)
        .column("other_half_width", "", "half of its 95 % interval", |row| row.values[1].half_width)
        .column("score", "", "difference in joint standard errors", Pair::score)
        .column("comparisons", "", "rows", move |_| comparisons)
        .column("largest_score_allowed", "", "passed by chance once in a hundred studies", move |_| most)
}

/// The number of comparisons, the largest score, and what number of them allows.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineAgreement {
    /// The scenario's name.
    pub scenario: String,
    /// Numbers that two engines know.
    pub comparisons: usize,
    /// The largest difference, in joint standard errors.
    pub largest_score: f64,
    /// What chance alone passes once in a hundred studies.
    pub allowed: f64,
}

impl EngineAgreement {
    pub(super) fn of(scenario: &str, pairs: &[Pair]) -> Self {
        let largest_score = pairs.iter().map(|pair| pair.score().abs()).fold(0.0, f64::max);
        let scenario = scenario.to_owned();
        Self { scenario, comparisons: pairs.len(), largest_score, allowed: allowed(pairs.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(values: [(f64, f64); 2], replications: u64) -> Pair {
        let values = values.map(|(value, half)| Estimate { value: Some(value), half_width: Some(half) });
        let (contender, quantity) = (String::new(), Measure::Busy);
        Pair {
            contender,
            quantity,
            time: None,
            engines: [Engine::Cluster, Engine::Chain],
            values,
            replications,
        }
    }

    #[test]
    fn scores_by_hand() {
        // Half-widths of 10^6 replications are 1.96 standard errors.
        let score = pair([(1.0, 0.0196), (1.05, 0.0)], 1_000_000).score();
        assert!((score + 5.0).abs() < 1e-3, "{score}");
        // Of three replications, Student's tails: t = 4.3 with two degrees of freedom is a score of 1.96.
        let score = pair([(1.1, 0.1), (1.0, 0.0)], 3).score();
        assert!((score - 1.96).abs() < 1e-3, "{score}");
        assert_eq!(pair([(0.3, 0.0), (0.3 + 1e-16, 0.0)], 10).score(), 0.0);
        assert_eq!(pair([(0.3, 0.0), (0.2, 0.0)], 1000).score(), f64::INFINITY);
        assert_eq!(pair([(0.0, 0.0), (0.002, 0.0)], 1000).score(), 0.0);
    }

    #[test]
    fn more_comparisons_allow_larger_scores() {
        assert!((allowed(1) - 2.5758).abs() < 1e-4);
        assert!((allowed(1000) - 4.417).abs() < 1e-3);
    }
}
