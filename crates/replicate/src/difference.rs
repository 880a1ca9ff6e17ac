//! Differences between two systems that were simulated with the same random numbers.

use crate::{Estimate, Moments, Nature, student_quantile};
use alba_model::Parts;

/// Numerators and denominators of a measure in two systems, one pair of replications at a time.
///
/// # Source
/// Welford's recurrences for the mean and the matrix of squares about it; the delta method for the two ratios. Where events are
/// few in one of the systems, the arms of both intervals, squared and added, if that is wider: G. Y. Zou and A. Donner,
/// *Construction of confidence limits about effect measures*, Statistics in Medicine 27, 2008, which leaves out what the same
/// random numbers save.
#[derive(Debug, Clone, Copy, Default)]
pub struct PairedMoments {
    each: [Moments; 2],
    count: u64,
    means: [f64; 4],
    squares: [[f64; 4]; 4],
}

impl PairedMoments {
    /// Of a measure of which so much is known in the first system and in the second.
    pub fn of(natures: [Nature; 2]) -> Self {
        Self { each: natures.map(Moments::of), ..Self::default() }
    }

    /// One more replication of both.
    pub fn push(&mut self, first: Parts, second: Parts) {
        self.each[0].push(first);
        self.each[1].push(second);
        self.count += 1;
        let values = [first.numerator, first.denominator, second.numerator, second.denominator];
        let before: [f64; 4] = std::array::from_fn(|index| values[index] - self.means[index]);
        for (mean, before) in self.means.iter_mut().zip(before) {
            *mean += before / self.count as f64;
        }
        for (row, before) in self.squares.iter_mut().zip(before) {
            for ((square, value), mean) in row.iter_mut().zip(values).zip(self.means) {
                *square += before * (value - mean);
            }
        }
    }

    /// First minus second, where `quantile` is Student's 97.5 % quantile for one degree of freedom less than there are
    /// replications.
    pub fn difference(&self, quantile: f64) -> Estimate {
        let [n1, d1, n2, d2] = self.means;
        if self.count == 0 || d1 <= 0.0 || d2 <= 0.0 {
            return Estimate::default();
        }
        let half_width = (self.count > 1).then(|| Some(self.spread(quantile).max(self.reach(quantile)?)));
        Estimate { value: Some(n1 / d1 - n2 / d2), half_width: half_width.flatten() }
    }

    /// The difference where `pilot`, the first of these replications, decided how many there are: as wide as it says, had its
    /// interval narrowed with the square root of their number, or as usual, whichever is wider (Stein's, as that of
    /// [`Moments::sequential_estimate`]).
    pub fn sequential_difference(&self, pilot: &Self) -> Estimate {
        let own = self.difference(student_quantile(self.count));
        let known = pilot.count > 1 && pilot.means[1] > 0.0 && pilot.means[3] > 0.0;
        if !known || self.count <= pilot.count {
            return own;
        }
        let narrower = (pilot.count as f64 / self.count as f64).sqrt();
        let stein = pilot.spread(student_quantile(pilot.count)) * narrower;
        Estimate { half_width: own.half_width.map(|half_width| half_width.max(stein)), ..own }
    }

    /// Half of Student's interval, widened as that of the more skewed system, for at least two replications.
    fn spread(&self, quantile: f64) -> f64 {
        let [n1, d1, n2, d2] = self.means;
        let slope = [1.0 / d1, -n1 / (d1 * d1), -1.0 / d2, n2 / (d2 * d2)];
        // In this order a system's difference from itself is exactly nothing.
        let pair =
            |row: &[f64; 4], index: usize| row[index] * slope[index] + row[index + 2] * slope[index + 2];
        let row = |row: &[f64; 4]| pair(row, 0) + pair(row, 1);
        let residual = self.squares.iter().zip(slope).map(|(squares, by)| by * row(squares)).sum::<f64>();
        let count = self.count as f64;
        let widening = self.each.map(|moments| moments.widening(quantile));
        quantile * widening[0].max(widening[1]) * (residual.max(0.0) / (count - 1.0) / count).sqrt()
    }

