//! Which warm server an arriving job joins: dispatching rules on ranks, fullest server first.

mod join_below_threshold;
mod power_of_d;
mod tabs;

use alba_model::{Dispatch, ScalingRule, Scheme};
use alba_replicate::Stream;

use join_below_threshold::Below;
use tabs::IdleOrBestOf;

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

/// What is done with the rules of a scheme; the type of [`Pick`] differs from rule to rule.
pub(crate) trait WithPick {
    type Output;

    fn with<P: Pick + 'static>(self, pick: P, scaling: ScalingRule) -> Self::Output;
}

/// None for a scheme whose servers have no queues of their own.
pub(crate) fn with_pick<W: WithPick>(scheme: Scheme, task: W) -> Option<W::Output> {
    Some(match scheme {
        Scheme::Asynchronous { dispatch, scaling } => match dispatch {
            Dispatch::PowerOfD(rule) => power_of_d::with(rule, scaling, task),
            Dispatch::JoinBelowThreshold(rule) => task.with(Below::new(rule), scaling),
        },
        Scheme::Tabs(choices) => task.with(IdleOrBestOf::new(choices), ScalingRule::None),
        Scheme::CentralQueue => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::below;
    use crate::servers::{Servers, level_of};
    use alba_model::Counts;
    use alba_replicate::stream;
    use rand::Rng;

    /// 20,000 picks each, seed 1: every level's share within 4 standard errors of the model's `f_i`.
    #[test]
    fn picks_have_the_models_shares() {
        let many =
            [5, 6, 40].map(|d| Scheme::asynchronous(Dispatch::power_of_d(d).unwrap(), ScalingRule::None));
        let tabs = [3, 40].map(|d| Scheme::tabs(d).unwrap());
        for scheme in Scheme::catalogue().unwrap().into_iter().chain(many).chain(tabs) {
            for warm in [[5, 9, 3, 2, 1], [0, 4, 4, 0, 12], [0, 0, 0, 1, 0]] {
                check(scheme, &warm);
            }
        }
    }

    fn check(scheme: Scheme, warm: &[u64]) {
        let servers = Servers::new(&Counts { cold: 1, initializing: 0, warm: warm.to_vec(), waiting: 0 });
        let picks = 20_000;
        let mut counts = vec![0u32; warm.len()];
        let drawn = with_pick(scheme, Levels { tails: &servers.tails, picks }).unwrap();
        drawn.into_iter().for_each(|level| counts[level] += 1);
        let fractions: Vec<f64> = warm.iter().map(|&count| count as f64 / 20.0).collect();
        let mut shares = Vec::new();
        scheme.dispatch().unwrap().shares(&fractions, &mut shares);
        for (count, share) in counts.iter().zip(&shares) {
            let share = share.clamp(0.0, 1.0);
            let error = (share * (1.0 - share) * picks as f64).sqrt();
            let off = (f64::from(*count) - share * picks as f64).abs();
            assert!(off <= 4.0 * error + 1e-6, "{scheme}: {counts:?}, not {shares:?} of {picks}");
        }
    }

    /// Draws levels for ever.
    struct Levels<'t> {
        tails: &'t [u32],
        picks: usize,
    }

    impl WithPick for Levels<'_> {
        type Output = Vec<usize>;

        fn with<P: Pick + 'static>(self, pick: P, _scaling: ScalingRule) -> Vec<usize> {
            let (mut rng, tails) = (stream(1, 0), self.tails);
            let draw = || {
                let bits = rng.next_u64();
                let candidates = pick.candidates(tails[0], tails);
                let first = candidates.0 + below(candidates.1, bits as u32, &mut rng);
                let more = rng.next_u64();
                let rank = pick.rank(true, first, candidates, more, &mut rng);
                if P::SHALLOW { level_of::<true>(tails, rank) } else { level_of::<false>(tails, rank) }
            };
            std::iter::repeat_with(draw).take(self.picks).collect()
        }
    }
}
