//! Single replications.

use std::ops::Range;

use alba_model::Snapshot;
use alba_replicate::in_order_by_groups;

use crate::replication::{Run, run};
use crate::uniformized::{MOST_ABREAST, Means};
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
    paths(problem, seed, replication..replication + 1).remove(0)
}

fn paths(problem: &Problem, seed: u64, replications: Range<u64>) -> Vec<Result<Path, CtmcError>> {
    let mut snapshots =
        vec![Vec::with_capacity(problem.grid.points()); (replications.end - replications.start) as usize];
    let first = replications.start;
    let runs = run(problem, seed, replications, Means::default(), &mut |replication, snapshot| {
        snapshots[(replication - first) as usize].push(snapshot.clone());
    });
    let path = |((run, snapshots), replication): ((Result<Run, CtmcError>, _), _)| {
        Ok(Path { replication, snapshots, events: run?.events })
    };
    runs.into_iter().zip(snapshots).zip(first..).map(path).collect()
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
    let make = |group| paths(problem, seed, group);
    in_order_by_groups(replications, numbers, MOST_ABREAST, make, |path| visit(path?))
}
