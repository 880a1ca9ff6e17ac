//! One step: tried, shortened, landed on a guard, completed.

use super::method::STABLE;
use super::within::Stretch;
use super::{NO_SERVER, Run};
use crate::field::{IDLE, INITIALIZING, WARM, tail};
use crate::guard::{Watch, nearly_empty};
use crate::recorder::keep_empty;
use crate::speed::FastRate;
use crate::step::Step;
use crate::{FluidError, Guard, Pool};

/// With `d >= 1` a step must leave this part of the pool below the threshold: the drift is singular where it is empty,
/// and an error estimate from this side knows nothing of the other.
const LEFT: f64 = 0.25;
/// Steps are shortened no farther.
const SHORTEST: f64 = 1e-290;

impl Run<'_> {
    /// One accepted step, at most to `end`; the guard that it landed on, if any.
    pub(super) fn advance(&mut self, end: f64) -> Result<Option<Guard>, FluidError> {
        if self.is_stiff(end) {
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
            return Ok(None);
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
        self.last = Some(Stretch::new(self.clock, length, self.field.regime, self.choice.stiff));
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
}
