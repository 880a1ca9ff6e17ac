//! RODAS, a stiffly accurate Rosenbrock method of order 4(3), for stiff stretches: few warm servers, or few at or
//! below the threshold, that are filled much faster than they serve, or servers that start or expire fast.

use super::{Step, add_multiples, scaled};
use crate::Tolerances;
use crate::field::{Field, IDLE, INITIALIZING, WARM};
use crate::matrix::{Factored, Jacobian};

/// # Source
/// E. Hairer, G. Wanner, *Solving Ordinary Differential Equations II*, section IV.7 (RODAS).
const GAMMA: f64 = 0.25;

const A: [&[f64]; 5] = [
    &[1.544],
    &[0.9466785280815826, 0.2557011698983284],
    &[3.314825187068521, 2.896124015972201, 0.9986419139977817],
    &[1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895],
    &[1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895, 1.0],
];

const C: [&[f64]; 5] = [
    &[-5.6688],
    &[-2.430093356833875, -0.2063599157091915],
    &[-0.1073529058151375, -9.594562251023355, -20.47028614809616],
    &[7.496443313967647, -10.24680431464352, -33.99990352819905, 11.7089089320616],
    &[8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054],
];

/// Weights of the third-order interpolant.
const D: [[f64; 5]; 2] = [
    [10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823, 1.025137723295662],
    [-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386, -6.594389125716872],
];

/// RODAS.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rodas {
    from: Vec<f64>,
    end: Vec<f64>,
    u: [Vec<f64>; 6],
    stage: Vec<f64>,
    jacobian: Jacobian,
    factored: Factored,
    evaluations: usize,
}

impl Step for Rodas {
    const EXPONENT: f64 = 0.25;

    fn attempt(&mut self, field: &Field, from: &[f64], h: f64, tolerances: &Tolerances) -> f64 {
        let n = from.len();
        self.from.clear();
        self.from.extend_from_slice(from);
        self.stage.resize(n, 0.0);
        field.jacobian(from, &mut self.jacobian);
        let shift = 1.0 / (h * GAMMA);
        if !self.factored.factor(shift, &self.jacobian) {
            return f64::INFINITY;
        }
        for s in 0..6 {
            let (done, rest) = self.u.split_at_mut(s);
            let u = &mut rest[0];
            u.clear();
            u.resize(n, 0.0);
            self.stage.copy_from_slice(from);
            if s > 0 {
                add_multiples(&mut self.stage, 1.0, A[s - 1], done);
            }
            field.drift(&self.stage, u);
            if s > 0 {
                add_multiples(u, 1.0 / h, C[s - 1], done);
            }
            let own = [u[INITIALIZING], u[IDLE]];
            u[IDLE] += u[WARM + 1]; // to tails
            self.factored.solve(u);
            field.own_rows(from, shift, own, u);
        }
        self.evaluations += 6;
        let correction = &self.u[5];
        self.end.clear();
        self.end.extend(self.stage.iter().zip(correction).map(|(stage, correction)| stage + correction));
        scaled(field, correction, from, &self.end, tolerances)
    }

    fn end(&self) -> &[f64] {
        &self.end
    }

    fn component(&self, theta: f64, i: usize) -> f64 {
        let combined =
            |weights: &[f64; 5]| -> f64 { weights.iter().zip(&self.u).map(|(d, u)| d * u[i]).sum() };
        let rest = 1.0 - theta;
        let bend = combined(&D[0]) + theta * combined(&D[1]);
        self.from[i] * rest + theta * (self.end[i] + rest * bend)
    }

    fn evaluations(&self) -> usize {
        self.evaluations
    }
}

#[cfg(test)]
mod tests {
    use super::Rodas;
    use crate::step::tests::{assert_dense_order, assert_order};

    #[test]
    fn order_is_four() {
        assert_order::<Rodas>(4.0);
    }

    #[test]
    fn interpolant_has_order_three() {
        assert_dense_order::<Rodas>(4.0);
    }
}
