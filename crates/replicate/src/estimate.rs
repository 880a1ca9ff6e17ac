//! Means with confidence intervals.

use crate::Nature;
use crate::rare::{Modes, ROUNDING, Side};
use crate::skew::widening;
use alba_model::Parts;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// A mean over replications.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Estimate {
    /// The mean, or the ratio of two means; none where it is undefined.
    pub value: Option<f64>,
    /// Half the width of the 95 % confidence interval (Student t; a ratio by the delta method; wider where replications are skewed; where events are few, the larger
    /// arm of exact binomial or Poisson limits); none for one replication, and where nothing can be said.
    pub half_width: Option<f64>,
}

impl Estimate {
    /// Of the mean of independent values of which nothing else is known.
    pub fn of_sample(values: &[f64]) -> Self {
        Self::of_sample_within(values, Nature::default())
    }

    /// Of the mean of independent values.
    pub fn of_sample_within(values: &[f64], nature: Nature) -> Self {
        let mut moments = Moments::of(nature);
        values.iter().for_each(|&numerator| moments.push(Parts { numerator, denominator: 1.0 }));
        moments.estimate(student_quantile(moments.count))
    }
}

/// Means, variances and covariance of numerator and denominator of a measure, one replication at a time.
///
/// # Source
/// Welford's recurrences: nothing is lost where the spread is small beside the mean.
#[derive(Debug, Clone, Copy, Default)]
pub struct Moments {
    nature: Nature,
    count: u64,
    numerator: f64,
    denominator: f64,
    /// Sums of squares and products about the means.
    squares: [f64; 3],
    /// Replications above the least that the measure can be, and below the most.
    away: [u64; 2],
    largest_denominator: f64,
    modes: Option<Modes>,
}

impl Moments {
    /// Of a measure of which so much is known. With [`Moments::default`] intervals are Student's whatever is rare.
    pub fn of(nature: Nature) -> Self {
        Self { nature, ..Self::default() }
    }

    /// One more replication in which the measure is at its least for sure (`first`), or may be anything: if it knows two such
    /// modes, the interval allows for the rarer one being seen too seldom.
    pub fn push_in_mode(&mut self, parts: Parts, first: bool) {
        self.push(parts);
        let none = Modes { count: 0, first: 0, ratios: [f64::INFINITY, f64::NEG_INFINITY] };
        let modes = self.modes.get_or_insert(none);
        modes.count += 1;
        modes.first += u64::from(first);
        if let Some(ratio) = parts.value() {
            modes.ratios = [modes.ratios[0].min(ratio), modes.ratios[1].max(ratio)];
        }
    }

    /// One more replication.
    pub fn push(&mut self, parts: Parts) {
        self.look(parts);
        self.count += 1;
        let count = self.count as f64;
        let before = (parts.numerator - self.numerator, parts.denominator - self.denominator);
        self.numerator += before.0 / count;
        self.denominator += before.1 / count;
        let after = (parts.numerator - self.numerator, parts.denominator - self.denominator);
        self.squares[0] += before.0 * after.0;
        self.squares[1] += before.0 * after.1;
        self.squares[2] += before.1 * after.1;
    }

    /// Whether the replication is away from the limits of the measure.
    fn look(&mut self, parts: Parts) {
        let limits = [self.nature.least(), self.nature.most()];
        let scale = if limits[1].is_finite() { limits[1] - limits[0] } else { limits[0].abs().max(1.0) };
        for (away, limit) in self.away.iter_mut().zip(limits) {
            let distance = (parts.numerator - limit * parts.denominator).abs();
            *away += u64::from(distance > ROUNDING * scale * parts.denominator);
        }
        self.largest_denominator = self.largest_denominator.max(parts.denominator);
    }

