//! The run of a sweep: cells in parallel, each into the journal as soon as it is done.

use super::assemble;
use super::cell::compute;
use super::header::{Header, STUDY};
use super::journal::{JOURNAL, Journal, Record};
use super::lint::Lint;
use super::order::Order;
use super::{Shard, Sweep};
use crate::Error;
use alba_compare::is_ours;
use alba_table::WriteError;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// How to run a sweep.
pub struct Conduct<'c> {
    /// Which part of it.
    pub shard: Shard,
    /// Whether to begin anew, whatever was done before.
    pub fresh: bool,
    /// Once true, cells that are under way are finished and no other is begun.
    pub stop: &'c AtomicBool,
    /// Hears what all cells have in common before the first is begun.
    pub lints: &'c (dyn Fn(&[Lint]) + Sync),
    /// Hears how far the sweep is, first before the first cell, then after each.
    pub watch: &'c (dyn Fn(&Standing) + Sync),
}

static NEVER: AtomicBool = AtomicBool::new(false);

impl Default for Conduct<'_> {
    /// All of it, going on where it stopped, and nobody listens.
    fn default() -> Self {
        Self { shard: Shard::ALL, fresh: false, stop: &NEVER, lints: &|_| (), watch: &|_| () }
    }
}

/// How far a sweep is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Standing {
    /// Cells of this shard.
    pub cells: u64,
    /// Of these finished.
    pub done: u64,
    /// Of these failed.
    pub failed: u64,
    /// Finished by earlier runs.
    pub before: u64,
    /// Estimated share of this run's work that is done, from 0 to 1.
    pub share: f64,
}

/// A sweep that has run to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// Where its tables are.
    pub folder: PathBuf,
    /// Cells of this shard.
    pub cells: u64,
    /// Of these failed.
    pub failed: u64,
    /// Finished by earlier runs.
    pub before: u64,
}

/// Computes every cell that is not in the journal of `folder` yet, on the current rayon pool, then writes `table.csv`,
/// `table.parquet`, `timings.csv` and `manifest.toml`. A cell that fails is a row that says so. The tables are the same
/// bytes on any number of threads, and however often the run was stopped.
///
/// # Errors
/// [`Error::NoGoodCell`], [`alba_scenario::ScenarioError::Faults`] before anything is written; [`Error::SweepChanged`],
/// [`Error::SweepBusy`], [`alba_compare::Error::NotOurs`] for a folder that is not this sweep's; [`Error::Stopped`];
/// [`Error::Write`], after which the same run goes on where it stopped.
pub fn run(sweep: &Sweep<'_>, folder: &Path, conduct: &Conduct<'_>) -> Result<Ran, Error> {
    let order = Order::new(sweep, conduct.shard)?;
    (conduct.lints)(&order.lints);
    let header = Header::new(sweep, conduct.shard, order.traces.clone(), Some(&order.first))
        .map_err(alba_compare::Error::from)?;
    prepare(folder, conduct.fresh, &header)?;
    let (journal, record) = Journal::open(folder, &header)?;
    let left: Vec<u32> =
        order.cells.iter().copied().filter(|cell| !record.is_done(u64::from(*cell))).collect();
    let cost = |cell: &u32| f64::from(order.costs[*cell as usize]);
    let standing = Standing {
        cells: order.cells.len() as u64,
        done: record.done,
        failed: record.failed,
        before: record.done,
        share: 0.0,
    };
    drop(record);
    (conduct.watch)(&standing);
    let work: f64 = left.iter().map(cost).sum();
    let under_way =
        UnderWay { sweep, conduct, state: Mutex::new(State { journal, standing, next: 0, error: None }) };
    rayon::scope(|scope| {
        for _ in 0..rayon::current_num_threads() {
            scope.spawn(|_| under_way.work(&left, &|cell| cost(&cell) / work.max(f64::MIN_POSITIVE)));
        }
    });
    let State { mut journal, standing, error, .. } =
        under_way.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = error {
        return Err(error);
    }
    journal.sync()?;
    let Standing { cells, done, failed, before, .. } = standing;
    if done < cells {
        return Err(Error::Stopped { done, cells });
    }
    assemble::assemble(folder, &Record::read(folder)?)?;
    Ok(Ran { folder: folder.to_owned(), cells, failed, before })
}

/// What all threads share.
struct UnderWay<'u, 'e> {
    sweep: &'u Sweep<'e>,
    conduct: &'u Conduct<'u>,
    state: Mutex<State>,
}

struct State {
    journal: Journal,
    standing: Standing,
    /// Index of the next cell among those left.
    next: usize,
    /// Why nothing can be written any more.
    error: Option<Error>,
}

impl UnderWay<'_, '_> {
    /// Computes cells until none is left. Where fewer cells are left than threads, the others help with replications.
    fn work(&self, left: &[u32], share: &(dyn Fn(u32) -> f64 + Sync)) {
        let schema = self.sweep.schema();
        while let Some(cell) = self.begin(left) {
            let start = Instant::now();
            let computed = compute(self.sweep, u64::from(cell));
            let (row, seconds) = (schema.line(&computed), start.elapsed().as_secs_f64());
            let ok = computed.estimates.is_ok();
            let mut state = self.state();
            match state.journal.finish(u64::from(cell), ok, seconds, &row) {
                Ok(()) => {
                    state.standing.done += 1;
                    state.standing.failed += u64::from(!ok);
                    state.standing.share += share(cell);
                }
                Err(error) => drop(state.error.get_or_insert(error)),
            }
            let standing = state.standing;
            drop(state);
            (self.conduct.watch)(&standing);
        }
    }

    /// The next cell, noted as begun.
    fn begin(&self, left: &[u32]) -> Option<u32> {
        let mut state = self.state();
        if self.conduct.stop.load(Ordering::Relaxed) || state.error.is_some() {
            return None;
        }
        let cell = left.get(state.next).copied()?;
        state.next += 1;
        match state.journal.begin(u64::from(cell)) {
            Ok(()) => Some(cell),
            Err(error) => {
                state.error = Some(error);
                None
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes the folder, or makes sure that it is a sweep's; its manifest says so from the start.
fn prepare(folder: &Path, fresh: bool, header: &Header) -> Result<(), Error> {
    let failed = |source| WriteError::File { path: folder.to_owned(), source };
    let (manifest, journal) = (folder.join(alba_compare::MANIFEST), folder.join(JOURNAL));
    if folder.symlink_metadata().is_ok() && !is_ours(folder, STUDY) && !is_empty(folder) {
        return Err(alba_compare::Error::NotOurs { path: folder.to_owned() }.into());
    }
    std::fs::create_dir_all(folder).map_err(failed)?;
    if fresh && journal.exists() {
        let file = std::fs::File::open(&journal).map_err(failed)?;
        if matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock)) {
            return Err(Error::SweepBusy { path: journal });
        }
        // Tables beside a new journal would be taken for its own.
        let stale = assemble::FILES.map(|name| folder.join(name)).into_iter().filter(|path| path.exists());
        for path in stale.chain([journal]) {
            std::fs::remove_file(&path).map_err(|source| WriteError::File { path, source })?;
        }
        return assemble::write_manifest(folder, header);
    }
    if manifest.exists() {
        return Ok(());
    }
    assemble::write_manifest(folder, header)
}

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}
