//! Where along a branch of candidates the scaling rule is at rest.

use super::warm::{Branch, Detail, above_threshold, crowded, power_of_d, with_idle as idle_branch, zero};
use super::{Family, FixedPoint, point};
use crate::field::Field;
use crate::field::Starts;
use crate::problem::MOST_LEVELS;
use crate::{FluidError, Pool};
use alba_model::Dispatch;

/// Points at which a branch is looked at for changes of sign.
const SCAN: usize = 400;
/// A surplus this small, relative to nothing, is zero.
const REST: f64 = 1e-13;

/// Fixed points with idle servers: `alpha g = gamma x02` where cold servers are left, `>=` where none is.
pub(super) fn with_idle(field: &Field, points: &mut Vec<FixedPoint>) -> Result<(), FluidError> {
    if field.never_starts() {
        return Ok(()); // what expires is not replaced
    }
    let Some((low, high)) = range(field)? else { return Ok(()) };
    let surplus = |parameter: f64| {
        Ok::<f64, FluidError>(idle_branch(field, parameter, Detail::Outline)?.surplus(field))
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
            let branch = idle_branch(field, zero(signed, before, parameter), Detail::Levels)?;
            if branch.cold(field) > REST {
                points.push(point(field, &branch, Pool::Open)?);
            }
        }
        previous = Some((parameter, value));
    }
    let full = idle_branch(field, high, Detail::Levels)?;
    if full.surplus(field) >= -REST {
        points.push(point(field, &full, Pool::Empty)?);
    }
    Ok(())
}

/// The range of the branch's parameter, up to where no cold server is left; none if there is no such branch.
fn range(field: &Field) -> Result<Option<(f64, f64)>, FluidError> {
    let lambda = field.arrival_rate;
    let replaced = 1.0 + field.rates.expiration() / field.rates.initialization();
    match (field.dispatch, field.limit) {
        (Dispatch::PowerOfD(rule), Some(limit)) if limit <= MOST_LEVELS => {
            let cold = |warm: f64| {
                power_of_d(field, rule, warm, Detail::Outline).map_or(0.0, |branch| branch.cold(field))
            };
            Ok(Some((0.0, zero(cold, 0.0, 1.0))))
        }
        (Dispatch::PowerOfD(_), _) if lambda < 1.0 => Ok(Some((lambda, lambda + (1.0 - lambda) / replaced))),
        (Dispatch::JoinBelowThreshold(_), _) if lambda < 1.0 => Ok(Some((0.0, (1.0 - lambda) / replaced))),
        (Dispatch::PowerOfD(_) | Dispatch::JoinBelowThreshold(_), Some(limit)) if limit > MOST_LEVELS => {
            Err(FluidError::TooManyLevels { time: f64::INFINITY, levels: MOST_LEVELS })
        }
        (Dispatch::PowerOfD(_) | Dispatch::JoinBelowThreshold(_), _) => Ok(None),
    }
}

/// Fixed points without idle servers under JBT-d: all warm servers are above the threshold. With cold servers left the
/// rule must not start any; a whole range of such states is a family.
pub(super) fn without_idle(
    field: &Field,
    points: &mut Vec<FixedPoint>,
    families: &mut Vec<Family>,
) -> Result<(), FluidError> {
    let Some(d) = field.threshold().filter(|_| field.arrival_rate > 0.0) else { return Ok(()) };
    let lambda = field.arrival_rate;
    let cold = |first: f64| {
        above_threshold(field, d, first, Detail::Outline).map_or(1.0, |branch| branch.cold(field))
    };
    let most = if cold(lambda) > REST {
        lambda
    } else if field.limit.is_some() {
        let full = if cold(lambda) >= 0.0 { lambda } else { zero(cold, 0.0, lambda) };
        points.push(point(field, &saturated(field, d, full)?, Pool::Empty)?);
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
        let low = if first == 1 { 0.0 } else { edge(&at_rest, parameter(first - 1), parameter(first)) };
        let high = if last == SCAN { most } else { edge(&at_rest, parameter(last + 1), parameter(last)) };
        let example =
            point(field, &above_threshold(field, d, 0.5 * (low + high), Detail::Levels)?, Pool::Open)?.state;
        families.push(Family { lowest_level: d + 1, range: (low, high), example });
    }
    Ok(())
}

/// All servers warm, none of them at or below the threshold, `first = x[d+1,2]` if those above it are chosen uniformly.
fn saturated(field: &Field, d: usize, first: f64) -> Result<Branch, FluidError> {
    match (field.dispatch, field.limit) {
        (Dispatch::JoinBelowThreshold(rule), Some(limit)) if rule.otherwise().d() > 1 => {
            crowded(field, rule.otherwise(), limit)
        }
        _ => above_threshold(field, d, first, Detail::Levels),
    }
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
    let lambda = field.arrival_rate;
    if kept <= 0.0 {
        return point(field, &Branch { tails: vec![0.0, 0.0, 0.0], sliding: false }, Pool::Open);
    }
    let cold = if kept < 1.0 { Pool::Open } else { Pool::Empty };
    let no_point = FluidError::NoFixedPoint { arrival_rate: lambda };
    let branch = match (field.dispatch, field.limit) {
        (Dispatch::PowerOfD(_), None) if kept <= lambda => return Err(no_point),
        (Dispatch::PowerOfD(rule), _) => power_of_d(field, rule, kept, Detail::Levels)?,
        (Dispatch::JoinBelowThreshold(_), _) if kept > lambda => {
            idle_branch(field, kept - lambda, Detail::Levels)?
        }
        (Dispatch::JoinBelowThreshold(_), None) => return Err(no_point),
        (Dispatch::JoinBelowThreshold(rule), Some(_)) => {
            let d = rule.d() as usize;
            let missing = |first: f64| {
                above_threshold(field, d, first, Detail::Outline).map_or(1.0, |branch| kept - branch.tails[0])
            };
            above_threshold(field, d, zero(missing, 0.0, lambda), Detail::Levels)?
        }
    };
    point(field, &branch, cold)
}
