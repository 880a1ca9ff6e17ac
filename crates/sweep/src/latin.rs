//! Latin hypercubes: few points that still cover every axis evenly.

use super::axis::{Key, Source};
use alba_scenario::tree::Node;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// `samples` points: each axis is cut into as many equal parts, and each part of each axis has one point.
///
/// # Source
/// M. D. McKay, R. J. Beckman, W. J. Conover, Technometrics 21 (1979) 239-245.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LatinHypercube {
    pub(super) keys: Vec<Key>,
    sources: Vec<Source>,
    /// Share of the way along each axis, sample by sample.
    shares: Vec<Vec<f64>>,
}

impl LatinHypercube {
    /// Axis number `k` draws from a stream keyed by (`seed`, `k`): another axis changes none of the others.
    pub(super) fn new(keys: Vec<Key>, sources: Vec<Source>, samples: u64, seed: u64) -> Self {
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut shares = Vec::with_capacity(sources.len());
        for _ in &sources {
            shares.push(column(samples, &mut stream.clone()));
            stream.long_jump();
        }
        Self { keys, sources, shares }
    }

    pub(super) fn len(&self) -> u64 {
        self.shares.first().map_or(0, |shares| shares.len() as u64)
    }

    pub(super) fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The value of axis number `axis` at a sample.
    pub(super) fn node(&self, axis: usize, sample: u64) -> Node {
        self.sources[axis].node(self.shares[axis][sample as usize])
    }
}

/// One number in each of `samples` equal parts of (0, 1), in random order.
fn column(samples: u64, random: &mut Xoshiro256PlusPlus) -> Vec<f64> {
    let mut shares: Vec<f64> =
        (0..samples).map(|part| (part as f64 + inside(random)) / samples as f64).collect();
    for last in (1..shares.len()).rev() {
        shares.swap(last, random.random_range(0..=last));
    }
    shares
}

/// Uniform in (0, 1), the ends excluded.
fn inside(random: &mut Xoshiro256PlusPlus) -> f64 {
    1.0 - random.random::<f64>().clamp(f64::EPSILON, 1.0 - f64::EPSILON)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(seed: u64, axis: usize) -> Vec<f64> {
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(seed);
        (0..axis).for_each(|_| stream.long_jump());
        column(100, &mut stream)
    }

    #[test]
    fn every_part_has_one_point() {
        let mut parts: Vec<usize> = shares(7, 0).iter().map(|share| (share * 100.0) as usize).collect();
        assert_ne!(parts[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        parts.sort_unstable();
        assert!(parts.into_iter().eq(0..100));
    }

    #[test]
    fn axes_and_seeds_differ_and_repeat() {
        assert_eq!(shares(7, 1), shares(7, 1));
        assert_ne!(shares(7, 1), shares(7, 0));
        assert_ne!(shares(7, 0), shares(8, 0));
        // Uncorrelated: for independent permutations of 100 parts, r has a standard deviation of 1/sqrt(99).
        let (one, other) = (shares(7, 0), shares(7, 1));
        let product: f64 = one.iter().zip(&other).map(|(a, b)| (a - 0.5) * (b - 0.5)).sum();
        let r = product / (100.0 / 12.0);
        assert!(r.abs() < 4.0 / 99f64.sqrt(), "{r}");
    }
}
