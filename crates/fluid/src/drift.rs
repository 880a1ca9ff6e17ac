//! The right-hand side of (4) in one regime.

use crate::Pool;
use crate::field::{Field, IDLE, INITIALIZING, WARM, level, tail};
use crate::rule::rule_of;
use alba_model::Inflow;

impl Field {
    /// `dz/dt` into `drift`.
    ///
    /// # Source
    /// (4) and (5), summed over levels.
    pub(crate) fn drift(&self, z: &[f64], drift: &mut [f64]) {
        if self.regime.warm == Pool::Empty {
            drift.fill(0.0);
            return;
        }
        let warming = self.warming(z);
        drift[INITIALIZING] = self.started(z) - warming;
        drift[IDLE] = warming - self.expiring(z);
        rule_of(&self.dispatch).drift(self, z, drift);
    }

    /// Where arrivals go in state `z` of this regime: `h_i`, and what is turned away.
    pub(crate) fn inflow(&self, z: &[f64]) -> Inflow {
        let lambda = self.arrival_rate;
        if self.regime.warm == Pool::Empty || tail(z, 0) <= 0.0 {
            return Inflow { lost: lambda, ..Inflow::default() };
        }
        let sliding = self.threshold().filter(|_| self.regime.below_threshold == Pool::Empty);
        let mut levels: Vec<f64> = (0..z.len() - WARM).map(|i| level(z, i)).collect();
        let mut shares = Vec::new();
        if let Some(d) = sliding {
            let (warming, excess) = (self.warming(z), lambda - self.need(z, d));
            levels[..=d].fill(0.0);
            self.dispatch.shares(&levels, &mut shares);
            levels = shares.into_iter().map(|share| excess * share).collect();
            levels[..d].fill(warming);
            levels[d] = warming + tail(z, d + 1) - tail(z, d + 2);
        } else {
            self.dispatch.shares(&levels, &mut shares);
            levels = shares.into_iter().map(|share| lambda * share).collect();
        }
        levels.iter_mut().for_each(|level| *level = level.max(0.0));
        let room = self.limit.map_or(levels.len(), |limit| levels.len().min(limit));
        let rejected = levels.drain(room..).fold(0.0, |sum, level| sum + level);
        Inflow { levels, rejected, ..Inflow::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Regime;
    use crate::field::tails;
    use crate::matrix::Jacobian;
    use alba_model::{ArrivalProfile, Buffer, Model, Place, Rates, Scheme};
    use proptest::prelude::*;

    fn field(scheme: Scheme, regime: Regime) -> (Model, Field) {
        let rates = Rates::new(0.5, 0.1, 0.025).unwrap();
        let arrivals = ArrivalProfile::constant(0.7).unwrap();
        let model = Model::new(arrivals, rates, Buffer::finite(6).unwrap(), scheme).unwrap();
        let field = Field { regime, ..Field::new(&model).unwrap() };
        (model, field)
    }

    fn coordinates(weights: &[f64]) -> Vec<f64> {
        let total: f64 = weights.iter().sum();
        let mut z: Vec<f64> = weights[1..].iter().map(|weight| weight / total).collect();
        for i in (WARM + 1..z.len() - 1).rev() {
            z[i] += z[i + 1];
        }
        z
    }

    fn from_tails(tails: &[f64]) -> Vec<f64> {
        let mut z = tails.to_vec();
        z[IDLE] -= z[WARM + 1];
        z
    }

    fn regimes() -> Vec<Regime> {
        let pools = [Pool::Open, Pool::Empty];
        let pair = |cold| pools.map(|below_threshold| Regime { cold, below_threshold, warm: Pool::Open });
        pools.into_iter().flat_map(pair).collect()
    }

    proptest! {
        /// In the interior, the drift is the sum over the model's transitions of rate times move.
        #[test]
        fn drift_is_the_sum_of_transitions(weights in prop::collection::vec(0.01f64..1.0, 9)) {
            let z = coordinates(&weights);
            for scheme in Scheme::catalogue().unwrap() {
                let (model, field) = field(scheme, Regime::INTERIOR);
                let state = field.occupancy(&z).unwrap();
                let mut expected = vec![0.0; z.len()];
                model.for_each_transition(&state, 0.7, &mut |transition| {
                    for step in transition.moves.iter().flatten() {
                        for (place, sign) in [(step.from, -1.0), (step.to, 1.0)] {
                            match place {
                                Place::Cold => {}
                                Place::Initializing => expected[INITIALIZING] += sign * transition.rate,
                                Place::Warm(0) => expected[IDLE] += sign * transition.rate,
                                Place::Warm(level) => expected[WARM + 1..=WARM + level]
                                    .iter_mut()
                                    .for_each(|tail| *tail += sign * transition.rate),
                            }
                        }
                    }
                });
                let mut drift = vec![0.0; z.len()];
                field.drift(&z, &mut drift);
                for (drift, expected) in drift.iter().zip(&expected) {
                    prop_assert!((drift - expected).abs() < 1e-12, "{scheme}");
                }
            }
        }

        #[test]
        fn jacobian_is_the_difference_quotient(weights in prop::collection::vec(0.05f64..1.0, 9)) {
            let z = coordinates(&weights);
            for scheme in Scheme::catalogue().unwrap() {
                for regime in regimes() {
                    let (_, field) = field(scheme, regime);
                    let mut jacobian = Jacobian::default();
                    field.jacobian(&z, &mut jacobian);
                    for column in 0..z.len() {
                        let drift_at = |shift: f64| {
                            let mut moved = tails(&z);
                            moved[column] += shift;
                            let mut drift = vec![0.0; z.len()];
                            field.drift(&from_tails(&moved), &mut drift);
                            tails(&drift)
                        };
                        let drifts = [drift_at(1e-7), drift_at(-1e-7)];
                        for (row, (above, below)) in drifts[0].iter().zip(&drifts[1]).enumerate() {
                            let quotient = (above - below) / 2e-7;
                            let exact = jacobian.entry(row, column);
                            prop_assert!(
                                (quotient - exact).abs() < 1e-4 * (1.0 + exact.abs()),
                                "{scheme} {regime} [{row}, {column}]: {quotient} {exact}"
                            );
                        }
                    }
                }
            }
        }
    }
}
