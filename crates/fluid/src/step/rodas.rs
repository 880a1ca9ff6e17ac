//! Rodas5P, a stiffly accurate Rosenbrock method of order 5(4), for stiff stretches: few warm servers, or few at or
//! below the threshold, that are filled much faster than they serve, or servers that start or expire fast.

use super::{Step, add_multiples, scaled};
use crate::Tolerances;
use crate::field::{Field, IDLE, INITIALIZING, WARM};
use crate::matrix::{Factored, Jacobian};

/// # Source
/// G. Steinebach, *Construction of Rosenbrock-Wanner method Rodas5P and numerical benchmarks within the Julia
/// Differential Equations package*, BIT Numerical Mathematics 63, 2023.
const GAMMA: f64 = 0.21193756319429014;

const STAGES: usize = 8;

/// The last two rows are the one before, each with another one.
const A: [&[f64]; STAGES - 1] = [
    &[3.0],
    &[2.849394379747939, 0.45842242204463923],
    &[-6.954028509809101, 2.489845061869568, -10.358996098473584],
    &[2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641],
    &[-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946],
    &[
        -7.502846399306121,
        2.561846144803919,
        -11.627539656261098,
        -0.18268767659942256,
        0.030198172008377946,
        1.0,
    ],
    &[
        -7.502846399306121,
        2.561846144803919,
        -11.627539656261098,
        -0.18268767659942256,
        0.030198172008377946,
        1.0,
        1.0,
    ],
];

const C: [&[f64]; STAGES - 1] = [
    &[-14.155112264123755],
    &[-17.97296035885952, -2.859693295451294],
    &[147.12150275711716, -1.41221402718213, 71.68940251302358],
    &[165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306],
    &[24.854864614690072, -3.0009227002832186, 47.4931110020768, 5.5814197821558125, -0.6610691825249471],
    &[
        30.91273214028599,
        -3.1208243349937974,
        77.79954646070892,
        34.28646028294783,
        -19.097331116725623,
        -28.087943162872662,
    ],
    &[
        37.80277123390563,
        -3.2571969029072276,
        112.26918849496327,
        66.9347231244047,
        -40.06618937091002,
        -54.66780262877968,
        -9.48861652309627,
    ],
];

/// Weights of the fourth-order interpolant.
const D: [[f64; STAGES]; 3] = [
    [
        25.948786856663858,
        -2.5579724845846235,
        10.433815404888879,
        -2.3679251022685204,
        0.524948541321073,
        1.1241088310450404,
        0.4272876194431874,
        -0.17202221070155493,
    ],
    [
        -9.91568850695171,
        -0.9689944594115154,
        3.0438037242978453,
        -24.495224566215796,
        20.176138334709044,
        15.98066361424651,
        -6.789040303419874,
        -6.710236069923372,
    ],
    [
        11.419903575922262,
        2.8879645146136994,
        72.92137995996029,
        80.12511834622643,
        -52.072871366152654,
        -59.78993625266729,
        -0.15582684282751913,
        4.883087185713722,
    ],
];

/// Rodas5P.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rodas {
    from: Vec<f64>,
    end: Vec<f64>,
    u: [Vec<f64>; STAGES],
    stage: Vec<f64>,
    jacobian: Jacobian,
    factored: Factored,
    evaluations: usize,
}

impl Step for Rodas {
    const EXPONENT: f64 = 0.2;

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
        for s in 0..STAGES {
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
        self.evaluations += STAGES;
        let correction = &self.u[STAGES - 1];
        self.end.clear();
        self.end.extend(self.stage.iter().zip(correction).map(|(stage, correction)| stage + correction));
        scaled(field, correction, from, &self.end, tolerances)
    }

    fn end(&self) -> &[f64] {
        &self.end
    }

    fn component(&self, theta: f64, i: usize) -> f64 {
        let combined =
            |weights: &[f64; STAGES]| -> f64 { weights.iter().zip(&self.u).map(|(d, u)| d * u[i]).sum() };
        let rest = 1.0 - theta;
        let bend = combined(&D[0]) + theta * (combined(&D[1]) + theta * combined(&D[2]));
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
    fn order_is_five() {
        assert_order::<Rodas>(5.0, 64);
    }

    #[test]
    fn interpolant_has_order_four() {
        assert_dense_order::<Rodas>(5.0, 0.05);
    }
}
