//! When the steps of a burst were, worked out as far as somebody asks.

use rand::RngExt;
use rand_distr::Exp1;

use crate::random::{Streams, erlang};
use crate::uniformized::lanes::BLOCK;

/// Steps in a stretch.
const STRETCH: usize = 32;

/// Streams of a burst: one for the stretches, and one within each.
const STREAMS: u64 = BLOCK.div_ceil(STRETCH) as u64 + 1;

/// Times of the steps of a burst, given its start and the time of its last step: sums of independent exponential times, scaled;
/// first over stretches of steps, then within one of them. Each comes from a stream of its own, so that none depends on which
/// others were asked for.
#[derive(Debug, Default)]
pub(crate) struct Times {
    start: f64,
    steps: usize,
    /// Of the last step in every stretch; empty until somebody asks.
    ends: Vec<f64>,
    /// The stretch asked for last, and the times of its steps.
    within: Option<(usize, Vec<f64>)>,
}

impl Times {
    /// Of another burst.
    pub(crate) fn clear(&mut self) {
        self.ends.clear();
        self.within = None;
    }

    /// Whether somebody has asked.
    pub(crate) fn are_known(&self) -> bool {
        !self.ends.is_empty()
    }

    /// Draws them, for burst `number` with so many steps.
    pub(crate) fn draw(&mut self, (start, end): (f64, f64), steps: usize, streams: Streams, number: u64) {
        (self.start, self.steps) = (start, steps);
        let mut rng = streams.times(STREAMS * number);
        let counts = (0..steps).step_by(STRETCH).map(|first| STRETCH.min(steps - first));
        scaled(counts.map(|count| erlang(count, &mut rng)), (start, end), &mut self.ends);
    }

    /// How many steps are not after `time`.
    pub(crate) fn steps_until(&mut self, time: f64, streams: Streams, number: u64) -> usize {
        let stretch = self.ends.partition_point(|&end| end <= time);
        if stretch == self.ends.len() {
            return self.steps;
        }
        let within = self.within(stretch, streams, number);
        STRETCH * stretch + within.partition_point(|&step| step <= time)
    }

    /// The time of step `step`, counted from 0.
    pub(crate) fn of(&mut self, step: usize, streams: Streams, number: u64) -> f64 {
        self.within(step / STRETCH, streams, number)[step % STRETCH]
    }

    fn within(&mut self, stretch: usize, streams: Streams, number: u64) -> &[f64] {
        let (at, mut times) = self.within.take().unwrap_or((usize::MAX, Vec::with_capacity(STRETCH)));
        if at != stretch {
            let mut rng = streams.times(STREAMS * number + 1 + stretch as u64);
            let start = if stretch > 0 { self.ends[stretch - 1] } else { self.start };
            let count = STRETCH.min(self.steps - STRETCH * stretch);
            scaled((0..count).map(|_| rng.sample(Exp1)), (start, self.ends[stretch]), &mut times);
        }
        &self.within.insert((stretch, times)).1
    }
}

/// Ends of intervals of such lengths one after the other, scaled to fill the whole from `start` to `end`.
fn scaled(lengths: impl Iterator<Item = f64>, (start, end): (f64, f64), ends: &mut Vec<f64>) {
    let mut sum = 0.0;
    ends.clear();
    ends.extend(lengths.map(|length| {
        sum += length;
        sum
    }));
    let scale = (end - start) / sum;
    ends.iter_mut().for_each(|time| *time = start + scale * *time);
    if let Some(last) = ends.last_mut() {
        *last = end; // whatever was rounded
    }
}
