//! Which would you deploy? Schemes of the model and arbitrators on the same system, request by request, beside the chain and
//! the fluid model.

mod agreement;
mod chart;
mod contender;
mod findings;
mod limit;
mod loads;
mod round;
mod standing;

pub use agreement::EngineAgreement;
pub(super) use loads::arbitrators;

use crate::Error;
use alba_cluster::{Discipline, GridPoint};
use alba_compare::refuse_same_names;
use alba_compare::{Answer, Progress};
use alba_compare::{InputError, ResultsFolder, Warning};
use alba_compare::{OnePolicy, no_interval, one_run, sample_one, unit_of, with_half_width};
use alba_model::{Measure, Scheme};
use alba_scenario::Scenario;
use alba_table::{Column, Schema, Table};
use contender::{Contender, Setting, contenders};
use std::path::{Path, PathBuf};

/// What was found, how well the engines agree, and where more of it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct ArbitratorsAnswer {
    /// A row a scenario and contender.
    pub answer: Answer,
    /// Chain, exact chain and numbered servers, for each scenario.
    pub agreement: Vec<EngineAgreement>,
    /// For each scenario: tables, figure and manifest.
    pub folders: Vec<PathBuf>,
}

/// Runs JIQ + Rate-Idle, Power-of-2 + Blind, TABS, the scenario's own scheme, the phase-partition arbitrator and the
/// references on each scenario's system: equal servers that do one unit of work in a service time, the buffer as capacity, all
/// times exponential. Of what the model has a scheme for, chain, exact chain (where it fits) and fluid model are run too, and
/// compared. Tables, figure and manifest go to the folder `NAME-arbitrators` in `results`.
///
/// # Errors
/// [`InputError::SameName`], [`Error::NoArbitrators`] if the arbitrator or the discipline cannot be compared;
/// [`alba_compare::Error::Chain`], [`alba_compare::Error::Exact`], [`alba_compare::Error::Fluid`], [`alba_compare::Error::NotOurs`],
/// [`alba_compare::Error::Write`].
pub fn compare_arbitrators(
    scenarios: &[Scenario],
    results: &Path,
    progress: &dyn Progress,
) -> Result<ArbitratorsAnswer, Error> {
    refuse_same_names(scenarios)?;
    scenarios.iter().try_for_each(refuse)?;
    let precise = scenarios.iter().any(|scenario| scenario.run().precision.is_some());
    let (mut all, mut agreement, mut folders, mut warnings) = (vec![], vec![], vec![], vec![]);
    for scenario in scenarios {
        let found = Found::of(scenario, progress)?;
        folders.push(found.keep(precise, results)?);
        agreement.push(EngineAgreement::of(scenario.name(), &found.pairs));
        warnings.extend(Warning::about(scenario));
        let sampled = || found.contenders.iter().map(|row| &row.sampled);
        warnings.extend(no_interval(scenario.name(), sampled().map(|sampled| &sampled.outcome)));
        warnings.extend(sampled().filter_map(|sampled| sampled.warning.clone()));
        all.push(found);
    }
    let table = contender_columns(precise).table(all.iter().flat_map(|found| &found.contenders));
    Ok(ArbitratorsAnswer { answer: Answer { table, warnings }, agreement, folders })
}

/// A contender, and what became of its requests.
struct Contended<'s> {
    scenario: &'s Scenario,
    contender: Contender,
    sampled: OnePolicy,
}

/// Everything about one scenario.
struct Found<'s> {
    scenario: &'s Scenario,
    contenders: Vec<Contended<'s>>,
    pairs: Vec<agreement::Pair>,
    limits: Vec<limit::Limit>,
}

impl<'s> Found<'s> {
    fn of(scenario: &'s Scenario, progress: &dyn Progress) -> Result<Self, Error> {
        let setting = Setting::of(scenario);
        let name = || scenario.name().to_owned();
        let chain_failed = |source| alba_compare::Error::Chain { scenario: name(), source };
        let exact_failed = |source| alba_compare::Error::Exact { scenario: name(), source };
        let fluid_failed = |source| alba_compare::Error::Fluid { scenario: name(), source };
        let contenders = contended(scenario, &setting, progress)?;
        let (mut pairs, mut limits) = (vec![], vec![]);
        progress.begin("chain and fluid model", contenders.len() as u64);
        for Contended { contender, sampled: OnePolicy { outcome, .. }, .. } in &contenders {
            let (replications, seed) = (outcome.replications, scenario.run().seed);
            let chain = agreement::chain(contender, &setting, replications, seed).map_err(chain_failed)?;
            if let Some(chain) = chain {
                let known = agreement::pairs(contender, &setting, outcome, &chain).map_err(exact_failed)?;
                pairs.extend(known);
                limits.extend(limit::limits(contender, &setting, &chain).map_err(fluid_failed)?);
            }
            progress.advance(1);
        }
        progress.end();
        Ok(Self { scenario, contenders, pairs, limits })
    }

