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
    /// Of the tridiagonal part: multipliers, one over the pivots, and the upper diagonal over the pivots.
    multiplier: Vec<f64>,
    inverse: Vec<f64>,
    upper: Vec<f64>,
    /// `(shift I - T)^-1 of_k`, side by side.
    solved: Vec<[f64; COUPLINGS]>,
    /// The few entries of `by_k` that are not zero.
    by: [Vec<(usize, f64)>; COUPLINGS],
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
        let mut solved = std::mem::take(&mut self.solved);
        solved.clear();
        solved.resize(jacobian.diagonal.len(), [0.0; COUPLINGS]);
        for (k, coupling) in jacobian.couplings[..self.used].iter().enumerate() {
            solved.iter_mut().zip(&coupling.of).for_each(|(row, of)| row[k] = *of);
            self.by[k].clear();
            self.by[k].extend(coupling.by.iter().copied().enumerate().filter(|(_, by)| *by != 0.0));
        }
        self.solve_tridiagonal(&mut solved);
        self.solved = solved;
        for row in 0..self.used {
            for column in 0..self.used {
                let product: f64 = self.by[row].iter().map(|&(i, by)| by * self.solved[i][column]).sum();
                small[(row, column)] -= product;
            }
        }
        let inverse = small.try_inverse();
        self.small = inverse.unwrap_or_default();
        inverse.is_some() && self.inverse.iter().all(|inverse| inverse.is_finite())
    }

    fn factor_tridiagonal(&mut self, shift: f64, jacobian: &Jacobian) {
        let n = jacobian.diagonal.len();
        self.multiplier.clear();
        self.multiplier.resize(n, 0.0);
        self.inverse.clear();
        self.inverse.resize(n, 0.0);
        self.upper.clear();
        self.upper.resize(n, 0.0);
        // Without pivoting: columns of `shift I - T` are diagonally dominant, since what leaves a level enters a
        // neighbour.
        for row in 0..n {
            let mut pivot = shift - jacobian.diagonal[row];
            if row > 0 {
                self.multiplier[row] = -jacobian.lower[row] * self.inverse[row - 1];
                pivot += self.multiplier[row] * jacobian.upper[row - 1];
            }
            self.inverse[row] = 1.0 / pivot;
            self.upper[row] = -jacobian.upper[row] * self.inverse[row];
        }
    }

    /// Several right-hand sides at once: each alone waits for its own last row.
    fn solve_tridiagonal<const SIDES: usize>(&self, b: &mut [[f64; SIDES]]) {
        let mut before = [0.0; SIDES];
        for (b, multiplier) in b.iter_mut().zip(&self.multiplier) {
            b.iter_mut().zip(&before).for_each(|(b, before)| *b -= multiplier * before);
            before = *b;
        }
        let mut next = [0.0; SIDES];
        for (b, (inverse, upper)) in b.iter_mut().zip(self.inverse.iter().zip(&self.upper)).rev() {
            b.iter_mut().zip(&next).for_each(|(b, next)| *b = *b * inverse - upper * next);
            next = *b;
        }
    }

    /// Overwrites `b` by the solution.
    pub(crate) fn solve(&self, b: &mut [f64]) {
        self.solve_tridiagonal(b.as_chunks_mut::<1>().0);
        let mut projected = SVector::<f64, COUPLINGS>::zeros();
        for (projected, by) in projected.iter_mut().zip(&self.by[..self.used]) {
            *projected = by.iter().map(|&(i, by)| by * b[i]).sum();
        }
        let weights = self.small * projected;
        for (b, solved) in b.iter_mut().zip(&self.solved) {
            *b += solved.iter().zip(&weights).map(|(solved, weight)| weight * solved).sum::<f64>();
        }
    }
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
