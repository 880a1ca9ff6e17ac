//! The loop of the hybrid system: integrate in one regime, land on the first guard crossed, decide, go on.

use crate::clock::Clock;
use crate::decide::{cause, decide, decide_piece};
use crate::departure::{Departure, depart};
use crate::field::{FastRate, Field, IDLE, INITIALIZING, WARM, tail};
use crate::guard::{Watch, is_empty, nearly_empty};
use crate::recorder::{Recorder, keep_empty, put_right};
use crate::settling::Settling;
use crate::step::{DormandPrince, Rodas, Step};
use crate::{FluidError, Guard, Outcome, Pool, Problem, Statistics, Stop, Switch};

/// The most levels that are tracked.
pub(crate) const MOST_LEVELS: usize = 10_000;
/// Levels are added before `i y_i` at the last one passes this: below it they change no printed digit.
const NEGLIGIBLE: f64 = 1e-14;
/// So does this part of the warm servers: adding a level that should have been there is a shock where they are few.
pub(crate) const NEGLIGIBLE_PART: f64 = 1e-8;
/// Levels are dropped where less than this part of the warm servers is left.
const VANISHED: f64 = 1e-20;
/// A level held in reserve above the last one in use, at the least.
const RESERVE: usize = 4;
/// The stiff method takes over above the first stiffness and hands back below the second.
const STIFF: (f64, f64) = (20.0, 10.0);
/// How far a departure goes at most, in units of the fastest time constant.
const DEPARTURE: f64 = 1e-2;
/// With `d >= 1` a step must leave this part of the pool below the threshold: the drift is singular where it is empty,
/// and an error estimate from this side knows nothing of the other.
const LEFT: f64 = 0.25;
/// A smaller fraction of warm servers at a start is none.
const NO_SERVER: f64 = 1e-18;
/// Corrections of a state beyond so many times the tolerance mean that it was wrong.
const WRONG: f64 = 1e4;
/// Explicit steps are at most this long, in units of the fastest time constant: their real stability interval is
/// 3.3, and at its end errors of the size of the tolerance would never die out.
const STABLE: f64 = 3.2;
/// Explicit steps whose error is below the first are held back by their stability; so many in a row are handed over.
const HELD_BACK: (f64, usize) = (1e-5, 500);
/// Where a rate is fast, so many explicit steps in a row are handed over that are held back or longer than the first, in
/// units of the fastest time constant: near the end of the stability interval errors say nothing.
const AT_LIMIT: (f64, usize) = (1.0, 10);
/// Stiff steps below this, in units of the fastest time constant, so many in a row, are handed back: what is fast is what
/// happens, as when all buffers fill one job after the other, and the explicit method follows it with longer steps.
const FOLLOWING: (f64, usize) = (0.3, 3);
/// Steps are shortened no farther.
const SHORTEST: f64 = 1e-290;
/// How much work a run may take: tried steps times coordinates and [`STEP`], some ten seconds; and for each step of the arrival rate.
const MOST_WORK: (u64, u64) = (200_000_000, 200_000);
/// What a step takes beside its coordinates, in coordinates.
const STEP: u64 = 50;
/// Events closer than this, in units of the fastest time constant, make the guards more patient by [`PATIENCE`].
const CLOSE: f64 = 1e-7;
/// By so much at a time, and at the most in all: then guards are a millionth of their scale beyond zero.
const PATIENCE: (f64, f64) = (10.0, 1e7);

pub(crate) struct Run<'a> {
    problem: &'a Problem,
    field: Field,
    z: Vec<f64>,
    clock: Clock,
    /// Of the current arrival rate.
    end: f64,
    /// Since the last event.
    since_event: f64,
    /// How much farther than usual guards must fall below zero.
    patience: f64,
    /// Length of the next step.
    h: f64,
    previous_error: f64,
    stiff: bool,
    /// Explicit steps in a row that were held back by their stability.
    held_back: usize,
    /// Stiff steps in a row that explicit ones could have made.
    following: usize,
    /// Tried steps times coordinates that are left.
    work_left: u64,
    explicit: DormandPrince,
    implicit: Rodas,
    recorder: Recorder,
    settling: Settling,
    switches: Vec<Switch>,
    statistics: Statistics,
}

