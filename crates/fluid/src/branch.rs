//! The warm servers of a fixed point.

use crate::Pool;
use crate::field::{Field, INITIALIZING, WARM};

/// Tails below this are nothing.
pub(crate) const NOTHING: f64 = 1e-18;
/// Empty levels kept above the last one in use: stability asks what happens to jobs put there.
const ABOVE: usize = 2;

/// Warm servers at rest.
#[derive(Debug, Clone)]
pub(crate) struct Branch {
    /// `y_0, y_1, ...`
    pub(crate) tails: Vec<f64>,
    /// Whether the pool below the threshold is empty.
    pub(crate) sliding: bool,
}

impl Branch {
    /// `x02`.
    pub(crate) fn idle(&self) -> f64 {
        (self.tails[0] - self.tails.get(1).copied().unwrap_or(0.0)).max(0.0)
    }

    /// The state with the initializing servers that replace those that expire, `beta x01 = gamma x02` (13).
    pub(crate) fn coordinates(&self, field: &Field) -> Vec<f64> {
        let mut z = vec![0.0; WARM];
        z[INITIALIZING] = field.rates.expiration() / field.rates.initialization() * self.idle();
        z.push(self.idle());
        z.extend(self.tails.iter().skip(1));
        let least = WARM + 1 + field.threshold().map_or(1, |d| d + 2);
        let wanted = (z.len() + ABOVE).max(least);
        z.resize(field.limit.map_or(wanted, |limit| wanted.min(WARM + 1 + limit)).max(z.len()), 0.0);
        z
    }

    /// `x00`, negative where there are not so many servers.
    pub(crate) fn cold(&self, field: &Field) -> f64 {
        field.cold(&self.coordinates(field))
    }

    /// `alpha g - gamma x02`: zero at a fixed point with cold servers, at least zero at a saturated one.
    pub(crate) fn surplus(&self, field: &Field) -> f64 {
        let z = self.coordinates(field);
        let mut field = field.clone();
        if self.sliding {
            field.regime.below_threshold = Pool::Empty;
        }
        field.starting(&z) - field.expiring(&z)
    }
}

/// How much of a branch is worked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// The levels that a scaling rule sees.
    Outline,
    /// All levels that are not empty.
    Levels,
}
