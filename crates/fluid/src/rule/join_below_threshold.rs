//! JBT-d: jobs go to servers at or below the threshold while there are any, and then as if it were not there; under TABS
//! to the shortest of several.

use super::power_of_d::{drift_above, with_rejections};
use super::{Filling, IdlePull, Opening, Rule, no_range, too_many_levels};
use crate::branch::{Branch, Detail, NOTHING};
use crate::field::{Field, IDLE, INITIALIZING, WARM, completions, tail};
use crate::matrix::Jacobian;
use crate::problem::MOST_LEVELS;
use crate::root::zero;
use crate::{FluidError, Pool};
use alba_model::{JoinBelowThreshold, PowerOfD};

impl Rule for JoinBelowThreshold {
    fn drift(&self, field: &Field, z: &[f64], drift: &mut [f64]) {
        let d = self.d() as usize;
        match field.regime.below_threshold {
            Pool::Open => drift_with_pool(field, d, z, drift),
            Pool::Empty => {
                drift[IDLE] = -field.expiring(z); // none: what becomes idle gets a job at once
                drift[WARM + 1..WARM + d + 2].fill(field.warming(z));
                drift_above(field.arrival_rate - field.need(z, d), self.otherwise(), (d + 2, 1.0), z, drift);
            }
        }
    }

    fn stiffness(&self, field: &Field, z: &[f64]) -> f64 {
        let d = self.d() as usize;
        match field.regime.below_threshold {
            Pool::Open if d == 0 => 0.0,
            Pool::Open => field.arrival_rate / field.below_threshold(z, d),
            Pool::Empty => {
                let slope = self.otherwise().all_within_slope(tail(z, d + 2) / tail(z, 0)).max(1.0);
                excess(field, z, d).abs() * slope
            }
        }
    }

    fn jacobian(&self, field: &Field, z: &[f64], jacobian: &mut Jacobian) {
        match field.regime.below_threshold {
            Pool::Open if self.d() == 0 => {}
            Pool::Open => jacobian_with_pool(field, z, self.d() as usize, jacobian),
            Pool::Empty => jacobian_without_pool(field, z, *self, jacobian),
        }
    }

    fn pull_on_idle(&self, field: &Field, z: &[f64]) -> IdlePull {
        if self.d() == 0 || field.regime.below_threshold == Pool::Empty {
            return IdlePull::default();
        }
        let pool = field.below_threshold(z, self.d() as usize);
        let (each, share) = (field.arrival_rate / pool, z[IDLE] / pool);
        IdlePull { own: each * (1.0 - share), by_busy: -each * share, by_edge: each * share }
    }

    fn curvature(&self, field: &Field, z: &[f64], w: &dyn Fn(usize, usize) -> f64, pull: &mut [f64]) {
        let (lambda, d) = (field.arrival_rate, self.d() as usize);
        let pool = field.below_threshold(z, d);
        let (top, edge) = (WARM, WARM + d + 1);
        let pool_variance = w(top, top) - 2.0 * w(top, edge) + w(edge, edge);
        for i in (1..d + 2).filter(|_| d > 0) {
            let share = tail(z, i - 1) - tail(z, i);
            let (upper, lower) = (WARM + i - 1, WARM + i);
            let cross = w(upper, top) - w(upper, edge) - w(lower, top) + w(lower, edge);
            pull[WARM + i] = lambda * (2.0 * share * pool_variance / pool - 2.0 * cross) / (pool * pool);
        }
    }