impl<'a> Run<'a> {
    pub(crate) fn new(problem: &'a Problem) -> Result<Self, FluidError> {
        let field = Field::new(&problem.model)?;
        let rates = field.rates;
        let segments = problem.model.arrivals().segments(problem.grid.horizon()).count() as u64;
        let slowest = [1.0, rates.initialization(), rates.expiration(), rates.scaling()];
        Ok(Self {
            z: coordinates(problem, &field),
            field,
            problem,
            clock: Clock::default(),
            end: 0.0,
            since_event: f64::INFINITY,
            patience: 1.0,
            h: 1e-3,
            previous_error: 1.0,
            stiff: false,
            held_back: 0,
            following: 0,
            work_left: MOST_WORK.0 + MOST_WORK.1 * segments,
            explicit: DormandPrince::default(),
            implicit: Rodas::default(),
            recorder: Recorder::new(problem.grid),
            settling: Settling::new(slowest.into_iter().filter(|rate| *rate > 0.0).fold(1.0, f64::min)),
            switches: Vec::new(),
            statistics: Statistics::default(),
        })
    }

    pub(crate) fn finish(mut self) -> Result<Outcome, FluidError> {
        let horizon = self.problem.grid.horizon();
        let mut stop = Stop::Horizon;
        for segment in self.problem.model.arrivals().segments(horizon) {
            self.field.arrival_rate = segment.rate;
            self.settling.restart();
            self.end = segment.end;
            self.enter(Guard::ArrivalRateStep)?;
            stop = self.integrate()?;
        }
        while self.recorder.next().is_some() {
            self.recorder.record(&self.field, &mut self.z, None, &mut self.statistics)?;
        }
        self.statistics.evaluations = self.explicit.evaluations() + self.implicit.evaluations();
        let Self { recorder, switches, statistics, .. } = self;
        let correction = statistics.mass_correction.max(statistics.negativity_correction);
        let tolerances = self.problem.tolerances;
        if correction > WRONG * (tolerances.absolute() + tolerances.relative()) {
            return Err(FluidError::Inconsistent { correction });
        }
        Ok(Outcome { snapshots: recorder.snapshots, switches, statistics, stop })
    }

    /// Goes on to the end of one arrival rate.
    fn integrate(&mut self) -> Result<Stop, FluidError> {
        let end = self.end;
        while self.clock.left(end) > 0.0 {
            if self.field.regime.warm == Pool::Empty || self.has_settled(end) {
                let time = self.clock.time();
                self.repeat_until(end)?;
                return Ok(Stop::Settled { time });
            }
            if let Some(guard) = self.advance(end)? {
                if DBG.0 {
                    let t = self.clock.time();
                    if t > DBG.1 && t < DBG.2 {
                        eprintln!("EVENT {t} {guard}");
                    }
                }
                self.grow_patient()?;
                self.enter(guard)?;
            }
        }
        Ok(Stop::Horizon)
    }

    /// Events that follow each other at no distance to speak of are one that cannot be told apart: a trajectory runs along
    /// a boundary on which flows balance. Then guards must fall farther each time, so that one regime is kept.
    fn grow_patient(&mut self) -> Result<(), FluidError> {
        let close = self.since_event * self.field.fastest_rate(&self.z) < CLOSE;
        self.patience = if close { PATIENCE.0 * self.patience } else { 1.0 };
        self.since_event = 0.0;
        if self.patience > PATIENCE.1 {
            return Err(FluidError::NoRegime { time: self.clock.time() });
        }
        Ok(())
    }

    /// The state stays as it is until `end`.
    fn repeat_until(&mut self, end: f64) -> Result<(), FluidError> {
        while self.recorder.next().is_some_and(|time| time < end) {
            self.recorder.record(&self.field, &mut self.z, None, &mut self.statistics)?;
        }
        self.clock.set(end);
        Ok(())
    }

    fn has_settled(&mut self, end: f64) -> bool {
        if !self.stiff && !self.statistics.steps.is_multiple_of(8) {
            return false;
        }
        let mut drift = vec![0.0; self.z.len()];
        self.field.drift(&self.z, &mut drift);
        let speed = drift.iter().map(|drift| drift.abs()).sum();
        let tolerance = self.problem.tolerances.absolute() + 0.1 * self.problem.tolerances.relative();
        self.settling.arrived(self.clock.time(), speed, end, tolerance)
    }

