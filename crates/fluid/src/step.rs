//! One step of a one-step method, with its error estimate and an interpolant.

mod dormand_prince;
mod rodas;

pub(crate) use dormand_prince::DormandPrince;
pub(crate) use rodas::Rodas;

use crate::Tolerances;
use crate::field::Field;

/// A one-step method for `z' = field(z)`.
pub(crate) trait Step {
    /// Exponent of the step-size controller: 1 / (order of the error estimate + 1).
    const EXPONENT: f64;

    /// Tries a step of length `h` from `from`; returns the error estimate relative to the tolerances (accept if at
    /// most 1), infinite where the step cannot be made.
    fn attempt(&mut self, field: &Field, from: &[f64], h: f64, tolerances: &Tolerances) -> f64;

    /// The state at the end of the step tried last.
    fn end(&self) -> &[f64];

    /// Component `i` at fraction `theta` of the step tried last.
    fn component(&self, theta: f64, i: usize) -> f64;

    /// The whole state at fraction `theta` of the step tried last.
    fn state(&self, theta: f64, into: &mut Vec<f64>) {
        into.clear();
        into.extend((0..self.end().len()).map(|i| self.component(theta, i)));
    }

    /// Takes the end of the step tried last as the next start; its interpolant lasts until the next attempt.
    fn accept(&mut self) {}

    /// The field or the state has changed: what is remembered of the last step is void.
    fn restart(&mut self) {}

    /// Evaluations of the drift so far.
    fn evaluations(&self) -> usize;
}

/// Largest component of `error` in units of the tolerance; infinite if one is not a number.
fn scaled(field: &Field, error: &[f64], from: &[f64], to: &[f64], tolerances: &Tolerances) -> f64 {
    let (relative, absolute) = (tolerances.relative(), tolerances.absolute());
    let worth = field.worth(from);
    let sizes = from.iter().zip(to).enumerate().map(|(i, (from, to))| {
        let worth = &worth[i.min(worth.len() - 1)];
        absolute * worth.part + relative * from.abs().max(to.abs()).max(worth.least) + worth.rounding
    });
    // `f64::max` drops what is not a number.
    let larger = |largest: f64, scaled: f64| if scaled <= largest { largest } else { scaled };
    let largest = error.iter().zip(sizes).map(|(error, size)| error.abs() / size).fold(0.0, larger);
    if largest.is_nan() { f64::INFINITY } else { largest }
}

/// `to += scale sum_j weights_j vectors_j`.
fn add_multiples(to: &mut [f64], scale: f64, weights: &[f64], vectors: &[Vec<f64>]) {
    for (weight, vector) in weights.iter().zip(vectors).filter(|(weight, _)| **weight != 0.0) {
        let factor = scale * weight;
        to.iter_mut().zip(vector).for_each(|(to, vector)| *to += factor * vector);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::field::Starts;
    use crate::{Pool, Regime};
    use alba_model::{Dispatch, Rates, ScalingRule};

    fn power_of_two() -> Field {
        Field {
            rates: Rates::new(0.05, 0.1, 0.025).unwrap(),
            dispatch: Dispatch::power_of_d(2).unwrap(),
            starts: Starts::AtScalingTimes(ScalingRule::blind(0.06).unwrap()),
            limit: None,
            arrival_rate: 0.7,
            regime: Regime::INTERIOR,
            piece: None,
        }
    }

    fn integrate(step: &mut impl Step, steps: usize) -> Vec<f64> {
        let mut z: Vec<f64> = (0..14).map(|i| 0.75 * 0.6f64.powi(i)).collect();
        (z[0], z[1]) = (0.1, z[1] - z[2]);
        let loose = Tolerances::new(0.1, 0.1).unwrap();
        for _ in 0..steps {
            step.attempt(&power_of_two(), &z, 4.0 / steps as f64, &loose);
            z = step.end().to_vec();
            step.accept();
        }
        z
    }

    fn distance(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    /// Halving the step, from so many `steps` on, divides the error by `2^order`, or by more while this problem's errors are
    /// superconvergent.
    pub(super) fn assert_order<S: Step + Default>(order: f64, steps: usize) {
        let reference = integrate(&mut DormandPrince::default(), 512);
        let error = |steps| distance(&integrate(&mut S::default(), steps), &reference);
        let observed = (error(steps) / error(2 * steps)).log2();
        assert!(observed > order - 0.2, "observed order {observed}");
    }

    /// Halving the step, from `h` on, divides the error of the interpolant at mid-step by about `2^order`.
    pub(super) fn assert_dense_order<S: Step + Default>(order: f64, h: f64) {
        let loose = Tolerances::new(0.1, 0.1).unwrap();
        let start = integrate(&mut DormandPrince::default(), 64);
        let error = |h: f64| {
            let (mut whole, mut fine) = (S::default(), start.clone());
            whole.attempt(&power_of_two(), &start, h, &loose);
            let mut middle = Vec::new();
            whole.state(0.4, &mut middle);
            let mut step = DormandPrince::default();
            for _ in 0..16 {
                step.attempt(&power_of_two(), &fine, 0.4 * h / 16.0, &loose);
                fine = step.end().to_vec();
                step.accept();
            }
            distance(&middle, &fine)
        };
        let observed = (error(h) / error(h / 2.0)).log2();
        assert!(observed > order - 0.2, "observed order {observed}");
    }

    #[test]
    fn a_step_that_cannot_be_made_is_infinitely_wrong() {
        let mut empty = power_of_two();
        empty.regime.below_threshold = Pool::Open;
        let z = vec![0.0; 6]; // no warm server: 0/0 in the drift
        let tolerances = Tolerances::default();
        assert_eq!(DormandPrince::default().attempt(&empty, &z, 0.1, &tolerances), f64::INFINITY);
        assert_eq!(Rodas::default().attempt(&empty, &z, 0.1, &tolerances), f64::INFINITY);
    }
}
