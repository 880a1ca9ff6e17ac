//! Where along a branch of candidates the scaling rule is at rest.

use super::{Family, FixedPoint, point};
use crate::branch::{Branch, Detail};
use crate::field::{Field, Starts};
use crate::root::zero;
use crate::rule::{above_threshold, rule_of, saturated};
use crate::{FluidError, Pool};

/// Points at which a branch is looked at for changes of sign.
const SCAN: usize = 400;
/// A surplus this small, relative to nothing, is zero.
const REST: f64 = 1e-13;

/// Fixed points with idle servers: `alpha g = gamma x02` where cold servers are left, `>=` where none is.
pub(super) fn with_idle(field: &Field, points: &mut Vec<FixedPoint>) -> Result<(), FluidError> {
    if field.never_starts() {
        return Ok(()); // what expires is not replaced
    }
    let rule = rule_of(&field.dispatch);
    let Some((low, high)) = rule.range(field)? else { return Ok(()) };
    let surplus = |parameter: f64| {
        Ok::<f64, FluidError>(rule.branch(field, parameter, Detail::Outline)?.surplus(field))
    };
    let mut previous: Option<(f64, f64)> = None;
    for index in 1..=SCAN {
        // Denser towards the lower end, where idle servers vanish.
        let parameter = low + (high - low) * (index as f64 / SCAN as f64).powi(4);
        let value = surplus(parameter)?;
        if let Some((before, earlier)) = previous
            && (earlier > 0.0) != (value > 0.0)
        {
            let falling = earlier > 0.0;
            let signed = |p: f64| surplus(p).map_or(0.0, |value| if falling { value } else { -value });
            let branch = rule.branch(field, zero(signed, before, parameter), Detail::Levels)?;
            if branch.cold(field) > REST {
                points.push(point(field, &branch, Pool::Open)?);
            }
        }
        previous = Some((parameter, value));
    }
    let full = rule.branch(field, high, Detail::Levels)?;
    if full.surplus(field) >= -REST {
        points.push(point(field, &full, Pool::Empty)?);
    }
    Ok(())
}

/// Fixed points without idle servers under JBT-d: all warm servers are above the threshold. With cold servers left the
/// rule must not start any; a whole range of such states is a family.
pub(super) fn without_idle(
    field: &Field,
    points: &mut Vec<FixedPoint>,
    families: &mut Vec<Family>,
) -> Result<(), FluidError> {
    let Some(rule) = field.dispatch.threshold().filter(|_| field.arrival_rate > 0.0) else { return Ok(()) };
    let (lambda, d) = (field.arrival_rate, rule.d() as usize);
    let cold = |first: f64| {
        above_threshold(field, d, first, Detail::Outline).map_or(1.0, |branch| branch.cold(field))
    };
    let most = if cold(lambda) > REST {
        lambda
    } else if field.limit.is_some() {
        let full = if cold(lambda) >= 0.0 { lambda } else { zero(cold, 0.0, lambda) };
        points.push(point(field, &saturated(field, rule, full)?, Pool::Empty)?);
        full
    } else {
        return Ok(());
    };
    let at_rest = |first: f64| {
        above_threshold(field, d, first, Detail::Outline).is_ok_and(|mut branch| {
            if field.limit.is_some() && first < lambda {
                // Some jobs are rejected, so that fewer servers than lambda are busy, if only by less than rounding.
                branch.tails.iter_mut().for_each(|tail| *tail *= 1.0 - 1e-12);
            }
            branch.surplus(field) <= 0.0
        })
    };
    resting(field, d, most, &at_rest, points, families)
}

/// Where the branch is `at_rest` up to the parameter `most`: single points, and families.
fn resting(
    field: &Field,
    d: usize,
    most: f64,
    at_rest: &impl Fn(f64) -> bool,
    points: &mut Vec<FixedPoint>,
    families: &mut Vec<Family>,
) -> Result<(), FluidError> {
    let parameter = |index: usize| most * (index as f64 / SCAN as f64);
    let resting: Vec<usize> = (1..=SCAN).filter(|&index| at_rest(parameter(index))).collect();
    for run in resting.chunk_by(|a, b| a + 1 == *b) {
        let (first, last) = (run[0], run[run.len() - 1]);
        if first == last {
            let branch = above_threshold(field, d, parameter(first), Detail::Levels)?;
            if branch.cold(field) > REST {
                points.push(point(field, &branch, Pool::Open)?);
            }
            continue;
        }
        let low = if first == 1 { 0.0 } else { edge(at_rest, parameter(first - 1), parameter(first)) };
        let high = if last == SCAN { most } else { edge(at_rest, parameter(last + 1), parameter(last)) };
        let example =
            point(field, &above_threshold(field, d, 0.5 * (low + high), Detail::Levels)?, Pool::Open)?.state;
        families.push(Family { lowest_level: d + 1, range: (low, high), example });
    }
    Ok(())
}

/// Where `holds` begins between `without` and `within`.
fn edge(holds: &impl Fn(f64) -> bool, mut without: f64, mut within: f64) -> f64 {
    for _ in 0..60 {
        let middle = 0.5 * (without + within);
        if holds(middle) {
            within = middle;
        } else {
            without = middle;
        }
    }
    within
}

/// All servers cold for ever, where the rule starts none.
pub(super) fn without_warm(field: &Field, points: &mut Vec<FixedPoint>) -> Result<(), FluidError> {
    let branch = Branch { tails: vec![0.0, 0.0, 0.0], sliding: false };
    let rests = match field.starts {
        Starts::AtScalingTimes(_) => branch.surplus(field) <= 0.0,
        Starts::AtArrivals => field.never_starts(), // a lost job starts a server too
    };
    if rests && !points.iter().any(|point| point.state.warm() == 0.0) {
        points.push(point(field, &branch, Pool::Open)?);
    }
    Ok(())
}

/// The fixed point at which `kept` servers are warm for ever.
pub(super) fn with_kept(field: &Field, kept: f64) -> Result<FixedPoint, FluidError> {
    if kept <= 0.0 {
        return point(field, &Branch { tails: vec![0.0, 0.0, 0.0], sliding: false }, Pool::Open);
    }
    let cold = if kept < 1.0 { Pool::Open } else { Pool::Empty };
    let branch = rule_of(&field.dispatch).with_warm(field, kept)?;
    point(field, &branch, cold)
}
