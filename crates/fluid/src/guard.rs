//! Guards: functions that are positive while the regime holds, and where they cease to be.

use crate::field::{Field, WARM, tail};
use crate::starts::unresolved;
use crate::step::Step;
use crate::{Guard, Pool};

/// A guard must fall this far below zero, in units of its own scale, to count as crossed: rounding moves it by 1e-16,
/// and a trajectory that only touches a boundary may dip below it by the error of the integration.
const CROSSED: f64 = 1e-13;

/// A pool this small, in units of its own scale, is empty: what is left of it is rounding.
const EMPTY: f64 = 1e-15;

/// With `d >= 1` the composition of the pool below the threshold is singular where the pool is empty: a step
/// lands where this part of the warm servers is left, and the rest goes in a straight line.
const NEARLY_EMPTY: f64 = 1e-9;

/// A guard over one step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Watch {
    pub(crate) guard: Guard,
    /// Subtracted from the guard's function.
    margin: f64,
    /// How far below zero it counts as crossed.
    crossed: f64,
}

impl Watch {
    /// The guards that can end the field's regime, for a step from `z`. `patience`, 1 or more, says how much farther
    /// than usual a guard must fall to count as crossed.
    pub(crate) fn all(field: &Field, z: &[f64], patience: f64) -> impl Iterator<Item = Self> {
        guards(field).map(move |guard| {
            let crossed = patience * CROSSED * scale(guard, field, z);
            match (guard, field.threshold()) {
                (Guard::BelowThresholdEmpties, Some(d)) if d > 0 => {
                    let margin = nearly_empty(z).min(0.5 * field.below_threshold(z, d));
                    Self { guard, margin, crossed: crossed.min(0.5 * margin) } // well before it is empty
                }
                (Guard::ScalingKink, _) => {
                    Self { guard, margin: 0.0, crossed: crossed.max(unresolved(field)) }
                }
                _ => Self { guard, margin: 0.0, crossed },
            }
        })
    }

    /// Whether the guard's function is as good as zero.
    pub(crate) fn is_met(&self, value: f64) -> bool {
        value.abs() < 1e-3 * self.crossed
    }

    /// The guard's function at `z`; components beyond those it needs may be left out.
    pub(crate) fn value(&self, field: &Field, z: &[f64]) -> f64 {
        value(self.guard, field, z) - self.margin
    }

    /// The guard's function at fraction `theta` of the step tried last.
    fn along(&self, field: &Field, step: &impl Step, theta: f64) -> f64 {
        const MOST: usize = 12;
        let needed = (WARM + 3 + field.threshold().unwrap_or(0)).min(step.end().len());
        if needed > MOST {
            let z: Vec<f64> = (0..needed).map(|i| step.component(theta, i)).collect();
            return self.value(field, &z);
        }
        let mut z = [0.0; MOST];
        z[..needed].iter_mut().enumerate().for_each(|(i, z)| *z = step.component(theta, i));
        self.value(field, &z[..needed])
    }

    /// The first fraction of the step tried last at which the guard is crossed, and the guard that is zero there: one
    /// that starts at zero, in a tie that only a high derivative decides, is crossed when it has fallen enough to tell.
    pub(crate) fn crossing(self, field: &Field, from: &[f64], step: &impl Step) -> Option<(f64, Self)> {
        let start = self.value(field, from);
        let margin = if start > 0.0 { self.margin } else { self.margin + start - self.crossed };
        let watch = Self { margin, ..self };
        watch.first_zero(field, from, step).map(|theta| (theta, watch))
    }

    fn first_zero(&self, field: &Field, from: &[f64], step: &impl Step) -> Option<f64> {
        let at = |theta: f64| self.along(field, step, theta);
        let ends = [self.value(field, from), at(0.5), self.value(field, step.end())];
        let low = ends.iter().copied().fold(f64::INFINITY, f64::min);
        let high = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if low > 2.0 * (high - low) {
            return None; // far from the boundary, and going nowhere near
        }
        let samples = [(0.0, ends[0]), (0.25, at(0.25)), (0.5, ends[1]), (0.75, at(0.75)), (1.0, ends[2])];
        let dip =
            samples.windows(3).filter_map(|three| self.dip(field, step, [three[0], three[1], three[2]]));
        let mut points: Vec<(f64, f64)> = samples.into_iter().chain(dip).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let beyond = points.iter().position(|point| point.1 < -self.crossed)?;
        let inside = points[..beyond].iter().rposition(|point| point.1 > 0.0)?;
        Some(bisect(at, points[inside].0, points[inside + 1].0))
    }

