//! Power-of-d: jobs find at least `i` jobs at their server at rate `lambda (y_i/y_0)^d`.

use super::{Filling, IdlePull, Rule, no_range, too_many_levels};
use crate::FluidError;
use crate::branch::{Branch, Detail, NOTHING};
use crate::field::{Field, IDLE, WARM, completions, tail};
use crate::matrix::Jacobian;
use crate::problem::MOST_LEVELS;
use crate::root::{root, zero};
use alba_model::PowerOfD;

impl Rule for PowerOfD {
    fn drift(&self, field: &Field, z: &[f64], drift: &mut [f64]) {
        let to_idle = field.arrival_rate * meets_idle(field, *self, z);
        let released = completions(z, 1);
        drift[IDLE] += released - to_idle;
        drift[WARM + 1] = to_idle - released;
        let rate = field.arrival_rate;
        let at_least = if rate == 0.0 { 0.0 } else { self.all_within(tail(z, 1) / tail(z, 0)) };
        drift_above(rate, *self, (2, at_least), z, drift);
    }

    fn stiffness(&self, field: &Field, z: &[f64]) -> f64 {
        field.arrival_rate * self.all_within_slope(tail(z, 1) / tail(z, 0)).max(1.0) / tail(z, 0)
    }

    fn jacobian(&self, field: &Field, z: &[f64], jacobian: &mut Jacobian) {
        if field.arrival_rate == 0.0 {
            return;
        }
        let warm = tail(z, 0);
        let ratio = |i: usize| tail(z, i) / warm;
        let slope = |i: usize| field.arrival_rate * self.all_within_slope(ratio(i)) / warm;
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

    fn pull_on_idle(&self, field: &Field, z: &[f64]) -> IdlePull {
        let warm = tail(z, 0);
        let slope = field.arrival_rate * self.all_within_slope(tail(z, 1) / warm) / warm;
        IdlePull { own: slope * tail(z, 1) / warm, by_busy: -slope * z[IDLE] / warm, by_edge: 0.0 }
    }

    fn curvature(&self, field: &Field, z: &[f64], w: &dyn Fn(usize, usize) -> f64, pull: &mut [f64]) {
        let (lambda, y0) = (field.arrival_rate, tail(z, 0));
        // Of lambda (y_i/y_0)^d: a function of the ratio r, whose own derivatives are 1/y_0, -r/y_0, ...
        let flow = |i: usize| {
            let ratio = tail(z, i) / y0;
            let (slope, bend) = (self.all_within_slope(ratio), self.all_within_curvature(ratio));
            let (own, cross, warm) = (w(WARM + i, WARM + i), w(WARM + i, WARM), w(WARM, WARM));
            let ratio_variance = own - 2.0 * ratio * cross + ratio * ratio * warm;
            let ratio_bend = 2.0 * (ratio * warm - cross);
            lambda * (bend * ratio_variance + slope * ratio_bend) / (y0 * y0)
        };
        let mut before = 0.0;
        for i in 1..z.len() - WARM {
            let own = flow(i);
            pull[WARM + i] = before - own;
            before = own;
        }
    }

    /// Idle ones are what jobs leave: `Y_0 - Y_1 = x02` with `lambda (1 - (1 - x02/Y_0)^d) = Y_1`.
    fn first_warm<'f>(
        &self,
        field: &'f Field,
        z: &[f64],
        since: f64,
        after: &mut [f64],
    ) -> Option<Filling<'f>> {
        let (rule, warming) = (*self, field.warming(z));
        after[IDLE] = since * warming * idle_ratio(rule, field.arrival_rate / warming);
        let flow = Box::new(move |ratio| field.arrival_rate * rule.all_within(ratio));
        Some(Filling { first: 1, flow })
    }

    fn range(&self, field: &Field) -> Result<Option<(f64, f64)>, FluidError> {
        let lambda = field.arrival_rate;
        if field.limit.is_some_and(|limit| limit <= MOST_LEVELS) {
            let cold = |warm: f64| {
                self.branch(field, warm, Detail::Outline).map_or(0.0, |branch| branch.cold(field))
            };
            return Ok(Some((0.0, zero(cold, 0.0, 1.0))));
        }
        if lambda < 1.0 {
            Ok(Some((lambda, lambda + (1.0 - lambda) / field.replaced())))
        } else {
            no_range(field)
        }
    }

    /// (14) with `y_0 = warm`: `y_i = lambda ((y_{i-1}/y_0)^d - R)`, where `R = (y_B/y_0)^d` is rejected.
    fn branch(&self, field: &Field, warm: f64, detail: Detail) -> Result<Branch, FluidError> {
        let most = if detail == Detail::Outline { 3 } else { MOST_LEVELS };
        // Without rejections the levels follow from below; they fall only where more servers are warm than jobs need.
        let mut tails = vec![warm];
        while let Some(last) =
            tails.last().copied().filter(|last| *last > NOTHING && warm > field.arrival_rate)
        {
            if tails.len() > MOST_LEVELS || field.limit.is_some_and(|limit| tails.len() > limit) {
                break;
            }
            tails.push(field.arrival_rate * self.all_within(last / warm));
        }
        let is_negligible = |last: &f64| *last <= NOTHING || self.all_within(last / warm) <= NOTHING;
        let negligible = tails.last().is_some_and(is_negligible);
        match field.limit {
            // Of more levels than are tracked, those that a rule sees are as good as without a limit.
            Some(limit)
                if !negligible && warm > 0.0 && (limit <= MOST_LEVELS || detail == Detail::Levels) =>
            {
                tails = with_rejections(field.arrival_rate, *self, warm, limit)?;
            }
            None if !negligible && detail == Detail::Levels => return Err(too_many_levels()),
            _ => {}
        }
        tails.truncate(most + 1);
        Ok(Branch { tails, sliding: false })
    }

    fn with_warm(&self, field: &Field, warm: f64) -> Result<Branch, FluidError> {
        let lambda = field.arrival_rate;
        if field.limit.is_none() && warm <= lambda {
            return Err(FluidError::NoFixedPoint { arrival_rate: lambda });
        }
        self.branch(field, warm, Detail::Levels)
    }
}

