//! Which warm server an arriving job joins: dispatching rules on ranks, fullest server first.

use alba_model::{JoinBelowThreshold, PowerOfD};
use rand::{Rng, RngExt};

use crate::random::{Stream, below};

/// A dispatching rule as a way to draw the rank of a warm server, from `first`, uniform among the candidates.
pub(crate) trait Pick: Copy {
    /// Whether servers with more than one job are rare enough for a branch to be worth it.
    const SHALLOW: bool;

    /// Whether an arrival that finds no idle server starts a cold one: what a scheme does, known when its code is compiled,
    /// so that the others pay nothing.
    const STARTS: bool = false;

    /// Whether `rank` uses random bits of its own.
    const MORE: bool = false;

    /// The first rank and the number of the servers that may get an arriving job; some server is warm.
    fn candidates(self, tails: &[u32]) -> (u32, u32);

    /// The rank of the server that gets the job, or that finishes one: then the draw `first` as it is.
    /// `more` bits are random and unused so far, if the rule asks for them.
    fn rank(self, arrival: bool, first: u32, candidates: u32, more: u64, rng: &mut Stream) -> u32;
}

/// The emptiest of two: both draws are made for a completion too, which costs less than a branch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BestOfTwo;

impl Pick for BestOfTwo {
    const SHALLOW: bool = false;
    const MORE: bool = true;

    #[inline(always)]
    fn candidates(self, tails: &[u32]) -> (u32, u32) {
        (0, tails[0])
    }

    #[inline(always)]
    fn rank(self, arrival: bool, first: u32, candidates: u32, more: u64, rng: &mut Stream) -> u32 {
        let second = below(candidates, more as u32, rng);
        std::hint::select_unpredictable(arrival, first.max(second), first)
    }
}

/// The emptiest of three, likewise.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BestOfThree;

impl Pick for BestOfThree {
    const SHALLOW: bool = false;
    const MORE: bool = true;

    #[inline(always)]
    fn candidates(self, tails: &[u32]) -> (u32, u32) {
        (0, tails[0])
    }

    #[inline(always)]
    fn rank(self, arrival: bool, first: u32, candidates: u32, more: u64, rng: &mut Stream) -> u32 {
        let second = below(candidates, more as u32, rng);
        let third = below(candidates, (more >> 32) as u32, rng);
        std::hint::select_unpredictable(arrival, first.max(second).max(third), first)
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
    fn candidates(self, tails: &[u32]) -> (u32, u32) {
        (0, tails[0])
    }

    #[inline(always)]
    fn rank(self, arrival: bool, first: u32, candidates: u32, _more: u64, rng: &mut Stream) -> u32 {
        if !arrival {
            first
        } else if self.d < Self::MANY {
            (1..self.d).fold(first, |best, _| {
                let bits = (rng.next_u64() >> 32) as u32;
                best.max(below(candidates, bits, rng))
            })
        } else {
            // The largest of d ranks is the whole part of n U^(1/d).
            let largest = (rng.random::<f64>().ln() / f64::from(self.d)).exp();
            ((f64::from(candidates) * largest) as u32).min(candidates - 1)
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

    #[inline(always)]
    fn candidates(self, tails: &[u32]) -> (u32, u32) {
        let above = tails.get(self.d + 1).copied().unwrap_or(0);
        let warm = tails[0];
        if above < warm { (above, warm - above) } else { (0, warm) }
    }

    #[inline(always)]
    fn rank(self, _arrival: bool, first: u32, _candidates: u32, _more: u64, _rng: &mut Stream) -> u32 {
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

    /// Idle servers are alike: the first will do.
    #[inline(always)]
    fn candidates(self, tails: &[u32]) -> (u32, u32) {
        let (warm, busy) = (tails[0], tails[1]);
        if busy < warm { (busy, 1) } else { (0, warm) }
    }

    #[inline(always)]
    fn rank(self, arrival: bool, first: u32, candidates: u32, more: u64, rng: &mut Stream) -> u32 {
        if candidates == 1 { first } else { self.best.rank(arrival, first, candidates, more, rng) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use crate::servers::{Servers, level_of};
    use alba_model::{Counts, Dispatch, Scheme};

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
            Dispatch::PowerOfD(rule) if rule.d() == 2 => Box::new(draws(BestOfTwo, tails)),
            Dispatch::PowerOfD(rule) if rule.d() == 3 => Box::new(draws(BestOfThree, tails)),
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
            let (base, candidates) = pick.candidates(tails);
            let first = base + below(candidates, bits as u32, &mut rng);
            let more = rng.next_u64();
            let rank = pick.rank(true, first, candidates, more, &mut rng);
            if P::SHALLOW { level_of::<true>(tails, rank) } else { level_of::<false>(tails, rank) }
        })
    }
}
