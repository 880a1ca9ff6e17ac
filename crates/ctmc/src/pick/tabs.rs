//! TABS-d on ranks.

use alba_model::PowerOfD;
use alba_replicate::Stream;

use super::Pick;
use super::power_of_d::BestOf;

/// TABS-d: an idle server if there is one, else the emptiest of `d` busy ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct IdleOrBestOf {
    best: BestOf,
}

impl IdleOrBestOf {
    pub(super) fn new(choices: PowerOfD) -> Self {
        Self { best: BestOf::new(choices) }
    }
}

impl Pick for IdleOrBestOf {
    const SHALLOW: bool = true;
    const STARTS: bool = true;

    fn prefers_idle(self) -> bool {
        true
    }

    #[inline(always)]
    fn barred(self, warm: u32, tails: &[u32]) -> u32 {
        if tails[1] < warm { tails[1] } else { 0 }
    }

    /// Idle servers are alike: the first will do.
    #[inline(always)]
    fn candidates(self, warm: u32, tails: &[u32]) -> (u32, u32) {
        let busy = tails[1];
        if busy < warm { (busy, 1) } else { (0, warm) }
    }

    #[inline(always)]
    fn rank(self, arrival: bool, first: u32, candidates: (u32, u32), more: u64, rng: &mut Stream) -> u32 {
        if candidates.1 == 1 { first } else { self.best.rank(arrival, first, candidates, more, rng) }
    }
}
