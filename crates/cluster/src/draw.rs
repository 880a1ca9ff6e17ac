//! What a server draws.

use crate::ClusterError;

/// Power of a server by what it does, >= 0, in any unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Draw {
    off: f64,
    initializing: f64,
    idle: f64,
    busy: f64,
    curve: Curve,
}

/// Between idle and busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Curve {
    /// `P = idle + (busy - idle) u`.
    Linear,
    /// `P = idle + (busy - idle) (2 u - u^1.4)`.
    Concave,
}

impl Curve {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Linear, Self::Concave];
    /// Their names in scenario files, in the same order.
    pub const NAMES: [&'static str; 2] = ["linear", "concave"];
}

impl Draw {
    /// Power of a cold, an initializing, an idle warm server, and of one whose whole working capacity is in use; the
    /// curve says what is in between.
    ///
    /// # Errors
    /// [`ClusterError::OutOfRange`] for a negative or non-finite power.
    pub fn new(
        off: f64,
        initializing: f64,
        idle: f64,
        busy: f64,
        curve: Curve,
    ) -> Result<Self, ClusterError> {
        let power = |name, value| ClusterError::checked(name, value, "a finite number >= 0", |v| v >= 0.0);
        Ok(Self {
            off: power("off", off)?,
            initializing: power("initializing", initializing)?,
            idle: power("idle", idle)?,
            busy: power("busy", busy)?,
            curve,
        })
    }

    pub(crate) fn off(&self) -> f64 {
        self.off
    }

    pub(crate) fn initializing(&self) -> f64 {
        self.initializing
    }

    /// Of a warm server that uses the share `utilisation` of its working capacity, from 0 to 1.
    ///
    /// # Source
    /// Concave: equation (10) of the phase-partition paper.
    pub fn warm(&self, utilisation: f64) -> f64 {
        let share = match self.curve {
            Curve::Linear => utilisation,
            Curve::Concave => 2.0 * utilisation - utilisation.powf(1.4),
        };
        self.idle + (self.busy - self.idle) * share
    }
}

impl Default for Draw {
    /// What clouds bill: every server that is not cold counts one.
    fn default() -> Self {
        Self { off: 0.0, initializing: 1.0, idle: 1.0, busy: 1.0, curve: Curve::Linear }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_by_hand() {
        let draw = |curve| Draw::new(0.0, 5.0, 69.0, 142.0, curve).unwrap();
        assert_eq!(draw(Curve::Linear).warm(0.5), 105.5);
        for curve in Curve::ALL {
            assert_eq!((draw(curve).warm(0.0), draw(curve).warm(1.0)), (69.0, 142.0));
        }
        let half = 69.0 + 73.0 * (1.0 - 0.5f64.powf(1.4));
        assert_eq!(draw(Curve::Concave).warm(0.5), half);
        assert!(Draw::new(0.0, -1.0, 0.0, 0.0, Curve::Linear).is_err());
    }
}
