//! Batch means.

use alba_model::Parts;

use super::{Steady, Verdict};
use crate::{Estimate, Moments, Nature, student_quantile};

/// Few large batches: their correlation and skewness are what spoils intervals, and Student's quantile is only 15 % above the
/// normal one.
const FEWEST: usize = 10;
/// Parts of a batch whose correlation tells whether batches are long enough.
const TENTHS: usize = 10;
/// The most correlation of neighbouring tenths. If it fades exponentially, the spread of batches then falls short by 9 % of
/// the variance, and the correlation of batches, 0.05, makes up for it.
const MOST_CORRELATION: f64 = 0.5;
/// A measure whose cells differ by no more, relative to it, is constant: averages are differences of integrals.
const ROUNDING: f64 = 1e-11;

/// How runs are cut.
#[derive(Debug, Clone, Copy)]
pub(super) struct Batches {
    runs: usize,
    per_run: usize,
    /// Cells in a tenth of a batch.
    tenth: usize,
    first: usize,
}

impl Batches {
    /// Of runs of `cells` cells each, the first `left_out` of which belong to the transient; some more may be left out, so
    /// that all batches are of equal length.
    pub(super) fn new(cells: usize, left_out: usize, runs: usize) -> Self {
        let per_run = FEWEST.div_ceil(runs);
        let tenth = (cells - left_out) / (per_run * TENTHS);
        Self { runs, per_run, tenth, first: cells - tenth * per_run * TENTHS }
    }

    /// The first cell that counts.
    pub(super) fn first(&self) -> usize {
        self.first
    }

    /// Batches of all runs.
    pub(super) fn count(&self) -> usize {
        self.runs * self.per_run
    }

    /// Cells in a batch.
    pub(super) fn cells(&self) -> usize {
        self.tenth * TENTHS
    }
}

/// A measure in the cells that count, run by run.
pub(super) struct Series {
    runs: Vec<Vec<Parts>>,
    batches: Batches,
    total: Parts,
    /// Batch by batch.
    moments: Moments,
    nature: Nature,
}

impl Series {
    /// `runs`: all cells of each run.
    pub(super) fn new(mut runs: Vec<Vec<Parts>>, batches: Batches, nature: Nature) -> Self {
        runs.iter_mut().for_each(|run| drop(run.drain(..batches.first)));
        let total = sum(runs.iter().flatten());
        let mut moments = Moments::of(nature);
        for batch in runs.iter().flat_map(|run| run.chunks(batches.cells())) {
            moments.push(sum(batch));
        }
        Self { runs, batches, total, moments, nature }
    }

    /// `last`: the measure in the last state of a run, which is the exact one if it never changes.
    pub(super) fn estimate(&self, last: Option<f64>) -> Steady {
        let Some(ratio) = self.total.value() else { return without(Verdict::Undefined) };
        if let Some(constant) = self.constant(ratio, last) {
            return constant;
        }
        let tenths = self.residuals(ratio, self.batches.tenth);
        let correlation = correlation(&tenths);
        if correlation > MOST_CORRELATION {
            let longer = length_for(MOST_CORRELATION) / length_for(correlation);
            return Steady { autocorrelation: Some(correlation), ..without(Verdict::Correlated { longer }) };
        }
        let batches = self.residuals(ratio, self.batches.cells());
        let count = self.batches.count() as f64;
        // Of the sum of all residuals. The correlation of ten batches is hardly known; that of a hundred tenths is.
        let implied = neighbours(TENTHS as f64 * length_for(correlation));
        let variance = count * squares(&batches) / (count - 1.0) * autoregressive(implied);
        // Like that of a sum of independent tenths: ten batches say next to nothing about their own.
        let skewness = skewness(&tenths) / (TENTHS as f64).sqrt();
        let reach = skewed(student_quantile(self.batches.count() as u64), skewness, count);
        let half_width = reach * variance.sqrt() / self.total.denominator;
        let half_width = self.moments.reach().map(|reach| half_width.max(reach));
        let cells = self.residuals(ratio, 1);
        let looks = cells.iter().map(Vec::len).sum::<usize>() as f64;
        Steady {
            estimate: Estimate { value: Some(ratio), half_width },
            autocorrelation: Some(correlation),
            effective_sample: Some((looks * squares(&cells) / variance).min(looks)),
            verdict: Verdict::LongEnough,
        }
    }

