//! The chain of N servers, simulated.

use super::{Engine, ends, exactly, load, measures};
use crate::{CellError, Quantity};
use alba_compare::{Error, PERCENTILES, chain_problem};
use alba_ctmc::{CtmcError, Estimate, Experiment, simulate};
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
            Quantity::AtRest(_)
            | Quantity::AtEnd(_)
            | Quantity::Percentile(_)
            | Quantity::WaitingProbability
            | Quantity::Events => true,
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
        let measures = measures(wanted);
        // A path does not depend on its report times: the ends will do.
        let problem = chain_problem(scenario, ends(scenario)?)?;
        let run = scenario.run();
        let experiment = Experiment::new(run.replications, run.seed, measures.clone(), *scenario.power())
            .map_err(failed)?;
        let outcome = simulate(&problem, &experiment, &|_| ()).map_err(failed)?;
        let summary = &outcome.summary;
        let at = |estimates: &[Estimate], measure| {
            let index = measures.iter().position(|other| *other == measure);
            index.and_then(|index| estimates.get(index)).copied().unwrap_or_default()
        };
        let end = outcome.points.last().map_or(&[][..], |point| &point.estimates);
        let estimate = |quantity: &Quantity| match *quantity {
            Quantity::AtRest(measure) => at(&summary.time_averages, measure),
            Quantity::AtEnd(measure) => at(end, measure),
            Quantity::Percentile(index) => {
                let quantile = summary.response_quantile(PERCENTILES[index].1);
                quantile.map(|quantile| quantile.estimate).unwrap_or_default()
            }
            // Under a central queue levels do not say who waits.
            Quantity::WaitingProbability if summary.queued.is_none() => summary.waiting_probability,
            Quantity::WaitingProbability => Estimate::default(),
            Quantity::Events => exactly(Some(summary.events.total() as f64)),
            Quantity::FixedPoints | Quantity::Stable | Quantity::LeadingEigenvalue | Quantity::States => {
                Estimate::default()
            }
        };
        Ok(wanted.iter().map(estimate).collect())
    }
}
