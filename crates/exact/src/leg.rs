//! The chain while the arrival rate is constant, by uniformization.

use std::collections::VecDeque;

use alba_model::{Grid, Segment};

use crate::ExactError;
use crate::escape::Escape;
use crate::poisson::Window;
use crate::readout::{Errors, Reading, Readout};
use crate::rows::BLOCK;
use crate::{Generator, Point, StateSpace};

/// The most jumps followed, steps times jumps between states: about an hour.
const MOST_WORK: f64 = 3e12;

/// Where the chain is between two segments.
pub(crate) struct Position {
    distribution: Vec<f64>,
    pub(crate) errors: Errors,
    /// Jobs per server that have arrived.
    arrived: f64,
}

impl Position {
    /// At time 0.
    pub(crate) fn start(space: &StateSpace) -> Self {
        let mut distribution = vec![0.0; space.len()];
        distribution[space.start()] = 1.0;
        Self { distribution, errors: Errors::default(), arrived: 0.0 }
    }
}

/// A stretch of constant arrival rate and the report times in it.
pub(crate) struct Stretch<'a> {
    pub(crate) segment: Segment,
    pub(crate) grid: &'a Grid,
    /// The number of the first report time in it.
    pub(crate) first: usize,
    /// Whether it is the last: then report times at its end are in it too, and nothing follows.
    pub(crate) is_last: bool,
    /// Probability that Poisson tails may leave out, and settling again.
    pub(crate) budget: f64,
}

/// What it takes to follow the chain along a stretch, and what is wanted on the way.
pub(crate) struct Leg<'a> {
    space: &'a StateSpace,
    generator: &'a Generator,
    reading: Reading<'a>,
    readout: Readout,
    stretch: Stretch<'a>,
    /// No state is left at a higher rate.
    uniform: f64,
    /// Relative rounding error of a step.
    step_rounding: f64,
    /// The last step of any window.
    last_step: usize,
    /// Whether windows hardly overlap.
    are_few: bool,
    /// Where the buffer is cut.
    escape: Option<Escape>,
}

/// A time at which something is wanted of the chain.
struct Target {
    /// Since the stretch began.
    time: f64,
    /// Number of the report time; none at the end of the stretch, where the distribution is wanted itself.
    index: Option<usize>,
    window: Window,
    /// Whether the whole distribution is summed up, rather than columns of the readout.
    is_whole: bool,
    /// Weighted sums so far.
    sums: Vec<f64>,
    /// Weight still to come.
    left: f64,
    /// Weighted sum of the rates of forbidden jumps so far.
    escaped: f64,
}

/// Targets in order of time: those whose windows are open, and the next.
struct Targets {
    open: VecDeque<Target>,
    next: Option<Target>,
    /// The number of the next report time after those.
    following: usize,
    /// Whether the end of the stretch is among them.
    has_end: bool,
    /// Sum of the rates of forbidden jumps so far.
    escaped: f64,
}

/// Windows are opened this many steps early: their beginnings increase with time but for a step or two.
const EARLY: usize = 8;

/// The relative error of an operation.
const UNIT: f64 = f64::EPSILON / 2.0;

impl<'a> Leg<'a> {
    pub(crate) fn new(
        space: &'a StateSpace,
        generator: &'a Generator,
        reading: Reading<'a>,
        stretch: Stretch<'a>,
    ) -> Result<Self, ExactError> {
        let readout = Readout::new(space, &reading)?;
        let uniform = generator.largest_exit_rate();
        let steps = uniform * (stretch.segment.end - stretch.segment.start);
        if steps * generator.jumps().max(1) as f64 > MOST_WORK {
            return Err(ExactError::TooManySteps { steps, states: space.len() });
        }
        let last = Window::new(steps, stretch.budget);
        // Where few windows overlap it is faster to sum up distributions than to take the means of each.
        let steps_apart = uniform * stretch.grid.horizon() / (stretch.grid.points() - 1) as f64;
        let are_few = last.weights.len() as f64 <= steps_apart * (1 + readout.columns() / 4) as f64;
        let is_cut = space.model().buffer() != reading.model.buffer();
        Ok(Self {
            space,
            generator,
            reading,
            readout,
            stretch,
            uniform,
            // A product rounds once for each flow into a state and a few times more.
            step_rounding: (generator.most_inflows() as f64 + 3.0) * UNIT,
            last_step: last.last(),
            are_few,
            escape: is_cut.then(|| Escape::new(space, reading.arrival_rate)).transpose()?,
        })
    }

