//! Quantiles of what all runs recorded together.

use alba_model::ErlangMixture;
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::{Estimate, Persistence, student_quantile};

/// The distribution of what all runs recorded.
pub trait Distribution {
    /// The share above `value`.
    fn above(&self, value: f64) -> f64;

    /// The share at `value` or above.
    fn at_least(&self, value: f64) -> f64;

    /// Beyond it nothing was recorded; infinite where there is no such value.
    fn largest(&self) -> f64;
}

impl Distribution for ErlangMixture {
    fn above(&self, value: f64) -> f64 {
        self.survival(value)
    }

    fn at_least(&self, value: f64) -> f64 {
        self.survival(value)
    }

    fn largest(&self) -> f64 {
        f64::INFINITY
    }
}

/// What one of several independent sections recorded: a run, or as many runs as the others hold.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Section {
    /// Numbers recorded.
    pub count: f64,
    /// Those above some value.
    pub above: f64,
}

impl Section {
    /// So many are enough: with them an interval is 4 % wider than with any number. Run `r` belongs to section `r` modulo
    /// this, so that all are about as large and memory does not grow with runs.
    pub const MOST: usize = 32;
}

/// A quantile of all runs together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Quantile {
    /// The quantile and half the width of its 95 % interval; none where too few are above it.
    pub estimate: Estimate,
    /// What is known of its error section by section: they sum to zero, and their spread is the interval's.
    pub(crate) influences: Vec<f64>,
    /// About how many independent values are above the quantile (below it, if those are fewer).
    pub exceedances: f64,
    /// So many are needed for an interval.
    pub needed: f64,
}

/// Exceedances come in clusters of unknown sizes, so that their spread hides some of it: the effective number `m` of them counts
/// as `m^2 / (m + 4)`, found by experiment (`tests/percentiles.rs`); independent ones are not doubted.
const UNKNOWN_SIZES: f64 = 4.0;
/// The dependence of extremes is about that of values around the median, times this: so it is in queues.
const OF_EXTREMES: f64 = 2.0;
/// With about so many independent exceedances their own spread says as much of them as that of values around the median does.
const AS_GOOD: f64 = 10.0;
/// So many times as many independent exceedances as are needed are to be expected before anything is simulated: then nearly every
/// sample has enough, and those that have are not the lucky ones whose spread is too small.
const MARGIN: f64 = 1.8;

/// So many independent values on the `rare` side of a quantile are needed for an interval from `sections >= 2`: with fewer a
/// limit of their share is zero or one, and any value could be the quantile.
fn needed(rare: f64, sections: usize) -> f64 {
    let widest = (1.0 / rare.sqrt() - 1.0).min(1.0);
    let least = (0.5 * student_quantile(sections as u64) / widest).powi(2);
    0.5 * (least + (least * least + 4.0 * least * UNKNOWN_SIZES).sqrt())
}

impl Quantile {
    /// The quantile `value` for `probability`, in (0, 1), of `pooled`; `sections` count what is above `value`, `halves` what is
    /// above the median; values depend on each other as `persistence` says.
    ///
    /// Whether there is an interval depends on the number of values and on their persistence, which is known from the model. Were it
    /// decided by the spread that was seen, intervals would be given where it is small by chance, and cover too seldom.
    ///
    /// The share of values above a fixed one is a ratio of means over sections, so its error is known (delta method,
    /// Student); what it is at `value` is moved by that error, and values are found at which it would be so. Where few are
    /// above, their spread is known badly, and is small just where the large clusters were not seen: so it is averaged with what values
    /// around the median let expect, the more the fewer there are. Shares are skewed; their square roots are
    /// not where clusters have geometric sizes (a total of such has 1.5 times its relative error as skewness).
    /// The interval is the narrowest around `value` that misses in 2.5 % of cases on either side by that law. Where all values are equal in
    /// all sections, or an atom is large, its width is zero.
    ///
    /// # Source
    /// R. S. Woodruff, *Confidence intervals for medians and other position measures*, JASA 47, 1952; M. S. Bartlett, *The use of
    /// transformations*, Biometrics 3, 1947.
    pub fn new(
        probability: f64,
        value: f64,
        pooled: &dyn Distribution,
        [sections, halves]: [&[Section]; 2],
        persistence: Persistence,
    ) -> Self {
        let rare = probability.min(1.0 - probability);
        let spread = Spread::of(sections);
        let count: f64 = sections.iter().map(|section| section.count).sum();
        let doubted = spread.doubted(rare, count, Spread::of(halves).dispersion(halves));
        let (exceedances, needed) = enough(rare, count, sections.len(), persistence, doubted.exceedances);
        let half_width = if sections.len() < 2 || exceedances < needed {
            None
        } else {
            Miss { probability, value, pooled, error: doubted.error, freedom: doubted.freedom }.half_width()
        };
        let student = student_quantile(sections.len() as u64);
        let scale = match half_width {
            Some(half_width) if spread.error > 0.0 => half_width / (student * spread.error),
            _ => 0.0,
        };
        let influences = spread.deviations.iter().map(|deviation| scale * deviation).collect();
        Self { estimate: Estimate { value: Some(value), half_width }, influences, exceedances, needed }
    }

