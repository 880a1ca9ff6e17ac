//! As many replications as a precision needs.

use alba_model::Measure;

use crate::{Estimate, Moments, Quantile, Quantiles};

/// How wide half a 95 % confidence interval may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tolerance {
    /// As a fraction of the value, > 0.
    Relative(f64),
    /// In the measure's own unit, > 0.
    Absolute(f64),
}

impl Tolerance {
    /// The widest half-width allowed of this value.
    pub fn allowed(self, value: f64) -> f64 {
        match self {
            Self::Relative(fraction) => fraction * value.abs(),
            Self::Absolute(half_width) => half_width,
        }
    }

    /// The number in it.
    pub fn number(self) -> f64 {
        match self {
            Self::Relative(number) | Self::Absolute(number) => number,
        }
    }
}

/// Why a precision cannot be asked for.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum PrecisionError {
    /// A tolerance that no interval can be held against.
    #[error("a tolerance of {tolerance} is not allowed: a finite number > 0")]
    Tolerance {
        /// The number given.
        tolerance: f64,
    },
    /// A cap that allows nothing.
    #[error("replications = 0 is not allowed: a whole number >= 1")]
    NoReplications,
}

/// What precision to simulate to.
#[derive(Debug, Clone, PartialEq)]
pub struct Precision {
    tolerances: Vec<Option<Tolerance>>,
    most_replications: u64,
    only_seen: bool,
}

impl Precision {
    /// A tolerance for every measure of an experiment, in its order, or none; at most `most_replications >= 1`.
    ///
    /// # Errors
    /// [`PrecisionError::Tolerance`] unless all are finite and above 0, [`PrecisionError::NoReplications`].
    pub fn new(tolerances: Vec<Option<Tolerance>>, most_replications: u64) -> Result<Self, PrecisionError> {
        for tolerance in tolerances.iter().flatten().map(|tolerance| tolerance.number()) {
            if !(tolerance > 0.0 && tolerance.is_finite()) {
                return Err(PrecisionError::Tolerance { tolerance });
            }
        }
        if most_replications == 0 {
            return Err(PrecisionError::NoReplications);
        }
        Ok(Self { tolerances, most_replications, only_seen: false })
    }

    /// The same for whatever measures are seen at all: one that was 0 or 1 in every replication, such as a share of lost jobs of
    /// which there was none, need not be known to any precision. Otherwise it must, and is not, unless it cannot change.
    #[must_use]
    pub fn of_what_is_seen(self) -> Self {
        Self { only_seen: true, ..self }
    }

    /// The same for the measures alone whose index `is_meant`.
    #[must_use]
    pub fn of_some(mut self, is_meant: impl Fn(usize) -> bool) -> Self {
        for (index, tolerance) in self.tolerances.iter_mut().enumerate() {
            *tolerance = tolerance.filter(|_| is_meant(index));
        }
        self
    }

    /// The cap.
    pub fn most_replications(&self) -> u64 {
        self.most_replications
    }

    /// Whether the measure of this index has a tolerance.
    pub fn asks_for(&self, index: usize) -> bool {
        self.tolerances.get(index).is_some_and(Option::is_some)
    }

    /// Whether these estimates, one for every measure, are precise enough. What is undefined need not be.
    pub fn is_met(&self, estimates: &[Estimate]) -> bool {
        self.shortfalls(estimates).all(|(_, excess)| excess <= 1.0)
    }

    /// Measures left out by [`Self::of_what_is_seen`], by index, though they may change.
    pub fn left_out(&self, estimates: &[Estimate]) -> Vec<usize> {
        let left_out = |index: &usize| {
            let Estimate { value, half_width } = estimates[*index];
            // What cannot change has no width, up to rounding.
            let may_change = half_width.is_none_or(|half_width| half_width > ROUNDING);
            self.only_seen && self.asks_for(*index) && value.is_some_and(is_limit) && may_change
        };
        (0..estimates.len()).filter(left_out).collect()
    }

    /// Half-width over what is allowed, by the index of the measure.
    pub fn shortfalls(&self, estimates: &[Estimate]) -> impl Iterator<Item = (usize, f64)> {
        let tolerances = self.tolerances.iter().zip(estimates).enumerate();
        tolerances.filter_map(|(index, (tolerance, estimate))| {
            let value = estimate.value.filter(|&value| !(self.only_seen && is_limit(value)))?;
            let allowed = (*tolerance)?.allowed(value);
            Some((index, estimate.half_width.map_or(f64::INFINITY, |half_width| excess(half_width, allowed))))
        })
    }
}

/// Integrals that should be equal differ by no more.
const ROUNDING: f64 = 1e-11;

/// Up to rounding.
fn is_limit(value: f64) -> bool {
    [0.0, 1.0].into_iter().any(|limit| (value - limit).abs() < ROUNDING)
}

/// At most 1 if precise enough. An interval without width is: only what cannot change has one.
fn excess(half_width: f64, allowed: f64) -> f64 {
    if half_width > 0.0 { half_width / allowed } else { 0.0 }
}

