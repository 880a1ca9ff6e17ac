//! A stretch of steps at a constant rate: what happened at each of them, and when.

use rand::RngExt;
use rand_distr::Exp1;

use crate::events::Tally;
use crate::servers::Integrals;
use crate::uniformized::lanes::BLOCK;
use crate::uniformized::table::{HIGHEST, State, Step};
use alba_replicate::Stream;

/// One more step in the upper half of a number of [`Burst::sums`].
pub(crate) const ONE: u64 = 1 << 32;

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
    /// When; empty until somebody asks.
    times: Vec<f64>,
    /// By step that moves jobs: how often, in units of [`ONE`], plus the sum of its places 1, 2, ... in the burst.
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
            times: Vec::new(),
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
            self.sums[step.plain().0 as usize] += ONE + place as u64;
        }
        self.sum_moves(step, place);
    }

    /// Takes the last step away again.
    pub(crate) fn pop(&mut self) -> Option<Step> {
        let place = self.steps as i64;
        self.steps = self.steps.checked_sub(1)?;
        self.times.truncate(self.steps);
        let step = self.log[self.steps];
        if step.job().is_some() {
            self.sums[step.plain().0 as usize] -= ONE + place as u64;
        }
        self.sum_moves(step, -place);
        Some(step)
    }

    fn sum_moves(&mut self, step: Step, place: i64) {
        for (moment, change) in self.moments.iter_mut().zip(State::moves(step)) {
            *moment += i64::from(change) * place;
        }
    }

    /// Whether somebody has asked.
    pub(crate) fn has_times(&self) -> bool {
        self.times.len() == self.steps
    }

    /// The times of the steps, given the first's beginning and the last's end: `stream` is used the first time.
    pub(crate) fn times(&mut self, stream: impl FnOnce() -> Stream) -> &[f64] {
        if !self.has_times() {
            let mut rng = stream();
            let mut sum = 0.0;
            self.times.extend((0..self.steps).map(|_| {
                sum += rng.sample::<f64, _>(Exp1);
                sum
            }));
            let scale = (self.end - self.start) / sum;
            self.times.iter_mut().for_each(|time| *time = self.start + scale * *time);
            self.times[self.steps - 1] = self.end; // whatever was rounded
        }
        &self.times
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
        for level in 1..=HIGHEST {
            let [up, down] = [2 * level - 1, 2 * level].map(|step| std::mem::take(&mut self.sums[step]));
            if state.tails[level] == 0 && (up | down) == 0 {
                break; // no server was there in all the time
            }
            let moment = (up % ONE) as i64 - (down % ONE) as i64;
            integrals.tails[level] += integral(state.tails[level], moment);
            tally.found[level - 1] += up / ONE;
            tally.events += up / ONE + down / ONE;
        }
        self.sums[0] = 0;
        self.moments = [0; 3];
    }
}