    /// Decides the regime from here on, and leaves a singular start by its series.
    fn enter(&mut self, guard: Guard) -> Result<(), FluidError> {
        self.drop_traces();
        self.empty_exhausted_pools();
        self.field.piece = None;
        let (before, time) = (self.field.regime, self.clock.time());
        let regime = decide(&self.field, &self.z, time)?;
        self.field.regime = regime;
        self.field.piece = decide_piece(&self.field, &self.z);
        if overflows(&self.field, &self.z, self.clock.left(self.end)) {
            return Err(FluidError::TooManyLevels { time, levels: MOST_LEVELS });
        }
        if regime != before && time > 0.0 {
            let guard = cause(guard, before, regime);
            self.switches.push(Switch { time, from: before, to: regime, guard });
        }
        self.explicit.restart();
        self.previous_error = 1.0;
        (self.held_back, self.following) = (0, 0);
        self.stiff |= self.fast_rate() > STIFF.0;
        let most = DEPARTURE / (1.0 + self.field.arrival_rate + self.own_rate());
        match depart(&self.field, &self.z, most, time)? {
            Some(departure) => self.leave(departure),
            None => {
                let fast = self.field.fastest_rate(&self.z);
                let fast = if fast > STIFF.0 { fast } else { self.own_rate().max(1.0) };
                self.h = self.h.max(1e-6).min(0.1 / fast);
                Ok(())
            }
        }
    }

    /// Goes on from a departure.
    fn leave(&mut self, departure: Departure) -> Result<(), FluidError> {
        if self.recorder.next().is_some_and(|time| self.clock.left(time) <= 0.0) {
            let inflow = (tail(&self.z, 0) > 0.0).then(|| self.field.inflow(&departure.state));
            self.recorder.record(&self.field, &mut self.z, inflow, &mut self.statistics)?;
        }
        // Report times on the way: the state goes in a straight line, but for less than its second derivative.
        let start = std::mem::replace(&mut self.z, departure.state);
        while let Some(time) = self.recorder.next().filter(|time| self.clock.left(*time) < departure.since) {
            let theta = self.clock.left(time) / departure.since;
            let at = |i: usize, end: f64| {
                let start = start.get(i).copied().unwrap_or(0.0);
                start + theta * (end - start)
            };
            let mut z: Vec<f64> = self.z.iter().enumerate().map(|(i, end)| at(i, *end)).collect();
            self.recorder.record(&self.field, &mut z, None, &mut self.statistics)?;
        }
        self.pass(departure.since);
        self.h = departure.since;
        Ok(())
    }

    fn pass(&mut self, length: f64) {
        self.clock.pass(length);
        self.since_event += length;
    }

    /// Warm servers too few to be told from none are none, likewise initializing ones without them.
    fn drop_traces(&mut self) {
        if tail(&self.z, 0) < NO_SERVER {
            self.z[IDLE..].fill(0.0);
            if self.z[INITIALIZING] < NO_SERVER {
                self.z[INITIALIZING] = 0.0;
            }
        }
    }

    fn own_rate(&self) -> f64 {
        let rates = self.field.rates;
        self.field.own_rate(&self.z).max(rates.scaling() + rates.initialization() + rates.expiration())
    }

    fn empty_exhausted_pools(&mut self) {
        let mut exhausted = self.field.clone();
        let pool = |guard: Guard, held: f64| {
            if is_empty(guard, held, &self.field, &self.z) { Pool::Empty } else { Pool::Open }
        };
        exhausted.regime.cold = pool(Guard::ColdPoolEmpties, self.field.cold(&self.z));
        if let Some(d) = self.field.threshold() {
            let held = self.field.below_threshold(&self.z, d);
            exhausted.regime.below_threshold = pool(Guard::BelowThresholdEmpties, held);
        }
        put_right(&exhausted, &mut self.z, &mut self.statistics);
    }

