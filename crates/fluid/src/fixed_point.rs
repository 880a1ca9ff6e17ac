//! Fixed points: states at which the drift vanishes.

mod family;
mod optimality;
mod refined;
mod search;
mod stability;

pub use family::Family;
pub use optimality::{Counterexample, Optimality};
pub use refined::{Edge, NoRefinement, Refined, Refinement};
pub use stability::Stability;

use crate::branch::Branch;
use crate::field::{Field, INITIALIZING, Starts, tail};
use crate::{FluidError, Pool, Regime};
use alba_model::{Inflow, Model, Occupancy};

/// A candidate whose drift is larger than this, relative to the arrival rate, is none.
const ACCURATE: f64 = 1e-9;

/// A state at rest.
#[derive(Debug, Clone, PartialEq)]
pub struct FixedPoint {
    /// Fractions of servers.
    pub state: Occupancy,
    /// Where arrivals go.
    pub inflow: Inflow,
    /// The regime whose drift vanishes there; saturated where the cold pool is empty.
    pub regime: Regime,
    /// Largest component of the drift.
    pub residual: f64,
    /// Whether nearby states come back.
    pub stability: Stability,
}

/// All fixed points of a model at a constant arrival rate.
#[derive(Debug, Clone, PartialEq)]
pub struct FixedPoints {
    /// Isolated ones: with cold servers left first, then saturated ones.
    pub points: Vec<FixedPoint>,
    /// Continua.
    pub families: Vec<Family>,
    /// Whether the scaling rule meets Theorem 3's condition; none where arrivals start servers.
    pub optimality: Option<Optimality>,
}

/// All fixed points of `model` at the constant `arrival_rate` that it would have for ever.
///
/// Where servers neither start nor expire, the number of warm ones never changes, and there is a fixed point for
/// each: then those `kept` warm or initializing at the start decide.
///
/// # Errors
/// [`FluidError::CentralQueue`], [`FluidError::NoFixedPoint`] where queues grow for ever, [`FluidError::TooManyLevels`] where a fixed point needs more
/// levels than are tracked.
///
/// # Source
/// Theorem 2, equations (13)-(17), and (20); with a finite buffer, their counterparts with rejections.
pub fn fixed_points(model: &Model, arrival_rate: f64, kept: f64) -> Result<FixedPoints, FluidError> {
    let field = Field { arrival_rate, ..Field::new(model)? };
    let optimality = match &field.starts {
        Starts::AtScalingTimes(rule) => Some(optimality::check(&field, rule)),
        Starts::AtArrivals => None,
    };
    let (mut points, mut families) = (Vec::new(), Vec::new());
    if field.never_starts() && field.rates.expiration() == 0.0 {
        points.push(search::with_kept(&field, kept)?);
        return Ok(FixedPoints { points, families, optimality });
    }
    search::with_idle(&field, &mut points)?;
    search::without_idle(&field, &mut points, &mut families)?;
    search::without_warm(&field, &mut points)?;
    if points.is_empty() && families.is_empty() && arrival_rate >= 1.0 && field.limit.is_none() {
        return Err(FluidError::NoFixedPoint { arrival_rate });
    }
    points.retain(|point: &FixedPoint| point.residual < ACCURATE * (1.0 + arrival_rate));
    if points.is_empty() && families.is_empty() {
        return Err(FluidError::FixedPointNotFound);
    }
    points.sort_by_key(|point| point.regime.cold == Pool::Empty);
    Ok(FixedPoints { points, families, optimality })
}

/// A fixed point's state in coordinates, with the levels above it that perturbations reach.
fn coordinates_of(field: &Field, state: &Occupancy) -> Vec<f64> {
    let mut tails = vec![0.0; state.highest_level() + 2];
    for level in (0..tails.len() - 1).rev() {
        tails[level] = tails[level + 1] + state.warm_with(level);
    }
    let limit = field.limit.map_or(usize::MAX, |limit| limit + 1);
    tails.truncate(limit);
    let mut z = Branch { tails, sliding: false }.coordinates(field);
    z[INITIALIZING] = state.initializing();
    z
}

/// The fixed point with tails `warm`, and the initializing servers that replace those that expire.
fn point(field: &Field, branch: &Branch, cold: Pool) -> Result<FixedPoint, FluidError> {
    let below_threshold = if branch.sliding { Pool::Empty } else { Pool::Open };
    let warm = if branch.tails[0] > 0.0 { Pool::Open } else { Pool::Empty };
    let regime = Regime { cold, below_threshold, warm };
    let field = Field { regime, ..field.clone() };
    let mut z = branch.coordinates(&field);
    if cold == Pool::Empty {
        z[INITIALIZING] = 1.0 - tail(&z, 0);
    }
    let mut drift = vec![0.0; z.len()];
    field.drift(&z, &mut drift);
    Ok(FixedPoint {
        state: field.occupancy(&z).map_err(|_| FluidError::FixedPointNotFound)?, // levels underflow
        inflow: field.inflow(&z),
        regime,
        residual: drift.iter().fold(0.0, |largest, drift| drift.abs().max(largest)),
        stability: stability::of(&field, &z),
    })
}
