//! Sweeps: one scenario, some keys varied, a row for every cell.
//!
//! A [`Sweep`] is read from a file and may be asked for more cells than fit into memory: cells are made by index, each
//! finished one is a line of a journal, and the tables are written from the journal at the end. [`run`] goes on where an
//! earlier run stopped, however it did; [`merge`] puts shards together.
//!
//! ```
//! use alba_compare::ENGINES;
//! use alba_sweep::{Conduct, Sweep, run};
//!
//! let text = r#"
//! name = "load"
//! engines = ["fixed-point"]
//! measures = ["busy", "mean_response_time"]
//! [scenario]
//! name = "small"
//! system = { buffer = 10, arrival_rate = 0.5, scaling_rate = 0.05, initialization_rate = 0.1, expiration_rate = 0.025 }
//! scheme = { dispatch = { rule = "power-of-d", d = 2 }, scaling = { rule = "blind", theta = 0.06 } }
//! initial = { warm = [0.7] }
//! run = { horizon = 10, samples = 1 }
//! [axes]
//! system.arrival_rate = "0.1..0.7 step 0.2"
//! "#;
//! let sweep = Sweep::parse("load.toml", text, &[], &ENGINES)?;
//! assert_eq!(sweep.cells(), 4);
//! let folder = tempfile::tempdir()?;
//! let ran = run(&sweep, &folder.path().join("load"), &Conduct::default())?;
//! assert_eq!((ran.cells, ran.failed), (4, 0));
//! let table = std::fs::read_to_string(folder.path().join("load/table.csv"))?;
//! assert!(table.starts_with("cell,system.arrival_rate,engine,seed,busy,mean_response_time,status,error\n0,0.1,"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod assemble;
mod axis;
mod cell;
mod cells;
mod error;
mod header;
mod journal;
mod latin;
mod lint;
mod merge;
mod order;
mod range;
mod read;
mod rehearsal;
mod run;
mod shard;

pub use cell::CellError;
pub use error::Error;
pub use lint::{Lint, LintKind};
pub use merge::merge;
pub use read::Sweep;
pub use rehearsal::{Rehearsal, Rehearsed, rehearsal_columns, rehearse};
pub use run::{Conduct, Ran, Standing, run};
pub use shard::Shard;

#[cfg(test)]
mod tests;
