//! Jacobians of the fluid model: a tridiagonal matrix plus a few rank-one couplings.

use nalgebra::{SMatrix, SVector};

/// The most rank-one couplings that a regime's Jacobian has.
const COUPLINGS: usize = 4;

/// A rank-one matrix `of by^T`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Coupling {
    pub(crate) of: Vec<f64>,
    pub(crate) by: Vec<f64>,
}

/// A square matrix `T + sum_k of_k by_k^T` with tridiagonal `T`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Jacobian {
    lower: Vec<f64>,
    diagonal: Vec<f64>,
    upper: Vec<f64>,
    couplings: [Coupling; COUPLINGS],
    used: usize,
}

impl Jacobian {
    /// Becomes the zero matrix of order `n`.
    pub(crate) fn clear(&mut self, n: usize) {
        for band in [&mut self.lower, &mut self.diagonal, &mut self.upper] {
            band.clear();
            band.resize(n, 0.0);
        }
        self.used = 0;
    }

    /// Sets an entry of the tridiagonal part.
    pub(crate) fn set(&mut self, row: usize, column: usize, value: f64) {
        *self.band(row, column) = value;
    }

    /// Adds to an entry of the tridiagonal part.
    pub(crate) fn add(&mut self, row: usize, column: usize, value: f64) {
        *self.band(row, column) += value;
    }

    fn band(&mut self, row: usize, column: usize) -> &mut f64 {
        match column as isize - row as isize {
            -1 => &mut self.lower[row],
            0 => &mut self.diagonal[row],
            offset => {
                debug_assert_eq!(offset, 1);
                &mut self.upper[row]
            }
        }
    }

    /// A new rank-one coupling, zero at first. At most four.
    pub(crate) fn couple(&mut self) -> &mut Coupling {
        let (n, index) = (self.diagonal.len(), self.used);
        self.used += 1;
        let coupling = &mut self.couplings[index];
        for side in [&mut coupling.of, &mut coupling.by] {
            side.clear();
            side.resize(n, 0.0);
        }
        coupling
    }

    /// The entry in `row` and `column`.
    pub(crate) fn entry(&self, row: usize, column: usize) -> f64 {
        let band = match column as isize - row as isize {
            -1 => self.lower[row],
            0 => self.diagonal[row],
            1 => self.upper[row],
            _ => 0.0,
        };
        band + self.couplings[..self.used].iter().map(|c| c.of[row] * c.by[column]).sum::<f64>()
    }
}

/// `shift I - J`, factored: the tridiagonal part by elimination, the couplings by the Woodbury identity.
#[derive(Debug, Clone, Default)]
pub(crate) struct Factored {
    /// Multipliers, pivots and upper diagonal of the tridiagonal part.
    multiplier: Vec<f64>,
    pivot: Vec<f64>,
    upper: Vec<f64>,
    /// `(shift I - T)^-1 of_k`.
    solved: [Vec<f64>; COUPLINGS],
    by: [Vec<f64>; COUPLINGS],
    used: usize,
    /// `(I - by^T solved)^-1`.
    small: SMatrix<f64, COUPLINGS, COUPLINGS>,
}

impl Factored {
    /// Factors `shift I - jacobian`; false if it is singular.
    pub(crate) fn factor(&mut self, shift: f64, jacobian: &Jacobian) -> bool {
        self.factor_tridiagonal(shift, jacobian);
        self.used = jacobian.used;
        let mut small = SMatrix::<f64, COUPLINGS, COUPLINGS>::identity();
        for (k, coupling) in jacobian.couplings[..self.used].iter().enumerate() {
            let mut solved = std::mem::take(&mut self.solved[k]);
            solved.clone_from(&coupling.of);
            self.solve_tridiagonal(&mut solved);
            self.solved[k] = solved;
            self.by[k].clone_from(&coupling.by);
        }
        for row in 0..self.used {
            for column in 0..self.used {
                small[(row, column)] -= dot(&self.by[row], &self.solved[column]);
            }
        }
        let inverse = small.try_inverse();
        self.small = inverse.unwrap_or_default();
        inverse.is_some() && self.pivot.iter().all(|pivot| *pivot != 0.0)
    }

    fn factor_tridiagonal(&mut self, shift: f64, jacobian: &Jacobian) {
        let n = jacobian.diagonal.len();
        self.multiplier.clear();
        self.multiplier.resize(n, 0.0);
        self.pivot.clear();
        self.pivot.extend(jacobian.diagonal.iter().map(|diagonal| shift - diagonal));
        self.upper.clear();
        self.upper.extend(jacobian.upper.iter().map(|upper| -upper));
        // Without pivoting: columns of `shift I - T` are diagonally dominant, since what leaves a level enters a
        // neighbour.
        for row in 1..n {
            self.multiplier[row] = -jacobian.lower[row] / self.pivot[row - 1];
            self.pivot[row] -= self.multiplier[row] * self.upper[row - 1];
        }
    }

    fn solve_tridiagonal(&self, b: &mut [f64]) {
        for row in 1..b.len() {
            b[row] -= self.multiplier[row] * b[row - 1];
        }
        let mut next = 0.0;
        for row in (0..b.len()).rev() {
            next = (b[row] - self.upper[row] * next) / self.pivot[row];
            b[row] = next;
        }
    }

    /// Overwrites `b` by the solution.
    pub(crate) fn solve(&self, b: &mut [f64]) {
        self.solve_tridiagonal(b);
        let mut projected = SVector::<f64, COUPLINGS>::zeros();
        for k in 0..self.used {
            projected[k] = dot(&self.by[k], b);
        }
        let weights = self.small * projected;
        for k in 0..self.used {
            b.iter_mut().zip(&self.solved[k]).for_each(|(b, solved)| *b += weights[k] * solved);
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn solves(values in prop::collection::vec(0.1f64..1.0, 60), shift in 3.0f64..9.0) {
            let n = 7;
            let mut value = values.into_iter().cycle();
            let mut next = || value.next().unwrap();
            let mut jacobian = Jacobian::default();
            jacobian.clear(n);
            for row in 0..n {
                jacobian.set(row, row, -next());
                if row > 0 {
                    jacobian.set(row, row - 1, next());
                    jacobian.set(row - 1, row, next());
                }
            }
            for _ in 0..2 {
                let coupling = jacobian.couple();
                coupling.of.iter_mut().for_each(|entry| *entry = 0.1 * next());
                coupling.by.iter_mut().for_each(|entry| *entry = next());
            }
            let expected: Vec<f64> = (0..n).map(|_| next()).collect();
            let mut b: Vec<f64> = (0..n)
                .map(|row| {
                    let product: f64 = (0..n).map(|column| jacobian.entry(row, column) * expected[column]).sum();
                    shift * expected[row] - product
                })
                .collect();
            let mut factored = Factored::default();
            prop_assert!(factored.factor(shift, &jacobian));
            factored.solve(&mut b);
            for (solved, expected) in b.iter().zip(&expected) {
                prop_assert!((solved - expected).abs() < 1e-9);
            }
        }
    }
}
