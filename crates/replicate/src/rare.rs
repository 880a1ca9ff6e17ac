//! Intervals where what a measure counts is rare.
//!
//! Student's interval trusts the spread of the replications. Where few of them, or none, saw what is counted, that spread is
//! too small or nothing at all, and the interval covers far less often than it says. Then limits for few events take its
//! place where they are wider:
//!
//! - *none of `n` replications saw one:* the exact binomial limit (Clopper and Pearson, 97.5 %) of the share of replications that
//!   would, `1 - 0.025^(1/n)`, times the largest that the measure can be. Replications are independent and events within one need
//!   not be: they come in clusters of unknown size. Where the measure has no largest value there is no interval. Of servers that
//!   are counted at a time, of which few are in a rare place at once, none cannot allow for more than a single one would.
//! - *few:* exact Poisson limits (97.5 % each) for the effective number of events `m`, relative to it. `m` is the squared total over
//!   its variance between replications, so that events that come together count once, and never more than the events
//!   themselves (for a share `p` of servers, over `1 - p`, as in the binomial law). A few clusters say little of how large clusters
//!   are, so `m` is lessened to `m^2 / (m + c)`, `c = 4 (1 - (m - 1) / events)`, at most 4: found by trial, such that
//!   compound Poisson totals with single events, with geometric, exponential and nearly constant clusters of mean size 1 to 50 are
//!   covered in 93 % or more. The binomial limit of the share of replications, which holds for clusters of any size, caps it.
//!
//! Few are less than 100 events, or less than 50 replications with any unless all have some, or less than 10 replications.
//! The same holds for what is missing to the largest value. A half-width is the larger of an interval's two arms.

use statrs::function::beta::beta_reg;

use crate::Nature;

/// The normal 97.5 % quantile.
const Z: f64 = 1.959_963_984_540_054;
/// Of one side.
const PROBABILITY: f64 = 0.025;
/// From here on the spread of replications is believed: events ...
const MANY_EVENTS: f64 = 100.0;
/// ... replications with an event, unless all have some ...
const MANY_SEEN: u64 = 50;
/// ... and replications.
const MANY_REPLICATIONS: u64 = 10;
/// What is taken off the effective number of clusters of unknown sizes.
const UNKNOWN_SIZES: f64 = 4.0;
/// Sums and integrals that should be equal differ by no more, relative to what they are sums of.
pub(crate) const ROUNDING: f64 = 1e-11;

/// What replications say about one side of a measure: its distance from a limit that it cannot pass.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side {
    /// Replications.
    pub(crate) count: u64,
    /// Those away from the limit.
    pub(crate) seen: u64,
    /// The ratio's distance from the limit, >= 0.
    pub(crate) distance: f64,
    /// The most that can be; may be infinite.
    pub(crate) span: f64,
    /// Standard error of the ratio.
    pub(crate) error: f64,
    /// What one event adds to the ratio; 0: not counted.
    pub(crate) event: f64,
    /// Whether events may come in clusters of any size.
    pub(crate) in_clusters: bool,
    /// The largest denominator over the mean one.
    pub(crate) largest: f64,
}

impl Side {
    /// The larger arm of the interval for few events; 0 where there are many, none where nothing can be said.
    pub(crate) fn reach(&self) -> Option<f64> {
        let cap = (self.share_limit() * self.span * self.largest).min(self.span) - self.distance;
        if self.seen == 0 {
            let alone =
                if self.event > 0.0 && !self.in_clusters { self.event * of_one() } else { f64::INFINITY };
            let limit = cap.min(alone);
            return limit.is_finite().then_some(limit.max(0.0));
        }
        if !self.is_few() {
            return Some(0.0);
        }
        let effective = self.effective();
        if !effective.is_finite() {
            return None;
        }
        let events = self.events();
        let doubt = if events.is_finite() { (1.0 - (effective - 1.0) / events).min(1.0) } else { 1.0 };
        let known = lessened(effective, doubt.max(0.0));
        let upper = self.distance * (poisson_upper(known) / known - 1.0);
        let lower = self.distance * (1.0 - poisson_lower(known) / known);
        Some(upper.min(cap).max(lower))
    }

