//! A stretch of steps at a constant rate: what happened at each of them, and when.

use crate::events::Tally;
use crate::servers::Integrals;
use crate::uniformized::lanes::BLOCK;
use crate::uniformized::table::{HIGHEST, State, Step};
use crate::uniformized::times::Times;

/// One more step in the upper half of a number of [`Burst::sums`].
pub(crate) const ONE: u64 = 1 << 32;

/// How often, and the sum of places, which may be negative.
fn parts(sum: u64) -> (u64, i64) {
    (sum.wrapping_add(ONE / 2) / ONE, i64::from(sum as u32 as i32))
}

/// The steps since the last time that was looked up in full, `start`; the last of them is at `end`.
#[derive(Debug)]
pub(crate) struct Burst {
    pub(crate) start: f64,
    pub(crate) end: f64,
    /// Its index along the path.
    pub(crate) number: u64,
    /// How many steps.
    pub(crate) steps: usize,
    /// What happened at each.
    pub(crate) log: [Step; BLOCK],
    /// When.
    pub(crate) times: Times,
    /// By step that moves jobs: how often, in units of [`ONE`], plus the sum of its places 1, 2, ... in the burst, which
    /// may be too large by the same number for steps up and down to the same level.
    pub(crate) sums: [u64; Step::JOBS],
    /// Changes of cold, initializing and warm servers, each times its place, summed.
    moments: [i64; 3],
}

impl Burst {
    pub(crate) fn new() -> Self {
        Self {
            start: 0.0,
            end: 0.0,
            number: 0,
            steps: 0,
            log: [Step::NULL; BLOCK],
            times: Times::default(),
            sums: [0; Step::JOBS],
            moments: [0; 3],
        }
    }

    /// No step yet after `time`. All that the last one has summed up must be taken.
    pub(crate) fn begin(&mut self, time: f64) {
        (self.start, self.end, self.steps) = (time, time, 0);
        self.number += 1;
        self.times.clear();
    }

    /// Adds a step that is not summed up on its way.
    pub(crate) fn push(&mut self, step: Step) {
        self.log[self.steps] = step;
        self.steps += 1;
        let place = self.steps as i64;
        if step.job().is_some() {
            let sum = &mut self.sums[step.plain().0 as usize];
            *sum = sum.wrapping_add(ONE + place as u64);
        }
        self.sum_moves(step, place);
    }

    /// Sums up several steps at once, `steps` after the first `earlier`: at `level` there were so many `ups`, `before` servers had
    /// as many jobs or more before these steps, `after` after them, and `sum` is the sum of that number after each of them.
    pub(crate) fn add_level(
        &mut self,
        level: usize,
        (earlier, steps): (usize, usize),
        ups: u64,
        [before, after, sum]: [u64; 3],
    ) {
        let change = after as i64 - before as i64;
        let downs = ups.wrapping_add_signed(-change);
        // Of places within these steps, of changes with their sign; the sum is `steps before + (steps + 1) change - moment`.
        let steps = steps as i64;
        let moment = steps * before as i64 + (steps + 1) * change - sum as i64;
        let moment = moment + earlier as i64 * change;
        let sums = &mut self.sums[2 * level - 1..=2 * level];
        sums[0] = sums[0].wrapping_add(ups * ONE).wrapping_add_signed(moment);
        sums[1] = sums[1].wrapping_add(downs * ONE);
    }

    /// Takes the last step away again.
    pub(crate) fn pop(&mut self) -> Option<Step> {
        let place = self.steps as i64;
        self.steps = self.steps.checked_sub(1)?;
        let step = self.log[self.steps];
        if step.job().is_some() {
            let sum = &mut self.sums[step.plain().0 as usize];
            *sum = sum.wrapping_sub(ONE + place as u64);
        }
        self.sum_moves(step, -place);
        Some(step)
    }

    fn sum_moves(&mut self, step: Step, place: i64) {
        for (moment, change) in self.moments.iter_mut().zip(State::moves(step)) {
            *moment += i64::from(change) * place;
        }
    }

    /// Moves what was summed up to the integrals and the tally: the `intervals` between the start, the steps and `until` have
    /// the same expected length. `state` is the one at `until`.
    pub(crate) fn fold(
        &mut self,
        until: f64,
        intervals: usize,
        state: &State,
        integrals: &mut Integrals,
        tally: &mut Tally,
    ) {
        let (length, count) = ((until - self.start) / intervals as f64, intervals as i64);
        let integral = |end: u32, moment: i64| length * (count * i64::from(end) - moment) as f64;
        integrals.cold += integral(state.cold, self.moments[0]);
        integrals.initializing += integral(state.initializing, self.moments[1]);
        integrals.tails[0] += integral(state.warm, self.moments[2]);
        for (level, sums) in (1..=HIGHEST).zip(self.sums[1..].as_chunks_mut().0) {
            let [up, down] = std::mem::take(sums);
            if state.tails[level] == 0 && (up | down) == 0 {
                break; // no server was there in all the time
            }
            let ((ups, up), (downs, down)) = (parts(up), parts(down));
            integrals.tails[level] += integral(state.tails[level], up - down);
            tally.found[level - 1] += ups;
            tally.events += ups + downs;
        }
        self.sums[0] = 0;
        self.moments = [0; 3];
    }
}