    /// A quantile of what is the same in every run, so that nothing is left to be estimated.
    pub fn constant(value: f64, sections: usize) -> Self {
        let estimate = Estimate { value: Some(value), half_width: Some(0.0) };
        Self { estimate, influences: vec![0.0; sections], exceedances: f64::INFINITY, needed: 0.0 }
    }

    /// This minus `other`, the sections of which had the same random numbers.
    pub fn minus(&self, other: &Self) -> Estimate {
        let value = self.estimate.value.zip(other.estimate.value).map(|(own, others)| own - others);
        let both = self.estimate.half_width.and(other.estimate.half_width);
        let half_width = both.map(|_| {
            let pairs = self.influences.iter().zip(&other.influences);
            let squares: f64 = pairs.map(|(own, others)| (own - others).powi(2)).sum();
            student_quantile(self.influences.len() as u64) * (squares * bessel(self.influences.len())).sqrt()
        });
        Estimate { value, half_width }
    }
}

fn bessel(sections: usize) -> f64 {
    sections as f64 / (sections as f64 - 1.0)
}

/// About how many independent values are above a quantile, and how many are needed: those to be expected where they are too
/// few, else those that the spread says.
fn enough(rare: f64, count: f64, sections: usize, persistence: Persistence, seen: f64) -> (f64, f64) {
    let needed = needed(rare, sections);
    let expected = persistence.independent(rare, count, sections);
    if expected < MARGIN * needed { (expected, MARGIN * needed) } else { (seen, needed) }
}

/// What is believed of the share above a value.
struct Doubted {
    exceedances: f64,
    /// Relative.
    error: f64,
    freedom: f64,
}

/// How the share above a value differs from section to section.
struct Spread {
    /// What each section adds to the error of the share of all.
    deviations: Vec<f64>,
    /// Standard error of the share.
    error: f64,
}

impl Spread {
    fn of(sections: &[Section]) -> Self {
        let sum = |of: fn(&Section) -> f64| sections.iter().map(of).sum::<f64>();
        let (count, above) = (sum(|section| section.count), sum(|section| section.above));
        // Exactly zero where all sections are equal.
        let deviation = |section: &Section| (section.above * count - above * section.count) / (count * count);
        let deviations: Vec<f64> = sections.iter().map(deviation).collect();
        let squares: f64 = deviations.iter().map(|deviation| deviation * deviation).sum();
        let error = if sections.len() > 1 { (squares * bessel(sections.len())).sqrt() } else { 0.0 };
        Self { deviations, error }
    }

    /// The error of a share of `rare` of `count` values, those around the median of which have the variance of so many independent
    /// ones. What is expected of independent values is no estimate, so that it leaves more degrees of freedom (Satterthwaite).
    fn doubted(&self, rare: f64, count: f64, dispersion: f64) -> Doubted {
        let own = (self.error / rare).powi(2);
        let dependence = OF_EXTREMES * (dispersion.max(1.0) - 1.0);
        let expected = (1.0 + dependence) * (1.0 - rare) / (count * rare);
        let weight = AS_GOOD / (AS_GOOD + 1.0 / expected);
        let variance = own + weight * (expected - own);
        let doubt = (1.0 - 1.0 / (variance * count * rare)).max(0.0);
        let estimated = 1.0 - weight * (1.0 - dependence.min(1.0));
        Doubted {
            exceedances: 1.0 / variance,
            error: (variance * (1.0 + UNKNOWN_SIZES * doubt * variance)).sqrt(),
            freedom: (self.deviations.len() as f64 - 1.0) / (estimated * estimated),
        }
    }

    /// The variance of the number above, in those of independent values.
    fn dispersion(&self, sections: &[Section]) -> f64 {
        let sum = |of: fn(&Section) -> f64| sections.iter().map(of).sum::<f64>();
        let (count, above) = (sum(|section| section.count), sum(|section| section.above));
        let independent = above / count * (1.0 - above / count) / count;
        if independent > 0.0 { self.error * self.error / independent } else { 0.0 }
    }
}

/// How likely an interval misses.
struct Miss<'d> {
    probability: f64,
    value: f64,
    pooled: &'d dyn Distribution,
    /// Relative, of the rarer share.
    error: f64,
    freedom: f64,
}

