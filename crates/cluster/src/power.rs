//! What a server draws.

use crate::ClusterError;
use crate::error::checked;

/// Power of a server that is on, by its utilization: `P_idle + (P_busy - P_idle) (2u - u^gamma)`.
///
/// # Source
/// Equation (10), with gamma 1.4; 69 W and 142 W for a server of 1500 connections.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerModel {
    idle_w: f64,
    busy_w: f64,
    gamma: f64,
}

impl PowerModel {
    /// The paper's server of [`PowerModel::PUBLISHED_CAPACITY`] connections.
    pub const PUBLISHED: Self = Self { idle_w: 69.0, busy_w: 142.0, gamma: 1.4 };

    /// Connections of the server that [`PowerModel::PUBLISHED`] is for.
    pub const PUBLISHED_CAPACITY: u32 = 1500;

    /// One, whatever it does.
    pub(crate) const ALWAYS_ONE: Self = Self { idle_w: 1.0, busy_w: 1.0, gamma: 1.0 };

    /// From the power of an idle and of a fully used server, in watts, and gamma.
    ///
    /// # Errors
    /// [`ClusterError::OutOfRange`] unless `0 <= idle_w <= busy_w` and gamma is between 1 and 2: power rises with utilization then.
    pub fn new(idle_w: f64, busy_w: f64, gamma: f64) -> Result<Self, ClusterError> {
        let idle_w = checked("idle power", idle_w, "a finite number of watts >= 0", |w| w >= 0.0)?;
        let busy_w =
            checked("busy power", busy_w, "a finite number of watts >= the idle power", |w| w >= idle_w)?;
        let gamma = checked("gamma", gamma, "a number from 1 to 2", |gamma| (1.0..=2.0).contains(&gamma))?;
        Ok(Self { idle_w, busy_w, gamma })
    }

    /// Between that of an idle and of a fully used server, in proportion to utilization; either may be the larger.
    ///
    /// # Errors
    /// [`ClusterError::OutOfRange`] unless both are finite and at least 0.
    pub fn linear(idle_w: f64, busy_w: f64) -> Result<Self, ClusterError> {
        let power = |name, value| checked(name, value, "a finite number of watts >= 0", |w| w >= 0.0);
        Ok(Self { idle_w: power("idle power", idle_w)?, busy_w: power("busy power", busy_w)?, gamma: 1.0 })
    }

    /// That of a server `factor` times as large, as the paper has it for servers of 2000 and 1000 connections.
    ///
    /// # Errors
    /// [`ClusterError::OutOfRange`] unless `factor` is finite and above 0.
    pub fn scaled(self, factor: f64) -> Result<Self, ClusterError> {
        let factor = checked("size", factor, "a finite number > 0", |factor| factor > 0.0)?;
        Self::new(self.idle_w * factor, self.busy_w * factor, self.gamma)
    }

    /// Of an idle server, in watts.
    pub fn idle_w(&self) -> f64 {
        self.idle_w
    }

    /// Of a fully used server, in watts.
    pub fn busy_w(&self) -> f64 {
        self.busy_w
    }

    /// The exponent.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// At `utilization`, from 0 to 1, in watts.
    pub fn power_w(&self, utilization: f64) -> f64 {
        self.idle_w + (self.busy_w - self.idle_w) * (2.0 * utilization - utilization.powf(self.gamma))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_busy_and_between() {
        let server = PowerModel::PUBLISHED;
        assert_eq!((server.power_w(0.0), server.power_w(1.0)), (69.0, 142.0));
        // Half used: 69 + 73 (1 - 2^-1.4).
        assert!((server.power_w(0.5) - 114.338_172_661_185).abs() < 1e-11, "{}", server.power_w(0.5));
        let linear = |idle, busy| PowerModel::linear(idle, busy).unwrap().power_w(0.25);
        assert_eq!((linear(10.0, 20.0), linear(20.0, 10.0)), (12.5, 17.5));
    }

    #[test]
    fn the_papers_larger_and_smaller_servers() {
        let rounded = |connections: f64| {
            let server = PowerModel::PUBLISHED.scaled(connections / 1500.0).unwrap();
            (server.idle_w(), (10.0 * server.busy_w()).round() / 10.0)
        };
        assert_eq!(rounded(2000.0), (92.0, 189.3));
        assert_eq!(rounded(1000.0), (46.0, 94.7));
    }

    #[test]
    fn power_rises_with_utilization() {
        for gamma in [1.0, 1.4, 2.0] {
            let server = PowerModel::new(69.0, 142.0, gamma).unwrap();
            let powers: Vec<f64> = (0..=1000).map(|u| server.power_w(f64::from(u) / 1000.0)).collect();
            assert!(powers.is_sorted(), "{gamma}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for (idle, busy, gamma) in
            [(-1.0, 2.0, 1.4), (3.0, 2.0, 1.4), (1.0, f64::NAN, 1.4), (1.0, 2.0, 0.9), (1.0, 2.0, 2.1)]
        {
            assert!(PowerModel::new(idle, busy, gamma).is_err(), "{idle} {busy} {gamma}");
        }
        assert!(PowerModel::PUBLISHED.scaled(0.0).is_err());
        assert!(PowerModel::linear(1.0, -1.0).is_err() && PowerModel::linear(f64::INFINITY, 1.0).is_err());
    }
}
