//! Power-of-d: the shortest of `d` warm servers drawn with replacement, ties at random.

use crate::named::{Kind, Parameter, Values};
use crate::{Dispatch, ModelError};

/// Power-of-d, `d >= 1`: the shortest of `d` warm servers drawn with replacement, ties broken at random.
///
/// # Source
/// Equation (2): `f_i = (y_i^d - y_{i+1}^d) / y_0^d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PowerOfD {
    d: u32,
}

impl PowerOfD {
    /// The largest `d` that is accepted; with thousands of choices the rule is join-the-shortest-queue.
    const MOST: u32 = 1_000_000;

    /// The number of servers drawn.
    pub const D: Parameter =
        Parameter { name: "d", values: Values::Whole { least: 1, most: Self::MOST }, default: None };

    pub(super) const KIND: Kind<Dispatch> = Kind {
        name: "power-of-d",
        parameters: &[Self::D],
        build: |values| Dispatch::power_of_d(values[0] as u32),
    };

    /// Power-of-1: any warm server.
    pub(crate) const ANY: Self = Self { d: 1 };

    /// # Errors
    /// [`ModelError::OutOfRange`] unless `1 <= d <= 1000000`.
    pub fn new(d: u32) -> Result<Self, ModelError> {
        if (1..=Self::MOST).contains(&d) {
            Ok(Self { d })
        } else {
            Err(ModelError::OutOfRange {
                name: "d",
                value: d.into(),
                allowed: "a whole number from 1 to 1000000",
            })
        }
    }

    /// The number of servers drawn.
    pub fn d(self) -> u32 {
        self.d
    }

    /// The probability that all drawn servers belong to a part of the warm servers that makes up `ratio` of them:
    /// with `ratio = y_i / y_0`, that the job finds at least `i` jobs.
    pub fn all_within(self, ratio: f64) -> f64 {
        match self.d {
            1 => ratio,
            2 => ratio * ratio, // powi is a call into the run-time library
            d => ratio.powi(d as i32),
        }
    }

    /// The derivative of [`PowerOfD::all_within`] by `ratio`.
    pub fn all_within_slope(self, ratio: f64) -> f64 {
        match self.d {
            1 => 1.0,
            2 => 2.0 * ratio,
            d => f64::from(d) * ratio.powi(d as i32 - 1),
        }
    }

    /// The second derivative of [`PowerOfD::all_within`] by `ratio`.
    pub fn all_within_curvature(self, ratio: f64) -> f64 {
        match self.d {
            1 => 0.0,
            d => f64::from(d) * f64::from(d - 1) * ratio.powi(d as i32 - 2),
        }
    }

    pub(super) fn shares(self, warm: &[f64], shares: &mut Vec<f64>) {
        let total: f64 = warm.iter().sum();
        shares.clear();
        shares.resize(warm.len(), 0.0);
        if total <= 0.0 {
            return;
        }
        if self == Self::ANY {
            return shares.iter_mut().zip(warm).for_each(|(share, level)| *share = level / total);
        }
        let (mut tail, mut beyond) = (0.0, 0.0);
        for (share, level) in shares.iter_mut().zip(warm).rev() {
            tail += level;
            let at_least = self.all_within((tail / total).min(1.0));
            *share = at_least - beyond;
            beyond = at_least;
        }
    }
}

impl std::fmt::Display for PowerOfD {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Power-of-{}", self.d)
    }
}
