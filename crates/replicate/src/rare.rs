//! Intervals where what a measure counts is rare.
//!
//! Student's interval trusts the spread of the replications. Where few of them, or none, saw what is counted, that spread is
//! too small or nothing at all, and the interval covers far less often than it says. Then limits for few events take its
//! place where they are wider:
//!
//! - *none of `n` replications saw one:* the exact binomial limit (Clopper and Pearson, 97.5 %) of the share of replications that
//!   would, `1 - 0.025^(1/n)`, times the largest that the measure can be. Replications are independent and events within one need
//!   not be: they come in clusters of unknown size. Where the measure has no largest value there is no interval.
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
    /// The largest denominator over the mean one.
    pub(crate) largest: f64,
}

impl Side {
    /// The larger arm of the interval for few events; 0 where there are many, none where nothing can be said.
    pub(crate) fn reach(&self) -> Option<f64> {
        let cap = (self.share_limit() * self.span * self.largest).min(self.span) - self.distance;
        if self.seen == 0 {
            return cap.is_finite().then_some(cap.max(0.0));
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
        let known = effective * effective / (effective + UNKNOWN_SIZES * doubt.max(0.0));
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