    /// Follows the chain from `start` to the end of the stretch; reports on the way go to `points`.
    pub(crate) fn follow(&self, start: Position, points: &mut Vec<Point>) -> Position {
        let Position { distribution: mut now, errors, arrived } = start;
        let Segment { start, end, rate } = self.stretch.segment;
        let mut end = Position { distribution: vec![], errors, arrived: arrived + rate * (end - start) };
        let mut finish = |target: Target, step: usize, settled: f64| {
            end.errors = self.errors(errors, arrived, &target, step, settled);
            match target.index {
                Some(index) => points.push(self.point(index, &target, &end.errors)),
                None => end.distribution = target.sums,
            }
        };
        let mut targets = self.targets();
        let mut next = vec![0.0; now.len()];
        for step in 0_usize.. {
            self.open(&mut targets, step.saturating_add(EARLY));
            self.count_escapes(&mut targets, step, &now);
            self.add(&mut targets, &now, |target| target.window.weight(step));
            while let Some(target) = targets.open.pop_front_if(|target| target.window.last() <= step) {
                finish(target, step, 0.0);
            }
            if targets.open.is_empty() && targets.next.is_none() {
                break;
            }
            let change = self.generator.step(self.uniform, &now, &mut next);
            std::mem::swap(&mut now, &mut next);
            if let Some(settled) = self.settled(step + 1, change) {
                self.open(&mut targets, usize::MAX);
                self.add(&mut targets, &now, |target| target.left);
                targets.open.drain(..).for_each(|target| finish(target, step + 1, settled));
                break;
            }
        }
        end
    }

    fn targets(&self) -> Targets {
        let mut targets = Targets {
            open: VecDeque::new(),
            next: None,
            following: self.stretch.first,
            has_end: self.stretch.is_last,
            escaped: 0.0,
        };
        targets.next = self.next_target(&mut targets);
        targets
    }

    fn next_target(&self, targets: &mut Targets) -> Option<Target> {
        let Segment { start, end, .. } = self.stretch.segment;
        let grid = self.stretch.grid;
        let is_here = |time| time < end || self.stretch.is_last;
        let report =
            Some(targets.following).filter(|&index| index < grid.points() && is_here(grid.time(index)));
        let time = match report {
            Some(index) => {
                targets.following += 1;
                grid.time(index) - start
            }
            None if targets.has_end => return None,
            None => {
                targets.has_end = true;
                end - start
            }
        };
        let is_whole = report.is_none() || self.are_few;
        Some(Target {
            time,
            index: report,
            window: Window::new(self.uniform * time, self.stretch.budget),
            is_whole,
            sums: vec![0.0; if is_whole { self.space.len() } else { self.readout.columns() }],
            left: 1.0,
            escaped: targets.escaped,
        })
    }

    /// Opens all windows that begin by `step`.
    fn open(&self, targets: &mut Targets, step: usize) {
        while let Some(target) = targets.next.take_if(|target| target.window.first <= step) {
            targets.open.push_back(Target { escaped: targets.escaped, ..target });
            targets.next = self.next_target(targets);
        }
    }

    fn count_escapes(&self, targets: &mut Targets, step: usize, now: &[f64]) {
        let Some(escape) = &self.escape else { return };
        let rate = escape.rate(now);
        targets.escaped += rate;
        for target in &mut targets.open {
            let above = target.left - target.window.weight(step);
            target.escaped += rate * Escape::weight(&target.window, above);
        }
    }

    /// Adds `now` to every open target, with its weight.
    fn add(&self, targets: &mut Targets, now: &[f64], weight: impl Fn(&Target) -> f64) {
        let mut means = None;
        for target in &mut targets.open {
            let weight = weight(target);
            if weight == 0.0 {
                continue;
            }
            target.left -= weight;
            let values = if target.is_whole {
                now
            } else {
                means.get_or_insert_with(|| self.readout.means(now)).as_slice()
            };
            target.sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * value);
        }
    }

    /// If the last of `steps` changed so little that all that remain change next to nothing (each changes at most as
    /// much as the one before): how much they could.
    fn settled(&self, steps: usize, change: f64) -> Option<f64> {
        let ahead = self.last_step.saturating_sub(steps) as f64;
        let has_settled = self.escape.is_none() && change * ahead <= self.stretch.budget;
        has_settled.then_some((change + self.step_rounding + UNIT) * ahead)
    }

    /// Errors of `target` after `steps`, if they were `errors` and `arrived` jobs had come when the stretch began.
    fn errors(
        &self,
        mut errors: Errors,
        arrived: f64,
        target: &Target,
        steps: usize,
        settled: f64,
    ) -> Errors {
        // Of the sums over states, in blocks and over blocks; of weights, each from its neighbour; and a few more.
        let sums = BLOCK + self.space.len() / BLOCK + 2 * target.window.weights.len() + 20;
        errors.relative += self.step_rounding * steps as f64 + sums as f64 * UNIT;
        // Compensated, rates out of a state add two roundings to what remains of 1.
        errors.mass += target.window.outside + settled + 3.0 * UNIT * steps as f64;
        if let Some(escape) = &self.escape {
            let arrived = arrived + self.reading.arrival_rate * target.time;
            escape.add(&mut errors, (target.escaped, &target.window), (self.uniform, target.time), arrived);
        }
        errors
    }

    fn point(&self, index: usize, target: &Target, errors: &Errors) -> Point {
        let servers = self.space.servers() as f64;
        let means;
        let means = if target.is_whole {
            means = self.readout.means(&target.sums);
            &means
        } else {
            &target.sums
        };
        Point {
            time: self.stretch.grid.time(index),
            arrival_rate: self.reading.arrival_rate,
            values: self.readout.values(&self.reading, servers, means, errors),
        }
    }
}
