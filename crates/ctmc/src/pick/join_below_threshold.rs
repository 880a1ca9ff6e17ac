//! JBT-d on ranks: the emptiest servers are those at or below the threshold.

use alba_model::JoinBelowThreshold;
use alba_replicate::Stream;

use super::Pick;

/// A server with at most `d` jobs if there is one, else any.
#[derive(Debug, Clone, Copy)]
pub(super) struct Below {
    d: usize,
}

impl Below {
    pub(super) fn new(rule: JoinBelowThreshold) -> Self {
        Self { d: rule.d() as usize }
    }
}

impl Pick for Below {
    const SHALLOW: bool = true;
    const CHOICES: u32 = 1;
    const BARS: bool = true;

    fn prefers_idle(self) -> bool {
        self.d == 0
    }

    #[inline(always)]
    fn threshold(self) -> usize {
        self.d + 1
    }

    #[inline(always)]
    fn barred(self, warm: u32, tails: &[u32]) -> u32 {
        let above = tails.get(self.d + 1).copied().unwrap_or(0);
        if above < warm { above } else { 0 }
    }

    #[inline(always)]
    fn rank(self, _arrival: bool, first: u32, _candidates: (u32, u32), _more: u64, _rng: &mut Stream) -> u32 {
        first
    }
}
