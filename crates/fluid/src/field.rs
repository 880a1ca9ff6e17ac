//! The right-hand side of (4) in one regime.
//!
//! Coordinates `z = [x01, y_0, y_1, ..., y_K]`, with `y_i` the fraction of servers that are warm with at least `i`
//! jobs: the drift of a tail needs its two neighbours and a few scalars, so an evaluation and a linear solve cost
//! a few operations a level. `x00 = 1 - x01 - y_0`: mass is conserved by construction. Levels above `K` are empty
//! or negligible (see [`crate::levels`]).
//!
//! Each regime's field is continued smoothly past its boundary: trial stages of a step may leave the regime a
//! little, and an integrator that saw the discontinuity there would grind to a halt.

use crate::FluidError;
use crate::matrix::Jacobian;
use crate::starts::Starts;
use crate::{Pool, Regime};
use alba_model::{Dispatch, Inflow, JoinBelowThreshold, Model, Observation, Occupancy, Rates, Scheme};

/// Index of `x01` in the coordinates.
pub(crate) const INITIALIZING: usize = 0;
/// Index of `y_0` in the coordinates.
pub(crate) const WARM: usize = 1;

/// The vector field of one regime at one arrival rate.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) rates: Rates,
    pub(crate) dispatch: Dispatch,
    pub(crate) starts: Starts,
    /// The most levels there can be.
    pub(crate) limit: Option<usize>,
    pub(crate) arrival_rate: f64,
    pub(crate) regime: Regime,
}

impl Field {
    pub(crate) fn new(model: &Model) -> Result<Self, FluidError> {
        let starts = match model.scheme() {
            Scheme::Asynchronous { scaling, .. } => Starts::AtScalingTimes(scaling),
            Scheme::Tabs(_) => Starts::AtArrivals,
            Scheme::CentralQueue => return Err(FluidError::CentralQueue),
        };
        Ok(Self {
            rates: model.rates(),
            dispatch: model.scheme().dispatch().ok_or(FluidError::CentralQueue)?,
            starts,
            limit: model.buffer().limit().map(|limit| limit as usize),
            arrival_rate: model.arrivals().rate_at(0.0),
            regime: Regime::INTERIOR,
        })
    }

    /// `d` of JBT-d; none under Power-of-d.
    pub(crate) fn threshold(&self) -> Option<usize> {
        match self.dispatch {
            Dispatch::JoinBelowThreshold(rule) => Some(rule.d() as usize),
            Dispatch::PowerOfD(_) => None,
        }
    }

    /// `x00`.
    pub(crate) fn cold(&self, z: &[f64]) -> f64 {
        1.0 - z[INITIALIZING] - z[WARM]
    }

    /// `x02`.
    pub(crate) fn idle(&self, z: &[f64]) -> f64 {
        z[WARM] - tail(z, 1)
    }

    /// `W`: warm servers at or below the threshold.
    pub(crate) fn below_threshold(&self, z: &[f64], d: usize) -> f64 {
        z[WARM] - tail(z, d + 1)
    }

    /// `beta x01`.
    pub(crate) fn warming(&self, z: &[f64]) -> f64 {
        self.rates.initialization() * z[INITIALIZING]
    }

    /// `x[d+1,2] + (d+1) beta x01`: the rate at which jobs are needed to keep all warm servers above the threshold.
    pub(crate) fn need(&self, z: &[f64], d: usize) -> f64 {
        tail(z, d + 1) - tail(z, d + 2) + (d as f64 + 1.0) * self.warming(z)
    }

    pub(crate) fn observe(&self, z: &[f64]) -> Observation {
        Observation {
            demand: self.arrival_rate,
            initializing: z[INITIALIZING],
            warming: self.warming(z),
            one_job: tail(z, 1) - tail(z, 2),
            warm: z[WARM],
        }
    }

    /// The rate at which servers start if there are cold ones.
    pub(crate) fn starting(&self, z: &[f64]) -> f64 {
        self.starts.rate(self, z)
    }

    /// `gamma x02`.
    pub(crate) fn expiring(&self, z: &[f64]) -> f64 {
        self.rates.expiration() * self.idle(z)
    }

