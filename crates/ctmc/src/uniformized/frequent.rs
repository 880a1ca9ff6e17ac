//! The loops over arrivals and completions, where nearly all the time goes.

use std::hint::select_unpredictable;

use pulp::Arch;

use crate::pick::Pick;
use crate::random::below;
use crate::uniformized::Uniformized;
use crate::uniformized::burst::{Burst, ONE};
use crate::uniformized::decode::{ARRIVAL, Decode, UNDECIDED};
use crate::uniformized::lanes::BLOCK;
use crate::uniformized::table::{HIGHEST, State, Step, Table};

/// Why a run of frequent steps ended.
pub(crate) enum Pause {
    /// What is worked out is used up, or the bounds are passed.
    Over,
    /// The class of the next step is rare.
    Rare,
    /// The next step is not worked out.
    Undecided,
    /// Next a job meets a server with this many jobs: it is full, or its queue gets too long for a byte, or that job
    /// starts a cold server.
    Arrival(u8),
    /// Next a server with this many jobs finishes one.
    Completion(u8),
}

/// Steps that are worked out at a time: few, since it is done again when the number of warm servers changes.
pub(crate) const CHUNK: usize = 64;

/// A word holds the random bits for the rule of two steps so far apart, where half a word is enough.
pub(crate) const HALF: usize = BLOCK / 2;

impl<P: Pick> Uniformized<P> {
    /// Arrivals and completions, until something else is due.
    pub(crate) fn run_frequent(&mut self) -> Pause {
        self.table.keep_levels();
        let State { warm, tails, .. } = &self.table.state;
        let idle = tails[1] < *warm && tails[2] <= tails[1] / 16;
        if self.system.pick.prefers_idle() && idle {
            self.decode_some();
            self.run_idle()
        } else if self.ranks_ahead() {
            self.decode_some();
            self.run_ahead()
        } else {
            self.run_table()
        }
    }

    /// Whether ranks are drawn ahead. Where no server is ever barred it makes no difference but in speed, and it is slow without
    /// wide registers.
    fn ranks_ahead(&self) -> bool {
        P::CHOICES > 0 && (P::BARS || !matches!(self.means.arch, Arch::Scalar))
    }

    /// Works out the next steps, if none is.
    fn decode_some(&mut self) {
        if self.next >= self.decoded {
            self.decode((self.next / HALF + 1) * HALF, self.next);
        }
    }

    /// Works out the steps from `next` on and before `until`, in the same half of the block, as far as they are not.
    pub(crate) fn decode(&mut self, until: usize, next: usize) {
        let range = self.decoded.max(next)..until;
        if range.is_empty() {
            return;
        }
        self.decoded = until;
        let draws = &self.draws[range.clone()];
        // As `more_bits` says.
        let (first, shift) = if P::CHOICES == 2 {
            (range.start % HALF, 32 * (range.start / HALF) as u32)
        } else {
            (range.start, 0)
        };
        let more = &self.more[first..][..range.len()];
        let (warm, no_job, bounds) = (self.table.state.warm, self.table.no_job(), &self.bounds);
        let codes = &mut self.codes[range];
        let arch = self.means.arch;
        match (P::CHOICES, P::BARS) {
            (2, _) => arch.dispatch(Decode::<2, false> { draws, more, shift, codes, bounds, warm, no_job }),
            (3, _) => arch.dispatch(Decode::<3, false> { draws, more, shift, codes, bounds, warm, no_job }),
            (_, true) => arch.dispatch(Decode::<1, true> { draws, more, shift, codes, bounds, warm, no_job }),
            _ => arch.dispatch(Decode::<1, false> { draws, more, shift, codes, bounds, warm, no_job }),
        }
    }

    /// The fewest busy servers with which the bounds hold, and how many more there may be.
    pub(crate) fn busy_range(&self) -> (u32, u32) {
        let (least, most) = self.bounds.busy_range(&self.table.state);
        (least, most - least)
    }

    /// The most jobs that a server may have after an arrival on the way.
    pub(crate) fn most_jobs(&self) -> usize {
        self.system.buffer.limit().map_or(HIGHEST - 1, |limit| (limit as usize).min(HIGHEST - 1))
    }

    /// Ranks drawn ahead. No step waits for the outcome of the last but through the table, and to know who is barred.
    fn run_ahead(&mut self) -> Pause {
        let ((least_busy, busy_width), most_jobs) = (self.busy_range(), self.most_jobs());
        let pick = self.system.pick;
        let State { warm, tails, .. } = &mut self.table.state;
        let levels = self.table.levels.as_mut_slice();
        let Burst { log, sums, steps, .. } = &mut self.burst;
        let codes = &self.codes[self.next..self.decoded];
        let log = &mut log[*steps..][..codes.len()];
        let one = ONE + 1 + *steps as u64;
        let mut pause = Pause::Over;
        let mut taken = 0;
        // Kept here as well: a load from the table would wait for the last step's store.
        let (mut busy, mut barred, threshold) = (tails[1], pick.barred(*warm, tails), pick.threshold());
        while taken < codes.len() {
            let code = codes[taken];
            let (more, mut rank) = (code >> 31, code & !ARRIVAL);
            if P::BARS {
                let (free, is_clear) = among_free(rank, barred, *warm, threshold);
                // Undecided like the others if another draw may be needed.
                let free = if is_clear { free } else { UNDECIDED };
                rank = select_unpredictable(more == 1, free, rank);
            }
            // What is undecided has no such rank.
            let Some(&level) = levels.get(rank as usize) else {
                pause = Pause::Undecided;
                break;
            };
            let changed = usize::from(level) + more as usize;
            if changed > most_jobs {
                pause = Pause::Arrival(level);
                break;
            }
            let tail = Table::step(tails, levels, level, more);
            busy = if changed == 1 { tail } else { busy };
            barred =
                if P::BARS && changed == threshold { if tail < *warm { tail } else { 0 } } else { barred };
            let step = usize::from(level) + changed;
            log[taken] = Step(step as u32);
            sums[step] = sums[step].wrapping_add(one + taken as u64);
            taken += 1;
            if busy.wrapping_sub(least_busy) > busy_width {
                break;
            }
        }
        *steps += taken;
        self.next += taken;
        pause
    }