    fn is_few(&self) -> bool {
        self.floor() < MANY_EVENTS
            || self.seen < self.count.min(MANY_SEEN)
            || self.count < MANY_REPLICATIONS
            || self.error <= ROUNDING * self.distance
    }

    /// Events; infinite where they are not counted.
    fn events(&self) -> f64 {
        if self.event > 0.0 { self.distance / self.event } else { f64::INFINITY }
    }

    /// What independent single events would make of the squared total over its variance.
    fn floor(&self) -> f64 {
        self.events() / (1.0 - self.distance / self.span).max(f64::MIN_POSITIVE)
    }

    /// The squared total over its variance.
    fn effective(&self) -> f64 {
        let spread = (self.distance / self.error).powi(2);
        let without_spread = self.error <= ROUNDING * self.distance;
        if without_spread || self.floor() < MANY_EVENTS { spread.min(self.floor()) } else { spread }
    }

    /// Upper limit of the probability that a replication sees an event.
    fn share_limit(&self) -> f64 {
        binomial_upper(self.seen, self.count)
    }
}

/// The effective number of events, lessened for clusters of unknown sizes.
fn lessened(effective: f64, doubt: f64) -> f64 {
    effective * effective / (effective + UNKNOWN_SIZES * doubt)
}

/// The upper limit for a single event, in events.
fn of_one() -> f64 {
    let known = lessened(1.0, 1.0);
    poisson_upper(known) / known
}

/// What the share of replications in one of two modes leaves open.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Modes {
    /// Replications.
    pub(crate) count: u64,
    /// Those in the first mode.
    pub(crate) first: u64,
    /// The least and the largest ratio of a replication.
    pub(crate) ratios: [f64; 2],
}

impl Modes {
    /// How far the mean may be off because the rarer mode was seen in too few replications; 0 where it was not, none where
    /// nothing is known of it. In the first mode the measure is at its least, in the other it may be anything.
    pub(crate) fn reach(&self, nature: &Nature) -> Option<f64> {
        let [least, most] = self.ratios;
        let second = self.count - self.first;
        if self.first.min(second) >= MANY_REPLICATIONS {
            return Some(0.0);
        }
        let span = match (self.first, second) {
            (0, _) => most - nature.least(),
            (_, 0) => nature.most() - least,
            _ => most - least,
        };
        let share = self.first as f64 / self.count as f64;
        let upper = binomial_upper(self.first, self.count) - share;
        let lower = share - (1.0 - binomial_upper(second, self.count));
        span.is_finite().then_some(upper.max(lower) * span)
    }
}

/// Clopper and Pearson's upper limit of a probability, 97.5 %.
///
/// # Source
/// C. J. Clopper and E. S. Pearson, *The use of confidence or fiducial limits illustrated in the case of the binomial*,
/// Biometrika 26, 1934.
fn binomial_upper(seen: u64, count: u64) -> f64 {
    if seen >= count {
        return 1.0;
    }
    if seen == 0 {
        return 1.0 - PROBABILITY.powf(1.0 / count as f64);
    }
    let (a, b) = (seen as f64 + 1.0, (count - seen) as f64);
    let (mut low, mut high) = (seen as f64 / count as f64, 1.0);
    const HALVINGS: usize = 40;
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if beta_reg(a, b, middle) < 1.0 - PROBABILITY { low = middle } else { high = middle }
    }
    high
}

/// The upper limit of a Poisson mean of which `events` were seen, not necessarily a whole number.
///
/// # Source
/// F. Garwood, *Fiducial limits for the Poisson distribution*, Biometrika 28, 1936; gamma quantiles by E. B. Wilson and M. M.
/// Hilferty, *The distribution of chi-square*, PNAS 17, 1931, within 0.6 %.
fn poisson_upper(events: f64) -> f64 {
    let shape = events + 1.0;
    shape * (1.0 - 1.0 / (9.0 * shape) + Z / (3.0 * shape.sqrt())).powi(3)
}