    /// One accepted step, at most to `end`; the guard that it landed on, if any.
    fn advance(&mut self, end: f64) -> Result<Option<Guard>, FluidError> {
        let stiff = self.is_stiff();
        if stiff != self.stiff {
            self.explicit.restart();
            (self.stiff, self.following) = (stiff, 0);
            self.held_back = if stiff { self.held_back } else { 0 };
        }
        if stiff {
            // The interpolant of the stiff method is less accurate than its steps: these land on the grid.
            let grid = self.recorder.next().filter(|&time| self.clock.left(time) > 0.0);
            let mut method = std::mem::take(&mut self.implicit);
            let landed = self.step(&mut method, grid.map_or(end, |time| time.min(end)));
            self.implicit = method;
            landed
        } else {
            self.h = self.h.min(STABLE / self.field.fastest_rate(&self.z));
            let mut method = std::mem::take(&mut self.explicit);
            let landed = self.step(&mut method, end);
            self.explicit = method;
            landed
        }
    }

    fn fast_rate(&self) -> f64 {
        self.field.stiffness(&self.z).max(self.field.own_rate(&self.z))
    }

    /// Whether the stiff method goes on.
    fn is_stiff(&self) -> bool {
        let held_back = self.held_back >= HELD_BACK.1;
        if self.stiff {
            (held_back || self.fast_rate() > STIFF.1) && self.following < FOLLOWING.1
        } else {
            held_back || self.held_back >= AT_LIMIT.1 && self.fast_rate() > STIFF.0
        }
    }

    fn step<S: Step>(&mut self, method: &mut S, reach: f64) -> Result<Option<Guard>, FluidError> {
        loop {
            self.charge()?;
            let left = self.clock.left(reach);
            let h = if self.h >= 0.999 * left { left } else { self.h };
            let error = method.attempt(&self.field, &self.z, h, &self.problem.tolerances);
            if error > 1.0 {
                self.statistics.rejected_steps += 1;
                self.h = h * (0.9 * error.powf(-S::EXPONENT)).max(0.1);
                if self.h < SHORTEST {
                    let FastRate { name, value } = self.field.culprit(&self.z);
                    let (time, step) = (self.clock.time(), self.h);
                    return Err(FluidError::StepUnderflow { time, step, name, value });
                }
                continue;
            }
            if self.needs_more_levels(method.end())? {
                method.restart();
                continue;
            }
            if self.falls_too_far(method.end()) {
                self.h = 0.5 * h;
                continue;
            }
            let crossing = Watch::all(&self.field, &self.z, self.patience)
                .filter_map(|watch| watch.crossing(&self.field, &self.z, method))
                .min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((theta, watch)) = crossing {
                return self.land(method, watch, theta * h).map(|()| Some(watch.guard));
            }
            self.complete(method, h)?;
            if h == left {
                self.clock.set(reach);
            }
            self.choose_step(h, error, S::EXPONENT);
            if DBG.0 {
                let t = self.clock.time();
                if t > DBG.1 && t < DBG.2 {
                    let c = self.statistics;
                    eprintln!(
                        "t {t} h {h:e} err {error:.1e} rej {} stiff {} {} z {:?} sh {:e} w {:e} g {:e} {:?}",
                        c.rejected_steps,
                        self.stiff,
                        self.field.regime,
                        &self.z[..5.min(self.z.len())],
                        self.field.arrival_rate - self.field.need(&self.z, 0),
                        self.field.below_threshold(&self.z, self.field.threshold().unwrap_or(0)),
                        self.field.starting(&self.z),
                        self.field.piece
                    );
                }
            }
            return Ok(None);
        }
    }

    /// Takes a tried step from the work that is left.
    fn charge(&mut self) -> Result<(), FluidError> {
        match self.work_left.checked_sub(self.z.len() as u64 + STEP) {
            Some(left) => {
                self.work_left = left;
                Ok(())
            }
            None => {
                let FastRate { name, value } = self.field.culprit(&self.z);
                let (time, steps) = (self.clock.time(), self.statistics.steps);
                Err(FluidError::TooManySteps { time, steps, name, value })
            }
        }
    }

