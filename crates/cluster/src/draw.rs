//! What a server draws.

use crate::error::checked;
use crate::{ClusterError, PowerModel};

/// Power of a server by what it does, >= 0, in any unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Draw {
    off: f64,
    initializing: f64,
    warm: PowerModel,
}

impl Draw {
    /// Power of a cold, of an initializing, and of a warm server; the latter by the share of its working capacity in use.
    ///
    /// # Errors
    /// [`ClusterError::OutOfRange`] for a negative or non-finite power.
    pub fn new(off: f64, initializing: f64, warm: PowerModel) -> Result<Self, ClusterError> {
        let power = |name, value| checked(name, value, "a finite number >= 0", |power| power >= 0.0);
        Ok(Self { off: power("off", off)?, initializing: power("initializing", initializing)?, warm })
    }

    /// Of a cold server.
    pub fn off(&self) -> f64 {
        self.off
    }

    /// Of one that initializes.
    pub fn initializing(&self) -> f64 {
        self.initializing
    }

    /// Of a warm one.
    pub fn warm(&self) -> &PowerModel {
        &self.warm
    }
}

impl Default for Draw {
    /// What clouds bill: every server that is not cold counts one.
    fn default() -> Self {
        Self { off: 0.0, initializing: 1.0, warm: PowerModel::ALWAYS_ONE }
    }
}
