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
use alba_cluster::{ClusterError, Discipline, Metric, PolicyOutcome};
use alba_compare::refuse_same_names;
use alba_compare::under;
use alba_compare::{Answer, Progress};
use alba_compare::{InputError, ResultsFolder, Warning};
use alba_compare::{no_interval, one_run_cells, one_run_columns};
use alba_ctmc::Estimate;
use alba_model::Scheme;
use alba_scenario::Scenario;
use alba_table::{Cell, Row, Table};
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
/// [`alba_compare::Error::Chain`], [`alba_compare::Error::Fluid`], [`alba_compare::Error::NotOurs`], [`alba_compare::Error::Write`].
pub fn compare_arbitrators(
    scenarios: &[Scenario],
    results: &Path,
    progress: &dyn Progress,
) -> Result<ArbitratorsAnswer, Error> {
    refuse_same_names(scenarios)?;
    scenarios.iter().try_for_each(refuse)?;
    let mut answer = Answer { table: empty(), warnings: vec![] };
    let (mut agreement, mut folders) = (vec![], vec![]);
    for scenario in scenarios {
        let found = Found::of(scenario, progress)?;
        folders.push(found.keep(scenario, results)?);
        agreement.push(EngineAgreement::of(scenario.name(), &found.pairs));
        found.table.rows().iter().for_each(|row| answer.table.push(row.clone()));
        answer.warnings.extend(Warning::about(scenario));
        answer.warnings.extend(found.no_interval);
    }
    Ok(ArbitratorsAnswer { answer, agreement, folders })
}

/// Everything about one scenario.
struct Found {
    table: Table,
    over_time: Table,
    pairs: Vec<agreement::Pair>,
    limits: Table,
    no_interval: Option<Warning>,
}

impl Found {
    fn of(scenario: &Scenario, progress: &dyn Progress) -> Result<Self, Error> {
        let setting = Setting::of(scenario);
        let name = || scenario.name().to_owned();
        let chain_failed = |source| alba_compare::Error::Chain { scenario: name(), source };
        let fluid_failed = |source| alba_compare::Error::Fluid { scenario: name(), source };
        let servers_failed = |source| InputError::servers(scenario, source);
        let all = contenders(scenario).map_err(servers_failed)?;
        let outcomes = outcomes(scenario, &all, &setting, progress).map_err(servers_failed)?;
        let (mut pairs, mut limits) = (vec![], limit::empty());
        progress.begin("chain and fluid model", all.len() as u64);
        for (contender, outcome) in all.iter().zip(&outcomes) {
            let (replications, seed) = (scenario.run().replications, scenario.run().seed);
            let chain = agreement::chain(contender, &setting, replications, seed).map_err(chain_failed)?;
            if let Some(chain) = chain {
                let known = agreement::pairs(contender, &setting, outcome, &chain).map_err(chain_failed)?;
                pairs.extend(known);
                limit::add(&mut limits, contender, &setting, &chain).map_err(fluid_failed)?;
            }
            progress.advance(1);
        }
        progress.end();
        let (table, over_time) = (table(scenario, &all, &outcomes), over_time(&all, &outcomes));
        let no_interval = no_interval(scenario.name(), &outcomes);
        Ok(Self { table, over_time, pairs, limits, no_interval })
    }

    fn keep(&self, scenario: &Scenario, results: &Path) -> Result<PathBuf, Error> {
        let folder = ResultsFolder::create(results, &format!("{}-arbitrators", scenario.name()))?;
        folder.add_table("arbitrators.csv", &self.table)?;
        folder.add_table("time.csv", &self.over_time)?;
        folder.add_table("agreement.csv", &agreement::table(&self.pairs))?;
        folder.add_table("fluid.csv", &self.limits)?;
        folder.add_figure(scenario.name(), &chart::of_scenario(scenario, &self.table, &self.over_time))?;
        Ok(folder.finish("arbitrators", scenario)?)
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

fn outcomes(
    scenario: &Scenario,
    contenders: &[Contender],
    setting: &Setting,
    progress: &dyn Progress,
) -> Result<Vec<PolicyOutcome>, ClusterError> {
    let run = scenario.run();
    progress.begin("numbered servers", run.replications * contenders.len() as u64);
    let outcome = |contender: &Contender| {
        let (policy, problem) = (contender.policy().clone(), contender.numbered(setting)?);
        under(policy, &problem, run.replications, run.seed, &|_| progress.advance(1))
    };
    let outcomes = contenders.iter().map(outcome).collect();
    progress.end();
    outcomes
}

/// The columns of the table of contenders, each with its half-width.
const METRICS: [Metric; 9] = [
    Metric::MeanResponseTime,
    Metric::P99,
    Metric::MeanWaitingTime,
    Metric::Energy,
    Metric::ServersOn,
    Metric::RejectedFraction,
    Metric::LostFraction,
    Metric::ColdStartFraction,
    Metric::OverloadFraction,
];

fn with_half_widths<'n>(names: impl Iterator<Item = &'n str>) -> impl Iterator<Item = String> {
    names.flat_map(|name| [name.to_owned(), format!("{name}_half_width")])
}

fn cells(estimate: Estimate) -> [Cell; 2] {
    [estimate.value.into(), estimate.half_width.into()]
}

fn empty() -> Table {
    let first = ["scenario", "contender", "servers_start", "replications"].map(str::to_owned).into_iter();
    let names = METRICS.map(|metric| metric.name().to_owned());
    let values = with_half_widths(METRICS.into_iter().map(Metric::name));
    Table::new(first.chain(values).chain(one_run_columns(&names)))
}

/// A row a contender.
fn table(scenario: &Scenario, contenders: &[Contender], outcomes: &[PolicyOutcome]) -> Table {
    let mut table = empty();
    for (contender, outcome) in contenders.iter().zip(outcomes) {
        let mut row: Row = vec![scenario.name().into(), contender.name.clone().into()];
        row.extend([contender.kind.name().into(), outcome.replications.into()]);
        row.extend(METRICS.into_iter().flat_map(|metric| cells(outcome.metric(metric))));
        row.extend(one_run_cells(&METRICS.map(|metric| outcome.one_run[metric as usize]), 1.0));
        table.push(row);
    }
    table
}

/// A row a contender and report time.
fn over_time(contenders: &[Contender], outcomes: &[PolicyOutcome]) -> Table {
    let names = alba_cluster::Outcome::STATE.map(alba_model::Measure::name);
    let columns = with_half_widths(names.iter().map(String::as_str).chain(["overload"]));
    let mut table = Table::new(["contender", "time"].map(str::to_owned).into_iter().chain(columns));
    for (contender, outcome) in contenders.iter().zip(outcomes) {
        for point in &outcome.points {
            let mut row: Row = vec![contender.name.clone().into(), point.time.into()];
            row.extend(point.estimates.iter().chain([&point.overload]).flat_map(|&estimate| cells(estimate)));
            table.push(row);
        }
    }
    table
}

#[cfg(test)]
mod tests;
