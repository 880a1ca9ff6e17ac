//! Why a scenario was not read.

use crate::Fault;
use std::fmt;
use std::path::PathBuf;

/// Why a scenario was not read.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// Its file is missing or cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is wrong: all its faults, unknown keys first.
    #[error("{}", Lines(faults))]
    Faults {
        /// What is wrong.
        faults: Vec<Fault>,
    },
}

impl From<Fault> for ScenarioError {
    fn from(fault: Fault) -> Self {
        Self::Faults { faults: vec![fault] }
    }
}

/// Faults shown before the rest is only counted.
const MOST_SHOWN: usize = 20;

struct Lines<'f>(&'f [Fault]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().take(MOST_SHOWN).enumerate() {
            let separator = if index > 0 { "\n" } else { "" };
            write!(f, "{separator}{fault}")?;
        }
        match self.0.len().saturating_sub(MOST_SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n... and {more} more"),
        }
    }
}