    /// The same where the transient is not over: only what never changes is known.
    pub(super) fn unsettled(&self, last: Option<f64>) -> Steady {
        let constant = self.total.value().and_then(|ratio| self.constant(ratio, last));
        constant.filter(|steady| steady.verdict == Verdict::Constant).unwrap_or(without(Verdict::Unsettled))
    }

    fn constant(&self, ratio: f64, last: Option<f64>) -> Option<Steady> {
        let same = |value: f64| (value - ratio).abs() <= ROUNDING * ratio.abs();
        if !self.runs.iter().flatten().filter_map(|parts| parts.value()).all(same) {
            return None;
        }
        let value = last.filter(|&last| same(last)).or(Some(ratio));
        let half_width = self.moments.reach();
        // That it did not change yet does not say that it cannot.
        let verdict = if self.nature.is_constant() { Verdict::Constant } else { Verdict::LongEnough };
        Some(Steady { estimate: Estimate { value, half_width }, ..without(verdict) })
    }

    /// Sums of `numerator - ratio * denominator` over so many cells each, run by run.
    fn residuals(&self, ratio: f64, cells: usize) -> Vec<Vec<f64>> {
        let residual = |parts: &Parts| parts.numerator - ratio * parts.denominator;
        let of_run =
            |run: &Vec<Parts>| run.chunks(cells).map(|cells| cells.iter().map(residual).sum()).collect();
        self.runs.iter().map(of_run).collect()
    }
}

fn sum<'p>(parts: impl IntoIterator<Item = &'p Parts>) -> Parts {
    let mut sum = Parts { numerator: 0.0, denominator: 0.0 };
    for parts in parts {
        sum.numerator += parts.numerator;
        sum.denominator += parts.denominator;
    }
    sum
}

fn without(verdict: Verdict) -> Steady {
    Steady { estimate: Estimate::default(), autocorrelation: None, effective_sample: None, verdict }
}

fn squares(runs: &[Vec<f64>]) -> f64 {
    runs.iter().flatten().map(|value| value * value).sum()
}

/// Correlation of neighbours within runs, of values whose sum is 0; 0 where there are no neighbours.
fn correlation(runs: &[Vec<f64>]) -> f64 {
    let count: usize = runs.iter().map(Vec::len).sum();
    let pairs: usize = runs.iter().map(|run| run.len() - 1).sum();
    let products: f64 = runs.iter().flat_map(|run| run.windows(2)).map(|pair| pair[0] * pair[1]).sum();
    let variance = squares(runs) / count as f64;
    if pairs == 0 || variance <= 0.0 { 0.0 } else { products / pairs as f64 / variance }
}

/// What positive correlation of neighbours adds to the variance of a sum, in an autoregression of order one.
fn autoregressive(correlation: f64) -> f64 {
    const MOST: f64 = 0.8;
    let correlation = correlation.clamp(0.0, MOST);
    (1.0 + correlation) / (1.0 - correlation)
}

/// Of values whose sum is 0.
fn skewness(runs: &[Vec<f64>]) -> f64 {
    let count = runs.iter().map(Vec::len).sum::<usize>() as f64;
    let cubes: f64 = runs.iter().flatten().map(|value| value.powi(3)).sum();
    let spread = (squares(runs) / count).sqrt();
    if spread > 0.0 { cubes / count / spread.powi(3) } else { 0.0 }
}

/// The quantile for the mean of `count` values of this skewness: the longer arm of the interval, for both sides. A queue's long
/// excursions are seldom seen; a run that missed them has a mean that is too low and a spread that is too small.
///
/// # Source
/// R. Willink, *A confidence interval and test for the mean of an asymmetric distribution*, Communications in Statistics: Theory
/// and Methods 34, 2005; used with batch means by A. Tafazzoli and J. R. Wilson, *Skart*, IIE Transactions 43, 2011.
fn skewed(quantile: f64, skewness: f64, count: f64) -> f64 {
    let beta = skewness.abs() / (6.0 * count.sqrt());
    // Below, the arms differ from the quantile by less than a thousandth, and the formula loses digits.
    const SYMMETRIC: f64 = 1e-4;
    if beta < SYMMETRIC {
        return quantile;
    }
    let arm = |reach: f64| ((1.0 + 6.0 * beta * (reach - beta)).cbrt() - 1.0) / (2.0 * beta);
    arm(quantile).abs().max(arm(-quantile).abs())
}

/// Correlation of averages over neighbouring intervals of this length, if the correlation of what is averaged fades by a factor
/// e per unit of time.
fn neighbours(length: f64) -> f64 {
    let faded = 1.0 - (-length).exp();
    faded * faded / (2.0 * (length - faded))
}

