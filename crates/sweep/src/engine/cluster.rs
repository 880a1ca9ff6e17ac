//! Numbered servers, request by request.

use super::{Engine, exactly, load};
use crate::{CellError, Quantity};
use alba_cluster::{Metric, Outcome, PolicyOutcome};
use alba_compare::Error;
use alba_compare::InputError;
use alba_compare::PERCENTILES;
use alba_compare::under;
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
            Quantity::AtRest(measure) => metric(measure).is_some(),
            Quantity::AtEnd(measure) => Outcome::STATE.contains(&measure),
            Quantity::Percentile(_) | Quantity::WaitingProbability => true,
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
        let outcome = outcome(scenario)?;
        let estimate = |quantity: &Quantity| match *quantity {
            Quantity::AtRest(measure) => metric(measure).map(|metric| outcome.metric(metric)),
            Quantity::AtEnd(measure) => {
                let index = Outcome::STATE.iter().position(|other| *other == measure);
                index.and_then(|index| outcome.points.last()?.estimates.get(index).copied())
            }
            Quantity::Percentile(index) => named(PERCENTILES[index].0).map(|metric| outcome.metric(metric)),
            Quantity::WaitingProbability => Some(outcome.metric(Metric::WaitingProbability)),
            Quantity::FixedPoints
            | Quantity::Stable
            | Quantity::LeadingEigenvalue
            | Quantity::States
            | Quantity::Events => None,
        };
        Ok(wanted.iter().map(|quantity| estimate(quantity).unwrap_or_else(|| exactly(None))).collect())
    }
}

fn outcome(scenario: &Scenario) -> Result<PolicyOutcome, Error> {
    let failed = |source| InputError::servers(scenario, source);
    let Some(policy) = scenario.policies().into_iter().next() else {
        return Err(InputError::CentralQueue { scenario: scenario.name().to_owned() }.into());
    };
    let problem = scenario.numbered_problem().map_err(failed)?;
    let run = scenario.run();
    Ok(under(policy, &problem, run.replications, run.seed, &|_| ()).map_err(failed)?)
}

fn named(name: &str) -> Option<Metric> {
    Metric::ALL.into_iter().find(|metric| metric.name() == name)
}

/// What a whole run knows of a measure; both have the same name.
fn metric(measure: Measure) -> Option<Metric> {
    named(&measure.name())
}
