//! What one regime's vector field is made of: coordinates, rates, and what is seen of a state.
//!
//! Coordinates `z = [x01, x02, y_1, ..., y_K]`, with `y_i` the fraction of servers that are warm with at least `i`
//! jobs: the drift of a tail needs its two neighbours and a few scalars, so an evaluation and a linear solve cost
//! a few operations a level. Idle servers have a coordinate of their own: as `y_0 - y_1` they would be known to the
//! rounding of `y_0` only, and a fast expiration or an empty pool asks for far smaller ones. `y_0 = x02 + y_1` and
//! `x00 = 1 - x01 - y_0`: mass is conserved by construction. Levels above `K` are empty or negligible.
//!
//! Each regime's field is continued smoothly past its boundary: trial stages of a step may leave the regime a
//! little, and an integrator that saw the discontinuity there would grind to a halt.

use crate::{FluidError, Regime};
use alba_model::{Dispatch, Model, Observation, Occupancy, Piece, Rates, ScalingRule, Scheme};

/// Index of `x01` in the coordinates.
pub(crate) const INITIALIZING: usize = 0;
/// Index of `x02` in the coordinates.
pub(crate) const IDLE: usize = 1;
/// `y_i` has index `WARM + i` in the coordinates for `i >= 1`; in those of a Jacobian, which are the tails, also
/// for `i = 0`.
pub(crate) const WARM: usize = 1;

/// How a scheme starts cold servers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Starts {
    /// At rate `alpha g`, by a scaling rule.
    AtScalingTimes(ScalingRule),
    /// One at every arrival that finds no idle server: at rate 0 while there are idle ones, else at rate
    /// `lambda - x[1,2] - beta x01`, what is beyond the arrivals that take every server as it becomes idle (TABS).
    AtArrivals,
}

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
    /// Of the scaling rule's probability: that by which it is continued; none: it is as it is, with its kinks.
    pub(crate) piece: Option<Piece>,
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
            piece: None,
        })
    }

    /// `d` of JBT-d; none under a rule without a threshold.
    pub(crate) fn threshold(&self) -> Option<usize> {
        self.dispatch.threshold().map(|rule| rule.d() as usize)
    }

    /// `x00`.
    pub(crate) fn cold(&self, z: &[f64]) -> f64 {
        1.0 - z[INITIALIZING] - tail(z, 0)
    }

    /// `W`: warm servers at or below the threshold.
    pub(crate) fn below_threshold(&self, z: &[f64], d: usize) -> f64 {
        z[IDLE] + (tail(z, 1) - tail(z, d + 1))
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
            warm: tail(z, 0),
        }
    }

    /// `gamma x02`.
    pub(crate) fn expiring(&self, z: &[f64]) -> f64 {
        self.rates.expiration() * z[IDLE]
    }

    /// What a fixed point has of servers that expire, or replace those that do, for each idle one.
    pub(crate) fn replaced(&self) -> f64 {
        1.0 + self.rates.expiration() / self.rates.initialization()
    }

    /// The state as fractions of servers; small negative fractions, within the tolerance, become zero.
    pub(crate) fn occupancy(&self, z: &[f64]) -> Result<Occupancy, alba_model::ModelError> {
        let levels = (0..z.len() - WARM).map(|i| level(z, i).max(0.0)).collect();
        Occupancy::from_fractions(self.cold(z).max(0.0), z[INITIALIZING].max(0.0), levels)
    }
}

/// `y_i`, 0 beyond the levels held.
pub(crate) fn tail(z: &[f64], i: usize) -> f64 {
    match i {
        0 => z[IDLE] + z[WARM + 1],
        _ => z.get(WARM + i).copied().unwrap_or(0.0),
    }
}

/// `x[i,2]`.
pub(crate) fn level(z: &[f64], i: usize) -> f64 {
    if i == 0 { z[IDLE] } else { tail(z, i) - tail(z, i + 1) }
}

/// `[x01, y_0, y_1, ...]`: the coordinates of a Jacobian.
pub(crate) fn tails(z: &[f64]) -> Vec<f64> {
    let mut tails = z.to_vec();
    tails[WARM] = tail(z, 0);
    tails
}

/// `y_i - y_{i+1}`, `i >= 1`: services completed by servers with `i` jobs.
pub(crate) fn completions(z: &[f64], i: usize) -> f64 {
    z[WARM + i] - z.get(WARM + i + 1).copied().unwrap_or(0.0)
}
