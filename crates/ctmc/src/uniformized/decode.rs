//! What random words mean, worked out for many steps at a time in vector registers.

use pulp::{Simd, WithSimd};

use crate::uniformized::bounds::Bounds;

/// Not worked out: a rare class, or bits of which some may have to be drawn again. Like a completion where no job is.
pub(crate) const UNDECIDED: u32 = !ARRIVAL;

/// Set at an arrival.
pub(crate) const ARRIVAL: u32 = 1 << 31;

/// Codes of steps: the rank of the server that finishes a job, or, with [`ARRIVAL`], gets one, the largest of `CHOICES`; where
/// servers may be barred (`BARS`) 31 random bits take the place of the latter.
pub(crate) struct Decode<'a, const CHOICES: u32, const BARS: bool> {
    /// Classes (upper halves) and first ranks.
    pub(crate) draws: &'a [u64],
    /// Second ranks, in the 32 bits from `shift` on, and third ones; same length.
    pub(crate) more: &'a [u64],
    pub(crate) shift: u32,
    /// Same length.
    pub(crate) codes: &'a mut [u32],
    pub(crate) bounds: &'a Bounds,
    pub(crate) warm: u32,
    /// A rank at which there is no job.
    pub(crate) no_job: u32,
}

impl<const CHOICES: u32, const BARS: bool> WithSimd for Decode<'_, CHOICES, BARS> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Bounds { completion_below, quiet_below, frequent_below, busy, .. } = *self.bounds;
        let [completion_below, quiet_below, frequent_below, busy] =
            [completion_below, quiet_below, frequent_below, busy].map(u64::from);
        let warm = u64::from(self.warm);
        for ((&draw, &more), code) in self.draws.iter().zip(self.more).zip(self.codes) {
            let class = draw >> 32;
            let arrival = class >= quiet_below;
            let bound = if arrival { warm } else { busy };
            // As `below` does; what it might have to draw again is left to it.
            let (mut rank, left) = scale(draw, bound);
            let ambiguous = left < bound;
            let mut undecided = class >= frequent_below;
            if BARS {
                rank = if arrival { (draw & 0xffff_ffff) >> 1 } else { rank };
                undecided |= ambiguous & !arrival;
            } else {
                undecided |= ambiguous;
            }
            if CHOICES > 1 {
                let (second, left) = scale(more >> self.shift, warm);
                undecided |= left < warm;
                rank = if arrival & (second > rank) { second } else { rank };
            }
            if CHOICES > 2 {
                let (third, left) = scale(more >> 32, warm);
                undecided |= left < warm;
                rank = if arrival & (third > rank) { third } else { rank };
            }
            let quiet = !arrival & (class >= completion_below);
            undecided &= !quiet;
            let rank = if quiet { u64::from(self.no_job) } else { rank };
            let flag = if arrival { u64::from(ARRIVAL) } else { 0 };
            *code = if undecided { UNDECIDED } else { (rank | flag) as u32 };
        }
    }
}

/// Counts the draws whose class is in `from..below`.
pub(crate) struct CountQuiet<'a> {
    pub(crate) draws: &'a [u64],
    pub(crate) from: u64,
    pub(crate) below: u64,
}

impl WithSimd for CountQuiet<'_> {
    type Output = u64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> u64 {
        let is_quiet = |&draw: &u64| u64::from((draw >> 32).wrapping_sub(self.from) < self.below - self.from);
        self.draws.iter().map(is_quiet).sum()
    }
}

/// The product of the lower half of `bits` and `bound`: its upper and its lower half.
#[inline(always)]
fn scale(bits: u64, bound: u64) -> (u64, u64) {
    let product = (bits & 0xffff_ffff) * bound;
    (product >> 32, product & 0xffff_ffff)
}
