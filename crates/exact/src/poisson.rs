//! Poisson probabilities.

/// Poisson probabilities of `first..`, scaled to sum to one, and a bound on what was left out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Window {
    pub(crate) first: usize,
    pub(crate) weights: Vec<f64>,
    /// At most this probability is outside.
    pub(crate) outside: f64,
}

impl Window {
    /// Around the mode of a Poisson variable of mean `mean >= 0`, so wide that at most `outside > 0` is left out.
    ///
    /// # Source
    /// As B. L. Fox and P. W. Glynn, *Computing Poisson probabilities*, Communications of the ACM, 1988: from the
    /// mode outwards, relative to the probability there, which nothing underflows or cancels in. The tails are bounded
    /// by geometric series instead of their tables.
    pub(crate) fn new(mean: f64, outside: f64) -> Self {
        if mean <= 0.0 {
            return Self { first: 0, weights: vec![1.0], outside: 0.0 };
        }
        let mode = mean.floor();
        // Relative to the probability at the mode, the sum is at least 1.
        let (above, above_left) = side(outside / 2.0, |distance| mean / (mode + distance));
        let (mut weights, below_left) = side(outside / 2.0, |distance| (mode - distance + 1.0) / mean);
        let first = mode as usize - weights.len();
        weights.reverse();
        weights.push(1.0);
        weights.extend(above);
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= sum);
        Self { first, weights, outside: (above_left + below_left) / sum }
    }

    /// The last number that has a weight.
    pub(crate) fn last(&self) -> usize {
        self.first + self.weights.len() - 1
    }

    /// The weight of `number`, 0 outside.
    pub(crate) fn weight(&self, number: usize) -> f64 {
        number.checked_sub(self.first).and_then(|index| self.weights.get(index)).copied().unwrap_or(0.0)
    }
}

/// Weights at distance 1, 2, ... from the mode relative to the one there, each from the last by a ratio that falls with
/// the distance, until a geometric series bounds all further ones by `left`; and that bound.
fn side(left: f64, ratio: impl Fn(f64) -> f64) -> (Vec<f64>, f64) {
    let mut weights = vec![];
    let mut weight = 1.0;
    loop {
        let ratio = ratio(weights.len() as f64 + 1.0);
        if ratio <= 0.0 {
            return (weights, 0.0);
        }
        let beyond = if ratio < 1.0 { weight * ratio / (1.0 - ratio) } else { f64::INFINITY };
        if beyond <= left {
            return (weights, beyond);
        }
        weight *= ratio;
        weights.push(weight);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{Discrete, DiscreteCDF, Poisson};

    #[test]
    fn probabilities_of_statrs() {
        for mean in [1e-3, 0.5, 1.0, 7.3, 40.0, 1234.5] {
            let poisson = Poisson::new(mean).unwrap();
            let window = Window::new(mean, 1e-12);
            assert!(window.outside <= 1e-12);
            let below = if window.first > 0 { poisson.cdf(window.first as u64 - 1) } else { 0.0 };
            assert!(below + poisson.sf(window.last() as u64) <= window.outside + 1e-14);
            for number in window.first..=window.last() {
                let (got, expected) = (window.weight(number), poisson.pmf(number as u64));
                // statrs takes logarithms, which cost it four digits.
                assert!(
                    (got - expected).abs() < 1e-11 * expected + 1e-15,
                    "{mean} {number}: {got} {expected}"
                );
            }
        }
    }

    #[test]
    fn large_means_and_none() {
        let window = Window::new(1e7, 1e-12);
        assert!((window.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let mean: f64 = (window.first..).zip(&window.weights).map(|(n, weight)| n as f64 * weight).sum();
        assert!((mean - 1e7).abs() < 1e-4, "{mean}");
        assert!(window.weights.len() < 60_000);
        let none = Window::new(0.0, 1e-12);
        assert_eq!((none.first, none.last(), none.outside), (0, 0, 0.0));
        assert_eq!((none.weight(0), none.weight(1)), (1.0, 0.0));
    }
}