    fn first_warm<'f>(
        &self,
        field: &'f Field,
        z: &[f64],
        since: f64,
        after: &mut [f64],
    ) -> Option<Filling<'f>> {
        let (d, otherwise, warm) = (self.d() as usize, self.otherwise(), since * field.warming(z));
        after[WARM + 1..WARM + d + 2].fill(warm);
        if field.regime.below_threshold == Pool::Open {
            Opening::new(field, z, d, 0.0).apply(after, d, since, warm);
            return None;
        }
        let excess = (field.arrival_rate - field.need(z, d)).max(0.0);
        Some(Filling { first: d + 2, flow: Box::new(move |ratio| excess * otherwise.all_within(ratio)) })
    }

    fn range(&self, field: &Field) -> Result<Option<(f64, f64)>, FluidError> {
        if field.arrival_rate < 1.0 {
            Ok(Some((0.0, (1.0 - field.arrival_rate) / field.replaced())))
        } else {
            no_range(field)
        }
    }

    /// (15), (16) with `x02 = idle > 0`: `x[i,2] = x02 (lambda/W)^i` up to level `d + 1`, and none above.
    fn branch(&self, field: &Field, idle: f64, _detail: Detail) -> Result<Branch, FluidError> {
        let d = self.d() as usize;
        let lambda = field.arrival_rate;
        let sum = |ratio: f64, terms: usize| (0..terms).fold(0.0, |sum, _| 1.0 + ratio * sum);
        // W = x02 (1 + r + ... + r^d) with r = lambda / W: the left side grows with W, the right one falls.
        let most = idle * (d as f64 + 1.0) + lambda + 1.0;
        let pool = zero(|pool| idle * sum(lambda / pool, d + 1) - pool, 0.0, most);
        let ratio = lambda / pool;
        let mut tails: Vec<f64> = (0..=d + 1).map(|i| idle * ratio.powi(i as i32)).collect();
        for i in (0..=d).rev() {
            tails[i] += tails[i + 1];
        }
        Ok(Branch { tails, sliding: false })
    }

    fn with_warm(&self, field: &Field, warm: f64) -> Result<Branch, FluidError> {
        let lambda = field.arrival_rate;
        if warm > lambda {
            return self.branch(field, warm - lambda, Detail::Levels);
        }
        if field.limit.is_none() {
            return Err(FluidError::NoFixedPoint { arrival_rate: lambda });
        }
        let d = self.d() as usize;
        let missing = |first: f64| {
            above_threshold(field, d, first, Detail::Outline).map_or(1.0, |branch| warm - branch.tails[0])
        };
        above_threshold(field, d, zero(missing, 0.0, lambda), Detail::Levels)
    }
}

fn drift_with_pool(field: &Field, d: usize, z: &[f64], drift: &mut [f64]) {
    let each = rate_per_server_below(field, z, d);
    let to_idle = if d == 0 { field.arrival_rate } else { each * z[IDLE] };
    let released = completions(z, 1);
    drift[IDLE] += released - to_idle;
    drift[WARM + 1] = to_idle - released;
    for i in 2..z.len() - WARM {
        let joined = if i <= d + 1 { each * (tail(z, i - 1) - tail(z, i)) } else { 0.0 };
        drift[WARM + i] = joined - completions(z, i);
    }
}

/// Arrivals at each server at or below the threshold: `lambda / W`.
fn rate_per_server_below(field: &Field, z: &[f64], d: usize) -> f64 {
    if field.arrival_rate == 0.0 { 0.0 } else { field.arrival_rate / field.below_threshold(z, d) }
}

/// Arrivals at each server above the threshold while none is at or below it: `(lambda - need) / y_0`.
fn excess(field: &Field, z: &[f64], d: usize) -> f64 {
    (field.arrival_rate - field.need(z, d)) / tail(z, 0)
}

