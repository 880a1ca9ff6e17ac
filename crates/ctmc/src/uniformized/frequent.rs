//! The loops over arrivals and completions, where nearly all the time goes.

use std::hint::select_unpredictable;

use pulp::Arch;
use rand::Rng;

use crate::pick::Pick;
use crate::random::below;
use crate::uniformized::Uniformized;
use crate::uniformized::burst::{Burst, ONE};
use crate::uniformized::decode::{ARRIVAL, Decode, UNDECIDED};
use crate::uniformized::lanes::BLOCK;
use crate::uniformized::table::{HIGHEST, State, Step, Table};
use alba_replicate::Stream;

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
const CHUNK: usize = 128;

impl<P: Pick> Uniformized<P> {
    /// Arrivals and completions, until something else is due.
    pub(crate) fn run_frequent(&mut self) -> Pause {
        let (pick, State { warm, tails, .. }) = (self.system.pick, &self.table.state);
        let idle = tails[1] < *warm && tails[2] <= tails[1] / 16;
        if pick.prefers_idle() && idle {
            self.decode();
            self.run_idle()
        } else if self.ranks_ahead() && pick.barred(*warm, tails) <= self.most_barred() {
            self.decode();
            self.run_ahead()
        } else {
            self.run_table()
        }
    }

    /// Whether ranks are drawn ahead. Where no server is ever barred it makes no difference but in speed, and it is slow without
    /// wide registers.
    fn ranks_ahead(&self) -> bool {
        P::CHOICES == 1 || (P::CHOICES > 1 && !matches!(self.means.arch, Arch::Scalar))
    }

    fn decode(&mut self) {
        if self.next < self.decoded {
            return;
        }
        self.decoded = (self.next + CHUNK).min(BLOCK);
        let range = self.next..self.decoded;
        let (draws, more) = (&self.draws[range.clone()], &self.more[range.clone()]);
        let (warm, no_job, bounds) = (self.table.state.warm, self.table.no_job(), &self.bounds);
        let codes = &mut self.codes[range];
        match P::CHOICES {
            2 => self.means.arch.dispatch(Decode::<2> { draws, more, codes, bounds, warm, no_job }),
            3 => self.means.arch.dispatch(Decode::<3> { draws, more, codes, bounds, warm, no_job }),
            _ => self.means.arch.dispatch(Decode::<1> { draws, more, codes, bounds, warm, no_job }),
        }
    }

    /// The fewest busy servers that leave idle ones within their bound, and how many more there may be.
    fn busy_range(&self) -> (u32, u32) {
        let least = self.table.state.warm.saturating_sub(self.bounds.idle);
        (least, self.bounds.busy - least)
    }

    /// With more barred servers a first draw among all of them misses too often.
    fn most_barred(&self) -> u32 {
        self.table.state.warm / 2
    }

    /// The most jobs that a server may have after an arrival on the way.
    fn most_jobs(&self) -> usize {
        self.system.buffer.limit().map_or(HIGHEST - 1, |limit| (limit as usize).min(HIGHEST - 1))
    }

    /// Ranks drawn ahead, among all warm servers; few of them are barred. No step waits for the outcome of the last but
    /// through the table.
    fn run_ahead(&mut self) -> Pause {
        let ((least_busy, busy_width), most_jobs) = (self.busy_range(), self.most_jobs());
        let (pick, most_barred, rng) = (self.system.pick, self.most_barred(), &mut self.rng);
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
            // At a completion the difference is large.
            if code.wrapping_sub(ARRIVAL) < barred {
                rank = draw_again((barred, *warm - barred), rng);
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
            barred = if changed == threshold { tail } else { barred };
            let step = usize::from(level) + changed;
            log[taken] = Step(step as u32);
            sums[step] += one + taken as u64;
            taken += 1;
            // Beyond as many as that, and in particular where all are barred, another loop is better.
            if busy.wrapping_sub(least_busy) > busy_width || barred > most_barred {
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
        let Burst { log, sums, steps, .. } = &mut self.burst;
        let (mut busy, queues) = (tails[1], tails[2]);
        let codes = &self.codes[self.next..self.decoded];
        let log = &mut log[*steps..][..codes.len()];
        let one = ONE + 1 + *steps as u64;
        let mut pause = Pause::Over;
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
            let step = more + 2 * less;
            log[taken] = Step(step);
            sums[step as usize] += one + taken as u64;
            taken += 1;
            if busy.wrapping_sub(least_busy) > busy_width || busy == *warm {
                break;
            }
        }
        let (first, last) = (busy.min(tails[1]), busy.max(tails[1]));
        levels[first as usize..last as usize].fill(u8::from(busy > tails[1]));
        tails[1] = busy;
        *steps += taken;
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
        let draws = self.draws[self.next..].iter().zip(&self.more[self.next..]);
        for ((&draw, &more), logged) in draws.zip(&mut log[before..]) {
            let class = (draw >> 32) as u32;
            if class >= bounds.frequent_below {
                pause = Pause::Rare;
                break;
            }
            let arrival = class >= bounds.quiet_below;
            let candidates = select_unpredictable(arrival, pick.candidates(*warm, tails), (0, bounds.busy));
            let first = candidates.0 + below(candidates.1, draw as u32, rng);
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
            sums[step] += one;
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

#[cold]
fn draw_again(candidates: (u32, u32), rng: &mut Stream) -> u32 {
    let bits = rng.next_u64() as u32;
    candidates.0 + below(candidates.1, bits, rng)
}
