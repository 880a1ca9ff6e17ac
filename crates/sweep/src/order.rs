//! All cells looked at before any is computed: what each may cost, which are wrong, what the person should know.

use super::engine::at_rest;
use super::lint::{Lint, Lints};
use super::{Engine, Quantity, Shard, Sweep};
use crate::Error;
use alba_scenario::ScenarioError;
use alba_scenario::{Problem, Scenario};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Cells of a shard, the dearest first.
pub(super) struct Order {
    /// Their indices.
    pub(super) cells: Vec<u32>,
    /// Estimated seconds of every cell of the sweep, by index; 0 for one whose values are wrong.
    pub(super) costs: Vec<f32>,
    /// CRC-32 of the traces, by path as written.
    pub(super) traces: BTreeMap<String, u32>,
    /// The first cell without a fault.
    pub(super) first: Scenario,
    pub(super) lints: Vec<Lint>,
}

impl Order {
    /// Reads the scenario of every cell.
    ///
    /// # Errors
    /// [`ScenarioError::Faults`] for a key that is unknown, [`Error::NoGoodCell`] if all are wrong.
    pub(super) fn new(sweep: &Sweep<'_>, shard: Shard) -> Result<Self, Error> {
        let seen = Mutex::new(Seen::default());
        let look = |cell: u64| -> Result<f32, ScenarioError> {
            match sweep.scenario(cell) {
                Ok(scenario) => {
                    let engine = sweep.engine(cell);
                    if let Some(asked) =
                        scenario.run().precision.as_ref().filter(|_| engine.reads_precision())
                    {
                        let offered = |quantity: &Quantity| engine.offers(*quantity);
                        let kept: Vec<Quantity> = sweep.quantities.iter().copied().filter(offered).collect();
                        asked.refuse_others(&at_rest(&kept), "averages that the sweep keeps")?;
                    }
                    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
                    seen.note(cell, &scenario, engine, &sweep.given);
                    drop(seen);
                    Ok(engine.cost(&scenario) as f32)
                }
                Err(error) if has_unknown_key(&error) => Err(error),
                Err(error) => {
                    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
                    seen.bad.get_or_insert((cell, error));
                    Ok(0.0)
                }
            }
        };
        let costs: Vec<f32> = (0..sweep.cells()).into_par_iter().map(look).collect::<Result<_, _>>()?;
        let seen = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Some((_, first)) = seen.first else {
            let fault = seen.bad.map(|(_, error)| Box::new(error));
            return Err(Error::NoGoodCell { cells: sweep.cells(), fault });
        };
        let mut cells: Vec<u32> = (0..sweep.cells() as u32).collect();
        cells.sort_by(|a, b| costs[*b as usize].total_cmp(&costs[*a as usize]).then(a.cmp(b)));
        let mut rank = 0..;
        cells.retain(|_| rank.next().is_some_and(|rank| shard.has(rank)));
        Ok(Self { cells, costs, traces: seen.traces, first, lints: seen.lints.summed(sweep.cells()) })
    }
}

/// What is gathered over all cells, whatever their order.
#[derive(Default)]
struct Seen {
    traces: BTreeMap<String, u32>,
    first: Option<(u64, Scenario)>,
    bad: Option<(u64, ScenarioError)>,
    lints: Lints,
}

impl Seen {
    fn note(&mut self, cell: u64, scenario: &Scenario, engine: &dyn Engine, given: &[String]) {
        if let Some(trace) = scenario.trace() {
            self.traces.entry(trace.written.clone()).or_insert(trace.facts().crc32);
        }
        if self.first.as_ref().is_none_or(|(first, _)| cell < *first) {
            self.first = Some((cell, scenario.clone()));
        }
        self.lints.note(cell, scenario, engine, given);
    }
}

/// A typing error in the sweep itself, not a value out of range.
fn has_unknown_key(error: &ScenarioError) -> bool {
    let unknown = |problem: &Problem| matches!(problem, Problem::UnknownKey { .. } | Problem::Syntax { .. });
    matches!(error, ScenarioError::Faults { faults } if faults.iter().any(|fault| unknown(&fault.problem)))
}