/// An interval that is too wide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shortfall {
    /// Of this measure.
    pub measure: Measure,
    /// In this row of those that are watched: a report time, a policy.
    pub row: usize,
    /// How many times as wide as allowed; infinite where there is no interval, or where nothing is allowed because the
    /// estimate is 0.
    pub excess: f64,
}

/// Replications of a simulation that can go on, with estimates.
pub trait Sequential {
    /// Why there is none.
    type Error;

    /// What is measured, in the order of every row of estimates.
    fn measures(&self) -> &[Measure];

    /// Simulates the replications that are missing to `planned`.
    ///
    /// # Errors
    /// Those of the simulation.
    fn simulate_to(&mut self, planned: u64) -> Result<(), Self::Error>;

    /// Keeps what the first replications say of their spread, when it is called for the first time: they decide how many there will
    /// be, and all intervals are as wide as that spread says or wider, see [`Pilot`].
    fn end_stage(&mut self);

    /// The estimates that are to be precise, row by row.
    fn watched(&self) -> Vec<Vec<Estimate>>;
}

/// Fewer replications say too little about their spread to plan with.
pub const PILOT: u64 = 20;

/// Simulates until the estimates watched are as precise as asked for: first `asked` replications, 20 at least, then as many more as
/// their spread calls for, at most doubling them, and so on, up to the cap. If the cap was reached before all were precise,
/// the interval that is furthest from what is allowed of it.
///
/// A run that stops when an interval looks narrow stops too often where the spread was underestimated. Half-widths are
/// therefore Stein's, from the spread among the first replications, or the usual ones, whichever are wider: for
/// normal data they cover in at least 95 % of cases.
///
/// # Errors
/// Those of the simulation.
pub fn replicate_to_precision<S: Sequential>(
    simulation: &mut S,
    asked: u64,
    precision: &Precision,
) -> Result<Option<Shortfall>, S::Error> {
    let most = precision.most_replications();
    let mut planned = asked.max(PILOT).min(most);
    loop {
        simulation.simulate_to(planned)?;
        simulation.end_stage();
        let worst = worst(simulation, precision);
        let excess = worst.map_or(0.0, |worst| worst.excess);
        if excess <= 1.0 || planned >= most {
            return Ok(worst.filter(|worst| worst.excess > 1.0));
        }
        // Rounded up by a little: neither is the mean known, nor are steps of one replication worth a look.
        let needed = planned as f64 * excess.powi(2) * 1.02;
        planned = (needed.min(2.0 * planned as f64) as u64 + 1).min(most);
    }
}

/// The estimate of the largest excess.
fn worst(simulation: &impl Sequential, precision: &Precision) -> Option<Shortfall> {
    let rows = simulation.watched().into_iter().enumerate();
    let excesses = rows.flat_map(|(row, estimates)| {
        let found: Vec<_> = precision.shortfalls(&estimates).collect();
        found.into_iter().filter_map(move |(index, excess)| {
            let measure = *simulation.measures().get(index)?;
            Some(Shortfall { measure, row, excess })
        })
    });
    excesses.max_by(|a, b| a.excess.total_cmp(&b.excess))
}

/// What the first replications say of the spread: none before there is a plan that they decide.
#[derive(Debug, Clone, Default)]
pub struct Pilot {
    means: Option<Vec<Moments>>,
    /// Of every percentile: the number of replications, and the relative variance of the share above it, at the first stage at
    /// which it had an interval.
    percentiles: Vec<Option<(u64, f64)>>,
}

impl Pilot {
    /// Keeps the spread of `means`, and of percentiles, unless it is kept already. Few replications leave a percentile without
    /// an interval; those decide nothing, and the first ones that give it one are its own.
    pub fn end_stage(&mut self, means: &[Moments], percentiles: &[Option<Quantile>], replications: u64) {
        self.means.get_or_insert_with(|| means.to_vec());
        self.percentiles.resize(percentiles.len(), None);
        for (kept, quantile) in self.percentiles.iter_mut().zip(percentiles) {
            let known = quantile.as_ref().filter(|quantile| quantile.estimate.half_width.is_some());
            *kept = kept.or(known.map(|quantile| (replications, quantile.exceedances.recip())));
        }
    }

    /// The estimates of `means`, with Stein's intervals where those are wider.
    pub fn estimates(&self, means: &[Moments]) -> Vec<Estimate> {
        let mut quantiles = Quantiles::default();
        let pilots = self.means.as_deref().unwrap_or_default();
        let estimate = |(index, all): (usize, &Moments)| match pilots.get(index) {
            Some(pilot) => all.sequential_estimate(pilot, &mut quantiles),
            // Nobody decides, or what was not there yet.
            None => quantiles.estimate(all),
        };
        means.iter().enumerate().map(estimate).collect()
    }

