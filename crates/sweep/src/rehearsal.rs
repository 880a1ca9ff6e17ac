//! A rehearsal: what a sweep would do, and about how long it would take.

use super::cell::compute;
use super::order::Order;
use super::{Lint, Shard, Sweep};
use crate::Error;
use alba_table::Schema;
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

/// What is known of a cell before it is computed.
pub struct Rehearsed {
    cell: u64,
    values: Vec<String>,
    engine: String,
    seed: Option<u64>,
    /// Estimated.
    seconds: Option<f64>,
    /// What is wrong with its values.
    error: Option<String>,
}

/// The table's columns up to `seed`, estimated seconds, and what is wrong with the values, if something is.
pub fn rehearsal_columns(sweep: &Sweep<'_>) -> Schema<'static, Rehearsed> {
    Schema::new()
        .column("cell", "", "its number, from 0", |row: &Rehearsed| row.cell)
        .columns(sweep.key_columns(|row: &Rehearsed| &row.values))
        .column("engine", "", "who is to compute it", |row| row.engine.clone())
        .column("seed", "", "of the run", |row| row.seed)
        .column("estimated_seconds", "s", "on one core", |row| row.seconds)
        .column("error", "", "what is wrong with its values", |row| row.error.clone())
}

/// Looks at every cell, times a few of each engine, from dear to cheap, and hands all to `visit`, in order.
///
/// # Errors
/// As a run before its first cell; those of `visit`.
pub fn rehearse<E: From<Error>>(
    sweep: &Sweep<'_>,
    shard: Shard,
    visit: &mut dyn FnMut(&Rehearsed) -> Result<(), E>,
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
    for &cell in &cells {
        let scenario = sweep.scenario(cell);
        sum += seconds(cell);
        bad += u64::from(scenario.is_err());
        visit(&Rehearsed {
            cell,
            values: sweep.cells.nodes(cell).iter().map(alba_scenario::tree::Node::shown).collect(),
            engine: sweep.engine(cell).name().to_owned(),
            seed: scenario.as_ref().ok().map(|scenario| scenario.run().seed),
            seconds: scenario.is_ok().then(|| seconds(cell)),
            error: scenario.err().map(|error| error.to_string()),
        })?;
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
