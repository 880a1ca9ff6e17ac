//! The state, as fractions of servers.

use crate::ModelError;
use crate::error::{checked, nonnegative};

/// Fractions of servers: cold `x00`, initializing `x01`, warm with `i` jobs `x[i,2]`. They sum to one. Under a central
/// queue, where a server has one job at most, also the jobs that wait there, per server.
#[derive(Debug, Clone, PartialEq)]
pub struct Occupancy {
    cold: f64,
    initializing: f64,
    warm: Vec<f64>,
    waiting: f64,
}

/// How far fractions may be from summing to one: more than rounding of a sum of thousands of terms, less than
/// anybody's typing error.
const MASS_TOLERANCE: f64 = 1e-9;

impl Occupancy {
    /// `initializing` and `warm[i]` (warm with `i` jobs) as fractions of all servers, each >= 0; what is left of
    /// one is cold. A sum above one by no more than rounding is scaled to one.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] for a negative or non-finite fraction, [`ModelError::TooManyServers`] if they
    /// sum to more than one.
    pub fn new(initializing: f64, warm: Vec<f64>) -> Result<Self, ModelError> {
        let sum = initializing + warm.iter().sum::<f64>();
        let mut state = Self::from_fractions_unsummed((1.0 - sum).max(0.0), initializing, warm)?;
        if sum > 1.0 + MASS_TOLERANCE {
            return Err(ModelError::TooManyServers { sum });
        }
        if sum > 1.0 {
            state.initializing /= sum;
            state.warm.iter_mut().for_each(|level| *level /= sum);
        }
        Ok(state)
    }

    /// All fractions given; they must sum to one.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] for a negative or non-finite fraction, [`ModelError::MassNotOne`] otherwise.
    pub fn from_fractions(cold: f64, initializing: f64, warm: Vec<f64>) -> Result<Self, ModelError> {
        let sum = cold + initializing + warm.iter().sum::<f64>();
        let state = Self::from_fractions_unsummed(cold, initializing, warm)?;
        if (sum - 1.0).abs() > MASS_TOLERANCE {
            return Err(ModelError::MassNotOne { sum });
        }
        Ok(state)
    }

    fn from_fractions_unsummed(cold: f64, initializing: f64, warm: Vec<f64>) -> Result<Self, ModelError> {
        let fraction = |name, value| checked(name, value, "a fraction of servers, 0 to 1", |v| v >= 0.0);
        fraction("cold", cold)?;
        fraction("initializing", initializing)?;
        for &level in &warm {
            fraction("warm", level)?;
        }
        Ok(Self { cold, initializing, warm, waiting: 0.0 })
    }

    /// The same servers with `waiting >= 0` jobs per server in a central queue.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] for a negative or non-finite number.
    pub fn with_waiting(self, waiting: f64) -> Result<Self, ModelError> {
        Ok(Self { waiting: nonnegative("waiting", waiting)?, ..self })
    }

    /// `x00`.
    pub fn cold(&self) -> f64 {
        self.cold
    }

    /// `x01`.
    pub fn initializing(&self) -> f64 {
        self.initializing
    }

    /// `x[i,2]` for `i = 0, 1, ...`; levels beyond the end are empty.
    pub fn levels(&self) -> &[f64] {
        &self.warm
    }

    /// `x[level,2]`, 0 beyond the levels held.
    pub fn warm_with(&self, level: usize) -> f64 {
        self.warm.get(level).copied().unwrap_or(0.0)
    }

    /// `x02`: warm without a job.
    pub fn idle(&self) -> f64 {
        self.warm_with(0)
    }

    /// `y1`: warm with at least one job.
    pub fn busy(&self) -> f64 {
        total(self.warm.get(1..).unwrap_or_default())
    }

    /// `y0`: all warm servers.
    pub fn warm(&self) -> f64 {
        total(&self.warm)
    }

    /// Jobs in the central queue, per server; 0 under schemes without one.
    pub fn waiting(&self) -> f64 {
        self.waiting
    }

    /// `sum_i i x[i,2]` and what waits in a central queue: jobs per server, cold and initializing servers counted.
    pub fn jobs(&self) -> f64 {
        self.warm.iter().enumerate().fold(self.waiting, |jobs, (level, share)| jobs + level as f64 * share)
    }

    /// Jobs in the fullest server, 0 if there is none.
    pub fn highest_level(&self) -> usize {
        self.warm.iter().rposition(|&share| share > 0.0).unwrap_or(0)
    }
}

/// The sum; of nothing it is 0, where `Iterator::sum` says -0.
pub(crate) fn total(shares: &[f64]) -> f64 {
    shares.iter().fold(0.0, |sum, share| sum + share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_cold() {
        let state = Occupancy::new(0.1, vec![0.2, 0.3, 0.1]).unwrap();
        assert!((state.cold() - 0.3).abs() < 1e-15);
        assert!((state.warm() - 0.6).abs() < 1e-15);
        assert!((state.busy() - 0.4).abs() < 1e-15);
        assert!((state.jobs() - 0.5).abs() < 1e-15);
        assert_eq!(state.highest_level(), 2);
        assert_eq!(state.warm_with(7), 0.0);
    }

    #[test]
    fn impossible_fractions_are_refused() {
        assert!(matches!(Occupancy::new(0.5, vec![0.6]), Err(ModelError::TooManyServers { .. })));
        assert!(matches!(Occupancy::new(-0.1, vec![0.6]), Err(ModelError::OutOfRange { .. })));
        assert!(matches!(Occupancy::new(0.0, vec![f64::NAN]), Err(ModelError::OutOfRange { .. })));
        assert!(matches!(Occupancy::from_fractions(0.1, 0.1, vec![0.1]), Err(ModelError::MassNotOne { .. })));
    }
}