    fn keep(&self, precise: bool, results: &Path) -> Result<PathBuf, Error> {
        let name = self.scenario.name();
        let folder = ResultsFolder::create(results, &format!("{name}-arbitrators"))?;
        folder.add_table("arbitrators.csv", &contender_columns(precise).table(&self.contenders))?;
        folder.add_table("time.csv", &over_time(&self.contenders))?;
        folder.add_table("agreement.csv", &agreement::columns(self.pairs.len()).table(&self.pairs))?;
        folder.add_table("fluid.csv", &limit::columns().table(&self.limits))?;
        folder.add_figure(name, &chart::of_scenario(self.scenario, &self.contenders))?;
        Ok(folder.finish("arbitrators", self.scenario)?)
    }
}

fn refuse(scenario: &Scenario) -> Result<(), Error> {
    let refused = |reason| Err(Error::NoArbitrators { scenario: scenario.name().to_owned(), reason });
    if scenario.model().buffer().limit().is_none() {
        return refused("the arbitrator needs capacities: set system.buffer to a number");
    }
    if scenario.model().scheme() == Scheme::CentralQueue {
        return refused(
            "numbered servers have queues of their own, and scheme.kind = \"central-queue\" has not",
        );
    }
    if scenario.discipline() == Discipline::Parallel {
        return refused(
            "a server does one unit of work in a service time: cluster.discipline is \"first-come-first-served\" or \
             \"processor-sharing\"",
        );
    }
    Ok(())
}

fn contended<'s>(
    scenario: &'s Scenario,
    setting: &Setting,
    progress: &dyn Progress,
) -> Result<Vec<Contended<'s>>, InputError> {
    let failed = |source| InputError::servers(scenario, source);
    let contenders = contenders(scenario).map_err(failed)?;
    progress.begin("numbered servers", scenario.run().replications * contenders.len() as u64);
    let contended = |contender: Contender| {
        let problem = contender.numbered(setting).map_err(failed)?;
        let sampled = sample_one(scenario, &problem, contender.policy().clone(), &METRICS, progress)?;
        Ok(Contended { scenario, contender, sampled })
    };
    let all = contenders.into_iter().map(contended).collect();
    progress.end();
    all
}

/// The columns of the table of contenders, each with its half-width.
const METRICS: [Measure; 9] = [
    Measure::MeanResponseTime,
    Measure::P99,
    Measure::MeanWaitingTime,
    Measure::Energy,
    Measure::ServersOn,
    Measure::RejectedFraction,
    Measure::LostFraction,
    Measure::ColdStartFraction,
    Measure::OverloadFraction,
];

/// A row a contender; `precise`: with the verdict whether it is.
fn contender_columns<'s>(precise: bool) -> Schema<'static, Contended<'s>> {
    let measure = |measure: Measure| {
        let get = move |row: &Contended<'s>| row.sampled.outcome.metric(measure);
        with_half_width(measure.name(), unit_of(measure), "over replications", get)
    };
    let one = |measure: Measure| {
        let get = move |row: &Contended<'s>| row.sampled.outcome.one_run(measure);
        (measure.name(), unit_of(measure), get)
    };
    let met = "whether it is as precise as asked for";
    let met = || Column::new("precision_met", "", met, |row: &Contended<'s>| row.sampled.precision_met);
    Schema::new()
        .column("scenario", "", "its name", |row: &Contended<'s>| row.scenario.name().to_owned())
        .column("contender", "", "policy, and what tells it from others", |row| row.contender.name.clone())
        .column("servers_start", "", "when servers are started", |row| row.contender.kind.name())
        .column("replications", "", "how many", |row| row.sampled.outcome.replications)
        .columns(METRICS.into_iter().flat_map(measure))
        .columns(one_run(METRICS.into_iter().map(one).collect(), ""))
        .columns(precise.then(met))
}

/// A row a contender and report time.
fn over_time(contenders: &[Contended<'_>]) -> Table {
    type At<'c, 's> = (&'c Contended<'s>, &'c GridPoint);
    let state = |(index, measure): (usize, Measure)| {
        let get = move |row: &At<'_, '_>| row.1.estimates[index];
        with_half_width(measure.name(), unit_of(measure), "mean over replications", get)
    };
    let overload = "probability that some server is full";
    let schema = Schema::new()
        .column("contender", "", "its name", |row: &At<'_, '_>| row.0.contender.name.clone())
        .column("time", "service times", "when", |row| row.1.time)
        .columns(Measure::of_state().enumerate().flat_map(state))
        .columns(with_half_width("overload", "", overload, |row: &At<'_, '_>| row.1.overload));
    schema.table(
        contenders.iter().flat_map(|row| row.sampled.outcome.points.iter().map(move |point| (row, point))),
    )
}

#[cfg(test)]
mod tests;
