//! What dispatching rules are to the fluid model: one file a rule.

mod join_below_threshold;
mod opening;
mod power_of_d;

pub(crate) use join_below_threshold::{above_threshold, saturated};
pub(crate) use opening::Opening;

use crate::FluidError;
use crate::branch::{Branch, Detail};
use crate::field::Field;
use crate::matrix::Jacobian;
use crate::problem::MOST_LEVELS;
use alba_model::Dispatch;

/// The part of the vector field that a dispatching rule decides, and what follows from it. All are in the coordinates of
/// [`Field`], in the field's regime, and continued smoothly past its boundary; some server is warm.
pub(crate) trait Rule {
    /// Adds to `drift[IDLE]` what jobs do to idle servers, and sets the drift of the tails above.
    fn drift(&self, field: &Field, z: &[f64], drift: &mut [f64]);

    /// The largest rate at which each server of the kind that jobs go to gets one; jobs arrive.
    fn stiffness(&self, field: &Field, z: &[f64]) -> f64;

    /// Adds the derivatives of the rates at which jobs join the tails from the first on.
    fn jacobian(&self, field: &Field, z: &[f64], jacobian: &mut Jacobian);

    /// The derivatives of the rate at which idle servers get jobs; jobs arrive.
    fn pull_on_idle(&self, field: &Field, z: &[f64]) -> IdlePull;

    /// Sets the second derivatives of the drift of the tails from the first on, contracted with a covariance `w` of tails.
    fn curvature(&self, field: &Field, z: &[f64], w: &dyn Fn(usize, usize) -> f64, pull: &mut [f64]);

    /// The series of the first warm servers, `since` after there were none: sets what it knows of the state after, and
    /// hands over how the other tails follow. None: it has set all. Jobs arrive.
    fn first_warm<'f>(
        &self,
        field: &'f Field,
        z: &[f64],
        since: f64,
        after: &mut [f64],
    ) -> Option<Filling<'f>>;

    /// The range of the parameter of [`Rule::branch`], up to where no cold server is left; none if there is no such branch.
    ///
    /// # Errors
    /// [`FluidError::TooManyLevels`].
    fn range(&self, field: &Field) -> Result<Option<(f64, f64)>, FluidError>;

    /// The fixed points with idle servers but for the scaling rule, by a parameter that grows with the idle ones.
    ///
    /// # Errors
    /// [`FluidError::TooManyLevels`].
    fn branch(&self, field: &Field, parameter: f64, detail: Detail) -> Result<Branch, FluidError>;

    /// The one with so many warm servers, whether some of them are idle or not.
    ///
    /// # Errors
    /// [`FluidError::NoFixedPoint`] where queues grow for ever, [`FluidError::TooManyLevels`].
    fn with_warm(&self, field: &Field, warm: f64) -> Result<Branch, FluidError>;
}

/// The rule as the fluid model has it.
pub(crate) fn rule_of(dispatch: &Dispatch) -> &dyn Rule {
    match dispatch {
        Dispatch::PowerOfD(rule) => rule,
        Dispatch::JoinBelowThreshold(rule) => rule,
    }
}

/// The derivatives of the rate at which idle servers get jobs, by `x02`, `y_1` and `y_{d+1}`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct IdlePull {
    pub(crate) own: f64,
    pub(crate) by_busy: f64,
    pub(crate) by_edge: f64,
}

/// How the first warm servers fill: tails from `first` on follow from the one below.
pub(crate) struct Filling<'f> {
    pub(crate) first: usize,
    /// The rate at which jobs find at least `i` jobs at their server, by `y_i/y_0`.
    pub(crate) flow: Box<dyn Fn(f64) -> f64 + 'f>,
}

/// Whether a rule has no branch with idle servers because too many levels would have to be known.
fn no_range(field: &Field) -> Result<Option<(f64, f64)>, FluidError> {
    match field.limit {
        Some(limit) if limit > MOST_LEVELS => Err(too_many_levels()),
        _ => Ok(None),
    }
}

fn too_many_levels() -> FluidError {
    FluidError::TooManyLevels { time: f64::INFINITY, levels: MOST_LEVELS }
}
