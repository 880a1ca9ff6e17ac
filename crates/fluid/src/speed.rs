//! How fast a field is, how accurate its coordinates are to be, and what rounding makes of them.

use crate::Pool;
use crate::field::{Field, IDLE, level, tail};
use crate::rule::rule_of;

/// Fewer warm servers than this have tails of their own accuracy.
const FEW: f64 = 1e-6;

/// Of a difference of tails, in units of these.
const ROUNDING: f64 = 1e-15;

/// By so much the stages of an implicit step enlarge the rounding of a drift.
const AMPLIFIED: f64 = 10.0;

/// A rate and its name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FastRate {
    pub(crate) name: &'static str,
    pub(crate) value: f64,
}

impl From<(f64, &'static str, f64)> for FastRate {
    fn from((_, name, value): (f64, &'static str, f64)) -> Self {
        Self { name, value }
    }
}

/// The accuracy asked of a coordinate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Worth {
    /// Of the absolute tolerance.
    pub(crate) part: f64,
    /// What the relative tolerance is relative to, at the least.
    pub(crate) least: f64,
    /// What rounding makes of it, whatever the tolerances.
    pub(crate) rounding: f64,
}

impl Field {
    /// The largest rate at which each server of the kind that jobs go to gets one.
    pub(crate) fn stiffness(&self, z: &[f64]) -> f64 {
        if self.regime.warm == Pool::Empty || self.arrival_rate == 0.0 {
            return 0.0;
        }
        rule_of(&self.dispatch).stiffness(self, z)
    }

    /// The largest rates of the servers' own changes, by the row sum of `x01`.
    pub(crate) fn own_rate(&self, z: &[f64]) -> f64 {
        let slope = self.starting_slope(z);
        self.rates.initialization() * (1.0 + slope.warming.abs())
            + self.rates.expiration()
            + slope.initializing.abs()
            + slope.warm.abs()
            + 2.0 * slope.one_job.abs()
    }

    /// About the spectral radius of the Jacobian: of a birth-death chain with birth rate `p` and death rate 1 it is
    /// `(1 + sqrt p)^2`, and idle servers have both reasons to change.
    pub(crate) fn fastest_rate(&self, z: &[f64]) -> f64 {
        (1.0 + self.stiffness(z).sqrt()).powi(2) + self.own_rate(z)
    }

    /// Of the system's rates the one that makes it fast at `z`.
    pub(crate) fn culprit(&self, z: &[f64]) -> FastRate {
        let rates = self.rates;
        let slope = self.starting_slope(z);
        let scaling = rates.initialization() * slope.warming.abs() + slope.warm.abs() + slope.one_job.abs();
        [
            (scaling, "scaling_rate", rates.scaling()),
            (rates.initialization(), "initialization_rate", rates.initialization()),
            (rates.expiration(), "expiration_rate", rates.expiration()),
        ]
        .into_iter()
        .fold((self.stiffness(z), "arrival_rate", self.arrival_rate), |a, b| if b.0 > a.0 { b } else { a })
        .into()
    }

    /// How accurate `x01`, `x02` and each tail are to be: the flow `beta x01` as accurate as a tail, `gamma x02` likewise;
    /// and where few servers are warm and jobs arrive, their composition all the same.
    pub(crate) fn worth(&self, z: &[f64]) -> [Worth; 3] {
        let warm = tail(z, 0);
        let few = if self.arrival_rate > 0.0 { (warm / FEW).clamp(1e-30, 1.0) } else { 1.0 };
        let (starting, expiring) = (self.rates.initialization().max(1.0), self.rates.expiration().max(1.0));
        [
            Worth { part: 1.0 / starting, least: 0.0, rounding: self.rounding(z) },
            Worth { part: few / expiring, least: warm / expiring, rounding: self.rounding_of_idle(z) },
            Worth { part: few, least: 0.0, rounding: 0.0 },
        ]
    }

    /// What it makes of `x02` in a tiny pool: servers with one job, from which it is fed, are a difference of tails.
    fn rounding_of_idle(&self, z: &[f64]) -> f64 {
        match (self.threshold(), self.regime.below_threshold) {
            (Some(d), Pool::Open) if d > 0 && self.arrival_rate > 0.0 => {
                let feeding = level(z, 1).max(f64::MIN_POSITIVE);
                z[IDLE].abs() * (ROUNDING * tail(z, 0) / feeding).min(1e-3)
            }
            (_, Pool::Open | Pool::Empty) => 0.0,
        }
    }

    /// What rounding makes of `x01` over a long implicit step: a fast rule sees the last digits of what it looks at, and
    /// starts servers at once that become warm, in turn, as fast as they can.
    fn rounding(&self, z: &[f64]) -> f64 {
        if self.regime.cold == Pool::Empty {
            return 0.0;
        }
        let (beta, slope) = (self.rates.initialization(), self.starting_slope(z));
        let seen = self.observe(z);
        let noise = slope.initializing.abs() * seen.initializing
            + slope.warming.abs() * seen.warming
            + slope.one_job.abs() * tail(z, 1)
            + slope.warm.abs() * seen.warm;
        let back = beta * (slope.one_job.abs() + slope.warm.abs());
        let answer = slope.initializing.abs() + beta * (1.0 + slope.warming.abs()) + back.sqrt();
        AMPLIFIED * f64::EPSILON * noise / answer
    }
}