    /// The rate at which servers start: with an empty cold pool, as fast as idle ones expire.
    pub(crate) fn started(&self, z: &[f64]) -> f64 {
        match self.regime.cold {
            Pool::Open => self.starting(z),
            Pool::Empty => self.expiring(z),
        }
    }

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
        drift[WARM] = warming - self.expiring(z);
        let (y, dy) = (&z[WARM..], &mut drift[WARM..]);
        match self.dispatch {
            Dispatch::PowerOfD(rule) => {
                let mut at_least = 1.0;
                for i in 1..y.len() {
                    let above = rule.all_within(y[i] / y[0]);
                    dy[i] = self.arrival_rate * (at_least - above) - completions(y, i);
                    at_least = above;
                }
            }
            Dispatch::JoinBelowThreshold(rule) => {
                let d = rule.d() as usize;
                match self.regime.below_threshold {
                    Pool::Open => self.drift_with_pool(d, y, dy),
                    Pool::Empty => {
                        let (excess, rule) = (self.arrival_rate - self.need(z, d), rule.otherwise());
                        dy[1..d + 2].fill(warming);
                        let mut at_least = 1.0;
                        for i in d + 2..y.len() {
                            let above = rule.all_within(y[i] / y[0]);
                            dy[i] = excess * (at_least - above) - completions(y, i);
                            at_least = above;
                        }
                    }
                }
            }
        }
    }

    fn drift_with_pool(&self, d: usize, y: &[f64], dy: &mut [f64]) {
        let each = self.rate_per_server_below(y, d);
        for (i, dy) in dy.iter_mut().enumerate().skip(1) {
            let joined = match i {
                1 if d == 0 => self.arrival_rate,
                _ if i <= d + 1 => each * (y[i - 1] - y[i]),
                _ => 0.0,
            };
            *dy = joined - completions(y, i);
        }
    }

    /// Arrivals at each server at or below the threshold: `lambda / W`.
    fn rate_per_server_below(&self, y: &[f64], d: usize) -> f64 {
        if self.arrival_rate == 0.0 { 0.0 } else { self.arrival_rate / (y[0] - y[d + 1]) }
    }

    /// Arrivals at each server above the threshold while none is at or below it: `(lambda - need) / y_0`.
    fn excess(&self, z: &[f64], d: usize) -> f64 {
        (self.arrival_rate - self.need(z, d)) / z[WARM]
    }

    /// The largest rate at which each server of the kind that jobs go to gets one.
    pub(crate) fn stiffness(&self, z: &[f64]) -> f64 {
        if self.regime.warm == Pool::Empty || self.arrival_rate == 0.0 {
            return 0.0;
        }
        match (self.dispatch, self.regime.below_threshold) {
            (Dispatch::PowerOfD(rule), _) => {
                self.arrival_rate * rule.all_within_slope(tail(z, 1) / z[WARM]).max(1.0) / z[WARM]
            }
            (Dispatch::JoinBelowThreshold(rule), Pool::Open) if rule.d() == 0 => 0.0,
            (Dispatch::JoinBelowThreshold(rule), Pool::Open) => {
                self.arrival_rate / self.below_threshold(z, rule.d() as usize)
            }
            (Dispatch::JoinBelowThreshold(rule), Pool::Empty) => {
                let d = rule.d() as usize;
                let slope = rule.otherwise().all_within_slope(tail(z, d + 2) / z[WARM]).max(1.0);
                self.excess(z, d).abs() * slope
            }
        }
    }

    /// About the spectral radius of the Jacobian: of a birth-death chain with birth rate `p` and death rate 1 it is
    /// `(1 + sqrt p)^2`.
    pub(crate) fn fastest_rate(&self, z: &[f64]) -> f64 {
        let own =
            self.rates.initialization() + self.rates.expiration() + self.starts.slope(self, z).warming.abs();
        (1.0 + self.stiffness(z).sqrt()).powi(2).max(own)
    }

    /// The derivative of the drift.
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
        match self.dispatch {
            Dispatch::PowerOfD(rule) => {
                let ratio = |i: usize| tail(z, i) / z[WARM];
                let slope = |i: usize| self.arrival_rate * rule.all_within_slope(ratio(i)) / z[WARM];
                for i in 1..z.len() - WARM {
                    if i > 1 {
                        jacobian.add(WARM + i, WARM + i - 1, slope(i - 1));
                    }
                    jacobian.add(WARM + i, WARM + i, -slope(i));
                }
                let coupling = jacobian.couple();
                coupling.by[WARM] = 1.0;
                for i in 1..z.len() - WARM {
                    let before = if i > 1 { slope(i - 1) * ratio(i - 1) } else { 0.0 };
                    coupling.of[WARM + i] = slope(i) * ratio(i) - before;
                }
            }
            Dispatch::JoinBelowThreshold(rule) => match self.regime.below_threshold {
                Pool::Open if rule.d() == 0 => {}
                Pool::Open => self.jacobian_with_pool(z, rule.d() as usize, jacobian),
                Pool::Empty => self.jacobian_without_pool(z, rule, jacobian),
            },
        }
    }

    fn jacobian_of_initializing(&self, z: &[f64], jacobian: &mut Jacobian) {
        let (beta, gamma) = (self.rates.initialization(), self.rates.expiration());
        jacobian.set(INITIALIZING, INITIALIZING, -beta);
        let coupling = jacobian.couple();
        coupling.of[INITIALIZING] = 1.0;
        match self.regime.cold {
            Pool::Open => {
                let slope = self.starts.slope(self, z);
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

    fn jacobian_with_pool(&self, z: &[f64], d: usize, jacobian: &mut Jacobian) {
        let y = &z[WARM..];
        let each = self.rate_per_server_below(y, d);
        let per_pool = if each == 0.0 { 0.0 } else { -each / (y[0] - y[d + 1]) };
        for i in 1..d + 2 {
            jacobian.add(WARM + i, WARM + i - 1, each);
            jacobian.add(WARM + i, WARM + i, -each);
        }
        let coupling = jacobian.couple();
        coupling.by[WARM] = 1.0;
        coupling.by[WARM + d + 1] = -1.0;
        for i in 1..d + 2 {
            coupling.of[WARM + i] = per_pool * (y[i - 1] - y[i]);
        }
    }

    fn jacobian_without_pool(&self, z: &[f64], rule: JoinBelowThreshold, jacobian: &mut Jacobian) {
        let (y, beta) = (&z[WARM..], self.rates.initialization());
        let (d, rule) = (rule.d() as usize, rule.otherwise());
        // What is beyond the need goes to tail i at rate excess (p(y_{i-1}/y_0) - p(y_i/y_0)), with p(1) = 1 at i = d + 2.
        let excess = self.arrival_rate - self.need(z, d);
        let ratio = |i: usize| if i < d + 2 { 1.0 } else { y[i] / y[0] };
        let slope = |i: usize| if i < d + 2 { 0.0 } else { excess * rule.all_within_slope(ratio(i)) / y[0] };
        for i in d + 2..y.len() {
            jacobian.add(WARM + i, WARM + i - 1, slope(i - 1));
            jacobian.add(WARM + i, WARM + i, -slope(i));
        }
        let filled = jacobian.couple();
        filled.of[WARM + 1..WARM + d + 2].fill(beta);
        filled.by[INITIALIZING] = 1.0;
        let by_need = jacobian.couple();
        for i in d + 2..y.len() {
            by_need.of[WARM + i] = rule.all_within(ratio(i - 1)) - rule.all_within(ratio(i));
        }
        by_need.by[INITIALIZING] = -(d as f64 + 1.0) * beta;
        by_need.by[WARM + d + 1] = -1.0;
        if let Some(by) = by_need.by.get_mut(WARM + d + 2) {
            *by = 1.0;
        }
        let by_warm = jacobian.couple();
        for i in d + 2..y.len() {
            by_warm.of[WARM + i] = slope(i) * ratio(i) - slope(i - 1) * ratio(i - 1);
        }
        by_warm.by[WARM] = 1.0;
    }

    /// Where arrivals go in state `z` of this regime: `h_i`, and what is turned away.
    pub(crate) fn inflow(&self, z: &[f64]) -> Inflow {
        let lambda = self.arrival_rate;
        if self.regime.warm == Pool::Empty || z[WARM] <= 0.0 {
            return Inflow { lost: lambda, ..Inflow::default() };
        }
        let sliding = self.threshold().filter(|_| self.regime.below_threshold == Pool::Empty);
        let y = &z[WARM..];
        let mut levels: Vec<f64> = (0..y.len()).map(|i| y[i] - tail(z, i + 1)).collect();
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

    /// The state as fractions of servers; small negative fractions, within the tolerance, become zero.
    pub(crate) fn occupancy(&self, z: &[f64]) -> Result<Occupancy, alba_model::ModelError> {
        let levels = (0..z.len() - WARM).map(|i| (tail(z, i) - tail(z, i + 1)).max(0.0)).collect();
        Occupancy::from_fractions(self.cold(z).max(0.0), z[INITIALIZING].max(0.0), levels)
    }
}

/// `y_i`, 0 beyond the levels held.
pub(crate) fn tail(z: &[f64], i: usize) -> f64 {
    z.get(WARM + i).copied().unwrap_or(0.0)
}

/// `y_i - y_{i+1}`: services completed by servers with `i` jobs.
fn completions(y: &[f64], i: usize) -> f64 {
    y[i] - y.get(i + 1).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alba_model::{ArrivalProfile, Buffer, Place};
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
        for i in (WARM..z.len() - 1).rev() {
            z[i] += z[i + 1];
        }
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
                                Place::Warm(level) => expected[WARM..=WARM + level]
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
                        let (mut above, mut below) = (z.clone(), z.clone());
                        above[column] += 1e-7;
                        below[column] -= 1e-7;
                        let mut drifts = [vec![0.0; z.len()], vec![0.0; z.len()]];
                        field.drift(&above, &mut drifts[0]);
                        field.drift(&below, &mut drifts[1]);
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