/// The lower limit.
fn poisson_lower(events: f64) -> f64 {
    events * (1.0 - 1.0 / (9.0 * events) - Z / (3.0 * events.sqrt())).max(0.0).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Moments, student_quantile};
    use alba_model::Parts;

    fn half_width(nature: Nature, numerators: &[f64]) -> Option<f64> {
        let mut moments = Moments::of(nature);
        numerators.iter().for_each(|&numerator| moments.push(Parts { numerator, denominator: 1000.0 }));
        moments.estimate(student_quantile(moments.count())).half_width
    }

    fn jobs() -> Nature {
        Nature::SHARE.counted(1.0).in_clusters()
    }

    #[test]
    fn limits_of_the_tables() {
        // Clopper and Pearson: 1 of 10 up to 0.4450, 5 of 10 up to 0.8129; Poisson: 10 between 4.795 and 18.390.
        for ((seen, count), expected) in
            [((0, 10), 0.3085), ((1, 10), 0.4450), ((5, 10), 0.8129), ((10, 10), 1.0)]
        {
            assert!((binomial_upper(seen, count) - expected).abs() < 5e-5, "{seen} of {count}");
        }
        assert!((poisson_upper(10.0) - 18.390).abs() < 0.01 && (poisson_lower(10.0) - 4.795).abs() < 0.01);
        assert!((poisson_upper(0.0) - 3.689).abs() < 0.025);
    }

    #[test]
    fn nothing_seen_is_not_nothing() {
        assert_eq!(half_width(Nature::default(), &[0.0; 10]), Some(0.0));
        assert_eq!(half_width(jobs(), &[0.0; 10]), Some(binomial_upper(0, 10)));
        assert_eq!(half_width(jobs(), &[1000.0; 10]), Some(binomial_upper(0, 10)));
        assert_eq!(half_width(jobs().constant_if(true), &[0.0; 10]), Some(0.0));
        assert_eq!(half_width(Nature::between(0.0, f64::INFINITY), &[0.0; 10]), None);
        // Servers: as many as a single one would allow for, of 10,000 looks at one.
        let servers = half_width(Nature::SHARE.counted(1.0), &[0.0; 10]).unwrap();
        assert!((servers - of_one() / 10_000.0).abs() < 1e-15 && servers < 2.1e-3, "{servers}");
    }

    #[test]
    fn equal_counts_are_no_certainty() {
        // Ten jobs of ten replications, and two of two: their spread is nothing, that of Poisson counts is not.
        for (seen, least) in [(10, 8.39), (2, 5.2)] {
            let reach = half_width(jobs(), &vec![1.0; seen]).unwrap() * 1000.0 * seen as f64;
            assert!(reach > least && reach < 10.0 * least, "{seen}: {reach}");
        }
    }

    #[test]
    fn many_events_leave_students_interval() {
        let counts: Vec<f64> = (0..10).map(|count| 90.0 + 3.0 * f64::from(count)).collect();
        assert_eq!(half_width(jobs(), &counts), half_width(Nature::default(), &counts));
        // As many in two of ten replications are two clusters.
        let clusters = [vec![500.0, 600.0], vec![0.0; 8]].concat();
        assert!(
            half_width(jobs(), &clusters).unwrap() > 1.5 * half_width(Nature::default(), &clusters).unwrap()
        );
    }

    #[test]
    fn a_mode_that_was_not_seen() {
        let mut moments = Moments::of(Nature::SHARE);
        for numerator in [0.97, 0.96, 0.98] {
            moments.push_in_mode(Parts { numerator, denominator: 1.0 }, false);
        }
        let reach = moments.reach().unwrap();
        assert!((reach - 0.98 * binomial_upper(0, 3)).abs() < 1e-12, "{reach}");
    }
}