    /// While some server is idle and gets every job, and few have more than one: only the number of busy servers counts.
    fn run_idle(&mut self) -> Pause {
        let (least_busy, busy_width) = self.busy_range();
        let State { warm, tails, .. } = &mut self.table.state;
        let levels = self.table.levels.as_mut_slice();
        let (before, queues) = (tails[1], tails[2]);
        let busy_width = busy_width.min(*warm - 1 - least_busy);
        let codes = &self.codes[self.next..self.decoded];
        let earlier = self.burst.steps;
        let log = &mut self.burst.log[earlier..][..codes.len()];
        let mut pause = Pause::Over;
        let (mut busy, mut arrivals, mut sum) = (before, 0, 0);
        let mut taken = 0;
        while taken < codes.len() {
            let code = codes[taken];
            if code == UNDECIDED {
                pause = Pause::Undecided;
                break;
            }
            if code < queues {
                pause = Pause::Completion(levels[code as usize]);
                break;
            }
            let (more, less) = (code >> 31, u32::from(code < busy));
            busy = busy + more - less;
            arrivals += u64::from(more);
            sum += u64::from(busy);
            log[taken] = Step(more + 2 * less);
            taken += 1;
            if busy.wrapping_sub(least_busy) > busy_width {
                break;
            }
        }
        levels[busy.min(before) as usize..busy.max(before) as usize].fill(u8::from(busy > before));
        tails[1] = busy;
        self.burst.add_level(1, (earlier, taken), arrivals, [before.into(), busy.into(), sum]);
        self.burst.steps += taken;
        self.next += taken;
        pause
    }

    /// Step by step, whatever the rule.
    fn run_table(&mut self) -> Pause {
        let ((least_busy, busy_width), most_jobs) = (self.busy_range(), self.most_jobs());
        let (pick, bounds, rng, no_job) = (self.system.pick, self.bounds, &mut self.rng, self.table.no_job());
        let State { cold, warm, tails, .. } = &mut self.table.state;
        let levels = self.table.levels.as_mut_slice();
        let Burst { log, sums, steps, .. } = &mut self.burst;
        let before = *steps;
        let mut one = ONE + 1 + before as u64;
        let mut pause = Pause::Over;
        let (draws, words, next) = (&self.draws[self.next..], &self.more, self.next);
        for (step, (&draw, logged)) in draws.iter().zip(&mut log[before..]).enumerate() {
            let class = (draw >> 32) as u32;
            if class >= bounds.frequent_below {
                pause = Pause::Rare;
                break;
            }
            let arrival = class >= bounds.quiet_below;
            let candidates = select_unpredictable(arrival, pick.candidates(*warm, tails), (0, bounds.busy));
            let first = candidates.0 + below(candidates.1, draw as u32, rng);
            let more = more_bits::<P>(words, next + step);
            let rank = pick.rank(arrival, first, candidates, more, rng);
            let quiet = !arrival & (class >= bounds.completion_below);
            let level = levels[select_unpredictable(quiet, no_job, rank) as usize];
            let changed = usize::from(level) + usize::from(arrival);
            if changed > most_jobs || (P::STARTS && *cold > 0 && arrival && level > 0) {
                pause = Pause::Arrival(level);
                break;
            }
            Table::step(tails, levels, level, u32::from(arrival));
            let step = usize::from(level) + changed;
            *logged = Step(step as u32);
            sums[step] = sums[step].wrapping_add(one);
            one += 1;
            if tails[1].wrapping_sub(least_busy) > busy_width {
                break;
            }
        }
        *steps = (one - ONE - 1) as usize;
        self.next += *steps - before;
        pause
    }
}

/// Random bits of a step for the rule, of those of a block.
#[inline(always)]
pub(crate) fn more_bits<P: Pick>(more: &[u64; BLOCK], step: usize) -> u64 {
    if P::CHOICES == 2 { more[step % HALF] >> (32 * (step / HALF)) } else { more[step] }
}

/// The rank that 31 random `bits` mean among the servers that are not barred, and whether it stands: if not it has to be drawn again,
/// since the number of servers does not divide that of bits. Idle servers are alike, there any will do.
#[inline(always)]
fn among_free(bits: u32, barred: u32, warm: u32, threshold: usize) -> (u32, bool) {
    let free = u64::from(warm - barred);
    let product = u64::from(bits) * free;
    let left = product & u64::from(!ARRIVAL);
    (barred + (product >> 31) as u32, left >= free || (threshold == 1 && barred > 0))
}
