//! Which warm server an arriving job joins: dispatching rules on ranks, fullest server first.

use alba_model::{JoinBelowThreshold, PowerOfD};
use rand::{Rng, RngExt};

use crate::random::below;
use alba_replicate::Stream;

/// A dispatching rule as a way to draw the rank of a warm server, from `first`, uniform among the candidates.
pub(crate) trait Pick: Copy {
    /// Whether servers with more than one job are rare enough for a branch to be worth it.
    const SHALLOW: bool;

    /// Whether an arrival that finds no idle server starts a cold one: what a scheme does, known when its code is compiled,
    /// so that the others pay nothing.
    const STARTS: bool = false;

    /// Whether an idle server gets the job if there is one.
    fn prefers_idle(self) -> bool {
        false
    }

    /// Whether `rank` uses random bits of its own.
    const MORE: bool = false;

    /// How many ranks are drawn, to take the emptiest, if that can be worked out ahead but for who is barred; 0 if not.
    const CHOICES: u32 = 0;

    /// Whether servers may be barred, as long as others are not: those with [`Self::threshold`] jobs.
    const BARS: bool = false;

    /// More than any server has if none is ever barred.
    fn threshold(self) -> usize {
        usize::MAX
    }

    /// How many of `warm > 0` servers, the fullest, do not get an arriving job; `tails[i]` of them have at least `i >= 1`
    /// jobs.
    fn barred(self, warm: u32, tails: &[u32]) -> u32;

    /// The first rank and the number of the servers that may get an arriving job.
    #[inline(always)]
    fn candidates(self, warm: u32, tails: &[u32]) -> (u32, u32) {
        let barred = self.barred(warm, tails);
        (barred, warm - barred)
    }

    /// The rank of the server that gets the job, or that finishes one: then the draw `first` as it is.
    /// `more` bits are random and unused so far, if the rule asks for them.
    fn rank(self, arrival: bool, first: u32, candidates: (u32, u32), more: u64, rng: &mut Stream) -> u32;
}

/// The emptiest of `D`, 1 to 3: all draws are made for a completion too, which costs less than a branch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BestOfFew<const D: u32>;

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
pub(crate) struct BestOf {
    d: u32,
}

impl BestOf {
    /// From here on one logarithm is cheaper than `d` draws.
    const MANY: u32 = 6;

    pub(crate) fn new(rule: PowerOfD) -> Self {
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

/// A server with at most `d` jobs if there is one, else any.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Below {
    d: usize,
}

impl Below {
    pub(crate) fn new(rule: JoinBelowThreshold) -> Self {
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

/// TABS-d: an idle server if there is one, else the emptiest of `d` busy ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IdleOrBestOf {
    best: BestOf,
}

impl IdleOrBestOf {
    pub(crate) fn new(choices: PowerOfD) -> Self {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::servers::{Servers, level_of};
    use alba_model::{Counts, Dispatch, Scheme};
    use alba_replicate::stream;

    /// 20,000 picks each, seed 1: every level's share within 4 standard errors of the model's `f_i`.
    #[test]
    fn picks_have_the_models_shares() {
        let rules = [1, 2, 3, 5, 6, 40].map(|d| Dispatch::power_of_d(d).unwrap());
        let tabs = [2, 3, 40].map(|d| Scheme::tabs(d).unwrap().dispatch().unwrap());
        for rule in rules.into_iter().chain((0..4).map(Dispatch::join_below_threshold)).chain(tabs) {
            for warm in [[5, 9, 3, 2, 1], [0, 4, 4, 0, 12], [0, 0, 0, 1, 0]] {
                check(rule, &warm);
            }
        }
    }

    fn check(rule: Dispatch, warm: &[u64]) {
        let servers = Servers::new(&Counts { cold: 1, initializing: 0, warm: warm.to_vec(), waiting: 0 });
        let picks = 20_000;
        let mut counts = vec![0u32; warm.len()];
        for level in levels(rule, &servers.tails).take(picks) {
            counts[level] += 1;
        }
        let fractions: Vec<f64> = warm.iter().map(|&count| count as f64 / 20.0).collect();
        let mut shares = Vec::new();
        rule.shares(&fractions, &mut shares);
        for (count, share) in counts.iter().zip(&shares) {
            let share = share.clamp(0.0, 1.0);
            let error = (share * (1.0 - share) * picks as f64).sqrt();
            let off = (f64::from(*count) - share * picks as f64).abs();
            assert!(off <= 4.0 * error + 1e-6, "{rule}: {counts:?}, not {shares:?} of {picks}");
        }
    }

    fn levels(rule: Dispatch, tails: &[u32]) -> Box<dyn Iterator<Item = usize> + '_> {
        match rule {
            Dispatch::PowerOfD(rule) if rule.d() == 1 => Box::new(draws(BestOfFew::<1>, tails)),
            Dispatch::PowerOfD(rule) if rule.d() == 2 => Box::new(draws(BestOfFew::<2>, tails)),
            Dispatch::PowerOfD(rule) if rule.d() == 3 => Box::new(draws(BestOfFew::<3>, tails)),
            Dispatch::PowerOfD(rule) => Box::new(draws(BestOf::new(rule), tails)),
            Dispatch::JoinBelowThreshold(rule) if rule.otherwise().d() > 1 => {
                Box::new(draws(IdleOrBestOf::new(rule.otherwise()), tails))
            }
            Dispatch::JoinBelowThreshold(rule) => Box::new(draws(Below::new(rule), tails)),
        }
    }

    fn draws<P: Pick + 'static>(pick: P, tails: &[u32]) -> impl Iterator<Item = usize> + '_ {
        let mut rng = stream(1, 0);
        std::iter::repeat_with(move || {
            let bits = rng.next_u64();
            let candidates = pick.candidates(tails[0], tails);
            let first = candidates.0 + below(candidates.1, bits as u32, &mut rng);
            let more = rng.next_u64();
            let rank = pick.rank(true, first, candidates, more, &mut rng);
            if P::SHALLOW { level_of::<true>(tails, rank) } else { level_of::<false>(tails, rank) }
        })
    }
}
