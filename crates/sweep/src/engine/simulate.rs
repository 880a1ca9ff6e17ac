//! The chain of N servers, simulated.

use super::{Engine, at_rest, ends, exactly, load, measures};
use crate::quantity::is_of_levels;
use crate::{CellError, Quantity};
use alba_compare::{Error, chain_problem};
use alba_ctmc::{
    CtmcError, Estimate, Experiment, Outcome, Problem, Scope, Summary, simulate, simulate_to_precision,
};
use alba_model::Measure;
use alba_scenario::{Reader, Scenario};

/// Averages along the run after the warm-up, and means at the horizon, over replications, with half-widths (95 %).
pub(super) struct Simulate;

/// Seconds that an event takes, about.
const EVENT: f64 = 25e-9;

impl Engine for Simulate {
    fn name(&self) -> &'static str {
        "simulate"
    }

    fn reader(&self) -> Option<Reader> {
        Some(Reader::Chain)
    }

    fn offers(&self, quantity: Quantity) -> bool {
        match quantity {
            Quantity::AtRest(measure) => is_of_levels(measure),
            Quantity::AtEnd(_) | Quantity::Events => true,
            Quantity::FixedPoints | Quantity::Stable | Quantity::LeadingEigenvalue | Quantity::States => {
                false
            }
        }
    }

    fn has_half_widths(&self) -> bool {
        true
    }

    /// By the number of events: a job arrives and leaves, servers start.
    fn cost(&self, scenario: &Scenario) -> f64 {
        let run = scenario.run();
        let rate = 2.0 * load(scenario).0 + scenario.model().rates().scaling();
        let events = rate * scenario.servers() as f64 * run.grid.horizon();
        let events = run.max_events.map_or(events, |most| events.min(most as f64));
        1e-5 + run.replications as f64 * (1e-5 + events * EVENT)
    }

    fn run(&self, scenario: &Scenario, wanted: &[Quantity]) -> Result<Vec<Estimate>, CellError> {
        let failed = |source: CtmcError| Error::Chain { scenario: scenario.name().to_owned(), source };
        // A path does not depend on its report times: the ends will do.
        let problem = chain_problem(scenario, ends(scenario)?)?;
        let (measures, outcome) = outcome(scenario, &problem, wanted).map_err(failed)?;
        let summary = &outcome.summary;
        let at = |estimates: &[Estimate], measure| {
            let index = measures.iter().position(|other| *other == measure);
            index.and_then(|index| estimates.get(index)).copied().unwrap_or_default()
        };
        let end = outcome.points.last().map_or(&[][..], |point| &point.estimates);
        let estimate = |quantity: &Quantity| match *quantity {
            Quantity::AtRest(measure) => {
                of_jobs(summary, measure).unwrap_or_else(|| at(&summary.time_averages, measure))
            }
            Quantity::AtEnd(measure) => at(end, measure),
            Quantity::Events => exactly(Some(summary.events.total() as f64)),
            Quantity::FixedPoints | Quantity::Stable | Quantity::LeadingEigenvalue | Quantity::States => {
                Estimate::default()
            }
        };
        Ok(wanted.iter().map(estimate).collect())
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
