//! Dormand-Prince 5(4), for regimes that are not stiff.

use super::{Step, add_multiples, scaled};
use crate::Tolerances;
use crate::field::Field;

/// Stage weights `a_ij`; the last row gives the fifth-order solution.
///
/// # Source
/// J. R. Dormand, P. J. Prince, *A family of embedded Runge-Kutta formulae*, 1980.
const A: [&[f64]; 6] = [
    &[1.0 / 5.0],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
    &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
    &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];

/// Fifth-order minus fourth-order weights.
const E: [f64; 7] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0];

/// Weights of the fourth-order interpolant.
///
/// # Source
/// E. Hairer, S. P. Nørsett, G. Wanner, *Solving Ordinary Differential Equations I*, section II.6.
const D: [f64; 7] = [
    -12715105075.0 / 11282082432.0,
    0.0,
    87487479700.0 / 32700410799.0,
    -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0,
    -1453857185.0 / 822651844.0,
    69997945.0 / 29380423.0,
];

/// Dormand-Prince 5(4).
#[derive(Debug, Clone, Default)]
pub(crate) struct DormandPrince {
    h: f64,
    from: Vec<f64>,
    end: Vec<f64>,
    /// The seven stages; the last is the drift at the end.
    k: [Vec<f64>; 7],
    stage: Vec<f64>,
    /// Whether the drift at the start of the next step is known: it is `k[6]`, left there for the interpolant, where the last
    /// step was accepted, else `k[0]`.
    drift_known: bool,
    accepted: bool,
    evaluations: usize,
}

impl DormandPrince {
    fn prepare(&mut self, field: &Field, from: &[f64]) {
        let n = from.len();
        self.from.clear();
        self.from.extend_from_slice(from);
        for vector in self.k.iter_mut().chain([&mut self.stage, &mut self.end]) {
            vector.resize(n, 0.0);
        }
        if std::mem::take(&mut self.accepted) {
            self.k.swap(0, 6);
        }
        if !self.drift_known {
            field.drift(from, &mut self.k[0]);
            self.evaluations += 1;
            self.drift_known = true;
        }
    }
}

impl Step for DormandPrince {
    const EXPONENT: f64 = 0.2;

    fn attempt(&mut self, field: &Field, from: &[f64], h: f64, tolerances: &Tolerances) -> f64 {
        self.prepare(field, from);
        self.h = h;
        for (s, weights) in A.iter().enumerate() {
            let (done, rest) = self.k.split_at_mut(s + 1);
            let stage = if s == 5 { &mut self.end } else { &mut self.stage };
            stage.copy_from_slice(from);
            add_multiples(stage, h, weights, done);
            field.drift(stage, &mut rest[0]);
        }
        self.evaluations += A.len();
        self.stage.fill(0.0);
        add_multiples(&mut self.stage, h, &E, &self.k);
        scaled(field, &self.stage, from, &self.end, tolerances)
    }

    fn end(&self) -> &[f64] {
        &self.end
    }

    fn component(&self, theta: f64, i: usize) -> f64 {
        let (h, k) = (self.h, &self.k);
        let difference = self.end[i] - self.from[i];
        let bend = h * k[0][i] - difference;
        let fourth: f64 = h * D.iter().zip(k).map(|(d, k)| d * k[i]).sum::<f64>();
        let rest = 1.0 - theta;
        let third = difference - h * k[6][i] - bend;
        self.from[i] + theta * (difference + rest * (bend + theta * (third + rest * fourth)))
    }

    fn accept(&mut self) {
        self.accepted = true;
        self.drift_known = true;
    }

    fn restart(&mut self) {
        self.drift_known = false;
    }

    fn evaluations(&self) -> usize {
        self.evaluations
    }
}

#[cfg(test)]
mod tests {
    use super::DormandPrince;
    use crate::step::tests::{assert_dense_order, assert_order};

    #[test]
    fn order_is_five() {
        assert_order::<DormandPrince>(5.0, 32);
    }

    #[test]
    fn interpolant_has_order_four() {
        assert_dense_order::<DormandPrince>(5.0, 0.2);
    }
}