    /// Replications so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The estimate, where `quantile` is Student's 97.5 % quantile for `count - 1` degrees of freedom.
    pub fn estimate(&self, quantile: f64) -> Estimate {
        if self.count == 0 || self.denominator <= 0.0 {
            return Estimate::default();
        }
        let ratio = self.numerator / self.denominator;
        if self.count < 2 {
            return Estimate { value: Some(ratio), half_width: None };
        }
        let half_width = quantile * self.error(ratio) * self.widening(quantile);
        Estimate {
            value: Some(ratio),
            half_width: self.reach().map(|reach| self.possible(ratio, half_width.max(reach))),
        }
    }

    /// How wide half an interval is at least where events are few; 0 where they are not, none where nothing can be said.
    /// The module's documentation has the rule.
    pub fn reach(&self) -> Option<f64> {
        let (nature, ratio) = (&self.nature, self.numerator / self.denominator);
        if nature.is_constant() || self.count < 2 {
            return Some(0.0);
        }
        let error = self.error(ratio);
        let span = nature.most() - nature.least();
        let side = |(limit, seen): (f64, u64)| {
            let side = Side {
                count: self.count,
                seen,
                distance: (ratio - limit).abs(),
                span,
                error,
                event: nature.unit() / (self.count as f64 * self.denominator),
                in_clusters: nature.is_in_clusters(),
                largest: self.largest_denominator / self.denominator,
            };
            side.reach()
        };
        let modes = self.modes.map_or(Some(0.0), |modes| modes.reach(nature));
        let sides = [nature.least(), nature.most()].into_iter().zip(self.away);
        // All at one limit: the distance from the other one says nothing more.
        let at_one = self.away.contains(&0);
        let sides = sides.filter(|&(limit, seen)| limit.is_finite() && (seen == 0 || !at_one)).map(side);
        sides.chain([modes]).try_fold(0.0, |reach: f64, arm| Some(reach.max(arm?)))
    }

    /// What of a half-width is within the limits of the measure, on one side at least.
    fn possible(&self, ratio: f64, half_width: f64) -> f64 {
        half_width.min(self.nature.farthest(ratio))
    }

    /// How many times as wide the interval is as Student's with this `quantile`, for at least two replications that have a ratio.
    pub(crate) fn widening(&self, quantile: f64) -> f64 {
        let (ratio, count) = (self.numerator / self.denominator, self.count as f64);
        widening(&self.nature, ratio, self.error(ratio) * count.sqrt(), count, quantile)
    }

    /// Standard error of the ratio, for at least two replications.
    fn error(&self, ratio: f64) -> f64 {
        (self.variance(ratio) / self.count as f64).sqrt() / self.denominator
    }

    /// Variance of `numerator - ratio * denominator`, for at least two replications.
    fn variance(&self, ratio: f64) -> f64 {
        let [nn, nd, dd] = self.squares;
        (nn - 2.0 * ratio * nd + ratio * ratio * dd).max(0.0) / (self.count as f64 - 1.0)
    }

    /// The estimate where `pilot`, the first of these replications, decided how many there are: with the spread of the
    /// pilot and its degrees of freedom, or with that of all replications, whichever is wider.
    ///
    /// # Source
    /// C. Stein, *A two-sample test for a linear hypothesis whose power is independent of the variance*, Annals of
    /// Mathematical Statistics 16, 1945: the mean of normal data is independent of the variances that were looked at, so that
    /// the pilot's interval covers it in 95 % of cases, whatever rule of variances stops the run.
    pub fn sequential_estimate(&self, pilot: &Self, quantiles: &mut Quantiles) -> Estimate {
        let own = quantiles.estimate(self);
        let Some(ratio) = own.value.filter(|_| pilot.count > 1 && self.count > pilot.count) else {
            return own;
        };
        let error = (pilot.variance(ratio) / self.count as f64).sqrt() / self.denominator;
        let stein = student_quantile(pilot.count) * error;
        let half_width = own.half_width.map(|half_width| self.possible(ratio, half_width.max(stein)));
        Estimate { half_width, ..own }
    }
}

/// Student's quantiles: the last one is nearly always the next one too.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quantiles {
    last: (u64, f64),
}

