//! As many runs of numbered servers as a scenario asks for.

use crate::engine::Cluster;
use crate::limit::deadline;
use crate::results::Simulation;
use crate::simulate::{Stage, not_precise};
use crate::{InputError, Progress, Warning};
use alba_cluster::{Arbitrator, ClusterError, Experiment, Outcome, PolicyOutcome, Problem};
use alba_model::Measure;
use alba_replicate::{Precision, Shortfall};
use alba_scenario::Scenario;

/// What runs said, and whether they are as precise as the scenario asks for.
pub(crate) struct Sampled {
    /// Of every policy.
    pub(crate) outcome: Outcome,
    /// Whether the averages of a policy are precise, if that is asked for.
    precision: Option<Precision>,
    shortfall: Option<Shortfall>,
}

/// Simulates `problem` under every policy as often as the scenario says, or until the measures of whole runs that are `reported`
/// are precise under all of them.
///
/// # Errors
/// [`InputError::Scenario`] with the place where a measure is named that is not reported; that of the simulation.
pub(super) fn sample(
    scenario: &Scenario,
    problem: &Problem,
    policies: Vec<Arbitrator>,
    reported: &[Measure],
    part: &str,
    progress: &dyn Progress,
) -> Result<Sampled, InputError> {
    let precision = precision(scenario, reported)?;
    let deadline = deadline(scenario, &Cluster, policies.len() as f64)?;
    let run = scenario.run();
    let sample = || -> Result<_, ClusterError> {
        let experiment = Experiment::new(run.replications, run.seed, policies)?.with_deadline(deadline);
        match &precision {
            None => Ok((alba_cluster::simulate(problem, &experiment, &|_| progress.advance(1))?, None)),
            Some(precision) => {
                let stage = Stage::new(part, progress);
                let hear = |done, planned| stage.hear(done, planned);
                alba_cluster::simulate_to_precision(problem, &experiment, precision, &hear)
            }
        }
    };
    let (outcome, shortfall) = sample().map_err(|source| InputError::servers(scenario, source))?;
    Ok(Sampled { outcome, precision, shortfall })
}

/// One tolerance, or none, for each of [`Measure::OF_REQUESTS`].
fn precision(scenario: &Scenario, reported: &[Measure]) -> Result<Option<Precision>, InputError> {
    let Some(asked) = &scenario.run().precision else { return Ok(None) };
    asked.refuse_others(reported, "averages of whole runs that are reported")?;
    let precision = asked.precision(&Measure::OF_REQUESTS, scenario.run().most_replications());
    let precision = precision.map_err(|source| InputError::servers(scenario, source.into()))?;
    Ok(Some(precision.of_some(|index| reported.contains(&Measure::OF_REQUESTS[index]))))
}

impl Sampled {
    /// Whether a policy's averages are precise; none if nobody asked.
    pub(super) fn precision_met(&self, policy: &PolicyOutcome) -> Option<bool> {
        self.precision.as_ref().map(|precision| precision.is_met(&policy.metrics))
    }

    /// A warning if the precision was not met.
    pub(super) fn not_precise(&self, scenario: &Scenario) -> Option<Warning> {
        let shortfall = self.shortfall?;
        let policy = self.outcome.policies.get(shortfall.row)?;
        let name = format!("{}, {}", scenario.name(), policy.policy);
        Some(not_precise(&name, policy.replications, shortfall, None))
    }

    /// For the manifest, if a precision decided how many runs there are.
    pub(super) fn simulation(&self) -> Option<Simulation> {
        self.precision.as_ref()?;
        Some(Simulation {
            engine: None,
            replications: self.outcome.policies.first().map(|policy| policy.replications),
            precision_met: Some(self.shortfall.is_none()),
        })
    }
}

/// What runs under one policy said.
pub struct OnePolicy {
    /// Its estimates.
    pub outcome: PolicyOutcome,
    /// Whether the averages that are reported are precise, if the scenario asks for that.
    pub precision_met: Option<bool>,
    /// If they are not.
    pub warning: Option<Warning>,
}

/// Simulates `problem` under one policy as often as the scenario says, or until the measures of whole runs that are `reported` are
/// precise.
///
/// # Errors
/// [`InputError::Scenario`] with the place where a measure is named that is not reported; [`InputError::Servers`].
pub fn sample_one(
    scenario: &Scenario,
    problem: &Problem,
    policy: Arbitrator,
    reported: &[Measure],
    progress: &dyn Progress,
) -> Result<OnePolicy, InputError> {
    let part = format!("{}, {policy}", scenario.name());
    let mut sampled = sample(scenario, problem, vec![policy], reported, &part, progress)?;
    let warning = sampled.not_precise(scenario);
    // One policy was asked for.
    let outcome = sampled.outcome.policies.swap_remove(0);
    let precision_met = sampled.precision_met(&outcome);
    Ok(OnePolicy { outcome, precision_met, warning })
}
