//! The chain of N servers, simulated.

use super::{Engine, EngineError, Found, at_end, ends, exactly, load, starting};
use crate::Quantity;
use crate::quantity::{at_rest, measures};
use crate::simulate::{failed, timed_chain};
use alba_ctmc::{
    CtmcError, Estimate, Experiment, Outcome, Problem, Scope, Summary, simulate, simulate_to_precision,
};
use alba_model::Measure;
use alba_scenario::{Reader, Scenario};

/// Averages along the run after the warm-up, and means at the horizon, over replications, with half-widths (95 %).
pub(crate) struct Simulate;

/// Seconds that an event takes, about.
const EVENT: f64 = 25e-9;

impl Engine for Simulate {
    fn name(&self) -> &'static str {
        "simulate"
    }

    fn reader(&self) -> Option<Reader> {
        Some(Reader::Chain)
    }

    fn own(&self) -> &[Quantity] {
        &[Quantity::Events]
    }

    fn has_randomness(&self) -> bool {
        true
    }

    /// By the number of events: a job arrives and leaves, servers start.
    fn cost(&self, scenario: &Scenario) -> f64 {
        let run = scenario.run();
        let scaling = scenario.model().rates().scaling();
        let rate = 2.0 * load(scenario).0 + starting(scenario, scaling);
        let events = rate * scenario.servers() as f64 * run.grid.horizon();
        let events = run.max_events.map_or(events, |most| events.min(most as f64));
        1e-5 + run.replications as f64 * (1e-5 + events * EVENT)
    }

    fn run(&self, scenario: &Scenario, wanted: &[Quantity]) -> Result<Vec<Found>, EngineError> {
        // A path does not depend on its report times: the ends will do.
        let problem = timed_chain(scenario, ends(scenario)?)?;
        let (measures, outcome) =
            outcome(scenario, &problem, wanted).map_err(|source| failed(scenario, source))?;
        let summary = &outcome.summary;
        let at = |estimates: &[Estimate], measure| {
            let index = measures.iter().position(|other| *other == measure);
            index.and_then(|index| estimates.get(index)).copied().unwrap_or_default()
        };
        let end = outcome.points.last().map_or(&[][..], |point| &point.estimates);
        let at_rest = at_rest(wanted).into_iter().map(|measure| {
            let estimate = of_jobs(summary, measure).unwrap_or_else(|| at(&summary.time_averages, measure));
            (Quantity::AtRest(measure), estimate)
        });
        let at_end = at_end(wanted).into_iter().map(|measure| (Quantity::AtEnd(measure), at(end, measure)));
        let events = exactly(Quantity::Events, Some(summary.events.total() as f64));
        Ok(at_rest.chain(at_end).chain([events]).collect())
    }
}

/// As many replications as the scenario says, or as the averages among the quantities need to be precise; with what was measured.
fn outcome(
    scenario: &Scenario,
    problem: &Problem,
    wanted: &[Quantity],
) -> Result<(Vec<Measure>, Outcome), CtmcError> {
    let (run, mut measures) = (scenario.run(), measures(wanted));
    let experiment = |measures: &[Measure]| {
        Experiment::new(run.replications, run.seed, measures.to_vec(), *scenario.power())
    };
    let Some(asked) = &run.precision else {
        let outcome = simulate(problem, &experiment(&measures)?, &|_| ())?;
        return Ok((measures, outcome));
    };
    let kept = at_rest(wanted);
    measures.extend(kept.iter().filter(|measure| !measures.contains(measure)).copied().collect::<Vec<_>>());
    let precision = asked.precision(&measures, run.most_replications())?;
    let precision = precision.of_some(|index| kept.contains(&measures[index]));
    let experiment = experiment(&measures)?;
    let found = simulate_to_precision(problem, &experiment, &precision, Scope::TimeAverages, &|_, _| ())?;
    Ok((measures, found.0))
}

/// What is known of all jobs together, if it is such a measure.
fn of_jobs(summary: &Summary, measure: Measure) -> Option<Estimate> {
    match measure {
        Measure::Percentile(_, percentile) => {
            let quantile = summary.response_quantile(percentile.probability());
            Some(quantile.map(|quantile| quantile.estimate).unwrap_or_default())
        }
        // Under a central queue levels do not say who waits.
        Measure::WaitingProbability if summary.queued.is_none() => Some(summary.waiting_probability),
        Measure::WaitingProbability => Some(Estimate::default()),
        _ => None,
    }
}
