//! What one run may give.

use alba_model::Parts;

use crate::{Nature, student_quantile};

/// Ratios that single runs gave: what one more run of the same length may give.
///
/// The interval of a mean narrows with the number of runs; that of one run does not. Whoever measured once compares with
/// this one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SingleRuns {
    values: Vec<f64>,
}

/// A range of values, ends included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The smallest one.
    pub low: f64,
    /// The largest one.
    pub high: f64,
}

impl Interval {
    /// What of it is within `low` and `high`.
    #[must_use]
    pub fn within(self, low: f64, high: f64) -> Self {
        Self { low: self.low.clamp(low, high), high: self.high.clamp(low, high) }
    }
}

impl SingleRuns {
    /// So many runs are kept, the first ones: the more, the less the content of the interval varies (by 0.7 % with these).
    pub const MOST: usize = 999;
    /// The smallest number whose smallest and largest value leave out 5 %.
    const ORDERED: usize = 39;
    /// So many equal runs say that one more is equal too, whatever the probability `p` of another value: at most
    /// `(n / (n + 1))^n / (n + 1)`, 4.9 % of seven runs, is the probability `(1 - p)^n p` that they are misleading.
    const EQUAL: usize = 7;

    /// One more run; one without a denominator has no ratio.
    pub fn push(&mut self, parts: Parts) {
        if self.values.len() < Self::MOST && parts.denominator > 0.0 {
            self.values.push(parts.numerator / parts.denominator);
        }
    }

    /// One more run lies in it with a probability of 95 %: between order statistics, whatever the law, from 39 runs on;
    /// else Student's, for one more value of a law whose cube root is normal. Measures are never negative; those that scatter
    /// little are about normal, and so are their cube roots; those that scatter much are skewed, about as a gamma law. Where
    /// half of the runs or more saw nothing of what is rare, all that was seen is within. None of fewer than two runs, or than
    /// seven that are equal, unless the measure is constant by its `nature`.
    ///
    /// # Source
    /// G. J. Hahn and W. Q. Meeker, *Statistical Intervals*, Wiley 1991, chapters 4 and 5; E. B. Wilson and M. M. Hilferty,
    /// *The distribution of chi-square*, PNAS 17, 1931.
    pub fn interval(&self, nature: &Nature) -> Option<Interval> {
        let count = self.values.len();
        if count < 2 {
            return None;
        }
        if count >= Self::ORDERED {
            let mut sorted = self.values.clone();
            sorted.sort_by(f64::total_cmp);
            // Of `count + 1` places in order, as many on either side as are outside.
            let place = 0.025 * (count as f64 + 1.0) - 1.0;
            let high = order_statistic(&sorted, (count - 1) as f64 - place);
            return Some(Interval { low: order_statistic(&sorted, place), high });
        }
        let (low, high) = self
            .values
            .iter()
            .fold((f64::INFINITY, 0.0f64), |(low, high), &value| (low.min(value), high.max(value)));
        if low == high {
            return (count >= Self::EQUAL || nature.is_constant()).then_some(Interval { low, high });
        }
        let student = self.student();
        let rare = 2 * self.values.iter().filter(|value| **value == low).count() >= count;
        Some(if rare {
            Interval { low: student.low.min(low), high: student.high.max(high) }
        } else {
            student
        })
    }

    fn student(&self) -> Interval {
        let count = self.values.len() as f64;
        let roots = self.values.iter().map(|value| value.cbrt());
        let mean = roots.clone().sum::<f64>() / count;
        let squares: f64 = roots.map(|root| (root - mean).powi(2)).sum();
        let error = (squares / (count - 1.0) * (1.0 + 1.0 / count)).sqrt();
        let half = student_quantile(self.values.len() as u64) * error;
        Interval { low: (mean - half).max(0.0).powi(3), high: (mean + half).powi(3) }
    }
}

