//! Laws of service, initialization and expiration times.

use std::sync::Arc;

use alba_replicate::Stream;
use rand::RngExt;
use rand_distr::{Exp1, StandardNormal};

use crate::ClusterError;
use crate::error::checked;

/// The distribution of a time, in mean service times.
#[derive(Debug, Clone, PartialEq)]
pub struct Law {
    shape: Shape,
    mean: f64,
    squared_variation: f64,
}

/// What it is.
#[derive(Debug, Clone, PartialEq)]
enum Shape {
    Exponential,
    Deterministic,
    /// With these probabilities, summed up, exponential with these means.
    Hyperexponential {
        up_to: Arc<[f64]>,
        means: Arc<[f64]>,
    },
    /// `exp(location + scale normal)`.
    LogNormal {
        location: f64,
        scale: f64,
    },
    /// One of these values, each as likely as the others.
    Empirical(Arc<[f64]>),
}

/// How far probabilities may be from summing to one: a typing error is larger.
const PROBABILITY_TOLERANCE: f64 = 1e-9;

impl Law {
    /// Names in scenario files.
    pub const NAMES: [&'static str; 5] =
        ["exponential", "deterministic", "hyperexponential", "log-normal", "empirical"];

    /// Exponential with mean `mean > 0`.
    ///
    /// # Errors
    /// [`ClusterError::OutOfRange`] otherwise.
    pub fn exponential(mean: f64) -> Result<Self, ClusterError> {
        Ok(Self { shape: Shape::Exponential, mean: positive("mean", mean)?, squared_variation: 1.0 })
    }

    /// Always `value >= 0`.
    ///
    /// # Errors
    /// [`ClusterError::OutOfRange`] otherwise.
    pub fn deterministic(value: f64) -> Result<Self, ClusterError> {
        let mean = checked("mean", value, "a finite number >= 0", |v| v >= 0.0)?;
        Ok(Self { shape: Shape::Deterministic, mean, squared_variation: 0.0 })
    }

    /// Two exponential branches with balanced means: mean `mean > 0`, squared coefficient of variation
    /// `squared_variation >= 1`, and half the mean comes from either branch.
    ///
    /// # Errors
    /// [`ClusterError::OutOfRange`] otherwise.
    pub fn hyperexponential(mean: f64, squared_variation: f64) -> Result<Self, ClusterError> {
        let mean = positive("mean", mean)?;
        let allowed = "a finite number >= 1";
        let squared = checked("squared_variation", squared_variation, allowed, |v| v >= 1.0)?;
        let rare = 0.5 * (1.0 - ((squared - 1.0) / (squared + 1.0)).sqrt());
        let branches = [(1.0 - rare, mean / (2.0 * (1.0 - rare))), (rare, mean / (2.0 * rare))];
        Self::branches(&branches)
    }

    /// With each probability an exponential time of that mean: pairs (probability, mean), means > 0.
    ///
    /// # Errors
    /// [`ClusterError::OutOfRange`] for a probability or a mean, [`ClusterError::Probabilities`] unless they sum to one.
    pub fn branches(branches: &[(f64, f64)]) -> Result<Self, ClusterError> {
        let (mut sum, mut mean, mut second) = (0.0, 0.0, 0.0);
        let mut up_to = Vec::with_capacity(branches.len());
        for &(probability, branch) in branches {
            let allowed = "a number from 0 to 1";
            checked("probability", probability, allowed, |v| (0.0..=1.0).contains(&v))?;
            positive("mean", branch)?;
            sum += probability;
            mean += probability * branch;
            second += 2.0 * probability * branch * branch;
            up_to.push(sum);
        }
        if (sum - 1.0).abs() > PROBABILITY_TOLERANCE {
            return Err(ClusterError::Probabilities { sum });
        }
        let means = branches.iter().map(|branch| branch.1).collect();
        let shape = Shape::Hyperexponential { up_to: up_to.into(), means };
        Ok(Self { shape, mean, squared_variation: second / (mean * mean) - 1.0 })
    }

    /// Log-normal with mean `mean > 0` and squared coefficient of variation `squared_variation >= 0`.
    ///
    /// # Errors
    /// [`ClusterError::OutOfRange`] otherwise.
    pub fn log_normal(mean: f64, squared_variation: f64) -> Result<Self, ClusterError> {
        let mean = positive("mean", mean)?;
        let allowed = "a finite number >= 0";
        let squared_variation = checked("squared_variation", squared_variation, allowed, |v| v >= 0.0)?;
        let variance = squared_variation.ln_1p();
        let shape = Shape::LogNormal { location: mean.ln() - 0.5 * variance, scale: variance.sqrt() };
        Ok(Self { shape, mean, squared_variation })
    }

    /// One of `values`, each as likely as the others; at least one, all >= 0, not all 0.
    ///
    /// # Errors
    /// [`ClusterError::OutOfRange`] for a value, [`ClusterError::NoValues`] for none but zeros.
    pub fn empirical(values: Vec<f64>) -> Result<Self, ClusterError> {
        for &value in &values {
            checked("value", value, "a finite number >= 0", |v| v >= 0.0)?;
        }
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        if values.is_empty() || mean <= 0.0 {
            return Err(ClusterError::NoValues { count: values.len() });
        }
        let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count;
        let squared_variation = variance / (mean * mean);
        Ok(Self { shape: Shape::Empirical(values.into()), mean, squared_variation })
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The squared coefficient of variation: variance over squared mean.
    pub fn squared_variation(&self) -> f64 {
        self.squared_variation
    }

    /// Its name in scenario files.
    pub fn name(&self) -> &'static str {
        match self.shape {
            Shape::Exponential => Self::NAMES[0],
            Shape::Deterministic => Self::NAMES[1],
            Shape::Hyperexponential { .. } => Self::NAMES[2],
            Shape::LogNormal { .. } => Self::NAMES[3],
            Shape::Empirical(_) => Self::NAMES[4],
        }
    }

    /// Whether all times are equal.
    pub(crate) fn is_constant(&self) -> bool {
        matches!(self.shape, Shape::Deterministic)
    }

    /// A time.
    #[inline]
    pub(crate) fn sample(&self, rng: &mut Stream) -> f64 {
        match &self.shape {
            Shape::Exponential => self.mean * rng.sample::<f64, _>(Exp1),
            Shape::Deterministic => self.mean,
            Shape::Hyperexponential { up_to, means } => {
                let uniform = rng.random::<f64>();
                // The last sum may be just below one.
                let branch = up_to.partition_point(|sum| *sum <= uniform).min(means.len() - 1);
                means[branch] * rng.sample::<f64, _>(Exp1)
            }
            Shape::LogNormal { location, scale } => {
                (location + scale * rng.sample::<f64, _>(StandardNormal)).exp()
            }
            Shape::Empirical(values) => values[rng.random_range(0..values.len())],
        }
    }
}

fn positive(name: &'static str, value: f64) -> Result<f64, ClusterError> {
    checked(name, value, "a finite number > 0", |v| v > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alba_replicate::stream;

    fn laws() -> Vec<Law> {
        vec![
            Law::exponential(2.0).unwrap(),
            Law::deterministic(0.5).unwrap(),
            Law::hyperexponential(1.5, 4.0).unwrap(),
            Law::branches(&[(0.25, 0.1), (0.5, 1.0), (0.25, 3.0)]).unwrap(),
            Law::log_normal(1.0, 2.0).unwrap(),
            Law::empirical(vec![0.0, 1.0, 5.0]).unwrap(),
        ]
    }

    /// 400,000 times a law, seed 1: mean within 4.5 standard errors; the squared variation within 4.5 of its own.
    #[test]
    fn samples_have_the_moments_that_the_law_claims() {
        for (index, law) in (0..).zip(laws()) {
            let mut rng = stream(1, index);
            let times: Vec<f64> = (0..400_000).map(|_| law.sample(&mut rng)).collect();
            let count = times.len() as f64;
            let mean = times.iter().sum::<f64>() / count;
            let squares: Vec<f64> = times.iter().map(|time| (time - law.mean()).powi(2)).collect();
            let variance = squares.iter().sum::<f64>() / count;
            let spread = squares.iter().map(|square| (square - variance).powi(2)).sum::<f64>() / count;
            let claimed = law.squared_variation() * law.mean().powi(2);
            assert!((mean - law.mean()).abs() <= 4.5 * (variance / count).sqrt() + 1e-12, "{law:?}: {mean}");
            assert!(
                (variance - claimed).abs() <= 4.5 * (spread / count).sqrt() + 1e-12,
                "{law:?}: {variance}"
            );
        }
    }

    #[test]
    fn moments_by_hand() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        let balanced = Law::hyperexponential(1.5, 4.0).unwrap();
        close(balanced.mean(), 1.5);
        close(balanced.squared_variation(), 4.0);
        let three = Law::branches(&[(0.5, 1.0), (0.5, 3.0)]).unwrap();
        close(three.mean(), 2.0);
        close(three.squared_variation(), 1.5); // second moment 1 + 9, variance 6
        let seen = Law::empirical(vec![1.0, 3.0]).unwrap();
        close(seen.mean(), 2.0);
        close(seen.squared_variation(), 0.25);
    }

    #[test]
    fn impossible_laws_are_refused() {
        assert!(Law::exponential(0.0).is_err());
        assert!(Law::deterministic(-1.0).is_err());
        assert!(Law::deterministic(0.0).is_ok());
        assert!(Law::hyperexponential(1.0, 0.9).is_err());
        assert!(Law::log_normal(1.0, f64::NAN).is_err());
        assert!(matches!(Law::branches(&[(0.5, 1.0)]), Err(ClusterError::Probabilities { .. })));
        assert!(matches!(Law::branches(&[]), Err(ClusterError::Probabilities { .. })));
        assert!(matches!(Law::empirical(vec![]), Err(ClusterError::NoValues { count: 0 })));
        assert!(matches!(Law::empirical(vec![0.0]), Err(ClusterError::NoValues { count: 1 })));
        assert!(Law::empirical(vec![1.0, f64::INFINITY]).is_err());
    }
}
