//! The warm servers of a fixed point, given one number.

use crate::field::{Field, INITIALIZING, WARM};
use crate::problem::MOST_LEVELS;
use crate::{FluidError, Pool};
use alba_model::{Dispatch, JoinBelowThreshold, PowerOfD};

/// Tails below this are nothing.
const NOTHING: f64 = 1e-18;
/// Empty levels kept above the last one in use: stability asks what happens to jobs put there.
const ABOVE: usize = 2;

/// Warm servers at rest.
#[derive(Debug, Clone)]
pub(super) struct Branch {
    /// `y_0, y_1, ...`
    pub(super) tails: Vec<f64>,
    /// Whether the pool below the threshold is empty.
    pub(super) sliding: bool,
}

impl Branch {
    /// `x02`.
    pub(super) fn idle(&self) -> f64 {
        (self.tails[0] - self.tails.get(1).copied().unwrap_or(0.0)).max(0.0)
    }

    /// The state with the initializing servers that replace those that expire, `beta x01 = gamma x02` (13).
    pub(super) fn coordinates(&self, field: &Field) -> Vec<f64> {
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
    pub(super) fn cold(&self, field: &Field) -> f64 {
        field.cold(&self.coordinates(field))
    }

    /// `alpha g - gamma x02`: zero at a fixed point with cold servers, at least zero at a saturated one.
    pub(super) fn surplus(&self, field: &Field) -> f64 {
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
pub(super) enum Detail {
    /// The levels that a scaling rule sees.
    Outline,
    /// All levels that are not empty.
    Levels,
}

/// (14): Power-of-d with `y_0 = warm`: `y_i = lambda ((y_{i-1}/y_0)^d - R)`, where `R = (y_B/y_0)^d` is rejected.
pub(super) fn power_of_d(
    field: &Field,
    rule: PowerOfD,
    warm: f64,
    detail: Detail,
) -> Result<Branch, FluidError> {
    let most = if detail == Detail::Outline { 3 } else { MOST_LEVELS };
    // Without rejections the levels follow from below; they fall only where more servers are warm than jobs need.
    let mut tails = vec![warm];
    while let Some(last) = tails.last().copied().filter(|last| *last > NOTHING && warm > field.arrival_rate) {
        if tails.len() > MOST_LEVELS || field.limit.is_some_and(|limit| tails.len() > limit) {
            break;
        }
        tails.push(field.arrival_rate * rule.all_within(last / warm));
    }
    let is_negligible = |last: &f64| *last <= NOTHING || rule.all_within(last / warm) <= NOTHING;
    let negligible = tails.last().is_some_and(is_negligible);
    match field.limit {
        // Of more levels than are tracked, those that a rule sees are as good as without a limit.
        Some(limit) if !negligible && warm > 0.0 && (limit <= MOST_LEVELS || detail == Detail::Levels) => {
            tails = with_rejections(field.arrival_rate, rule, warm, limit)?;
        }
        None if !negligible && detail == Detail::Levels => {
            return Err(FluidError::TooManyLevels { time: f64::INFINITY, levels: MOST_LEVELS });
        }
        _ => {}
    }
    tails.truncate(most + 1);
    Ok(Branch { tails, sliding: false })
}

/// The same from above: given `rho = y_B/y_0`, `(y_{i-1}/y_0)^d = y_i/lambda + rho^d` contracts, where the recursion
/// from below doubles its errors at every level; `rho` is such that the ratio at level 0 is one.
fn with_rejections(
    arrival_rate: f64,
    rule: PowerOfD,
    warm: f64,
    limit: usize,
) -> Result<Vec<f64>, FluidError> {
    if limit > MOST_LEVELS {
        return Err(FluidError::TooManyLevels { time: f64::INFINITY, levels: MOST_LEVELS });
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

/// All servers busy for ever, `lambda >= 1`, under TABS-d: of the jobs, `x[1,2]` join servers as they become idle, and the
/// others, at rate `e`, the shortest of `d`, as if the first job of every server were not there; `e rho^d = lambda - 1` is
/// rejected.
pub(super) fn crowded(field: &Field, rule: PowerOfD, limit: usize) -> Result<Branch, FluidError> {
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

/// (15), (16): JBT-d with `x02 = idle > 0`: `x[i,2] = x02 (lambda/W)^i` up to level `d + 1`, and none above.
pub(super) fn below_threshold(field: &Field, rule: JoinBelowThreshold, idle: f64) -> Branch {
    let d = rule.d() as usize;
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
    Branch { tails, sliding: false }
}

/// (15) with `x02 = 0`, (20): all warm servers are above the threshold, `x[d+1+k,2] = x[d+1,2] e^k`, where
/// `e = (lambda - x[d+1,2])/y_0` is what each of them gets. `first = x[d+1,2]` is in (0, lambda].
pub(super) fn above_threshold(
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
            return Err(FluidError::TooManyLevels { time: f64::INFINITY, levels: MOST_LEVELS });
        }
        tails.push(left);
    }
    Ok(Branch { tails, sliding: true })
}

/// The branch of the field's dispatching rule with idle servers: by `y_0` under Power-of-d, by `x02` under JBT-d.
pub(super) fn with_idle(field: &Field, parameter: f64, detail: Detail) -> Result<Branch, FluidError> {
    match field.dispatch {
        Dispatch::PowerOfD(rule) => power_of_d(field, rule, parameter, detail),
        Dispatch::JoinBelowThreshold(rule) => Ok(below_threshold(field, rule, parameter)),
    }
}

/// The zero in [`low`, `high`] of a function that falls through it, to rounding. The ends themselves are not looked at:
/// functions here are not defined there, or do not fall between them, and then the end is the answer.
///
/// # Source
/// The Illinois rule of false position (M. Dowell, P. Jarratt, BIT 11 (1971) 168-174) where both ends of the bracket have
/// finite values; halves where they have not, and whenever three evaluations have not halved the bracket.
pub(super) fn zero(f: impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    let mut bracket = Bracket { low, high, at_low: None, at_high: None, moved_low: None };
    let (mut width, mut turn, mut halve) = (high - low, 0, false);
    loop {
        let Some(middle) = bracket.middle() else { return 0.5 * (bracket.low + bracket.high) };
        let at = bracket.interpolated().filter(|_| !halve).unwrap_or(middle);
        bracket.take(at, f(at));
        turn += 1;
        halve = turn % 3 == 0 && bracket.high - bracket.low > 0.5 * width;
        if turn % 3 == 0 {
            width = bracket.high - bracket.low;
        }
    }
}

/// Two ends with a zero between them, and the values there, where they are known and finite.
struct Bracket {
    low: f64,
    high: f64,
    at_low: Option<f64>,
    at_high: Option<f64>,
    /// Whether the last point became the low end.
    moved_low: Option<bool>,
}

impl Bracket {
    /// None if no number is left between the ends.
    fn middle(&self) -> Option<f64> {
        let middle = 0.5 * (self.low + self.high);
        (middle > self.low && middle < self.high).then_some(middle)
    }

    /// Where the straight line between the values is zero, strictly inside.
    fn interpolated(&self) -> Option<f64> {
        let (above, below) = self.at_low.zip(self.at_high)?;
        let at = self.low + (self.high - self.low) * (above / (above - below));
        at.is_finite().then(|| at.clamp(self.low.next_up(), self.high.next_down()))
    }

    /// An end whose opposite has moved twice counts half: it is moved next.
    fn take(&mut self, at: f64, value: f64) {
        let known = Some(value).filter(|value| value.is_finite());
        let moves_low = value > 0.0;
        let again = self.moved_low == Some(moves_low);
        let halved = |value: Option<f64>| if again { value.map(|value| 0.5 * value) } else { value };
        if moves_low {
            (self.low, self.at_low, self.at_high) = (at, known, halved(self.at_high));
        } else {
            (self.high, self.at_high, self.at_low) = (at, known, halved(self.at_low));
        }
        self.moved_low = Some(moves_low);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::Cell;

    /// What [`zero`] was at first: halves and nothing else.
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
        let rule = Dispatch::power_of_d(d).unwrap();
        let Dispatch::PowerOfD(power) = rule else { panic!() };
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
            let found = power_of_d(&field, rule, warm, Detail::Levels).unwrap().tails;
            let expected = by_halves_with_rejections(lambda, d, warm, limit as usize);
            prop_assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                prop_assert!((found - expected).abs() < 1e-12, "{} {}", found, expected);
            }
        }

        #[test]
        fn zeros_are_those_found_by_halves(root in 1e-9f64..1.0, power in 0.2f64..8.0, scale in 1e-12f64..1e12) {
            let f = |x: f64| scale * (root.powf(power) - x.powf(power));
            let (found, expected) = (zero(f, 0.0, 1.0), by_halves(f, 0.0, 1.0));
            prop_assert!((found - expected).abs() <= 1e-12 * expected, "{found} {expected}");
        }
    }

    #[test]
    fn ends_are_answers_where_nothing_falls_between_them() {
        let nan_below = |x: f64| if x < 0.25 { f64::NAN } else { 0.5 - x };
        let steps = |x: f64| if x < 0.3 { f64::INFINITY } else { f64::NEG_INFINITY };
        let functions: [(&str, &dyn Fn(f64) -> f64); 6] = [
            ("above", &|_| 1.0),
            ("below", &|_| -1.0),
            ("nothing", &|_| 0.0),
            ("no number", &|_| f64::NAN),
            ("no number below", &nan_below),
            ("steps", &steps),
        ];
        for (name, f) in functions {
            for (low, high) in [(0.0, 1.0), (0.0, 1e-300), (0.1, 0.1), (-1.0, 7.0)] {
                assert_eq!(zero(f, low, high), by_halves(f, low, high), "{name} in {low} to {high}");
            }
        }
    }

    #[test]
    fn few_evaluations_do() {
        let count = Cell::new(0);
        let smooth = |x: f64| {
            count.set(count.get() + 1);
            0.3 - x * x.sqrt()
        };
        zero(smooth, 0.0, 1.0);
        assert!(count.get() <= 16, "{}", count.get()); // 55 by halves
    }
}
