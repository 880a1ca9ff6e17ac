//! What can go wrong with a sweep.

use crate::Shard;
use alba_scenario::{Fault, ScenarioError};
use alba_table::WriteError;
use std::fmt;
use std::path::PathBuf;

/// Why a sweep has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Sweep or scenario is wrong.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// Something cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Reading or writing results failed.
    #[error(transparent)]
    Results(#[from] alba_compare::Error),
    /// No cell of a sweep has values that are allowed.
    #[error("no cell of {cells} can be computed{}", Because(fault.as_deref()))]
    NoGoodCell {
        /// How many cells.
        cells: u64,
        /// What is wrong with one.
        fault: Option<Box<ScenarioError>>,
    },
    /// A sweep is not what it was when it was begun.
    #[error(
        "{} was begun with something else; --fresh starts over\n{}", folder.display(), changes.join("\n")
    )]
    SweepChanged {
        /// Its folder.
        folder: PathBuf,
        /// What is different, in words.
        changes: Vec<String>,
    },
    /// Another process runs the sweep.
    #[error("another process is writing to {}", path.display())]
    SweepBusy {
        /// The journal.
        path: PathBuf,
    },
    /// A folder holds no journal of a sweep.
    #[error("{} holds no sweep", path.display())]
    NotASweep {
        /// The folder.
        path: PathBuf,
    },
    /// Shards that are not of the same sweep.
    #[error("{} is a shard of something else\n{}", folder.display(), changes.join("\n"))]
    SweepsDiffer {
        /// The shard that differs from the first.
        folder: PathBuf,
        /// What is different, in words.
        changes: Vec<String>,
    },
    /// Shards that are not all there, or not finished.
    #[error(
        "{missing} of {cells} cells are missing, the first is cell {first}: shards given are {}; each is to be run to its end",
        Listed(shards)
    )]
    ShardsMissing {
        /// Cells that no shard has.
        missing: u64,
        /// Of so many.
        cells: u64,
        /// The first of them.
        first: u64,
        /// The shards given.
        shards: Vec<Shard>,
    },
    /// A sweep was stopped before its end.
    #[error("stopped: {done} of {cells} cells are done; the same command goes on from there")]
    Stopped {
        /// Cells finished.
        done: u64,
        /// Of so many.
        cells: u64,
    },
    /// Cells of a sweep failed; the others are done.
    #[error("{failed} of {cells} cells failed: column error of {}", folder.join("table.csv").display())]
    CellsFailed {
        /// Where the tables are.
        folder: PathBuf,
        /// How many.
        failed: u64,
        /// Of so many.
        cells: u64,
    },
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::Scenario(fault.into())
    }
}

impl Error {
    /// Whether what was asked for is wrong, rather than the answer out of reach.
    pub fn is_input(&self) -> bool {
        match self {
            Self::Results(error) => error.is_input(),
            Self::Scenario(_)
            | Self::NoGoodCell { .. }
            | Self::SweepChanged { .. }
            | Self::SweepBusy { .. }
            | Self::NotASweep { .. }
            | Self::SweepsDiffer { .. }
            | Self::ShardsMissing { .. } => true,
            Self::Write(_) | Self::Stopped { .. } | Self::CellsFailed { .. } => false,
        }
    }
}

struct Because<'f>(Option<&'f ScenarioError>);

impl fmt::Display for Because<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |fault| write!(f, "\n{fault}"))
    }
}

struct Listed<'s>(&'s [Shard]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        let shards: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&shards.join(", "))
    }
}
