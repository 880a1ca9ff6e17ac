//! How a pool of servers at or below a threshold opens.

use crate::field::{Field, IDLE, WARM, tail};
use crate::root::root;

/// How the pool below the threshold opens: at first `x[k,2]/W = b p^(k+1)/lambda` for `k < d`, with `b = beta x01` and `p`
/// from the balance of arrivals, `lambda = p x[d+1,2] + b (p + ... + p^(d+1))`, and `W = u s + c s^2`, with
/// `u = lambda (1-p)/p` and `c = need' / (2 + d (d+1) b/lambda)`. Where the demand equals what comes in, `p = 1` and
/// growth is quadratic.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Opening {
    /// b / lambda.
    share: f64,
    p: f64,
    linear: f64,
    quadratic: f64,
}

impl Opening {
    /// `need_slope` is the derivative of [`Field::need`] along the regime that is left.
    pub(crate) fn new(field: &Field, z: &[f64], d: usize, need_slope: f64) -> Self {
        let lambda = field.arrival_rate;
        let (warming, finishing) = (field.warming(z), tail(z, d + 1) - tail(z, d + 2));
        let geometric = |p: f64| (0..=d).fold(0.0, |sum, _| p * (1.0 + sum));
        let p = root(|p| p * finishing + warming * geometric(p) - lambda, 1.0);
        let share = warming / lambda;
        let quadratic = need_slope.max(0.0) / (2.0 + (d * (d + 1)) as f64 * share);
        Self { share, p, linear: lambda * (1.0 - p) / p, quadratic }
    }

    /// When the pool is so large.
    pub(crate) fn reaches(&self, pool: f64) -> f64 {
        let root = (self.linear * self.linear + 4.0 * self.quadratic * pool).sqrt();
        2.0 * pool / (self.linear + root)
    }

    /// Opens the pool `since` after it was empty, in a state whose `warm` servers are all above the threshold.
    pub(crate) fn apply(&self, after: &mut [f64], d: usize, since: f64, warm: f64) {
        let pool = (self.linear + self.quadratic * since) * since;
        let (mut share, mut taken) = (1.0, 0.0);
        for k in 0..=d {
            share *= if k == 0 { self.share * self.p } else { self.p };
            let level = if k < d { pool * share } else { pool - taken };
            if k == 0 {
                after[IDLE] = level;
            }
            taken += level;
            after[WARM + k + 1] = warm - taken;
        }
    }
}
