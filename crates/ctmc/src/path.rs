//! Single replications.

use std::ops::Range;

use alba_model::Snapshot;
use alba_replicate::in_order;

use crate::replication::run;
use crate::{CtmcError, EventCounts, Problem};

/// One replication, seen at the points of the grid.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// Its index.
    pub replication: u64,
    /// The state at each grid point that it reached; all of them unless a maximal number of events ended it.
    pub snapshots: Vec<Snapshot>,
    /// All its events.
    pub events: EventCounts,
}

/// Replication `replication` of an experiment with `seed`: the very path that [`crate::simulate`] averages.
///
/// # Errors
/// [`CtmcError::TooManyLevels`] if queues of an infinite buffer grow without end.
pub fn path(problem: &Problem, seed: u64, replication: u64) -> Result<Path, CtmcError> {
    let mut snapshots = Vec::with_capacity(problem.grid.points());
    let run = run(problem, seed, replication, |snapshot| snapshots.push(snapshot.clone()))?;
    Ok(Path { replication, snapshots, events: run.events })
}

/// Visits these replications in order, each once; they are simulated in parallel, and only some are held at a time.
///
/// # Errors
/// The first error of a replication or of `visit`.
pub fn for_each_path<E: From<CtmcError>>(
    problem: &Problem,
    seed: u64,
    replications: Range<u64>,
    mut visit: impl FnMut(Path) -> Result<(), E>,
) -> Result<(), E> {
    // A snapshot holds two numbers for every level; 16 levels are a guess, not a bound.
    let numbers = problem.grid.points() * 2 * 16;
    let make = |replication| path(problem, seed, replication);
    in_order(replications, numbers, make, |path| visit(path?))
}