/// The drift of tails from `first` on, where jobs go to tail `i` at rate `rate (p(y_{i-1}/y_0) - p(y_i/y_0))`, with
/// `at_least` in the place of `p` below the first.
pub(super) fn drift_above(
    rate: f64,
    rule: PowerOfD,
    (first, mut at_least): (usize, f64),
    z: &[f64],
    drift: &mut [f64],
) {
    let warm = tail(z, 0);
    for i in first..z.len() - WARM {
        let above = if rate == 0.0 { 0.0 } else { rule.all_within(tail(z, i) / warm) };
        drift[WARM + i] = rate * (at_least - above) - completions(z, i);
        at_least = above;
    }
}

/// The probability that one of the servers drawn is idle, `1 - (1 - x02/y_0)^d`, also where it is tiny.
fn meets_idle(field: &Field, rule: PowerOfD, z: &[f64]) -> f64 {
    if field.arrival_rate == 0.0 {
        return 0.0;
    }
    let idle = z[IDLE] / tail(z, 0);
    match rule.d() {
        1 => idle,
        2 => idle * (2.0 - idle),
        _ => taken(rule, idle),
    }
}

/// `1 - (1 - x)^d`.
fn taken(rule: PowerOfD, x: f64) -> f64 {
    if x.abs() < 0.1 {
        -(f64::from(rule.d()) * (-x).ln_1p()).exp_m1()
    } else {
        1.0 - rule.all_within(1.0 - x)
    }
}

/// `x` in (0, 1) with `load (1 - (1 - x)^d) = 1 - x`: idle ones among the first warm servers, also where few are.
fn idle_ratio(rule: PowerOfD, load: f64) -> f64 {
    root(|x| load * taken(rule, x) - (1.0 - x), 1.0)
}

