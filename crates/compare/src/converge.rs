//! How N servers approach the fluid model: the bias of their means and the gap along single paths, against N.

mod bias;
mod chart;
mod findings;
mod gap;
mod measured;
mod plan;

use super::{Answer, Progress, compare};
use crate::{Error, InputError, ResultsFolder, Warning};
use alba_fluid::Tolerances;
use alba_model::{Counts, Grid, Measure, Snapshot};
use alba_scenario::Resolved;
use alba_scenario::Scenario;
use alba_table::{Cell, Table};
use plan::Plan;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What of convergence to measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Convergence {
    /// Numbers of servers for biases of means; the first is where their size is found out.
    servers: Vec<u64>,
    /// Numbers of servers for gaps along paths.
    path_servers: Vec<u64>,
    measures: Vec<Measure>,
}

impl Convergence {
    /// Numbers of servers, in any order, and measures.
    ///
    /// # Errors
    /// [`InputError::NothingToConverge`] for an empty list, or no servers.
    pub fn new(
        servers: Vec<u64>,
        path_servers: Vec<u64>,
        measures: Vec<Measure>,
    ) -> Result<Self, InputError> {
        let sorted = |mut servers: Vec<u64>| {
            servers.sort_unstable();
            servers.dedup();
            let some = servers.first().is_some_and(|&least| least > 0);
            some.then_some(servers).ok_or(InputError::NothingToConverge)
        };
        if measures.is_empty() {
            return Err(InputError::NothingToConverge);
        }
        Ok(Self { servers: sorted(servers)?, path_servers: sorted(path_servers)?, measures })
    }
}

/// What was found, and where it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Converged {
    /// A row a fitted slope.
    pub answer: Answer,
    /// The results folder.
    pub folder: PathBuf,
}

/// What the figure and the text are made from.
struct Tables {
    /// A row a scenario, number of servers, measure and report time.
    bias: Table,
    /// A row a scenario and number of servers.
    gaps: Table,
    /// A row a fitted power of N.
    slopes: Table,
}

/// Measures, for every scenario, the bias `E[X^N] - x` of means at its report times and the largest distance between a path
/// and the fluid model, against N, and fits powers of N to them. Rates per server are those of the scenario for every N;
/// totals, such as the requests of a trace, grow with N. The fluid model starts from the very fractions that N servers
/// start from. Replications are as many as make the intervals small against the biases, according to a
/// pilot with the fewest servers, `run.max_replications` at most; `progress` is told what that will take before it
/// begins. Tables, figure, text and manifest go to a folder in `results`.
///
/// # Errors
/// [`crate::InputError::SameName`], [`Error::Fluid`], [`Error::Chain`], [`Error::NotOurs`], [`Error::Write`].
pub fn converge(
    scenarios: &[Scenario],
    convergence: &Convergence,
    results: &Path,
    progress: &dyn Progress,
) -> Result<Converged, Error> {
    compare::refuse_same_names(scenarios)?;
    let name = match scenarios {
        [one] => format!("{}-convergence", one.name()),
        _ => "convergence".to_owned(),
    };
    let folder = ResultsFolder::create(results, &name)?;
    let plans = scenarios.iter().map(|scenario| Plan::new(scenario, convergence, progress));
    let plans = plans.collect::<Result<Vec<_>, _>>()?;
    progress.note(&plan::budget(&plans));
    let mut tables = Tables { bias: bias::empty(), gaps: gap::empty(), slopes: slopes() };
    for plan in &plans {
        bias::add(&mut tables, plan, progress)?;
        gap::add(&mut tables, plan, progress)?;
    }
    folder.add_table("bias.csv", &tables.bias)?;
    folder.add_table("paths.csv", &tables.gaps)?;
    folder.add_table("slopes.csv", &tables.slopes)?;
    folder.add("findings.md", findings::text(scenarios, &tables).as_bytes())?;
    folder.add_figure(&name, &chart::figure(scenarios, convergence, &tables))?;
    let used = Used::of(scenarios, convergence);
    let folder = folder.finish_with("converge", used)?;
    let warnings = scenarios.iter().flat_map(Warning::about).collect();
    Ok(Converged { answer: Answer { table: tables.slopes, warnings }, folder })
}

/// For the manifest.
#[derive(Serialize)]
struct Used<'s> {
    servers: &'s [u64],
    path_servers: &'s [u64],
    measures: Vec<String>,
    scenario: Vec<Resolved<'s>>,
}

impl<'s> Used<'s> {
    fn of(scenarios: &'s [Scenario], convergence: &'s Convergence) -> Self {
        Self {
            servers: &convergence.servers,
            path_servers: &convergence.path_servers,
            measures: convergence.measures.iter().map(|measure| measure.name()).collect(),
            scenario: scenarios.iter().map(Scenario::resolved).collect(),
        }
    }
}

/// The empty table of slopes: of `bias` of a measure at a time, or of `path`, the largest distance along a path. The law is
/// `factor * N^slope`; `sizes` of N were used, those whose interval excludes 0. `last_slope` is the
/// slope between the two largest of them.
fn slopes() -> Table {
    Table::new([
        "scenario",
        "quantity",
        "measure",
        "time",
        "sizes",
        "slope",
        "slope_half_width",
        "factor",
        "chi_squared",
        "last_slope",
        "last_slope_half_width",
    ])
}

/// A system of N servers: where it starts, and the fluid model from there.
struct Finite {
    start: Counts,
    fluid: Vec<Snapshot>,
}

impl Finite {
    /// Rounded to whole servers the start differs by up to 1/N, as much as the bias: the fluid model starts there too.
    fn new(scenario: &Scenario, servers: u64, grid: Grid) -> Result<Self, Error> {
        let start = Counts::apportion(scenario.initial(), servers);
        let failed = |source| Error::Fluid { scenario: scenario.name().to_owned(), source };
        let occupancy = start.occupancy().map_err(|source| failed(source.into()))?;
        let problem =
            alba_fluid::Problem::new(scenario.model().clone(), occupancy, grid, Tolerances::default());
        let fluid = problem.and_then(|problem| alba_fluid::solve(&problem)).map_err(failed)?.snapshots;
        Ok(Self { start, fluid })
    }
}

/// The rows of a scenario, as far as `also` takes them.
fn rows<'t>(table: &'t Table, scenario: &Scenario, also: impl Fn(&[Cell]) -> bool + 't) -> Vec<&'t [Cell]> {
    let name = Cell::from(scenario.name());
    table.rows().iter().map(Vec::as_slice).filter(|row| row[0] == name && also(row)).collect()
}
