//! Numbered servers, request by request.

use super::{Engine, EngineError, Found, load, starting};
use crate::quantity::at_rest;
use crate::{Error, InputError, Quantity, Silent, sample_one};
use alba_cluster::{PolicyOutcome, Scaling};
use alba_model::Measure;
use alba_scenario::{Reader, Scenario};

/// Averages after the warm-up and means at the horizon under the first policy of section `[cluster]`, over replications, with
/// half-widths (95 %).
pub(crate) struct Cluster;

/// Seconds that an event takes, about.
const EVENT: f64 = 150e-9;

impl Engine for Cluster {
    fn name(&self) -> &'static str {
        "cluster"
    }

    fn reader(&self) -> Option<Reader> {
        Some(Reader::NumberedServers)
    }

    fn at_rest(&self, measure: Measure) -> bool {
        Measure::OF_REQUESTS.contains(&measure)
    }

    fn at_end(&self, measure: Measure) -> bool {
        Measure::of_state().any(|other| other == measure)
    }

    fn has_randomness(&self) -> bool {
        true
    }

    /// By the number of events: a request arrives and leaves, servers may start.
    fn cost(&self, scenario: &Scenario) -> f64 {
        let (run, servers) = (scenario.run(), scenario.servers() as f64);
        let requests = scenario.renewal_rate().unwrap_or(load(scenario).0);
        let scaling = scenario.numbered_scaling().map_or(0.0, |scaling| match scaling {
            Scaling::Asynchronous(own) => own.rate(),
            Scaling::None | Scaling::Tabs | Scaling::PerRequest | Scaling::SwitchOn => 0.0,
        });
        let events = (2.0 * requests + starting(scenario, scaling)) * servers * run.grid.horizon();
        1e-4 + run.replications as f64 * events * EVENT
    }

    fn run(&self, scenario: &Scenario, wanted: &[Quantity]) -> Result<Vec<Found>, EngineError> {
        let outcome = outcome(scenario, &at_rest(wanted))?;
        let at_rest =
            at_rest(wanted).into_iter().map(|measure| (Quantity::AtRest(measure), outcome.metric(measure)));
        let last = outcome.points.last().map_or(&[][..], |point| &point.estimates);
        let states = Measure::of_state().zip(last).map(|(measure, of)| (Quantity::AtEnd(measure), *of));
        Ok(at_rest.chain(states).collect())
    }
}

fn outcome(scenario: &Scenario, reported: &[Measure]) -> Result<PolicyOutcome, Error> {
    let central_queue = || InputError::CentralQueue { scenario: scenario.name().to_owned() };
    let policy = scenario.policies().into_iter().next().ok_or_else(central_queue)?;
    let problem = scenario.numbered_problem().map_err(|source| InputError::servers(scenario, source))?;
    Ok(sample_one(scenario, &problem, policy, reported, &Silent)?.outcome)
}
