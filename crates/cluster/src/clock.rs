//! Times in whole ticks.

use crate::Law;

/// A simulated clock: it counts ticks, whole numbers, so that sums and differences of times are exact.
///
/// In binary fractions three services of .1 do not end when .3 have passed, and whether a request finds the one before it gone would
/// be rounding's to say. A tick is a decimal fraction of a second (of the unit of time, where that has no length), as short as it can
/// be for a time within the run to survive its conversion: a nanosecond in a day, 10 ps in a quarter of an hour. So decimal times of
/// that many digits are whole ticks. Of others, moments are rounded and durations cut off: what takes as long as `n` equal gaps is
/// over when the `n`-th of them is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Clock {
    /// Ticks in a unit of time.
    rate: f64,
}

/// Ticks in a run, at most: two roundings put a moment off by less than half of [`CUT`].
const MOST: f64 = (1u64 << 49) as f64;
/// Ticks in the mean of a random time, at least, however long the run is.
const RANDOM: f64 = 1e6;
/// The same of a fixed time.
const FIXED: f64 = 1.0;
/// A duration so near to a whole number of ticks, relative to itself, is that number: three roundings are behind it, too.
const NEAR: f64 = 4.0 * f64::EPSILON;
/// Where moments are no whole ticks, the time between two of them is off by at most so much: others are cut off below that.
const CUT: f64 = 0.25;

impl Clock {
    /// For a run to `horizon` in which `durations` come, with their means; a unit of time is `unit_s` seconds long.
    pub(crate) fn new<'l>(
        unit_s: f64,
        horizon: f64,
        durations: impl Iterator<Item = (f64, &'l Law)>,
    ) -> Self {
        let second = 1.0 / unit_s;
        let by_horizon = (MOST / horizon * second).log10().floor();
        let needs = durations.filter(|(mean, _)| *mean > 0.0);
        let needs = needs.map(|(mean, law)| {
            let ticks = if law.is_constant() { FIXED } else { RANDOM };
            (ticks / mean * second).log10().ceil()
        });
        let digits = needs.fold(by_horizon, f64::max).clamp(-300.0, 300.0) as i32;
        let in_a_second = |digits: i32| 10f64.powi(digits);
        // Negative powers of ten are no binary fractions: divide instead.
        let rate = if digits < 0 { unit_s / in_a_second(-digits) } else { unit_s * in_a_second(digits) };
        Self { rate }
    }

    /// A time since the start.
    #[inline]
    pub(crate) fn moment(self, time: f64) -> f64 {
        (time * self.rate).round_ties_even()
    }

    /// A time from one moment to another.
    #[inline]
    pub(crate) fn duration(self, time: f64) -> f64 {
        let ticks = time * self.rate;
        let whole = ticks.round_ties_even();
        if (ticks - whole).abs() <= NEAR * ticks { whole } else { (ticks - CUT).floor().max(0.0) }
    }

    /// Ticks as time.
    #[inline]
    pub(crate) fn time(self, ticks: f64) -> f64 {
        ticks / self.rate
    }
}
