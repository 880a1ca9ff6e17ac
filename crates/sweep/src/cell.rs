//! One cell: its scenario, its engine, its row.

use super::engine::at_rest;
use super::{Engine, Quantity, Sweep};
use alba_compare::Error;
use alba_compare::InputError;
use alba_ctmc::Estimate;
use alba_model::ModelError;
use alba_scenario::Scenario;
use alba_table::{Cell, Row};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Why a cell has no answer.
#[derive(Debug, thiserror::Error)]
pub enum CellError {
    /// Its values are wrong, or a study has no answer.
    #[error(transparent)]
    Study(#[from] Error),
    /// Its values do not go together.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Its engine panicked: a fault of the program.
    #[error("panicked: {message}")]
    Panicked {
        /// What it said.
        message: String,
    },
    /// Fixed points form continua, and none is isolated.
    #[error("{families} families of fixed points, and no isolated one")]
    OnlyFamilies {
        /// How many continua.
        families: usize,
    },
    /// It is not known at which fixed point the system comes to rest.
    #[error("{points} fixed points, of which none is the only stable one")]
    SeveralFixedPoints {
        /// How many.
        points: usize,
    },
    /// An average over time is not accurate.
    #[error(
        "the averages over time are known to {relative_error:.1e} only: a shorter horizon has finer report times"
    )]
    RoughAverage {
        /// The largest relative error of one, about.
        relative_error: f64,
    },
    /// An engine gave more or fewer estimates than it was asked for.
    #[error("{found} estimates for {wanted} measures")]
    Estimates {
        /// How many it gave.
        found: usize,
        /// How many were wanted.
        wanted: usize,
    },
    /// What an engine of one's own says.
    #[error(transparent)]
    Own(Box<dyn std::error::Error + Send + Sync>),
}

impl From<InputError> for CellError {
    fn from(error: InputError) -> Self {
        Self::Study(error.into())
    }
}

/// A cell computed.
pub(super) struct Computed {
    pub(super) row: Row,
    pub(super) ok: bool,
}

/// Computes a cell, whatever happens in it.
pub(super) fn compute(sweep: &Sweep<'_>, cell: u64) -> Computed {
    let scenario = sweep.scenario(cell).map_err(|error| CellError::from(Error::from(error)));
    let (seed, estimates, precise) = match scenario {
        Ok(scenario) => {
            let estimates = estimates(sweep.engine(cell), &scenario, &sweep.quantities);
            let precise = estimates.as_ref().ok();
            let precise = precise
                .and_then(|found| precise_enough(sweep.engine(cell), &scenario, &sweep.quantities, found));
            (Cell::from(scenario.run().seed), estimates, precise)
        }
        Err(error) => (Cell::Empty, Err(error), None),
    };
    let ok = estimates.is_ok();
    let mut row: Row = vec![cell.into()];
    row.extend(sweep.cells.nodes(cell).iter().map(|node| Cell::from(one_line(&node.shown()))));
    row.extend([sweep.engine(cell).name().into(), seed]);
    let (values, error) = match estimates {
        Ok(estimates) => (estimates, Cell::Empty),
        Err(error) => (vec![Estimate::default(); sweep.quantities.len()], reason(&error).into()),
    };
    row.extend(values.iter().map(|estimate| Cell::from(estimate.value)));
    if sweep.has_half_widths() {
        row.extend(values.iter().map(|estimate| Cell::from(estimate.half_width)));
    }
    row.extend([Cell::from(if ok { "ok" } else { "failed" }), error]);
    row.extend(sweep.asks_for_precision().then(|| Cell::from(precise)));
    Computed { row, ok }
}

/// Whether averages are as precise as the scenario asks for; none if it does not, or if nothing is left to chance.
fn precise_enough(
    engine: &dyn Engine,
    scenario: &Scenario,
    quantities: &[Quantity],
    found: &[Estimate],
) -> Option<bool> {
    let asked = scenario.run().precision.as_ref().filter(|_| engine.reads_precision())?;
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
    let offers = |quantity: &Quantity| engine.offers(*quantity);
    let wanted: Vec<Quantity> = quantities.iter().copied().filter(offers).collect();
    let found = catch_unwind(AssertUnwindSafe(|| engine.run(scenario, &wanted)))
        .unwrap_or_else(|panic| Err(CellError::Panicked { message: message(panic.as_ref()) }))?;
    if found.len() != wanted.len() {
        return Err(CellError::Estimates { found: found.len(), wanted: wanted.len() });
    }
    let mut found = found.into_iter();
    let estimate = |quantity| if offers(quantity) { found.next() } else { None }.unwrap_or_default();
    Ok(quantities.iter().map(estimate).collect())
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