/// The length for which neighbours are correlated so.
fn length_for(correlation: f64) -> f64 {
    let (mut low, mut high) = (1e-3, 1e3);
    for _ in 0..60 {
        let middle = f64::sqrt(low * high);
        if neighbours(middle) > correlation { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(runs: &[&[f64]], batches: Batches, constant: bool) -> Series {
        let parts =
            |run: &&[f64]| run.iter().map(|&numerator| Parts { numerator, denominator: 1.0 }).collect();
        Series::new(runs.iter().map(parts).collect(), batches, Nature::default().constant_if(constant))
    }

    #[test]
    fn batches_are_equal_and_end_at_the_end() {
        let batches = Batches::new(2560, 100, 10);
        assert_eq!((batches.count(), batches.cells(), batches.first()), (10, 2460, 100));
        let single = Batches::new(2560, 1280, 1);
        assert_eq!((single.count(), single.cells(), single.first()), (10, 120, 1360));
    }

    #[test]
    fn independent_cells_by_hand() {
        // A hundred cells of 3 and 1 in a pattern whose neighbours agree once more often than not: batches of ten cells.
        let cells: Vec<f64> = (0..100).map(|cell| if (cell / 2) % 2 == 0 { 3.0 } else { 1.0 }).collect();
        let steady = series(&[&cells], Batches::new(100, 0, 1), false).estimate(None);
        assert_eq!(steady.estimate.value, Some(2.0));
        // Sums of ten cells are 2, -2, 2, -2 about the mean: variance 4 of ten batches, no skewness.
        let batches = 4.0f64 * 10.0 * 10.0 / 9.0 * autoregressive(neighbours(10.0 * length_for(1.0 / 99.0)));
        let expected = student_quantile(10) * batches.sqrt() / 100.0;
        assert!((steady.estimate.half_width.unwrap() - expected).abs() < 1e-12);
        assert!((steady.autocorrelation.unwrap() - 1.0 / 99.0).abs() < 1e-12);
    }

    #[test]
    fn skewed_means_reach_further() {
        // Willink's formula for ten values of skewness 1: beta = 0.0527.
        let beta = 1.0 / (6.0 * 10f64.sqrt());
        let expected = (1.0 - (1.0 + 6.0 * beta * (-2.0 - beta)).cbrt()) / (2.0 * beta);
        assert!((skewed(2.0, 1.0, 10.0) - expected).abs() < 1e-12 && expected > 2.0);
        assert_eq!(skewed(2.0, -1.0, 10.0), skewed(2.0, 1.0, 10.0));
        assert!((skewed(2.0, 1e-2, 10.0) - 2.0).abs() < 1e-2);
        assert_eq!(skewed(2.0, 0.0, 10.0), 2.0);
        let values = [vec![2.0, -1.0], vec![-1.0]];
        assert!((skewness(&values) - 2.0 / 2f64.powf(1.5)).abs() < 1e-12);
    }

    #[test]
    fn long_correlations_give_no_number() {
        let cells: Vec<f64> = (0..320).map(|cell| (f64::from(cell) / 50.0).sin()).collect();
        let steady = series(&[&cells], Batches::new(320, 0, 1), false).estimate(None);
        assert_eq!(steady.estimate, Estimate::default());
        assert!(matches!(steady.verdict, Verdict::Correlated { longer } if longer > 10.0), "{steady:?}");
    }

    #[test]
    fn constants_are_exact() {
        let cells: Vec<f64> = (0..320).map(|cell| if cell % 3 == 0 { 0.1 + 0.2 } else { 0.3 }).collect();
        let steady = series(&[&cells], Batches::new(320, 0, 1), true).estimate(Some(0.3));
        assert_eq!(steady.estimate, Estimate { value: Some(0.3), half_width: Some(0.0) });
        assert_eq!(steady.verdict, Verdict::Constant);
    }

    #[test]
    fn lengths_and_correlations() {
        // By the formula: (1 - 1/e)^2 / (2/e) for length one.
        let one = (1.0 - (-1.0f64).exp()).powi(2) / (2.0 * (-1.0f64).exp());
        assert!((length_for(one) - 1.0).abs() < 1e-9);
        assert!((1.1..1.3).contains(&length_for(MOST_CORRELATION)));
        assert_eq!(autoregressive(-0.3), 1.0);
        assert_eq!(autoregressive(0.5), 3.0);
    }
}
