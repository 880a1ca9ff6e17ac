//! Power-of-d on ranks: the emptiest of `d` servers drawn with replacement is the largest of `d` ranks.

use alba_model::{PowerOfD, ScalingRule};
use alba_replicate::Stream;
use rand::{Rng, RngExt};

use super::{Pick, WithPick};
use crate::random::below;

/// `task` with what is quickest for so many draws.
pub(super) fn with<W: WithPick>(rule: PowerOfD, scaling: ScalingRule, task: W) -> W::Output {
    match rule.d() {
        1 => task.with(BestOfFew::<1>, scaling),
        2 => task.with(BestOfFew::<2>, scaling),
        3 => task.with(BestOfFew::<3>, scaling),
        _ => task.with(BestOf::new(rule), scaling),
    }
}

/// The emptiest of `D`, 1 to 3: all draws are made for a completion too, which costs less than a branch.
#[derive(Debug, Clone, Copy)]
pub(super) struct BestOfFew<const D: u32>;

impl<const D: u32> Pick for BestOfFew<D> {
    const SHALLOW: bool = false;
    const MORE: bool = D > 1;
    const CHOICES: u32 = D;

    #[inline(always)]
    fn barred(self, _warm: u32, _tails: &[u32]) -> u32 {
        0
    }

    #[inline(always)]
    fn rank(self, arrival: bool, first: u32, candidates: (u32, u32), more: u64, rng: &mut Stream) -> u32 {
        let mut best = first;
        if D > 1 {
            best = best.max(below(candidates.1, more as u32, rng));
        }
        if D > 2 {
            best = best.max(below(candidates.1, (more >> 32) as u32, rng));
        }
        std::hint::select_unpredictable(arrival, best, first)
    }
}

/// The emptiest of `d`, for any `d`.
#[derive(Debug, Clone, Copy)]
pub(super) struct BestOf {
    d: u32,
}

impl BestOf {
    /// From here on one logarithm is cheaper than `d` draws.
    const MANY: u32 = 6;

    pub(super) fn new(rule: PowerOfD) -> Self {
        Self { d: rule.d() }
    }
}

impl Pick for BestOf {
    const SHALLOW: bool = false;

    #[inline(always)]
    fn barred(self, _warm: u32, _tails: &[u32]) -> u32 {
        0
    }

    #[inline(always)]
    fn rank(self, arrival: bool, first: u32, candidates: (u32, u32), _more: u64, rng: &mut Stream) -> u32 {
        if !arrival {
            first
        } else if self.d < Self::MANY {
            (1..self.d).fold(first, |best, _| {
                let bits = (rng.next_u64() >> 32) as u32;
                best.max(below(candidates.1, bits, rng))
            })
        } else {
            // The largest of d ranks is the whole part of n U^(1/d).
            let largest = (rng.random::<f64>().ln() / f64::from(self.d)).exp();
            ((f64::from(candidates.1) * largest) as u32).min(candidates.1 - 1)
        }
    }
}
