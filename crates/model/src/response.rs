//! Response times from the levels that jobs find.

/// The response time of a job that finds `i` jobs with probability proportional to a weight: under first come,
/// first served it is Erlang(i+1, 1), so the distribution is a mixture of Erlangs. In mean service times.
///
/// ```
/// use alba_model::ErlangMixture;
///
/// let exponential = ErlangMixture::new(&[2.0]).unwrap(); // every job finds an idle server
/// assert_eq!(exponential.mean(), 1.0);
/// assert!((exponential.quantile(0.5) - 2f64.ln()).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ErlangMixture {
    /// `tail[k]`: probability of finding at least `k` jobs; `tail[0] = 1`.
    tail: Vec<f64>,
}

impl ErlangMixture {
    /// `weights[i] >= 0` for jobs that find `i` jobs; none unless some weight is positive and all are finite.
    pub fn new(weights: &[f64]) -> Option<Self> {
        let total: f64 = weights.iter().sum();
        let valid = total > 0.0 && total.is_finite() && weights.iter().all(|&weight| weight >= 0.0);
        let mut tail: Vec<f64> = weights.to_vec();
        for level in (0..tail.len().saturating_sub(1)).rev() {
            tail[level] += tail[level + 1];
        }
        let scale = tail.first().copied().unwrap_or(0.0);
        tail.iter_mut().for_each(|weight| *weight /= scale);
        valid.then_some(Self { tail })
    }

    /// Mean response time, `sum_i w_i (i+1)`.
    pub fn mean(&self) -> f64 {
        self.tail.iter().sum()
    }

    /// Probability that a job finds another one before it.
    pub fn waiting_probability(&self) -> f64 {
        self.tail.get(1).copied().unwrap_or(0.0)
    }

    /// Probability that the response time exceeds `time`: `sum_k e^-t t^k/k! P(level >= k)`.
    pub fn survival(&self, time: f64) -> f64 {
        self.survival_and_density(time).0
    }

    fn survival_and_density(&self, time: f64) -> (f64, f64) {
        if time <= 0.0 {
            return (1.0, 0.0);
        }
        // In logarithms: e^-t alone underflows beyond t = 745, long before such a mixture is negligible.
        let mut log_poisson = -time;
        let (mut survival, mut density) = (0.0, 0.0);
        for (k, tail) in self.tail.iter().enumerate() {
            if k > 0 {
                log_poisson += (time / k as f64).ln();
            }
            let poisson = log_poisson.exp();
            survival += poisson * tail;
            density += poisson * (tail - self.tail.get(k + 1).copied().unwrap_or(0.0));
        }
        (survival.min(1.0), density)
    }

    /// The time that a fraction `probability` in [0, 1) of jobs does not exceed, to 1e-13 relative.
    pub fn quantile(&self, probability: f64) -> f64 {
        let exceeding = 1.0 - probability.clamp(0.0, 1.0 - f64::EPSILON);
        let (mut low, mut high) = (0.0, 1.0);
        while self.survival(high) > exceeding {
            (low, high) = (high, 2.0 * high);
        }
        let mut time = 0.5 * (low + high);
        while high - low > 1e-13 * high {
            let (survival, density) = self.survival_and_density(time);
            if survival > exceeding {
                low = time;
            } else {
                high = time;
            }
            // Newton's step on the logarithm, which is nearly straight; bisection where it leaves the bracket.
            let step = (survival / exceeding).ln() * survival / density;
            let newton = time + step;
            if step.abs() <= 1e-14 * time {
                break;
            }
            time = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        }
        time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels found at the fixed point of Figure 1's system under Power-of-2: `h_i = lambda f_i`.
    #[test]
    fn percentiles_of_figure_1() {
        let (lambda, y0): (f64, f64) = (0.7, 0.82);
        let tail: Vec<f64> = (0..8).map(|i| y0 * (lambda / y0).powf(f64::from((1 << i) - 1))).collect();
        let at_least = |i: usize| (tail[i] / y0).powi(2);
        let found: Vec<f64> = (0..7).map(|i| at_least(i) - at_least(i + 1)).collect();
        let response = ErlangMixture::new(&found).unwrap();
        assert!((response.mean() - 2.2336).abs() < 1e-4);
        for (p, expected) in [(0.5, 1.816533), (0.95, 5.724690), (0.99, 8.009766)] {
            assert!((response.quantile(p) - expected).abs() < 1e-6, "{p}: {}", response.quantile(p));
        }
    }

    #[test]
    fn long_queues_do_not_underflow() {
        let mut weights = vec![0.0; 2000];
        weights[1999] = 1.0;
        let response = ErlangMixture::new(&weights).unwrap();
        assert_eq!(response.mean(), 2000.0);
        let median = response.quantile(0.5); // of Erlang(n, 1): n - 1/3 + O(1/n)
        assert!((median - (2000.0 - 1.0 / 3.0)).abs() < 1e-3, "{median}");
        assert_eq!(response.waiting_probability(), 1.0);
    }

    #[test]
    fn no_jobs_no_response() {
        for weights in [&[][..], &[0.0, 0.0], &[-1.0, 2.0], &[f64::NAN]] {
            assert_eq!(ErlangMixture::new(weights), None);
        }
    }
}
