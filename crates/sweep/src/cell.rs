//! One cell: its scenario, its engine, its row.

use super::Sweep;
use alba_compare::{Engine, EngineError, Error, Quantity, at_rest};
use alba_ctmc::Estimate;
use alba_scenario::Scenario;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Why a cell has no answer.
#[derive(Debug, thiserror::Error)]
pub enum CellError {
    /// Its values are wrong, or its engine has none.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Its engine panicked: a fault of the program.
    #[error("panicked: {message}")]
    Panicked {
        /// What it said.
        message: String,
    },
}

/// A cell computed.
pub(super) struct Computed {
    pub(super) cell: u64,
    /// Of every key that varies.
    pub(super) values: Vec<String>,
    pub(super) engine: String,
    pub(super) seed: Option<u64>,
    /// One for each quantity that the sweep keeps, or why there are none.
    pub(super) estimates: Result<Vec<Estimate>, String>,
    /// Whether averages are as precise as asked for.
    pub(super) precise: Option<bool>,
}

impl Computed {
    pub(super) fn estimate(&self, index: usize) -> Estimate {
        self.estimates.as_ref().map_or_else(|_| Estimate::default(), |estimates| estimates[index])
    }
}

/// Computes a cell, whatever happens in it.
pub(super) fn compute(sweep: &Sweep<'_>, cell: u64) -> Computed {
    let engine = sweep.engine(cell);
    let scenario =
        sweep.scenario(cell).map_err(|error| CellError::from(EngineError::from(Error::from(error))));
    let seed = scenario.as_ref().ok().map(|scenario| scenario.run().seed);
    let found = scenario.and_then(|scenario| {
        let found = estimates(engine, &scenario, &sweep.quantities)?;
        let precise = precise_enough(engine, &scenario, &sweep.quantities, &found);
        Ok((found, precise))
    });
    let (estimates, precise) = match found {
        Ok((found, precise)) => (Ok(found), precise),
        Err(error) => (Err(reason(&error)), None),
    };
    let values = sweep.cells.nodes(cell).iter().map(|node| one_line(&node.shown())).collect();
    Computed { cell, values, engine: engine.name().to_owned(), seed, estimates, precise }
}

/// Whether averages are as precise as the scenario asks for; none if it does not, or if nothing is left to chance.
fn precise_enough(
    engine: &dyn Engine,
    scenario: &Scenario,
    quantities: &[Quantity],
    found: &[Estimate],
) -> Option<bool> {
    let asked = scenario.run().precision.as_ref().filter(|_| engine.has_randomness())?;
    let kept: Vec<(Quantity, Estimate)> = quantities.iter().copied().zip(found.iter().copied()).collect();
    let averages = kept.iter().filter(|(quantity, _)| matches!(quantity, Quantity::AtRest(_)));
    let estimates: Vec<Estimate> = averages.map(|(_, estimate)| *estimate).collect();
    let precision = asked.precision(&at_rest(quantities), scenario.run().most_replications()).ok()?;
    Some(precision.is_met(&estimates))
}

/// Only what the engine offers is asked of it; the rest is empty.
fn estimates(
    engine: &dyn Engine,
    scenario: &Scenario,
    quantities: &[Quantity],
) -> Result<Vec<Estimate>, CellError> {
    let offered = quantities.iter().copied().filter(|quantity| engine.offers(*quantity));
    let wanted: Vec<Quantity> = offered.collect();
    let found = catch_unwind(AssertUnwindSafe(|| engine.run(scenario, &wanted)))
        .map_err(|panic| CellError::Panicked { message: message(panic.as_ref()) })??;
    let estimate =
        |quantity: &Quantity| found.iter().find(|(other, _)| other == quantity).map(|found| found.1);
    Ok(quantities.iter().map(|quantity| estimate(quantity).unwrap_or_default()).collect())
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without a message".to_owned())
}

/// An error and what lies behind it, on one line.
fn reason(error: &CellError) -> String {
    let mut reason = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        reason = format!("{reason}: {cause}");
        source = cause.source();
    }
    one_line(&reason)
}

/// A line of the journal holds a row.
fn one_line(text: &str) -> String {
    text.lines().collect::<Vec<_>>().join("; ")
}
