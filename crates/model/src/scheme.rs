//! Schemes: how dispatching and scaling go together.

use crate::{Dispatch, ScalingRule};

/// How jobs are dispatched and servers started.
///
/// Synchronous schemes, which start servers at arrivals, are further variants: a scheme as a whole, not its
/// dispatching rule, says what an arrival does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scheme {
    /// Dispatching at arrivals, scaling at times of its own.
    Asynchronous {
        /// Where an arriving job goes.
        dispatch: Dispatch,
        /// Whether a scaling time starts a server.
        scaling: ScalingRule,
    },
}

impl Scheme {
    /// Dispatching at arrivals, scaling at times of its own.
    pub const fn asynchronous(dispatch: Dispatch, scaling: ScalingRule) -> Self {
        Self::Asynchronous { dispatch, scaling }
    }

    /// Every scheme of the catalogues: what tests, benches and studies loop over.
    ///
    /// # Errors
    /// None in practice: all parameters are valid.
    pub fn catalogue() -> Result<Vec<Self>, crate::ModelError> {
        let scalings = ScalingRule::catalogue()?;
        let pair = |dispatch| scalings.iter().map(move |&scaling| Self::asynchronous(dispatch, scaling));
        Ok(Dispatch::catalogue()?.into_iter().flat_map(pair).collect())
    }
}

impl std::fmt::Display for Scheme {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Asynchronous { dispatch, scaling } => write!(f, "{dispatch} + {scaling}"),
        }
    }
}