/// (14) from above: given `rho = y_B/y_0`, `(y_{i-1}/y_0)^d = y_i/lambda + rho^d` contracts, where the recursion
/// from below doubles its errors at every level; `rho` is such that the ratio at level 0 is one.
pub(super) fn with_rejections(
    arrival_rate: f64,
    rule: PowerOfD,
    warm: f64,
    limit: usize,
) -> Result<Vec<f64>, FluidError> {
    if limit > MOST_LEVELS {
        return Err(too_many_levels());
    }
    let (load, inverse) = (warm / arrival_rate, f64::from(rule.d()).recip());
    let below = |ratio: f64, rejected: f64| {
        let at_least = ratio * load + rejected;
        match rule.d() {
            1 => at_least,
            2 => at_least.sqrt(),
            _ => at_least.powf(inverse),
        }
    };
    // A ratio that no longer changes is that of every lower level too.
    let lowest = |rho: f64| {
        let rejected = rule.all_within(rho);
        let mut ratio = rho;
        for _ in 0..limit {
            let next = below(ratio, rejected);
            if next == ratio {
                break;
            }
            ratio = next;
        }
        ratio
    };
    // At full load the ratio at level 0 is one up to rounding for many rho: of these the largest has jobs in it.
    let rho = zero(|rho| 1.0 + f64::EPSILON - lowest(rho), 0.0, 1.0);
    let mut ratios = vec![rho; limit + 1];
    for i in (1..limit).rev() {
        ratios[i] = below(ratios[i + 1], rule.all_within(rho)).min(1.0);
    }
    ratios[0] = 1.0;
    Ok(ratios.into_iter().map(|ratio| ratio * warm).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Roots as they were found at first.
    fn by_halves(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
        loop {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                return middle;
            }
            if f(middle) > 0.0 { low = middle } else { high = middle }
        }
    }

    /// Levels under Power-of-d with a finite buffer, worked out to the letter: all levels for each of all halvings.
    fn by_halves_with_rejections(lambda: f64, d: u32, warm: f64, limit: usize) -> Vec<f64> {
        let below =
            |ratio: f64, rho: f64| (ratio * warm / lambda + rho.powi(d as i32)).powf(f64::from(d).recip());
        let lowest = |rho: f64| (0..limit).fold(rho, |ratio, _| below(ratio, rho));
        let rho = by_halves(|rho| 1.0 + f64::EPSILON - lowest(rho), 0.0, 1.0);
        let mut ratios = vec![rho; limit + 1];
        for i in (0..limit).rev() {
            ratios[i] = below(ratios[i + 1], rho);
        }
        ratios.into_iter().map(|ratio| ratio * warm).collect()
    }

    fn power_of(d: u32, lambda: f64, limit: u32) -> (Field, PowerOfD) {
        let rule = alba_model::Dispatch::power_of_d(d).unwrap();
        let power = PowerOfD::new(d).unwrap();
        let scheme = alba_model::Scheme::asynchronous(rule, alba_model::ScalingRule::None);
        let arrivals = alba_model::ArrivalProfile::constant(lambda).unwrap();
        let rates = alba_model::Rates::new(0.1, 0.1, 0.1).unwrap();
        let buffer = alba_model::Buffer::finite(limit).unwrap();
        (Field::new(&alba_model::Model::new(arrivals, rates, buffer, scheme).unwrap()).unwrap(), power)
    }

    proptest! {
        #[test]
        fn levels_are_those_found_by_halves(
            lambda in 0.01f64..3.0, share in 0.01f64..0.999, d in 1u32..6, limit in 1u32..120,
        ) {
            let (field, rule) = power_of(d, lambda, limit);
            // Fewer warm servers than jobs need: some are rejected whatever the buffer.
            let warm = (share * lambda).min(share);
            let found = rule.branch(&field, warm, Detail::Levels).unwrap().tails;
            let expected = by_halves_with_rejections(lambda, d, warm, limit as usize);
            prop_assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                prop_assert!((found - expected).abs() < 1e-12, "{} {}", found, expected);
            }
        }
    }
}