fn jacobian_with_pool(field: &Field, z: &[f64], d: usize, jacobian: &mut Jacobian) {
    let each = rate_per_server_below(field, z, d);
    let per_pool = if each == 0.0 { 0.0 } else { -each / field.below_threshold(z, d) };
    for i in 1..d + 2 {
        jacobian.add(WARM + i, WARM + i - 1, each);
        jacobian.add(WARM + i, WARM + i, -each);
    }
    let coupling = jacobian.couple();
    coupling.by[WARM] = 1.0;
    coupling.by[WARM + d + 1] = -1.0;
    for i in 1..d + 2 {
        let level = if i == 1 { z[IDLE] } else { tail(z, i - 1) - tail(z, i) };
        coupling.of[WARM + i] = per_pool * level;
    }
}
fn jacobian_without_pool(field: &Field, z: &[f64], rule: JoinBelowThreshold, jacobian: &mut Jacobian) {
    let (warm, levels, beta) = (tail(z, 0), z.len() - WARM, field.rates.initialization());
    let (d, rule) = (rule.d() as usize, rule.otherwise());
    // What is beyond the need goes to tail i at rate excess (p(y_{i-1}/y_0) - p(y_i/y_0)), with p(1) = 1 at i = d + 2.
    let excess = field.arrival_rate - field.need(z, d);
    let ratio = |i: usize| if i < d + 2 { 1.0 } else { tail(z, i) / warm };
    let slope = |i: usize| if i < d + 2 { 0.0 } else { excess * rule.all_within_slope(ratio(i)) / warm };
    for i in d + 2..levels {
        jacobian.add(WARM + i, WARM + i - 1, slope(i - 1));
        jacobian.add(WARM + i, WARM + i, -slope(i));
    }
    let filled = jacobian.couple();
    filled.of[WARM + 1..WARM + d + 2].fill(beta);
    filled.by[INITIALIZING] = 1.0;
    let by_need = jacobian.couple();
    for i in d + 2..levels {
        by_need.of[WARM + i] = rule.all_within(ratio(i - 1)) - rule.all_within(ratio(i));
    }
    by_need.by[INITIALIZING] = -(d as f64 + 1.0) * beta;
    by_need.by[WARM + d + 1] = -1.0;
    if let Some(by) = by_need.by.get_mut(WARM + d + 2) {
        *by = 1.0;
    }
    let by_warm = jacobian.couple();
    for i in d + 2..levels {
        by_warm.of[WARM + i] = slope(i) * ratio(i) - slope(i - 1) * ratio(i - 1);
    }
    by_warm.by[WARM] = 1.0;
}
/// (15) with `x02 = 0`, (20): all warm servers are above the threshold, `x[d+1+k,2] = x[d+1,2] e^k`, where
/// `e = (lambda - x[d+1,2])/y_0` is what each of them gets. `first = x[d+1,2]` is in (0, lambda].
pub(crate) fn above_threshold(
    field: &Field,
    d: usize,
    first: f64,
    detail: Detail,
) -> Result<Branch, FluidError> {
    let lambda = field.arrival_rate;
    let (warm, ratio) = match field.limit.map(|limit| limit - d) {
        None => (lambda, 1.0 - first / lambda),
        Some(places) => {
            let total = |ratio: f64| (0..places).fold(0.0, |sum, _| first + ratio * sum);
            let mut high = 1.0;
            while high * total(high) < lambda - first {
                high *= 2.0;
            }
            let ratio = zero(|ratio| lambda - first - ratio * total(ratio), 0.0, high);
            (total(ratio), ratio)
        }
    };
    let places = field.limit.map_or(usize::MAX, |limit| limit - d);
    let most = if detail == Detail::Outline { 2 } else { MOST_LEVELS };
    let mut tails = vec![warm; d + 2];
    let mut share = first;
    for place in 1..places.min(most + 1) {
        let left = if place == 1 { warm - first } else { tails[tails.len() - 1] - share };
        share *= ratio;
        if left <= NOTHING || (share <= NOTHING && ratio < 1.0) {
            break;
        }
        if place == MOST_LEVELS {
            return Err(too_many_levels());
        }
        tails.push(left);
    }
    Ok(Branch { tails, sliding: true })
}

/// All servers warm, none of them at or below the threshold, `first = x[d+1,2]` if those above it are chosen uniformly.
pub(crate) fn saturated(field: &Field, rule: JoinBelowThreshold, first: f64) -> Result<Branch, FluidError> {
    match field.limit {
        Some(limit) if rule.otherwise().d() > 1 => crowded(field, rule.otherwise(), limit),
        _ => above_threshold(field, rule.d() as usize, first, Detail::Levels),
    }
}

/// All servers busy for ever, `lambda >= 1`, under TABS-d: of the jobs, `x[1,2]` join servers as they become idle, and the
/// others, at rate `e`, the shortest of `d`, as if the first job of every server were not there; `e rho^d = lambda - 1` is
/// rejected.
fn crowded(field: &Field, rule: PowerOfD, limit: usize) -> Result<Branch, FluidError> {
    let above_one = |joining: f64| match limit {
        1 => Ok(vec![1.0]),
        _ => with_rejections(joining, rule, 1.0, limit - 1),
    };
    let rejected = |joining: f64| {
        let full = above_one(joining).ok().and_then(|ratios| ratios.last().copied()).unwrap_or(1.0);
        joining * rule.all_within(full)
    };
    let joining = zero(|joining| field.arrival_rate - 1.0 - rejected(joining), 0.0, field.arrival_rate);
    let mut tails = vec![1.0];
    tails.extend(above_one(joining)?);
    Ok(Branch { tails, sliding: true })
}