    /// Whether a step to `end` empties too much of a pool below the threshold whose composition matters.
    fn falls_too_far(&self, end: &[f64]) -> bool {
        self.field.threshold().is_some_and(|d| {
            let before = self.field.below_threshold(&self.z, d);
            let open = d > 0 && self.field.regime.below_threshold == Pool::Open;
            open && before > nearly_empty(&self.z) / LEFT
                && self.field.below_threshold(end, d) < LEFT * before
        })
    }

    /// Ends the step of `length` tried last.
    fn complete(&mut self, method: &mut impl Step, length: f64) -> Result<(), FluidError> {
        let mut z = Vec::new();
        while let Some(grid) = self.recorder.next().filter(|&grid| self.clock.left(grid) < length) {
            let since = self.clock.left(grid);
            if since <= 0.0 {
                z.clone_from(&self.z);
            } else {
                method.state(since / length, &mut z);
            }
            self.recorder.record(&self.field, &mut z, None, &mut self.statistics)?;
        }
        self.z.clear();
        self.z.extend_from_slice(method.end());
        method.accept();
        keep_empty(&self.field, &mut self.z, &mut self.statistics);
        self.drop_vanished_levels(method);
        if self.field.arrival_rate == 0.0 && tail(&self.z, 0) < NO_SERVER {
            self.z[IDLE..].fill(0.0); // before they underflow
            method.restart();
        }
        self.pass(length);
        self.statistics.steps += 1;
        Ok(())
    }

    /// Counts steps that the other method would make better.
    fn judge_method(&mut self, h: f64, error: f64) {
        let length = h * self.field.fastest_rate(&self.z);
        if self.stiff {
            let follows = error > HELD_BACK.0 && length < FOLLOWING.0;
            self.following = if follows { self.following + 1 } else { 0 };
        } else {
            let fast = self.fast_rate() > STIFF.0;
            let held_back = error < HELD_BACK.0 || fast && length > AT_LIMIT.0;
            self.held_back = if held_back { self.held_back + 1 } else { 0 };
        }
    }

    /// PI control, which keeps steps that are limited by stability from bouncing.
    fn choose_step(&mut self, h: f64, error: f64, exponent: f64) {
        self.judge_method(h, error);
        let error = error.max(1e-4);
        let factor = 0.9 * error.powf(0.15 * exponent - exponent) * self.previous_error.powf(0.2 * exponent);
        self.previous_error = error;
        let next = h * factor.clamp(0.2, 5.0);
        self.h = if h < self.h { next.max(self.h.min(5.0 * h)) } else { next };
    }

    /// Steps again from the same start, by about `length`, so as to end on the guard's root.
    fn land<S: Step>(&mut self, method: &mut S, watch: Watch, mut length: f64) -> Result<(), FluidError> {
        let mut before = Vec::new();
        for _ in 0..6 {
            method.attempt(&self.field, &self.z, length, &self.problem.tolerances);
            let value = watch.value(&self.field, method.end());
            method.state(0.999, &mut before);
            let slope = (value - watch.value(&self.field, &before)) / (0.001 * length);
            let correction = -value / slope;
            let worthwhile = 1e-14 * length..0.1 * length;
            if watch.is_met(value) || !worthwhile.contains(&correction.abs()) {
                break;
            }
            length += correction;
        }
        method.attempt(&self.field, &self.z, length, &self.problem.tolerances);
        self.complete(method, length)?;
        match watch.guard {
            Guard::BelowThresholdEmpties => self.drain_below_threshold(),
            Guard::ColdPoolEmpties => {
                let total = self.z[INITIALIZING] + tail(&self.z, 0);
                self.z.iter_mut().for_each(|z| *z /= total);
            }
            Guard::ColdPoolRefills
            | Guard::BelowThresholdRefills
            | Guard::ScalingKink
            | Guard::ArrivalRateStep => {}
        }
        Ok(())
    }

