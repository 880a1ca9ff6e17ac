//! Theorem 3's condition on the scaling rule.

use crate::field::Field;
use alba_model::{Observation, ScalingRule};

/// Whether `g > 0` exactly where `lambda > x[1,2] + beta x01`: under JIQ this makes `x*`, where nobody waits and no
/// server is idle, attract every start.
///
/// # Source
/// Theorem 3.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Optimality {
    /// At every state tried.
    Met,
    /// Not at this one.
    Violated(Counterexample),
}

/// A state at which the rule does not do what Theorem 3 asks; what is left of one is cold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Counterexample {
    /// `x01`.
    pub initializing: f64,
    /// `x02`.
    pub idle: f64,
    /// `x[1,2]`.
    pub one_job: f64,
    /// `x[2,2]`.
    pub two_jobs: f64,
    /// `lambda - x[1,2] - beta x01`.
    pub shortage: f64,
    /// What the rule does there.
    pub scaling_probability: f64,
}

/// Tries the states whose fractions are multiples of 1/10 of all servers, and multiples of 1/10 of `lambda`: those at
/// which the shortage is zero are among them.
pub(super) fn check(field: &Field, rule: &ScalingRule) -> Optimality {
    const PARTS: u32 = 10;
    let lambda = field.arrival_rate;
    let violated = |whole: f64, [initializing, idle, one_job, two_jobs]: [u32; 4]| {
        let share = |parts: u32| whole * f64::from(parts) / f64::from(PARTS);
        let (x01, one_job) = (share(initializing), share(one_job));
        let warming = field.rates.initialization() * x01;
        let warm = share(idle) + one_job + share(two_jobs);
        let seen = Observation { demand: lambda, initializing: x01, warming, one_job, warm };
        let scaling_probability = rule.probability(&seen);
        let shortage = lambda - one_job - warming;
        let rounding = 1e-12;
        let wrong =
            if shortage > rounding { scaling_probability <= 0.0 } else { scaling_probability > rounding };
        wrong.then_some(Counterexample {
            initializing: x01,
            idle: share(idle),
            one_job,
            two_jobs: share(two_jobs),
            shortage,
            scaling_probability,
        })
    };
    let states = (0..=PARTS).flat_map(move |a| {
        (0..=PARTS - a).flat_map(move |b| {
            (0..=PARTS - a - b).flat_map(move |c| (0..=PARTS - a - b - c).map(move |e| [a, b, c, e]))
        })
    });
    let mut all = states.flat_map(|parts| [(lambda.min(1.0), parts), (1.0, parts)]);
    all.find_map(|(whole, parts)| violated(whole, parts)).map_or(Optimality::Met, Optimality::Violated)
}