    /// The estimate of the percentile of this index from so many replications: as wide as it is, or as it would be if the share
    /// above it had the variance that the first replications say. The same rule for what is no mean of replications.
    pub fn percentile(&self, index: usize, quantile: Option<&Quantile>, replications: u64) -> Estimate {
        let Some(quantile) = quantile else { return Estimate::default() };
        let kept = self.percentiles.get(index).copied().flatten();
        let wider = kept.map_or(1.0, |(first, variance)| {
            (variance * first as f64 / replications as f64 * quantile.exceedances).sqrt()
        });
        let widened = |half_width: f64| if wider > 1.0 { half_width * wider } else { half_width };
        Estimate { half_width: quantile.estimate.half_width.map(widened), ..quantile.estimate }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream;
    use alba_model::Parts;
    use rand::RngExt;

    /// Uniform values, one a replication; the second measure is never seen.
    #[derive(Default)]
    struct Uniform {
        moments: [Moments; 2],
        pilot: Pilot,
        planned: Vec<u64>,
    }

    impl Sequential for Uniform {
        type Error = std::convert::Infallible;

        fn measures(&self) -> &[Measure] {
            &[Measure::Busy, Measure::LostFraction]
        }

        fn simulate_to(&mut self, planned: u64) -> Result<(), Self::Error> {
            for replication in self.moments[0].count()..planned {
                self.moments[0].push(Parts::plain(stream(1, replication).random()));
                self.moments[1].push(Parts::plain(0.0));
            }
            self.planned.push(planned);
            Ok(())
        }

        fn end_stage(&mut self) {
            self.pilot.end_stage(&self.moments, &[], self.moments[0].count());
        }

        fn watched(&self) -> Vec<Vec<Estimate>> {
            vec![self.pilot.estimates(&self.moments)]
        }
    }

    fn to(tolerances: [Option<Tolerance>; 2], most: u64) -> (Uniform, Option<Shortfall>) {
        let mut uniform = Uniform::default();
        let precision = Precision::new(tolerances.into(), most).unwrap();
        let Ok(shortfall) = replicate_to_precision(&mut uniform, 3, &precision);
        (uniform, shortfall)
    }

    #[test]
    fn as_many_as_it_takes() {
        // 1.96^2 / 12 / 0.02^2 = 800 replications make half an interval of a uniform mean 0.02 wide.
        let (uniform, shortfall) = to([Some(Tolerance::Absolute(0.02)), None], 100_000);
        let estimate = uniform.watched()[0][0];
        assert!(shortfall.is_none() && estimate.half_width.unwrap() <= 0.02, "{estimate:?}");
        assert!((600..1500).contains(uniform.planned.last().unwrap()), "{:?}", uniform.planned);
        assert_eq!(uniform.planned[0], PILOT);
        assert!(uniform.planned.windows(2).all(|pair| pair[0] < pair[1] && pair[1] <= 2 * pair[0] + 1));
    }

    #[test]
    fn the_cap_names_what_is_not_precise() {
        let (uniform, shortfall) = to([Some(Tolerance::Relative(1e-3)), None], 50);
        let shortfall = shortfall.unwrap();
        assert_eq!((shortfall.measure, shortfall.row, uniform.moments[0].count()), (Measure::Busy, 0, 50));
        assert!(shortfall.excess > 10.0);
        assert_eq!(to([None, None], 50).0.planned, [PILOT]);
    }

    #[test]
    fn a_percentile_is_as_wide_as_its_first_interval_says() {
        let of = |half_width, exceedances| {
            let estimate = Estimate { value: Some(5.0), half_width };
            let mut quantile = Quantile::default();
            (quantile.estimate, quantile.exceedances) = (estimate, exceedances);
            Some(quantile)
        };
        let half_width = |pilot: &Pilot, exceedances, replications| {
            pilot.percentile(0, of(Some(0.1), exceedances).as_ref(), replications).half_width.unwrap()
        };
        let mut pilot = Pilot::default();
        pilot.end_stage(&[], &[of(None, 2.0)], 20);
        assert_eq!(half_width(&pilot, 100.0, 80), 0.1);
        pilot.end_stage(&[], &[of(Some(0.5), 10.0)], 40);
        pilot.end_stage(&[], &[of(Some(0.1), 80.0)], 80);
        // Twice as many replications have twice as many independent values above, not eight times.
        assert!((half_width(&pilot, 80.0, 80) - 0.1 * 2.0).abs() < 1e-12);
        assert_eq!(half_width(&pilot, 20.0, 80), 0.1);
        assert_eq!(half_width(&pilot, 15.0, 80), 0.1);
        assert_eq!(pilot.percentile(0, of(None, 1.0).as_ref(), 160).half_width, None);
        assert_eq!(pilot.percentile(0, None, 160), Estimate::default());
        let constant = Quantile::constant(1.0, 10);
        assert_eq!(Pilot::default().percentile(0, Some(&constant), 160), constant.estimate);
    }

    #[test]
    fn tolerances_that_nothing_meets_are_refused() {
        for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Precision::new(vec![Some(Tolerance::Absolute(tolerance))], 10).is_err());
        }
        assert_eq!(Precision::new(vec![], 0), Err(PrecisionError::NoReplications));
    }
}
