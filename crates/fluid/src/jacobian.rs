//! The derivative of the right-hand side of (4).

use crate::Pool;
use crate::field::{Field, IDLE, INITIALIZING, WARM};
use crate::matrix::Jacobian;
use crate::rule::{IdlePull, rule_of};

impl Field {
    /// The derivative of the drift of the tails `[x01, y_0, y_1, ..., y_K]` by the tails, with `y_0` in the place of
    /// `x02`: in these coordinates its tridiagonal part is diagonally dominant.
    pub(crate) fn jacobian(&self, z: &[f64], jacobian: &mut Jacobian) {
        jacobian.clear(z.len());
        if self.regime.warm == Pool::Empty {
            return;
        }
        let (beta, gamma) = (self.rates.initialization(), self.rates.expiration());
        self.jacobian_of_initializing(z, jacobian);
        jacobian.set(WARM, INITIALIZING, beta);
        jacobian.set(WARM, WARM, -gamma);
        jacobian.set(WARM, WARM + 1, gamma);
        let frozen = match (self.threshold(), self.regime.below_threshold) {
            (Some(d), Pool::Empty) => d + 2,
            _ => 1,
        };
        for i in frozen..z.len() - WARM {
            jacobian.set(WARM + i, WARM + i, -1.0);
            if WARM + i + 1 < z.len() {
                jacobian.set(WARM + i, WARM + i + 1, 1.0);
            }
        }
        rule_of(&self.dispatch).jacobian(self, z, jacobian);
    }

    fn jacobian_of_initializing(&self, z: &[f64], jacobian: &mut Jacobian) {
        let (beta, gamma) = (self.rates.initialization(), self.rates.expiration());
        jacobian.set(INITIALIZING, INITIALIZING, -beta);
        let coupling = jacobian.couple();
        coupling.of[INITIALIZING] = 1.0;
        match self.regime.cold {
            Pool::Open => {
                let slope = self.starting_slope(z);
                coupling.by[INITIALIZING] = slope.initializing + beta * slope.warming;
                coupling.by[WARM] = slope.warm;
                coupling.by[WARM + 1] = slope.one_job;
                if let Some(by) = coupling.by.get_mut(WARM + 2) {
                    *by = -slope.one_job;
                }
            }
            Pool::Empty => {
                coupling.by[WARM] = gamma;
                coupling.by[WARM + 1] = -gamma;
            }
        }
    }

    /// Takes the solution `u` of `(shift - J) u = b` from tails back to coordinates, `b` being in coordinates. `x02` is
    /// solved for by its own row, since as a difference it would be lost in the rounding of `y_0`; so is `x01` where it
    /// is replaced as fast as `x02` expires.
    pub(crate) fn own_rows(&self, z: &[f64], shift: f64, b: [f64; 2], u: &mut [f64]) {
        let (beta, gamma) = (self.rates.initialization(), self.rates.expiration());
        let pull = if self.arrival_rate == 0.0 {
            IdlePull::default()
        } else {
            rule_of(&self.dispatch).pull_on_idle(self, z)
        };
        let sliding = self.threshold().is_some() && self.regime.below_threshold == Pool::Empty;
        let warmed = if sliding { 0.0 } else { beta };
        let others = if sliding {
            b[1]
        } else {
            let at = |i: usize| u.get(WARM + i).copied().unwrap_or(0.0);
            b[1] + at(1) - at(2) - pull.by_busy * at(1) - pull.by_edge * at(self.threshold().unwrap_or(0) + 1)
        };
        match self.regime.cold {
            Pool::Open => u[IDLE] = (others + warmed * u[INITIALIZING]) / (shift + gamma + pull.own),
            Pool::Empty => {
                let determinant =
                    shift * (shift + beta + gamma + pull.own) + beta * pull.own + (beta - warmed) * gamma;
                u[IDLE] = ((shift + beta) * others + warmed * b[0]) / determinant;
                u[INITIALIZING] = (b[0] + gamma * u[IDLE]) / (shift + beta);
            }
        }
    }
}