    /// The lowest point between three samples, if a parabola through them suggests that it is below zero: a double
    /// crossing leaves no trace at the ends of a step.
    fn dip(&self, field: &Field, step: &impl Step, samples: [(f64, f64); 3]) -> Option<(f64, f64)> {
        let [(a, fa), (b, fb), (c, fc)] = samples;
        let (left, right) = (fb - fa, fc - fb);
        let curvature = right - left;
        if curvature <= 0.0 || fa.min(fb).min(fc) <= 0.0 {
            return None;
        }
        let vertex = 0.5 * (a + b) - left / curvature * (b - a);
        let lowest = fb - (left + right).powi(2) / (8.0 * curvature);
        if !(a < vertex && vertex < c) || lowest > 0.5 * fb {
            return None;
        }
        let (mut low, mut high) = (a, c);
        for _ in 0..40 {
            let (first, second) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if self.along(field, step, first) < self.along(field, step, second) {
                high = second;
            } else {
                low = first;
            }
        }
        let middle = 0.5 * (low + high);
        Some((middle, self.along(field, step, middle)))
    }
}

/// The guards that can end the field's regime.
pub(crate) fn guards(field: &Field) -> impl Iterator<Item = Guard> + use<> {
    let cold = match field.regime.cold {
        Pool::Open => Guard::ColdPoolEmpties,
        Pool::Empty => Guard::ColdPoolRefills,
    };
    let below = field.threshold().map(|_| match field.regime.below_threshold {
        Pool::Open => Guard::BelowThresholdEmpties,
        Pool::Empty => Guard::BelowThresholdRefills,
    });
    [Some(cold), below, field.piece.map(|_| Guard::ScalingKink)].into_iter().flatten()
}

/// What a guard's function is measured by: its rounding at `z` is 1e-16 of it. Pools of warm servers are part of the
/// warm ones, and a pool of idle servers that expire fast is small.
pub(crate) fn scale(guard: Guard, field: &Field, z: &[f64]) -> f64 {
    match guard {
        Guard::ColdPoolEmpties | Guard::ArrivalRateStep => 1.0,
        Guard::ColdPoolRefills => {
            let slope = field.starting_slope(z);
            1.0 + field.arrival_rate * slope.warming.abs()
                + slope.one_job.abs()
                + slope.warm.abs()
                + slope.initializing.abs()
        }
        Guard::BelowThresholdRefills | Guard::ScalingKink => 1.0 + field.arrival_rate,
        Guard::BelowThresholdEmpties => {
            let fast = if field.threshold() == Some(0) { field.rates.expiration().max(1.0) } else { 1.0 };
            tail(z, 0).clamp(f64::MIN_POSITIVE, 1.0) / fast
        }
    }
}

/// So much below the threshold is nearly nothing.
pub(crate) fn nearly_empty(z: &[f64]) -> f64 {
    NEARLY_EMPTY * tail(z, 0).clamp(f64::MIN_POSITIVE, 1.0)
}

/// Whether a pool that holds `held` and empties by `guard` is empty.
pub(crate) fn is_empty(guard: Guard, held: f64, field: &Field, z: &[f64]) -> bool {
    held <= EMPTY * scale(guard, field, z)
}

/// The guard's function: positive while the regime that it ends holds.
pub(crate) fn value(guard: Guard, field: &Field, z: &[f64]) -> f64 {
    let d = field.threshold().unwrap_or(0);
    match guard {
        Guard::ColdPoolEmpties => field.cold(z),
        Guard::ColdPoolRefills => field.starting(z).max(0.0) - field.expiring(z), // a piece goes on below 0
        Guard::BelowThresholdEmpties => field.below_threshold(z, d),
        Guard::BelowThresholdRefills => field.arrival_rate - field.need(z, d),
        Guard::ScalingKink => field.room_in_piece(z),
        Guard::ArrivalRateStep => f64::INFINITY,
    }
}

/// Where `f`, positive at `low` and not at `high`, reaches zero, to rounding.
fn bisect(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    while high - low > 1e-14 {
        let middle = 0.5 * (low + high);
        if f(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}
