//! Why a command failed.

use alba_plot::DrawError;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Compare(#[from] alba_compare::Error),
    #[error(transparent)]
    Sweep(#[from] alba_sweep::Error),
    #[error(transparent)]
    Papers(#[from] alba_papers::Error),
    #[error(transparent)]
    Draw(#[from] DrawError),
}

impl Failure {
    /// Whether what was asked for is wrong, rather than the answer out of reach.
    pub(crate) fn is_input(&self) -> bool {
        match self {
            Self::Compare(error) => error.is_input(),
            Self::Sweep(error) => error.is_input(),
            Self::Papers(error) => error.is_input(),
            Self::Draw(error) => matches!(error, DrawError::Chart(_)),
        }
    }

    /// Whether the reader of standard output has gone, as in `alba fluid scenario.toml | head`.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        match self {
            Self::Compare(error) => error.is_closed_pipe(),
            Self::Sweep(_) | Self::Papers(_) | Self::Draw(_) => false,
        }
    }
}

impl From<alba_compare::InputError> for Failure {
    fn from(error: alba_compare::InputError) -> Self {
        Self::Compare(error.into())
    }
}

impl From<alba_scenario::ScenarioError> for Failure {
    fn from(error: alba_scenario::ScenarioError) -> Self {
        Self::Compare(error.into())
    }
}

impl From<alba_trace::TraceError> for Failure {
    fn from(error: alba_trace::TraceError) -> Self {
        alba_compare::InputError::from(error).into()
    }
}

impl From<alba_table::ReadError> for Failure {
    fn from(error: alba_table::ReadError) -> Self {
        alba_compare::InputError::from(error).into()
    }
}

impl From<alba_table::WriteError> for Failure {
    fn from(error: alba_table::WriteError) -> Self {
        Self::Compare(error.into())
    }
}

impl From<alba_plot::PlotError> for Failure {
    fn from(error: alba_plot::PlotError) -> Self {
        Self::Draw(error.into())
    }
}
