//! Numbered servers under several policies.

mod chart;
mod sampled;
mod tables;

pub(super) use sampled::Sampled;
use sampled::sample;
pub use sampled::{OnePolicy, sample_one};

use super::percentiles::{Without, without_interval};
use super::{Answer, Progress};
use crate::{Error, InputError, ResultsFolder, Share, Warning};
use alba_cluster::{Arbitrator, ClusterError, Experiment, Outcome, PolicyOutcome, Problem, simulate};
use alba_model::Measure;
use alba_scenario::Scenario;
use std::path::{Path, PathBuf};

/// What was found, and where more of it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterAnswer {
    /// A row a policy.
    pub answer: Answer,
    /// Tables, figure and manifest.
    pub folder: PathBuf,
}

/// Simulates the scenario's servers request by request under every policy of its section `[cluster]`: a row a policy, with
/// each of [`Measure::OF_REQUESTS`], its half-width (95 %, Student t, or exact limits where few events were seen), its difference
/// from the first policy's in pairs of runs with the same arrivals and service demands, and, with the suffixes `_run_low` and
/// `_run_high`, where one run of that length lies with a probability of 95 %; where a precision is asked for, `precision_met`: whether the row has
/// it. The same table, those over time, by server and by numbers of requests,
/// figure and manifest go to the folder `NAME-cluster` in `results`.
///
/// # Errors
/// [`InputError::CentralQueue`], [`InputError::Servers`]; [`Error::NotOurs`], [`Error::Write`].
pub fn cluster(scenario: &Scenario, results: &Path, progress: &dyn Progress) -> Result<ClusterAnswer, Error> {
    let folder = ResultsFolder::create(results, &format!("{}-cluster", scenario.name()))?;
    let problem = numbered(scenario)?;
    let sampled = sampled(scenario, &problem, progress)?;
    let outcome = &sampled.outcome;
    let table = tables::policies(scenario, &sampled);
    folder.add_table("table.csv", &table)?;
    folder.add_table("time.csv", &tables::times(scenario, outcome))?;
    folder.add_table("servers.csv", &tables::servers(outcome))?;
    folder.add_table("levels.csv", &tables::levels(outcome))?;
    folder.add_figure(scenario.name(), &chart::figure(scenario, outcome))?;
    let mut warnings = warnings(scenario, &problem, outcome);
    warnings.extend(sampled.not_precise(scenario));
    let folder = folder.finish_simulated("cluster", scenario, sampled.simulation())?;
    Ok(ClusterAnswer { answer: Answer { table, warnings }, folder })
}

/// Simulates all replications of all policies, or as many as a precision needs.
///
/// # Errors
/// [`InputError::CentralQueue`], [`InputError::Servers`]; those of a simulation.
pub fn outcome(scenario: &Scenario, progress: &dyn Progress) -> Result<Outcome, Error> {
    Ok(sampled(scenario, &numbered(scenario)?, progress)?.outcome)
}

fn sampled(scenario: &Scenario, problem: &Problem, progress: &dyn Progress) -> Result<Sampled, InputError> {
    let (run, policies) = (scenario.run(), scenario.policies());
    progress.begin(scenario.name(), run.replications.saturating_mul(policies.len() as u64));
    let sampled = sample(scenario, problem, policies, &Measure::OF_REQUESTS, scenario.name(), progress);
    progress.end();
    sampled
}

fn numbered(scenario: &Scenario) -> Result<Problem, InputError> {
    scenario.numbered_problem().map_err(|source| InputError::servers(scenario, source))
}

/// `problem` under one policy.
pub fn under(
    policy: Arbitrator,
    problem: &Problem,
    replications: u64,
    seed: u64,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<PolicyOutcome, ClusterError> {
    let experiment = Experiment::new(replications, seed, vec![policy])?;
    Ok(simulate(problem, &experiment, progress)?.policies.swap_remove(0))
}

/// Says that recorded arrivals do not come at their stamps.
fn stamps_spread(scenario: &Scenario) -> Option<Warning> {
    let (cut, trace) = (scenario.cut_stamps()?, scenario.trace()?);
    Some(Warning::StampsSpread {
        scenario: scenario.name().to_owned(),
        file: trace.facts().path.clone(),
        equal: cut.equal,
        of: cut.of,
        resolution_s: cut.resolution_s,
    })
}

fn warnings(scenario: &Scenario, problem: &Problem, outcome: &Outcome) -> Vec<Warning> {
    let work = problem.most_work().unwrap_or(f64::INFINITY) / problem.servers().count() as f64;
    let mut warnings = about_load(scenario, work);
    warnings.extend(stamps_spread(scenario));
    warnings.extend(Warning::about_keys_of_numbered(scenario));
    if scenario.run().max_events.is_some() {
        warnings.push(Warning::NoMaxEvents { scenario: scenario.name().to_owned() });
    }
    for policy in &outcome.policies {
        let counts = policy.counts;
        let share = |requests: u64| requests as f64 / counts.arrived.max(1) as f64;
        let name = format!("{}, {}", scenario.name(), policy.policy);
        let [lost, rejected] = [counts.lost, counts.rejected].map(|requests| Share::OfAll(share(requests)));
        warnings.extend(Warning::turned_away(&name, lost, rejected));
        let accepted = counts.present_at_start + counts.accepted();
        warnings.extend(Warning::unfinished(&name, counts.present_at_end, accepted));
    }
    warnings.extend(nothing_random(scenario, problem, outcome));
    warnings.extend(no_interval(scenario.name(), &outcome.policies));
    warnings
}

/// If no replication differs from another one.
fn nothing_random(scenario: &Scenario, problem: &Problem, outcome: &Outcome) -> Option<Warning> {
    let same: Vec<_> = outcome.policies.iter().filter(|policy| policy.identical).collect();
    let replications = same.first()?.replications;
    let policies = same.iter().map(|policy| policy.policy.to_string()).collect();
    let random = problem.random_inputs().into_iter().map(str::to_owned).collect();
    Some(Warning::SameReplications { scenario: scenario.name().to_owned(), replications, policies, random })
}

/// If there are percentiles without an interval.
pub fn no_interval<'o>(
    scenario: &str,
    outcomes: impl IntoIterator<Item = &'o PolicyOutcome>,
) -> Option<Warning> {
    let all: Vec<_> = outcomes.into_iter().flat_map(|outcome| &outcome.too_few).collect();
    let of = |measure: Measure| {
        let own = all.iter().filter(move |too_few| too_few.measure == measure);
        own.map(|too_few| Without {
            name: too_few.measure.name(),
            exceedances: too_few.exceedances,
            needed: too_few.needed,
        })
    };
    without_interval(scenario, Measure::OF_REQUESTS.into_iter().flat_map(of).collect())
}

/// What is known before the run, of the requests that come: bursts that are replayed are not smoothed away, and other arrivals
/// have another load.
fn about_load(scenario: &Scenario, work: f64) -> Vec<Warning> {
    let Some(rate) = scenario.renewal_rate() else {
        let mut warnings = Warning::about_servers(scenario, work);
        warnings.retain(|warning| !scenario.replays() || !warning.is_about_poisson());
        return warnings;
    };
    let (horizon, peak) = (scenario.run().grid.horizon(), rate / work);
    let unstable =
        Warning::UnstableLoad { scenario: scenario.name().to_owned(), from: 0.0, to: horizon, peak };
    Some(unstable).filter(|_| peak >= 1.0).into_iter().collect()
}