/// Between two of them, in proportion.
fn order_statistic(sorted: &[f64], place: f64) -> f64 {
    let below = (place.max(0.0) as usize).min(sorted.len() - 1);
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (sorted[above] - sorted[below]) * (place - below as f64).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream;
    use rand::RngExt;
    use rand_distr::{Exp1, StandardNormal};

    fn of(values: impl IntoIterator<Item = f64>) -> SingleRuns {
        let mut runs = SingleRuns::default();
        values.into_iter().for_each(|value| runs.push(Parts { numerator: 2.0 * value, denominator: 2.0 }));
        runs
    }

    #[test]
    fn by_hand() {
        assert_eq!(of([1.0]).interval(&Nature::SHARE), None);
        // Roots 11, 12, 13: mean 12, s = 1, t(2) = 4.303, sqrt(1 + 1/3).
        let three = of([11.0, 12.0, 13.0].map(|root: f64| root.powi(3))).interval(&Nature::SHARE).unwrap();
        let half = 4.302_652_73 * (4.0f64 / 3.0).sqrt();
        assert!((three.high.cbrt() - 12.0 - half).abs() < 1e-8, "{three:?}");
        assert!((three.low.cbrt() - 12.0 + half).abs() < 1e-8);
        assert_eq!(of([0.1; 9]).interval(&Nature::SHARE), Some(Interval { low: 0.1, high: 0.1 }));
        let ordered = |count: u32| of((1..=count).map(f64::from)).interval(&Nature::SHARE).unwrap();
        assert_eq!(ordered(39), Interval { low: 1.0, high: 39.0 });
        assert_eq!(ordered(79), Interval { low: 2.0, high: 78.0 });
        assert_eq!(ordered(59), Interval { low: 1.5, high: 58.5 });
        assert_eq!(ordered(2000), Interval { low: 25.0, high: 975.0 });
        assert_eq!(ordered(39).within(0.0, 4.0), Interval { low: 1.0, high: 4.0 });
        let mut nothing = SingleRuns::default();
        (0..5).for_each(|_| nothing.push(Parts { numerator: 0.0, denominator: 0.0 }));
        assert_eq!(nothing.interval(&Nature::SHARE), None);
    }

    /// Rare events: runs that see none with probability `1 - p`, else one to three: 20,000 experiments, seed 3, are covered in 93 %
    /// or more up to `p = 0.4` (standard error .0017; four runs with `p = 0.75` are in 92 %), those without an interval left out.
    #[test]
    fn one_more_run_of_rare_events_is_covered() {
        let mut rng = stream(3, 0);
        for count in [2u64, 3, 4, 5, 7, 10, 20, 38] {
            for expected in [0.3, 0.6, 1.0, 1.5, 3.0] {
                let p = f64::min(expected / count as f64, 0.4);
                let mut draw =
                    || if rng.random::<f64>() < p { f64::from(rng.random_range(1..=3)) } else { 0.0 };
                let missed = (0..20_000).filter(|_| {
                    let interval = of((0..count).map(|_| draw())).interval(&Nature::SHARE);
                    let next = draw();
                    interval.is_some_and(|interval| next < interval.low || interval.high < next)
                });
                let share = missed.count() as f64 / 20_000.0;
                assert!(share < 0.07, "{count} runs, {expected} events: {share} missed");
            }
        }
        assert_eq!(of([0.0; 6]).interval(&Nature::SHARE), None);
        let constant = Nature::SHARE.constant_if(true);
        assert_eq!(of([0.0; 2]).interval(&constant), Some(Interval { low: 0.0, high: 0.0 }));
    }

    /// 4000 experiments, seed 2: one more value is covered in 95 % of cases, within 4.5 standard errors (0.34 %): normal ones
    /// that scatter by a tenth, and exponential ones.
    #[test]
    fn one_more_value_is_covered() {
        let mut rng = stream(2, 0);
        for (count, skewed) in [(2, false), (10, false), (10, true), (39, true), (100, true)] {
            let mut draw =
                || if skewed { rng.sample(Exp1) } else { 10.0 + rng.sample::<f64, _>(StandardNormal) };
            let covered = (0..4000).filter(|_| {
                let interval = of((0..count).map(|_| draw())).interval(&Nature::SHARE).unwrap();
                let next = draw();
                interval.low <= next && next <= interval.high
            });
            let share = covered.count() as f64 / 4000.0;
            assert!((share - 0.95).abs() < 0.0155, "{count} {skewed}: {share}");
        }
    }
}
