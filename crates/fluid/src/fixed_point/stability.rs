//! Linear stability, on the hyperplane where all fractions sum to one.

use super::optimality::{self, Optimality};
use crate::Pool;
use crate::field::{Field, INITIALIZING, Starts, WARM};
use crate::matrix::Jacobian;
use nalgebra::{DMatrix, Schur};

/// Whether a fixed point attracts its neighbours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stability {
    /// By the eigenvalues of the drift's derivative, on the boundary of an empty pool of the sliding drift's: the
    /// largest real part, per mean service time. Negative: stable, and the rate of the slowest decay.
    Linear {
        /// The largest real part.
        leading_eigenvalue: f64,
    },
    /// It attracts every start: `x*` under JIQ and a rule that meets the condition (Theorem 3), or under TABS (Mukherjee et
    /// al. 2017). There all guards are zero, and no single regime's derivative tells.
    Global,
    /// Neither tells, or there are too many levels for eigenvalues.
    Undecided,
}

impl Stability {
    /// Eigenvalues this close to zero are not told from zero: rounding moves those of a long chain so far.
    const ZERO: f64 = 1e-9;

    /// Whether nearby states come back, if it is known.
    pub fn is_stable(self) -> Option<bool> {
        match self {
            Self::Linear { leading_eigenvalue } => Some(leading_eigenvalue < 0.0),
            Self::Global => Some(true),
            Self::Undecided => None,
        }
    }

    /// The largest real part of an eigenvalue, where eigenvalues decide.
    pub fn leading_eigenvalue(self) -> Option<f64> {
        match self {
            Self::Linear { leading_eigenvalue } => Some(leading_eigenvalue),
            Self::Global | Self::Undecided => None,
        }
    }
}

/// Eigenvalues of so many coordinates take seconds; of several thousand, hours.
const MOST: usize = 800;

/// The most sweeps of the QR iteration for each coordinate: rates beyond what double precision tells apart have it run
/// for ever.
const SWEEPS: usize = 100;

/// Stability of the fixed point `z` of `field`.
pub(super) fn of(field: &Field, z: &[f64]) -> Stability {
    if field.regime.warm == Pool::Empty {
        return Stability::Undecided; // a server that is put there may stay busy for ever
    }
    let on_edge = |d: usize| (field.arrival_rate - field.need(z, d)).abs() < 1e-12;
    if let (Some(d), Pool::Empty) = (field.threshold(), field.regime.below_threshold)
        && on_edge(d)
    {
        let attracts = match &field.starts {
            Starts::AtScalingTimes(rule) => d == 0 && optimality::check(field, rule) == Optimality::Met,
            Starts::AtArrivals => true,
        };
        return if attracts && field.rates.expiration() > 0.0 {
            Stability::Global
        } else {
            Stability::Undecided
        };
    }
    if z.len() > MOST {
        return Stability::Undecided;
    }
    let derivative = derivative(field, z);
    let sweeps = SWEEPS * derivative.nrows();
    if derivative.iter().any(|entry| !entry.is_finite()) {
        return Stability::Undecided;
    }
    let Some(form) = Schur::try_new(derivative, f64::EPSILON, sweeps) else { return Stability::Undecided };
    let eigenvalues = form.complex_eigenvalues();
    let leading_eigenvalue = eigenvalues.iter().map(|value| value.re).fold(f64::NEG_INFINITY, f64::max);
    if leading_eigenvalue.abs() > Stability::ZERO {
        Stability::Linear { leading_eigenvalue }
    } else {
        Stability::Undecided
    }
}

/// The derivative in independent coordinates: `x01` is left out where `x00 = 0`, and the tails up to `d + 1` are one
/// coordinate where the pool below the threshold is empty; where servers neither start nor expire, `x01 + y_0` is kept.
pub(crate) fn derivative(field: &Field, z: &[f64]) -> DMatrix<f64> {
    let mut full = dense(field, z);
    let mut kept: Vec<usize> = (0..z.len()).collect();
    if let (Some(d), Pool::Empty) = (field.threshold(), field.regime.below_threshold) {
        for joined in WARM + 1..WARM + d + 2 {
            let column = full.column(joined).into_owned();
            let mut first = full.column_mut(WARM);
            first += column;
        }
        kept.retain(|index| !(WARM + 1..WARM + d + 2).contains(index));
    }
    if field.regime.cold == Pool::Empty {
        let column = full.column(INITIALIZING).into_owned();
        let mut first = full.column_mut(WARM);
        first -= column;
        kept.retain(|index| *index != INITIALIZING);
    }
    if field.never_starts() && field.rates.expiration() == 0.0 {
        let column = full.column(WARM).into_owned();
        let mut first = full.column_mut(INITIALIZING);
        first -= column;
        kept.retain(|index| *index != WARM);
    }
    DMatrix::from_fn(kept.len(), kept.len(), |row, column| full[(kept[row], kept[column])])
}

/// The derivative of the drift, in all coordinates.
pub(super) fn dense(field: &Field, z: &[f64]) -> DMatrix<f64> {
    let mut jacobian = Jacobian::default();
    field.jacobian(z, &mut jacobian);
    DMatrix::from_fn(z.len(), z.len(), |row, column| jacobian.entry(row, column))
}
