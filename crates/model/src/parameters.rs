//! Rates of the servers' life cycle, and the buffer.

use crate::ModelError;
use crate::error::{checked, nonnegative};

/// Rates of scaling, initialization and expiration, per server and mean service time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    scaling: f64,
    initialization: f64,
    expiration: f64,
}

impl Rates {
    /// `scaling` (alpha, >= 0; 0: never), `initialization` (beta, > 0), `expiration` (gamma, >= 0; 0: never).
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] names the first rate outside its range.
    pub fn new(scaling: f64, initialization: f64, expiration: f64) -> Result<Self, ModelError> {
        Ok(Self {
            scaling: nonnegative("scaling_rate", scaling)?,
            initialization: checked("initialization_rate", initialization, "a finite number > 0", |v| {
                v > 0.0
            })?,
            expiration: nonnegative("expiration_rate", expiration)?,
        })
    }

    /// The same without scaling times, which some schemes do not have.
    pub(crate) fn without_scaling(self) -> Self {
        Self { scaling: 0.0, ..self }
    }

    /// alpha: scaling times form a Poisson process of rate `alpha N`.
    pub fn scaling(&self) -> f64 {
        self.scaling
    }

    /// beta: a server initializes for an exponential time of mean `1/beta`.
    pub fn initialization(&self) -> f64 {
        self.initialization
    }

    /// gamma: an idle warm server goes cold after an exponential time of mean `1/gamma`.
    pub fn expiration(&self) -> f64 {
        self.expiration
    }
}

/// B: the most jobs that a server may hold, the one in service included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Buffer {
    /// At most this many jobs, at least one; made by [`Buffer::finite`].
    Finite(std::num::NonZeroU32),
    /// No limit.
    Infinite,
}

impl Buffer {
    /// A buffer for `jobs >= 1` jobs.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] if `jobs` is 0.
    pub fn finite(jobs: u32) -> Result<Self, ModelError> {
        std::num::NonZeroU32::new(jobs).map(Self::Finite).ok_or(ModelError::OutOfRange {
            name: "buffer",
            value: 0.0,
            allowed: "a whole number >= 1, or \"infinite\"",
        })
    }

    /// The limit, if there is one.
    pub fn limit(self) -> Option<u32> {
        match self {
            Self::Finite(jobs) => Some(jobs.get()),
            Self::Infinite => None,
        }
    }

    /// Whether a server with `level` jobs takes another one.
    pub fn has_room(self, level: usize) -> bool {
        self.limit().is_none_or(|limit| level < limit as usize)
    }
}
