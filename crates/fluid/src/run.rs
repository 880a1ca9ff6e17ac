//! The loop of the hybrid system: integrate in one regime, land on the first guard crossed, decide, go on.

mod levels;
mod method;
mod stepping;
mod within;
mod work;

use crate::clock::Clock;
use crate::decide::{cause, decide, decide_piece};
use crate::departure::{Departure, depart};
use crate::field::{Field, IDLE, INITIALIZING, tail};
use crate::guard::is_empty;
use crate::problem::MOST_LEVELS;
use crate::recorder::{Recorder, put_right};
use crate::settling::Settling;
use crate::step::{DormandPrince, Rodas, Step};
use crate::{FluidError, Guard, Outcome, Pool, Problem, Statistics, Stop, StopReason, Switch};
use alba_model::Segment;
use levels::{coordinates, overflows};
use method::Choice;
use within::Stretch;
use work::Work;

/// How far a departure goes at most, in units of the fastest time constant.
const DEPARTURE: f64 = 1e-2;
/// A smaller fraction of warm servers at a start is none.
const NO_SERVER: f64 = 1e-18;
/// Corrections of a state beyond so many times the tolerance mean that it was wrong.
const WRONG: f64 = 1e4;
/// Events closer than this, in units of the fastest time constant, make the guards more patient by [`PATIENCE`].
const CLOSE: f64 = 1e-7;
/// By so much at a time, and at the most in all: then guards are a millionth of their scale beyond zero.
const PATIENCE: (f64, f64) = (10.0, 1e7);

pub(crate) struct Run<'a> {
    problem: &'a Problem,
    /// Arrival rates to come.
    segments: Box<dyn Iterator<Item = Segment> + Send + 'a>,
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
    choice: Choice,
    work: Work,
    explicit: DormandPrince,
    implicit: Rodas,
    /// The last step.
    last: Option<Stretch>,
    recorder: Recorder,
    settling: Settling,
    switches: Vec<Switch>,
    statistics: Statistics,
    stop: Stop,
}

impl<'a> Run<'a> {
    pub(crate) fn new(problem: &'a Problem) -> Result<Self, FluidError> {
        let field = Field::new(&problem.model)?;
        let rates = field.rates;
        let segments = || problem.model.arrivals().segments(problem.grid.horizon());
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
            choice: Choice::EXPLICIT,
            work: Work::new(segments().count() as u64),
            segments: Box::new(segments()),
            explicit: DormandPrince::default(),
            implicit: Rodas::default(),
            last: None,
            recorder: Recorder::new(problem.grid),
            settling: Settling::new(slowest.into_iter().filter(|rate| *rate > 0.0).fold(1.0, f64::min)),
            switches: Vec::new(),
            statistics: Statistics::default(),
            stop: Stop::Horizon,
        })
    }

    /// One step, and what ended it.
    pub(crate) fn go_on(&mut self) -> Result<StopReason, FluidError> {
        if self.clock.left(self.end) <= 0.0 {
            return self.next_arrival_rate();
        }
        if self.field.regime.warm == Pool::Empty || self.has_settled() {
            self.stop = Stop::Settled { time: self.clock.time() };
            self.repeat_until_end()?;
            return Ok(StopReason::Settled);
        }
        self.last = None;
        match self.advance(self.end)? {
            Some(guard) => {
                self.grow_patient()?;
                self.enter(guard)?;
                Ok(StopReason::Event(guard))
            }
            None => Ok(StopReason::Step),
        }
    }

    /// Goes on at the next arrival rate, if one is left before the horizon.
    fn next_arrival_rate(&mut self) -> Result<StopReason, FluidError> {
        let Some(segment) = self.segments.next() else {
            while self.recorder.next().is_some() {
                self.recorder.record(&self.field, &mut self.z, None, &mut self.statistics)?;
            }
            return Ok(StopReason::Horizon);
        };
        self.stop = Stop::Horizon;
        self.field.arrival_rate = segment.rate;
        self.settling.restart();
        self.end = segment.end;
        self.work.restart(self.clock.left(self.end));
        self.enter(Guard::ArrivalRateStep)?;
        Ok(StopReason::Event(Guard::ArrivalRateStep))
    }

    /// What it took so far.
    pub(crate) fn statistics(&self) -> Statistics {
        let evaluations = self.explicit.evaluations() + self.implicit.evaluations();
        Statistics { work: self.work.done, evaluations, ..self.statistics }
    }

    /// What came of it, at the horizon.
    pub(crate) fn outcome(self) -> Result<Outcome, FluidError> {
        let statistics = self.statistics();
        let correction = statistics.mass_correction.max(statistics.negativity_correction);
        let tolerances = self.problem.tolerances;
        if correction > WRONG * (tolerances.absolute() + tolerances.relative()) {
            return Err(FluidError::Inconsistent { correction });
        }
        let Self { recorder, switches, stop, .. } = self;
        Ok(Outcome { snapshots: recorder.snapshots, switches, statistics, stop })
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

    /// The state stays as it is until the arrival rate changes.
    fn repeat_until_end(&mut self) -> Result<(), FluidError> {
        while self.recorder.next().is_some_and(|time| time < self.end) {
            self.recorder.record(&self.field, &mut self.z, None, &mut self.statistics)?;
        }
        self.clock.set(self.end);
        Ok(())
    }

    fn has_settled(&mut self) -> bool {
        if !self.choice.stiff && !self.statistics.steps.is_multiple_of(8) {
            return false;
        }
        let mut drift = vec![0.0; self.z.len()];
        self.field.drift(&self.z, &mut drift);
        let speed = drift.iter().map(|drift| drift.abs()).sum();
        let tolerance = self.problem.tolerances.absolute() + 0.1 * self.problem.tolerances.relative();
        self.settling.arrived(self.clock.time(), speed, self.end, tolerance)
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
        self.forget_step();
        self.choice.restart(self.fast_rate());
        let most = DEPARTURE / (1.0 + self.field.arrival_rate + self.own_rate());
        match depart(&self.field, &self.z, most, time)? {
            Some(departure) => self.leave(departure),
            None => {
                let fast = self.field.fastest_rate(&self.z);
                let fast = if self.choice.stiff { fast } else { self.own_rate().max(1.0) };
                self.h = self.h.max(1e-6).min(0.1 / fast);
                Ok(())
            }
        }
    }

    /// What is remembered of the last step is void.
    fn forget_step(&mut self) {
        self.explicit.restart();
        self.previous_error = 1.0;
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
}