    /// How wide half the interval is at least; 0 where events are not few in either, none where nothing can be said.
    fn reach(&self, quantile: f64) -> Option<f64> {
        let few = |moments: &Moments| Some(moments.reach()? > 0.0);
        if !few(&self.each[0])? && !few(&self.each[1])? {
            return Some(0.0);
        }
        let [first, second] = self.each.map(|moments| moments.estimate(quantile).half_width);
        Some(first?.hypot(second?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(numerator: f64, denominator: f64) -> Parts {
        Parts { numerator, denominator }
    }

    #[test]
    fn a_difference_by_hand() {
        // Differences 1, 2, 3: mean 2, s = 1.
        let mut paired = PairedMoments::default();
        for (first, second) in [(11.0, 10.0), (22.0, 20.0), (33.0, 30.0)] {
            paired.push(part(first, 1.0), part(second, 1.0));
        }
        let difference = paired.difference(2.0);
        assert_eq!(difference.value, Some(2.0));
        assert!((difference.half_width.unwrap() - 2.0 / 3f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn against_a_constant_it_is_the_ratio_itself() {
        let (mut paired, mut moments) = (PairedMoments::default(), Moments::default());
        for (numerator, denominator) in [(1.0, 3.0), (2.0, 4.0), (3.0, 5.0), (1.0, 1.0)] {
            paired.push(part(numerator, denominator), part(1.0, 2.0));
            moments.push(part(numerator, denominator));
        }
        let (difference, ratio) = (paired.difference(1.0), moments.estimate(1.0));
        assert!((difference.value.unwrap() + 0.5 - ratio.value.unwrap()).abs() < 1e-15);
        assert!((difference.half_width.unwrap() - ratio.half_width.unwrap()).abs() < 1e-15);
    }

    #[test]
    fn a_pilot_that_scattered_more_widens_the_interval() {
        let mut pilot = PairedMoments::default();
        (0..10).for_each(|k| pilot.push(part(f64::from(k), 1.0), part(0.0, 1.0)));
        let mut all = pilot;
        (0..30).for_each(|_| all.push(part(4.5, 1.0), part(0.0, 1.0)));
        let own = pilot.difference(student_quantile(10)).half_width.unwrap();
        let sequential = all.sequential_difference(&pilot);
        assert_eq!(sequential.value, Some(4.5));
        assert!((sequential.half_width.unwrap() - own / 2.0).abs() < 1e-12);
        assert!(own / 2.0 > all.difference(student_quantile(40)).half_width.unwrap());
        assert_eq!(pilot.sequential_difference(&pilot), pilot.difference(student_quantile(10)));
    }

    #[test]
    fn the_same_system_differs_by_exactly_nothing() {
        let mut paired = PairedMoments::default();
        for value in [0.3, 0.7, 0.1] {
            paired.push(part(value, 3.0 + value * value), part(value, 3.0 + value * value));
        }
        assert_eq!(paired.difference(4.3), Estimate { value: Some(0.0), half_width: Some(0.0) });
        assert_eq!(PairedMoments::default().difference(1.0), Estimate::default());
    }

    /// Two systems of which neither rejected a job, and one that did once.
    #[test]
    fn nothing_seen_in_either_is_no_certainty() {
        let share = Nature::SHARE.counted(1.0).in_clusters();
        let mut none = PairedMoments::of([share; 2]);
        let mut one = none;
        for jobs in [0.0, 1.0, 0.0] {
            none.push(part(0.0, 100.0), part(0.0, 100.0));
            one.push(part(jobs, 100.0), part(0.0, 100.0));
        }
        let reach = 1.0 - 0.025f64.powf(1.0 / 3.0);
        let found = none.difference(4.3);
        assert!((found.half_width.unwrap() - reach.hypot(reach)).abs() < 1e-12, "{found:?}");
        let found = one.difference(4.3);
        assert!(found.value == Some(1.0 / 300.0) && found.half_width.unwrap() > reach, "{found:?}");
        let mut same = PairedMoments::of([share.constant_if(true); 2]);
        (0..3).for_each(|_| same.push(part(0.0, 100.0), part(0.0, 100.0)));
        assert_eq!(same.difference(4.3).half_width, Some(0.0));
    }
}
