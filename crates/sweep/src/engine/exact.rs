//! The chain of few servers, solved exactly.

use super::{Engine, ends, exactly, measures};
use crate::quantity::{is_of_levels, of_response};
use crate::{CellError, Quantity};
use alba_compare::Error;
use alba_compare::chain_problem;
use alba_ctmc::exact::{Limits, Stationary, Transient, stationary, transient};
use alba_ctmc::{CtmcError, Estimate};
use alba_model::Counts;
use alba_scenario::{Reader, Scenario};

/// Expectations in equilibrium, and at the horizon.
pub(super) struct Exact;

/// Seconds that a state takes, about.
const STATE: f64 = 2e-5;

impl Engine for Exact {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn reader(&self) -> Option<Reader> {
        Some(Reader::Equilibrium)
    }

    fn offers(&self, quantity: Quantity) -> bool {
        match quantity {
            Quantity::AtRest(measure) => is_of_levels(measure),
            Quantity::AtEnd(_) | Quantity::States => true,
            Quantity::FixedPoints | Quantity::Stable | Quantity::LeadingEigenvalue | Quantity::Events => {
                false
            }
        }
    }

    /// By the number of states: ways to put N servers into the places that a server can be in.
    fn cost(&self, scenario: &Scenario) -> f64 {
        let places = scenario.model().buffer().limit().map_or(30.0, |limit| f64::from(limit) + 1.0);
        let ways = (1..=scenario.servers().min(60)).map(|server| 1.0 + (places + 1.0) / server as f64);
        STATE * ways.product::<f64>().min(5e6)
    }

    fn run(&self, scenario: &Scenario, wanted: &[Quantity]) -> Result<Vec<Estimate>, CellError> {
        let at_end = |quantity: &Quantity| matches!(quantity, Quantity::AtEnd(_));
        let rest: Vec<Quantity> = wanted.iter().copied().filter(|quantity| !at_end(quantity)).collect();
        let end: Vec<Quantity> = wanted.iter().copied().filter(at_end).collect();
        let equilibrium = (!rest.is_empty()).then(|| equilibrium(scenario, &rest)).transpose()?;
        let horizon = (!end.is_empty()).then(|| horizon(scenario, &end)).transpose()?;
        let value = |quantity: &Quantity| match (*quantity, &equilibrium, &horizon) {
            (Quantity::AtRest(measure), Some(law), _) => {
                if let Some(value) = of_response(measure, law.response_time.as_ref()) {
                    return value;
                }
                let index = measures(&rest).iter().position(|other| *other == measure)?;
                law.values.get(index).copied().flatten()
            }
            (Quantity::AtEnd(measure), _, Some(outcome)) => {
                let index = measures(&end).iter().position(|other| *other == measure)?;
                outcome.points.last()?.values.get(index)?.value
            }
            (Quantity::States, Some(law), _) => Some(law.states as f64),
            _ => None,
        };
        Ok(wanted.iter().map(|quantity| exactly(value(quantity))).collect())
    }
}

fn equilibrium(scenario: &Scenario, wanted: &[Quantity]) -> Result<Stationary, Error> {
    let initial = Counts::apportion(scenario.initial(), scenario.servers());
    let (measures, limits) = (measures(wanted), Limits::default());
    stationary(scenario.model(), &initial, &measures, scenario.power(), &limits)
        .map_err(|source| failed(scenario, source))
}

fn horizon(scenario: &Scenario, wanted: &[Quantity]) -> Result<Transient, CellError> {
    let problem = chain_problem(scenario, ends(scenario)?)?;
    let outcome = transient(&problem, &measures(wanted), scenario.power(), &Limits::default());
    Ok(outcome.map_err(|source| failed(scenario, source))?)
}

fn failed(scenario: &Scenario, source: CtmcError) -> Error {
    Error::Exact { scenario: scenario.name().to_owned(), source }
}
