//! How N servers approach the fluid model: the bias of their means and the gap along single paths, against N.

mod bias;
mod chart;
mod findings;
mod gap;
mod measured;
mod plan;

use super::{Answer, Progress, compare};
use crate::power_law::PowerLaw;
use crate::view::with_half_width;
use crate::{Error, InputError, ResultsFolder, Warning};
use alba_ctmc::Estimate;
use alba_fluid::Tolerances;
use alba_model::{Counts, Grid, Measure, Snapshot};
use alba_scenario::Resolved;
use alba_scenario::Scenario;
use alba_table::{Column, Schema, Table};
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

/// What approaches the fluid model.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Quantity {
    /// The bias of a measure's mean at a time.
    Bias { measure: Measure, time: f64 },
    /// The largest distance along a path.
    Path,
}

impl Quantity {
    fn name(self) -> &'static str {
        match self {
            Self::Bias { .. } => "bias",
            Self::Path => "path",
        }
    }

    fn measure(self) -> Option<Measure> {
        match self {
            Self::Bias { measure, .. } => Some(measure),
            Self::Path => None,
        }
    }

    fn time(self) -> Option<f64> {
        match self {
            Self::Bias { time, .. } => Some(time),
            Self::Path => None,
        }
    }

    /// The power of N that theory expects of a smooth system.
    fn expected(self) -> f64 {
        match self {
            Self::Bias { .. } => -1.0,
            Self::Path => -0.5,
        }
    }
}

/// A quantity of a scenario against N, and the power of N fitted to it.
struct Approach<'s> {
    scenario: &'s str,
    quantity: Quantity,
    /// One for each number of servers.
    sizes: Vec<Size>,
    /// How many of them the law is fitted to: those whose interval excludes 0.
    clear: usize,
    law: Option<Law>,
}

/// What was measured with so many servers.
struct Size {
    servers: u64,
    replications: u64,
    /// Of a bias.
    simulated: Option<f64>,
    fluid: Option<f64>,
    found: Estimate,
}

/// A power of N, and the sign of what goes like it.
struct Law {
    sign: f64,
    power: PowerLaw,
}

impl Law {
    fn at(&self, servers: u64) -> f64 {
        self.sign * self.power.at(servers as f64)
    }

    fn factor(&self) -> f64 {
        self.sign * self.power.intercept.exp()
    }
}

impl Approach<'_> {
    /// Whether the slope's interval holds what is expected of a smooth system.
    fn agrees(&self) -> Option<bool> {
        let PowerLaw { slope, half_width, .. } = &self.law.as_ref()?.power;
        Some((slope - self.quantity.expected()).abs() <= *half_width)
    }
}

/// A row a fitted law `factor * N^slope`; `last_slope` is the slope between the two largest of its sizes.
fn slope_columns<'s>() -> Schema<'static, Approach<'s>> {
    let law = |name, meaning, of: fn(&Law) -> f64| {
        Column::new(name, "", meaning, move |row: &Approach<'s>| row.law.as_ref().map(of))
    };
    let half = "half of its 95 % interval";
    Schema::new()
        .column("scenario", "", "its name", |row: &Approach<'s>| row.scenario.to_owned())
        .column("quantity", "", "bias of a mean, or distance along a path", |row| row.quantity.name())
        .column("measure", "", "whose bias", |row| row.quantity.measure().map(Measure::name))
        .column("time", "service times", "of the bias", |row| row.quantity.time())
        .column("sizes", "", "of N whose interval excludes 0", |row| row.clear)
        .columns([
            law("slope", "of the logarithms", |law| law.power.slope),
            law("slope_half_width", half, |law| law.power.half_width),
            law("factor", "the law at N = 1", Law::factor),
            law("chi_squared", "per degree of freedom", |law| law.power.chi_squared),
            law("last_slope", "between the last two", |law| law.power.last.0),
            law("last_slope_half_width", half, |law| law.power.last.1),
        ])
}

/// A size of an approach.
type At<'a, 's> = (&'a Approach<'s>, &'a Size);

fn sizes<'a, 's>(
    approaches: &'a [Approach<'s>],
    wanted: impl Fn(Quantity) -> bool + Copy + 'a,
) -> impl Iterator<Item = At<'a, 's>> {
    let wanted = approaches.iter().filter(move |approach| wanted(approach.quantity));
    wanted.flat_map(|approach| approach.sizes.iter().map(move |size| (approach, size)))
}

fn first_columns<'a, 's: 'a>() -> Schema<'static, At<'a, 's>> {
    Schema::new()
        .column("scenario", "", "its name", |row: &At<'a, 's>| row.0.scenario.to_owned())
        .column("servers", "", "N", |row| row.1.servers)
        .column("replications", "", "how many", |row| row.1.replications)
}

/// A row a scenario, measure, report time and number of servers.
fn bias_table(approaches: &[Approach<'_>]) -> Table {
    let schema = first_columns()
        .column("measure", "", "whose mean", |row| row.0.quantity.measure().map(Measure::name))
        .column("time", "service times", "when", |row| row.0.quantity.time())
        .column("simulated", "", "mean over replications", |row| row.1.simulated)
        .column("fluid", "", "of the fluid model", |row| row.1.fluid)
        .columns(with_half_width("bias", "", "simulated less fluid", |row: &At<'_, '_>| row.1.found))
        .column("fitted", "", "by the law", |row| Some(row.0.law.as_ref()?.at(row.1.servers)));
    schema.table(sizes(approaches, |quantity| quantity != Quantity::Path))
}

/// A row a scenario and number of servers.
fn path_table(approaches: &[Approach<'_>]) -> Table {
    let schema = first_columns()
        .columns(with_half_width("gap", "", "largest distance along a path", |row: &At<'_, '_>| row.1.found))
        .column("fitted", "", "by the law", |row| Some(row.0.law.as_ref()?.at(row.1.servers)));
    schema.table(sizes(approaches, |quantity| quantity == Quantity::Path))
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
    let mut approaches = vec![];
    for plan in &plans {
        approaches.extend(bias::approaches(plan, progress)?);
        approaches.push(gap::approach(plan, progress)?);
    }
    let slopes = slope_columns().table(&approaches);
    folder.add_table("bias.csv", &bias_table(&approaches))?;
    folder.add_table("paths.csv", &path_table(&approaches))?;
    folder.add_table("slopes.csv", &slopes)?;
    folder.add("findings.md", findings::text(scenarios, &approaches).as_bytes())?;
    folder.add_figure(&name, &chart::figure(scenarios, convergence, &approaches))?;
    let used = Used::of(scenarios, convergence);
    let folder = folder.finish_with("converge", used)?;
    let warnings = scenarios.iter().flat_map(Warning::about).collect();
    Ok(Converged { answer: Answer { table: slopes, warnings }, folder })
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

/// What was found about a scenario.
fn about<'a, 's>(
    approaches: &'a [Approach<'s>],
    scenario: &'a Scenario,
) -> impl Iterator<Item = &'a Approach<'s>> {
    approaches.iter().filter(|approach| approach.scenario == scenario.name())
}
