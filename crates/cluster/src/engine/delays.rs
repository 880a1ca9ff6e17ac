//! Response and waiting times of the requests of one run.

use hdrhistogram::Histogram;

/// Times, to three digits each, and their exact sum.
#[derive(Debug, Clone)]
pub(crate) struct Times {
    histogram: Histogram<u64>,
    /// Ticks in a mean service time.
    ticks: f64,
    sum: f64,
    /// Those above zero.
    positive: u64,
}

/// Significant decimal digits of a recorded time.
const DIGITS: u8 = 3;
/// Ticks in a mean service time: shorter times are not told apart.
const TICKS: f64 = 1e6;
/// The longest recorded time, in ticks.
const MOST_TICKS: f64 = 1e18;

impl Times {
    /// For service times of mean `mean_service`.
    pub(crate) fn new(mean_service: f64) -> Self {
        // Three digits are allowed, so there is always a histogram; what cannot fail is not the caller's business.
        let histogram = Histogram::new(DIGITS).unwrap_or_else(|_| unreachable!("three digits are allowed"));
        Self { histogram, ticks: TICKS / mean_service, sum: 0.0, positive: 0 }
    }

    #[inline]
    pub(crate) fn record(&mut self, time: f64) {
        self.sum += time;
        self.positive += u64::from(time > 0.0);
        let ticks = (time * self.ticks).min(MOST_TICKS) as u64;
        // The histogram grows as needed and holds any tick up to the longest.
        self.histogram.record(ticks).unwrap_or_default();
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.sum += other.sum;
        self.positive += other.positive;
        self.histogram.add(&other.histogram).unwrap_or_default();
    }

    pub(crate) fn count(&self) -> u64 {
        self.histogram.len()
    }

    pub(crate) fn sum(&self) -> f64 {
        self.sum
    }

    pub(crate) fn positive(&self) -> u64 {
        self.positive
    }

    /// The time that a share `probability` of all does not exceed, to three digits; none of none.
    pub(crate) fn quantile(&self, probability: f64) -> Option<f64> {
        if self.histogram.is_empty() {
            return None;
        }
        let ticks = self.histogram.value_at_quantile(probability);
        // Half way through the bucket, whose lowest value may be zero itself.
        let middle = if ticks == 0 { 0 } else { self.histogram.median_equivalent(ticks) };
        Some(middle as f64 / self.ticks)
    }
}

/// What requests that arrived after the warm-up went through.
#[derive(Debug, Clone)]
pub(crate) struct Delays {
    pub(crate) response: Times,
    pub(crate) waiting: Times,
}

impl Delays {
    pub(crate) fn new(mean_service: f64) -> Self {
        Self { response: Times::new(mean_service), waiting: Times::new(mean_service) }
    }

    #[inline]
    pub(crate) fn record(&mut self, response: f64, waiting: f64) {
        self.response.record(response);
        self.waiting.record(waiting);
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.response.add(&other.response);
        self.waiting.add(&other.waiting);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_to_three_digits_and_an_exact_sum() {
        let mut times = Times::new(0.25);
        (1..=1000).for_each(|k| times.record(f64::from(k) * 1e-3));
        assert!((times.sum() - 500.5).abs() < 1e-9);
        for (probability, expected) in [(0.5, 0.5), (0.95, 0.95), (0.999, 0.999), (1.0, 1.0)] {
            let found = times.quantile(probability).unwrap();
            assert!((found / expected - 1.0).abs() < 1e-3, "{probability}: {found}");
        }
        assert_eq!(Times::new(1.0).quantile(0.5), None);
        let mut none = Times::new(1.0);
        none.record(0.0);
        assert_eq!((none.quantile(0.5), none.positive()), (Some(0.0), 0));
    }
}