    /// What is left below the threshold goes in a straight line.
    fn drain_below_threshold(&mut self) {
        let Some(d) = self.field.threshold() else { return };
        let mut drift = vec![0.0; self.z.len()];
        self.field.drift(&self.z, &mut drift);
        let (left, slope) = (self.field.below_threshold(&self.z, d), self.field.below_threshold(&drift, d)); // it is linear
        let since = left / -slope;
        let soon = since < 1e-3 && since <= self.clock.left(self.end);
        if d > 0 && since > 0.0 && soon {
            self.z.iter_mut().zip(&drift).for_each(|(z, drift)| *z += since * drift);
            self.pass(since);
        }
        if d == 0 || soon {
            let joined = tail(&self.z, 0);
            self.z[WARM + 1..WARM + d + 2].fill(joined);
            self.z[IDLE] = 0.0;
        }
    }

    /// Extends the levels if the last one is no longer negligible in `end`.
    fn needs_more_levels(&mut self, end: &[f64]) -> Result<bool, FluidError> {
        let levels = end.len() - WARM - 1;
        let negligible = NEGLIGIBLE.min(NEGLIGIBLE_PART * tail(end, 0));
        if self.field.limit == Some(levels) || levels as f64 * tail(end, levels) <= negligible {
            return Ok(false);
        }
        let wanted = levels + RESERVE.max(levels / 4);
        if wanted > MOST_LEVELS && self.field.limit.is_none_or(|limit| limit > MOST_LEVELS) {
            return Err(FluidError::TooManyLevels { time: self.clock.time(), levels: MOST_LEVELS });
        }
        self.z.resize(WARM + 1 + self.field.limit.map_or(wanted, |limit| wanted.min(limit)), 0.0);
        Ok(true)
    }

    fn drop_vanished_levels(&mut self, method: &mut impl Step) {
        let warm = tail(&self.z, 0);
        let used = self.z.iter().rposition(|&tail| tail > VANISHED * warm).unwrap_or(0);
        let kept = (used + 1 + RESERVE).max(least_length(&self.field));
        if kept + RESERVE.max(kept / 4) < self.z.len() {
            self.z.truncate(kept);
            method.restart();
        }
    }
}

/// Whether an infinite buffer is sure to hold more jobs than levels are tracked within `left`: no more than
/// `Y(t) = y_0 + beta x01 t + beta s t^2/2` servers are warm by then, with `s` the most that start, so that each holds
/// `(lambda - Y) t / Y` jobs or more in the mean. Without this a run would follow the queues all the way there.
fn overflows(field: &Field, z: &[f64], left: f64) -> bool {
    if field.limit.is_some() || z[INITIALIZING] + tail(z, 0) == 0.0 {
        return false; // all cold: an error of its own
    }
    let (beta, most_started) = (field.rates.initialization(), field.starts.most(field));
    let queue = |time: f64| {
        let warming = beta * (z[INITIALIZING] + 0.5 * most_started * time);
        let warm = (tail(z, 0) + warming * time).min(1.0);
        (field.arrival_rate - warm) * time / warm
    };
    (0..200).map(|halvings| left * 0.5f64.powi(halvings)).any(|time| queue(time) > MOST_LEVELS as f64)
}

/// The fewest coordinates that the field's formulas need.
fn least_length(field: &Field) -> usize {
    let levels = field.threshold().unwrap_or(0) + 2 + RESERVE;
    WARM + 1 + field.limit.map_or(levels, |limit| levels.min(limit))
}

fn coordinates(problem: &Problem, field: &Field) -> Vec<f64> {
    let state = &problem.initial;
    let levels = state.highest_level() + 1;
    let length = (WARM + levels + RESERVE).min(WARM + 1 + field.limit.unwrap_or(usize::MAX - WARM - 1));
    let mut z = vec![0.0; length.max(least_length(field))];
    z[INITIALIZING] = state.initializing();
    z[IDLE] = state.warm_with(0);
    for level in (1..levels).rev() {
        z[WARM + level] = tail(&z, level + 1) + state.warm_with(level);
    }
    if state.cold() == 0.0 {
        let total = z[INITIALIZING] + tail(&z, 0);
        z.iter_mut().for_each(|z| *z /= total);
    }
    z
}

static DBG: std::sync::LazyLock<(bool, f64, f64)> = std::sync::LazyLock::new(|| {
    let g = |n: &str| std::env::var(n).ok().and_then(|v| v.parse::<f64>().ok());
    (g("DT0").is_some(), g("DT0").unwrap_or(0.0), g("DT1").unwrap_or(1e9))
});