impl Quantiles {
    /// The estimate of `moments`.
    pub fn estimate(&mut self, moments: &Moments) -> Estimate {
        if self.last.0 != moments.count() {
            self.last = (moments.count(), student_quantile(moments.count()));
        }
        moments.estimate(self.last.1)
    }
}

/// Student's 97.5 % quantile for `count - 1` degrees of freedom; 0 where it does not exist.
pub fn student_quantile(count: u64) -> f64 {
    const PROBABILITY: f64 = 0.975;
    // From here on the expansion about the normal quantile is exact to 1e-9 (its next term is 13 / freedom^4), and the
    // incomplete beta function's inverse only gets slower.
    const MANY: u64 = 1000;
    let freedom = count.saturating_sub(1);
    if freedom == 0 {
        return 0.0;
    }
    if freedom >= MANY {
        let z = Normal::standard().inverse_cdf(PROBABILITY);
        let nu = freedom as f64;
        let terms = [
            (z.powi(3) + z) / 4.0,
            (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0,
            (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0,
        ];
        return z + terms[0] / nu + terms[1] / nu.powi(2) + terms[2] / nu.powi(3);
    }
    StudentsT::new(0.0, 1.0, freedom as f64).map_or(0.0, |student| student.inverse_cdf(PROBABILITY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn student_quantiles_of_the_tables() {
        let table =
            [(2, 12.706204736), (3, 4.302652730), (10, 2.262157163), (31, 2.042272456), (1000, 1.962341461)];
        for (count, expected) in table {
            let got = student_quantile(count);
            assert!((got - expected).abs() < 1e-7 * expected, "{count}: {got}");
        }
        let across = student_quantile(1000) - student_quantile(1001);
        assert!(across > 0.0 && across < 1e-5, "{across}");
        assert!((student_quantile(1_000_000) - 1.959966357).abs() < 1e-8, "{}", student_quantile(1_000_000));
    }

    #[test]
    fn a_mean_by_hand() {
        let mut moments = Moments::default();
        for numerator in [1e9 + 1.0, 1e9 + 2.0, 1e9 + 3.0] {
            moments.push(Parts { numerator, denominator: 1.0 });
        }
        let estimate = moments.estimate(2.0);
        assert_eq!(estimate.value, Some(1e9 + 2.0));
        assert!((estimate.half_width.unwrap() - 2.0 / 3f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn a_ratio_by_hand() {
        // Means 2 and 4, ratio 1/2, residuals n - d/2: -0.5, 0, 0.5; so s^2 = 1/4.
        let mut moments = Moments::default();
        for (numerator, denominator) in [(1.0, 3.0), (2.0, 4.0), (3.0, 5.0)] {
            moments.push(Parts { numerator, denominator });
        }
        let estimate = moments.estimate(1.0);
        assert_eq!(estimate.value, Some(0.5));
        assert!((estimate.half_width.unwrap() - (0.25f64 / 3.0).sqrt() / 4.0).abs() < 1e-15);
    }

    #[test]
    fn an_interval_is_no_wider_than_what_can_be() {
        let wide = Estimate::of_sample_within(&[0.2, 0.9], Nature::SHARE);
        assert!((wide.half_width.unwrap() - 0.55).abs() < 1e-15, "{wide:?}");
        let endless = Estimate::of_sample_within(&[0.2, 0.9], Nature::between(0.0, f64::INFINITY));
        assert!(endless.half_width.unwrap() > 4.4, "{endless:?}");
    }

    #[test]
    fn undefined_estimates_are_none() {
        assert_eq!(Moments::default().estimate(1.0), Estimate { value: None, half_width: None });
        let mut moments = Moments::default();
        moments.push(Parts { numerator: 1.0, denominator: 1.0 });
        assert_eq!(moments.estimate(1.0), Estimate { value: Some(1.0), half_width: None });
        let mut nobody = Moments::default();
        nobody.push(Parts { numerator: 0.0, denominator: 0.0 });
        nobody.push(Parts { numerator: 0.0, denominator: 0.0 });
        assert_eq!(nobody.estimate(1.0), Estimate::default());
    }
}
