//! A rehearsal: what a sweep would do, and about how long it would take.

use super::cell::compute;
use super::order::Order;
use super::{Lint, Shard, Sweep};
use crate::Error;
use alba_table::{Cell, Row};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What a sweep would do.
#[derive(Debug, Clone, PartialEq)]
pub struct Rehearsal {
    /// Cells of the shard.
    pub cells: u64,
    /// Of these with values that are wrong.
    pub bad: u64,
    /// Cells timed.
    pub timed: u64,
    /// Estimated seconds on the threads there are.
    pub seconds: f64,
    /// Threads.
    pub threads: usize,
    /// What cells have in common.
    pub lints: Vec<Lint>,
}

/// Cells timed of each engine, and for how long at most.
const TIMED: usize = 7;
const PATIENCE: Duration = Duration::from_secs(5);

/// Looks at every cell, times a few of each engine, from dear to cheap, and hands the rows of all to `visit`, in order:
/// the table's columns up to `seed`, estimated seconds, and what is wrong with the values, if something is.
///
/// # Errors
/// As a run before its first cell; those of `visit`.
pub fn rehearse<E: From<Error>>(
    sweep: &Sweep<'_>,
    shard: Shard,
    visit: &mut dyn FnMut(&Row) -> Result<(), E>,
) -> Result<Rehearsal, E> {
    let order = Order::new(sweep, shard)?;
    let threads = rayon::current_num_threads();
    let scales = scales(sweep, &order);
    let seconds = |cell: u64| {
        let scale = scales.timed.get(sweep.engine(cell).name()).copied().unwrap_or(1.0);
        f64::from(order.costs[cell as usize]) * scale
    };
    let mut cells: Vec<u64> = order.cells.iter().map(|cell| u64::from(*cell)).collect();
    cells.sort_unstable();
    let (mut sum, mut bad) = (0.0, 0);
    for cell in &cells {
        let scenario = sweep.scenario(*cell);
        sum += seconds(*cell);
        bad += u64::from(scenario.is_err());
        let mut row: Row = vec![(*cell).into()];
        row.extend(sweep.cells.nodes(*cell).iter().map(|node| Cell::from(node.shown())));
        row.push(sweep.engine(*cell).name().into());
        match scenario {
            Ok(scenario) => row.extend([Cell::from(scenario.run().seed), seconds(*cell).into(), Cell::Empty]),
            Err(error) => row.extend([Cell::Empty, Cell::Empty, error.to_string().into()]),
        }
        visit(&row)?;
    }
    Ok(Rehearsal {
        cells: cells.len() as u64,
        bad,
        timed: scales.count,
        seconds: sum / threads as f64,
        threads,
        lints: order.lints,
    })
}

/// The columns of the rows of [`rehearse`].
pub fn rehearsal_columns(sweep: &Sweep<'_>) -> Vec<String> {
    let keys = sweep.keys().into_iter().map(str::to_owned);
    let rest = ["engine", "seed", "estimated_seconds", "error"].map(str::to_owned);
    ["cell".to_owned()].into_iter().chain(keys).chain(rest).collect()
}

/// By how much engines are slower here than they say, and how many cells were timed.
struct Scales<'s> {
    timed: BTreeMap<&'s str, f64>,
    count: u64,
}

fn scales<'s>(sweep: &'s Sweep<'_>, order: &Order) -> Scales<'s> {
    let mut scales = Scales { timed: BTreeMap::new(), count: 0 };
    for engine in sweep.engines() {
        let good = |cell: &&u32| {
            order.costs[**cell as usize] > 0.0 && sweep.engine(u64::from(**cell)).name() == engine.name()
        };
        let own: Vec<u32> = order.cells.iter().filter(good).copied().collect();
        let begin = Instant::now();
        let (mut spent, mut estimated) = (0.0, 0.0);
        // The cheapest first, so that patience is not lost on one dear cell.
        for part in (0..TIMED.min(own.len())).rev() {
            if begin.elapsed() > PATIENCE {
                break;
            }
            let cell = own[part * (own.len() - 1) / (TIMED.min(own.len()) - 1).max(1)];
            let start = Instant::now();
            alone(|| compute(sweep, u64::from(cell)));
            spent += start.elapsed().as_secs_f64();
            estimated += f64::from(order.costs[cell as usize]);
            scales.count += 1;
        }
        if estimated > 0.0 {
            scales.timed.insert(engine.name(), spent / estimated);
        }
    }
    scales
}

/// Runs `work` on one thread: replications of a cell that is timed are not to share the others.
fn alone<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}
