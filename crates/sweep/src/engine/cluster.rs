//! Numbered servers, request by request.

use super::{Engine, at_rest, exactly, load};
use crate::{CellError, Quantity};
use alba_cluster::PolicyOutcome;
use alba_compare::Error;
use alba_compare::InputError;
use alba_compare::{Silent, sample_one};
use alba_ctmc::Estimate;
use alba_model::Measure;
use alba_scenario::{Reader, Scenario};

/// Averages after the warm-up and means at the horizon under the first policy of section `[cluster]`, over replications, with
/// half-widths (95 %).
pub(super) struct Cluster;

/// Seconds that an event takes, about.
const EVENT: f64 = 150e-9;

impl Engine for Cluster {
    fn name(&self) -> &'static str {
        "cluster"
    }

    fn reader(&self) -> Option<Reader> {
        Some(Reader::NumberedServers)
    }

    fn offers(&self, quantity: Quantity) -> bool {
        match quantity {
            Quantity::AtRest(measure) => Measure::OF_REQUESTS.contains(&measure),
            Quantity::AtEnd(measure) => Measure::of_state().any(|other| other == measure),
            Quantity::FixedPoints
            | Quantity::Stable
            | Quantity::LeadingEigenvalue
            | Quantity::States
            | Quantity::Events => false,
        }
    }

    fn has_half_widths(&self) -> bool {
        true
    }

    /// By the number of events: a request arrives and leaves.
    fn cost(&self, scenario: &Scenario) -> f64 {
        let run = scenario.run();
        let events = 2.0 * load(scenario).0 * scenario.servers() as f64 * run.grid.horizon();
        1e-4 + run.replications as f64 * events * EVENT
    }

    fn run(&self, scenario: &Scenario, wanted: &[Quantity]) -> Result<Vec<Estimate>, CellError> {
        let outcome = outcome(scenario, &at_rest(wanted))?;
        let estimate = |quantity: &Quantity| match *quantity {
            Quantity::AtRest(measure) => Some(outcome.metric(measure)),
            Quantity::AtEnd(measure) => {
                let index = Measure::of_state().position(|other| other == measure);
                index.and_then(|index| outcome.points.last()?.estimates.get(index).copied())
            }
            Quantity::FixedPoints
            | Quantity::Stable
            | Quantity::LeadingEigenvalue
            | Quantity::States
            | Quantity::Events => None,
        };
        Ok(wanted.iter().map(|quantity| estimate(quantity).unwrap_or_else(|| exactly(None))).collect())
    }
}

fn outcome(scenario: &Scenario, reported: &[Measure]) -> Result<PolicyOutcome, Error> {
    let central_queue = || InputError::CentralQueue { scenario: scenario.name().to_owned() };
    let policy = scenario.policies().into_iter().next().ok_or_else(central_queue)?;
    let problem = scenario.numbered_problem().map_err(|source| InputError::servers(scenario, source))?;
    Ok(sample_one(scenario, &problem, policy, reported, &Silent)?.outcome)
}
