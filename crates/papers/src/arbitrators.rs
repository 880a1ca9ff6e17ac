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
use alba_cluster::Discipline;
use alba_compare::refuse_same_names;
use alba_compare::{Answer, Progress};
use alba_compare::{InputError, ResultsFolder, Warning};
use alba_compare::{OnePolicy, no_interval, one_run_cells, one_run_columns, sample_one};
use alba_ctmc::Estimate;
use alba_model::{Measure, Scheme};
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
    let precise = scenarios.iter().any(|scenario| scenario.run().precision.is_some());
    let mut answer = Answer { table: empty(precise), warnings: vec![] };
    let (mut agreement, mut folders) = (vec![], vec![]);
    for scenario in scenarios {
        let found = Found::of(scenario, precise, progress)?;
        folders.push(found.keep(scenario, results)?);
        agreement.push(EngineAgreement::of(scenario.name(), &found.pairs));
        found.table.rows().iter().for_each(|row| answer.table.push(row.clone()));
        answer.warnings.extend(Warning::about(scenario));
        answer.warnings.extend(found.no_interval);
        answer.warnings.extend(found.not_precise);
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
    not_precise: Vec<Warning>,
}

impl Found {
    /// `precise`: whether the table says whether it is precise.
    fn of(scenario: &Scenario, precise: bool, progress: &dyn Progress) -> Result<Self, Error> {
        let setting = Setting::of(scenario);
        let name = || scenario.name().to_owned();
        let chain_failed = |source| alba_compare::Error::Chain { scenario: name(), source };
        let fluid_failed = |source| alba_compare::Error::Fluid { scenario: name(), source };
        let servers_failed = |source| InputError::servers(scenario, source);
        let all = contenders(scenario).map_err(servers_failed)?;
        let sampled = sampled(scenario, &all, &setting, progress)?;
        let (mut pairs, mut limits) = (vec![], limit::empty());
        progress.begin("chain and fluid model", all.len() as u64);
        for (contender, OnePolicy { outcome, .. }) in all.iter().zip(&sampled) {
            let (replications, seed) = (outcome.replications, scenario.run().seed);
            let chain = agreement::chain(contender, &setting, replications, seed).map_err(chain_failed)?;
            if let Some(chain) = chain {
                let known = agreement::pairs(contender, &setting, outcome, &chain).map_err(chain_failed)?;
                pairs.extend(known);
                limit::add(&mut limits, contender, &setting, &chain).map_err(fluid_failed)?;
            }
            progress.advance(1);
        }
        progress.end();
        let (table, over_time) = (table(scenario, &all, &sampled, precise), over_time(&all, &sampled));
        let no_interval = no_interval(scenario.name(), sampled.iter().map(|sampled| &sampled.outcome));
        let not_precise = sampled.into_iter().filter_map(|sampled| sampled.warning).collect();
        Ok(Self { table, over_time, pairs, limits, no_interval, not_precise })
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

fn sampled(
    scenario: &Scenario,
    contenders: &[Contender],
    setting: &Setting,
    progress: &dyn Progress,
) -> Result<Vec<OnePolicy>, InputError> {
    progress.begin("numbered servers", scenario.run().replications * contenders.len() as u64);
    let sample = |contender: &Contender| {
        let problem = contender.numbered(setting).map_err(|source| InputError::servers(scenario, source))?;
        sample_one(scenario, &problem, contender.policy().clone(), &METRICS, progress)
    };
    let sampled = contenders.iter().map(sample).collect();
    progress.end();
    sampled
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

fn with_half_widths(names: impl Iterator<Item = String>) -> impl Iterator<Item = String> {
    names.flat_map(|name| [name.clone(), format!("{name}_half_width")])
}

fn cells(estimate: Estimate) -> [Cell; 2] {
    [estimate.value.into(), estimate.half_width.into()]
}

fn empty(precise: bool) -> Table {
    let first = ["scenario", "contender", "servers_start", "replications"].map(str::to_owned).into_iter();
    let names = METRICS.map(Measure::name);
    let values = with_half_widths(names.iter().cloned());
    let precise = precise.then(|| "precision_met".to_owned());
    Table::new(first.chain(values).chain(one_run_columns(&names)).chain(precise))
}

/// A row a contender.
fn table(scenario: &Scenario, contenders: &[Contender], all: &[OnePolicy], precise: bool) -> Table {
    let mut table = empty(precise);
    for (contender, OnePolicy { outcome, precision_met, .. }) in contenders.iter().zip(all) {
        let mut row: Row = vec![scenario.name().into(), contender.name.clone().into()];
        row.extend([contender.kind.name().into(), outcome.replications.into()]);
        row.extend(METRICS.into_iter().flat_map(|measure| cells(outcome.metric(measure))));
        row.extend(one_run_cells(&METRICS.map(|measure| outcome.one_run(measure)), 1.0));
        row.extend(precise.then(|| Cell::from(*precision_met)));
        table.push(row);
    }
    table
}

/// A row a contender and report time.
fn over_time(contenders: &[Contender], all: &[OnePolicy]) -> Table {
    let names = Measure::of_state().map(Measure::name);
    let columns = with_half_widths(names.chain(["overload".to_owned()]));
    let mut table = Table::new(["contender", "time"].map(str::to_owned).into_iter().chain(columns));
    for (contender, OnePolicy { outcome, .. }) in contenders.iter().zip(all) {
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
