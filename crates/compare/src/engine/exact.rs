//! The chain of few servers, solved exactly.

use super::{Engine, EngineError, Found, at_end, ends, exactly, is_about_rest};
use crate::Quantity;
use crate::exact::{equilibrium, failed, over_time};
use crate::quantity::{at_rest, measures, of_response};
use alba_model::Measure;
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

    fn own(&self) -> &[Quantity] {
        &[Quantity::States]
    }

    fn needs_constant_rate(&self) -> bool {
        true
    }

    /// By the number of states: ways to put N servers into the places that a server can be in.
    fn cost(&self, scenario: &Scenario) -> f64 {
        let places = scenario.model().buffer().limit().map_or(30.0, |limit| f64::from(limit) + 1.0);
        let ways = (1..=scenario.servers().min(60)).map(|server| 1.0 + (places + 1.0) / server as f64);
        STATE * ways.product::<f64>().min(5e6)
    }

    fn run(&self, scenario: &Scenario, wanted: &[Quantity]) -> Result<Vec<Found>, EngineError> {
        let mut found = vec![];
        if is_about_rest(wanted) {
            let at_rest = at_rest(wanted);
            let rest: Vec<Quantity> = at_rest.iter().copied().map(Quantity::AtRest).collect();
            let measures = measures(&rest);
            let law = equilibrium(scenario, &measures).map_err(|source| failed(scenario, source))?;
            let value = |measure: Measure| {
                of_response(measure, law.response_time.as_ref()).unwrap_or_else(|| {
                    let index = measures.iter().position(|other| *other == measure)?;
                    law.values.get(index).copied().flatten()
                })
            };
            found.extend(at_rest.iter().map(|&measure| exactly(Quantity::AtRest(measure), value(measure))));
            found.push(exactly(Quantity::States, Some(law.states as f64)));
        }
        let at_end = at_end(wanted);
        if !at_end.is_empty() {
            let law = over_time(scenario, ends(scenario)?, &at_end)?;
            let values = law.points.last().map_or(&[][..], |point| &point.values);
            let pairs = at_end.into_iter().zip(values);
            found.extend(pairs.map(|(measure, bounded)| exactly(Quantity::AtEnd(measure), bounded.value)));
        }
        Ok(found)
    }
}
