//! What can go wrong with files.

use std::io;
use std::path::PathBuf;

/// Why a file gives no table.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is missing or cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It holds no table.
    #[error("{}: no table: {reason}", path.display())]
    NoTable {
        /// The file.
        path: PathBuf,
        /// What its reader says.
        reason: String,
    },
}

/// Why something was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A file or folder cannot be written.
    #[error("cannot write {}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Standard output cannot be written.
    #[error("cannot write the output")]
    Standard(#[source] io::Error),
}

impl WriteError {
    /// Whether the reader of standard output has gone, as in `alba fluid scenario.toml | head`.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Standard(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}
