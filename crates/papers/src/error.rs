//! What can go wrong.

use alba_compare::InputError;
use alba_plot::PlotError;
use alba_scenario::{Fault, ScenarioError};
use alba_table::WriteError;
use std::fmt;

/// Why there is no figure or table.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An engine has no answer, or results cannot be written.
    #[error(transparent)]
    Compare(#[from] alba_compare::Error),
    /// A figure cannot be drawn.
    #[error("the figure cannot be drawn")]
    Plot(#[from] PlotError),
    /// A scaling rate is to be tuned, but there is none.
    #[error(
        "{scenario}: the scaling rate is tuned here: it needs system.scaling_rate > 0, where the search begins, and \
         scheme.kind = \"asynchronous\""
    )]
    NothingToTune {
        /// The scenario's name.
        scenario: String,
    },
    /// A run in which no job is accepted has no response time.
    #[error("{scenario}: no job is accepted in a run: a longer run.horizon has some")]
    NothingMeasured {
        /// The scenario's name.
        scenario: String,
    },
    /// Capacities and ratios that make no partition table.
    #[error("--capacity and --ratios make no partition table")]
    Partition(#[source] alba_cluster::ClusterError),
    /// Arbitrators cannot be run on the scenario's system.
    #[error("{scenario}: {reason}")]
    NoArbitrators {
        /// The scenario's name.
        scenario: String,
        /// Why, and what to change.
        reason: &'static str,
    },
    /// A figure that is not known.
    #[error("there is no figure {name:?}{}: one of {}", Suggestion(*nearest), known.join(", "))]
    UnknownFigure {
        /// The name given.
        name: String,
        /// What may have been meant.
        nearest: Option<&'static str>,
        /// The figures there are.
        known: &'static [&'static str],
    },
}

impl From<InputError> for Error {
    fn from(error: InputError) -> Self {
        Self::Compare(error.into())
    }
}

impl From<ScenarioError> for Error {
    fn from(error: ScenarioError) -> Self {
        Self::Compare(error.into())
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        ScenarioError::from(fault).into()
    }
}

impl From<WriteError> for Error {
    fn from(error: WriteError) -> Self {
        Self::Compare(error.into())
    }
}

impl Error {
    /// Whether what was asked for is wrong, rather than the answer out of reach.
    pub fn is_input(&self) -> bool {
        match self {
            Self::Compare(error) => error.is_input(),
            Self::NothingToTune { .. }
            | Self::Partition(_)
            | Self::NoArbitrators { .. }
            | Self::UnknownFigure { .. } => true,
            Self::Plot(_) | Self::NothingMeasured { .. } => false,
        }
    }
}

struct Suggestion(Option<&'static str>);

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |name| write!(f, " (did you mean {name}?)"))
    }
}