impl Miss<'_> {
    /// Of the interval `value +- half_width`, on the side where it is likelier.
    fn probability(&self, half_width: f64) -> f64 {
        let up = self.tail(1.0 - self.pooled.above(self.value + half_width), 1.0);
        up.max(self.tail(1.0 - self.pooled.at_least(self.value - half_width), -1.0))
    }

    /// How likely the share below is as large as `below` (`side` 1), or as small (-1).
    fn tail(&self, below: f64, side: f64) -> f64 {
        let (share, rare, side) = if self.probability < 0.5 {
            (below, self.probability, side)
        } else {
            (1.0 - below, 1.0 - self.probability, -side)
        };
        let distance = 2.0 * side * ((share / rare).max(0.0).sqrt() - 1.0);
        let student = StudentsT::new(0.0, 1.0, self.freedom);
        student.map_or(1.0, |student| student.sf(distance / self.error))
    }

    /// The smallest half-width whose interval misses seldom enough on either side; none where values beyond the largest one
    /// cannot be excluded.
    fn half_width(&self) -> Option<f64> {
        const MISSES: f64 = 0.025;
        if self.probability(0.0) <= MISSES {
            return Some(0.0);
        }
        let mut high = self.pooled.largest() - self.value;
        if high == f64::INFINITY {
            high = self.value.abs().max(1.0);
            while self.probability(high) > MISSES && high < f64::MAX / 4.0 {
                high *= 2.0;
            }
        }
        high = high.max(self.value.abs());
        if self.probability(high) > MISSES {
            return None;
        }
        let mut low = 0.0;
        while high - low > 1e-9 * high {
            let middle = 0.5 * (low + high);
            if self.probability(middle) > MISSES {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exponential with mean 1.
    struct Exponential;

    impl Distribution for Exponential {
        fn above(&self, value: f64) -> f64 {
            (-value.max(0.0)).exp()
        }

        fn at_least(&self, value: f64) -> f64 {
            self.above(value)
        }

        fn largest(&self) -> f64 {
            f64::INFINITY
        }
    }

    /// Zero with probability 0.6, else uniform up to 1.
    struct Atom;

    impl Distribution for Atom {
        fn above(&self, value: f64) -> f64 {
            if value < 0.0 { 1.0 } else { 0.4 * (1.0 - value).max(0.0) }
        }

        fn at_least(&self, value: f64) -> f64 {
            if value <= 0.0 { 1.0 } else { self.above(value) }
        }

        fn largest(&self) -> f64 {
            1.0
        }
    }

    fn sections(count: f64, above: &[f64]) -> Vec<Section> {
        above.iter().map(|&above| Section { count, above }).collect()
    }

    /// Many independent values: the normal interval, `z sqrt(p (1 - p) / n) / f`.
    #[test]
    fn of_independent_values_it_is_the_textbook_interval() {
        // Shares that scatter as those of 10,000 independent values in each of 100 sections do.
        let above: Vec<f64> =
            (0..100).map(|k| 500.0 + 21.794 * if k % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let even: Vec<f64> = (0..100).map(|k| 5000.0 + 50.0 * if k % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let value = -f64::ln(0.05);
        let found = Quantile::new(
            0.95,
            value,
            &Exponential,
            [&sections(1e4, &above), &sections(1e4, &even)],
            Persistence::NONE,
        );
        let textbook = 1.984 * (0.05f64 * 0.95 / 1e6).sqrt() / 0.05;
        assert!((found.estimate.half_width.unwrap() / textbook - 1.0).abs() < 0.01, "{found:?}, {textbook}");
        let less =
            Quantile::new(0.95, value, &Exponential, [&sections(1e4, &above[..1]), &[]], Persistence::NONE);
        assert_eq!(less.estimate.half_width, None);
    }

    #[test]
    fn few_exceedances_have_no_interval() {
        let (above, even) =
            (sections(280.0, &[3.0, 0.0, 6.0, 2.0]), sections(280.0, &[140.0, 150.0, 120.0, 150.0]));
        let found = Quantile::new(0.99, -f64::ln(0.01), &Exponential, [&above, &even], Persistence::NONE);
        assert_eq!(found.estimate.half_width, None);
        assert!(found.exceedances < found.needed, "{}, {}", found.exceedances, found.needed);
    }

    #[test]
    fn an_atom_has_no_width() {
        let above = sections(1000.0, &[390.0, 410.0, 400.0, 405.0, 395.0]);
        let found = Quantile::new(0.5, 0.0, &Atom, [&above, &above], Persistence::NONE);
        assert_eq!(found.estimate, Estimate { value: Some(0.0), half_width: Some(0.0) });
        // 60.5 % is just beyond it: the interval reaches the atom, and what is as near on the other side.
        let beyond = Quantile::new(
            0.605,
            0.0125,
            &Atom,
            [&sections(1000.0, &[385.0, 405.0, 395.0, 400.0, 390.0]), &above],
            Persistence::NONE,
        );
        assert!(beyond.estimate.half_width.unwrap() >= 0.0125, "{beyond:?}");
    }

    #[test]
    fn a_difference_uses_the_pairs() {
        let above: Vec<f64> = (0..10).map(|k| 500.0 + f64::from(k)).collect();
        let own = sections(1e4, &above);
        let first = Quantile::new(0.95, 3.0, &Exponential, [&own, &own], Persistence::NONE);
        assert_eq!(first.minus(&first), Estimate { value: Some(0.0), half_width: Some(0.0) });
        let constant = Quantile::constant(1.0, 10);
        let difference = first.minus(&constant);
        assert_eq!(difference.value, Some(2.0));
        let (own, of_difference) = (first.estimate.half_width.unwrap(), difference.half_width.unwrap());
        assert!((own / of_difference - 1.0).abs() < 1e-9, "{own} {of_difference}");
        assert_eq!(first.minus(&Quantile::default()), Estimate::default());
    }
}
