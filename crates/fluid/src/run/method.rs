//! Which of the two methods makes the next step.

use super::Run;

/// The stiff method takes over at once above the first stiffness, and goes on above the second.
const STIFF: (f64, f64) = (20.0, 10.0);
/// Explicit steps are at most this long, in units of the fastest time constant: their real stability interval is
/// 3.3, and at its end errors of the size of the tolerance would never die out.
pub(super) const STABLE: f64 = 3.2;
/// Explicit steps whose error is below this are held back by their stability.
const NO_ERROR: f64 = 1e-5;
/// So are those longer than this, in units of the fastest time constant: near the end of the stability interval errors say
/// nothing but that it has come.
const AT_LIMIT: f64 = 1.0;
/// So many in a row are handed over. The first where a rate is fast.
const HELD_BACK: (usize, usize) = (10, 20);
/// Stiff steps below this, in units of the fastest time constant, are better made explicitly: a stiff step costs as much as
/// five. What is fast is then what happens, as when all buffers fill one job after the other.
const FOLLOWING: f64 = 3.0 * STABLE;
/// So many in a row are handed back.
const HANDED_BACK: usize = 3;
/// Where no rate is fast, the stiff method is tried only with room for steps of this length, in units of the fastest time
/// constant: its steps land on report times.
const ROOM: f64 = 2.0 * FOLLOWING;
/// After each time that it was handed back, explicit steps are held back so many times longer before the next, up to the second.
const RELUCTANCE: (usize, usize) = (4, 16);

/// Which method makes the next step, and what speaks for the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice {
    pub(super) stiff: bool,
    /// Explicit steps in a row that were held back by their stability.
    held_back: usize,
    /// Stiff steps in a row that explicit ones could have made.
    following: usize,
    /// By how many times more steps must be held back than usual.
    reluctance: usize,
}

impl Choice {
    pub(super) const EXPLICIT: Self = Self { stiff: false, held_back: 0, following: 0, reluctance: 1 };

    /// After an event: by the fastest rate alone.
    pub(super) fn restart(&mut self, fast: f64) {
        let stiff = fast > STIFF.0 || self.stiff && fast > STIFF.1;
        *self = Self { stiff, ..Self::EXPLICIT };
    }

    /// Counts a step of `length`, in units of the fastest time constant, that the other method might have made better.
    fn count(&mut self, fast: f64, length: f64, error: f64) {
        if self.stiff {
            // Where a rate is fast, steps are short for no error at the start and up to report times.
            let follows = length < FOLLOWING && (fast < STIFF.1 || error > NO_ERROR);
            self.following = if follows { self.following + 1 } else { 0 };
        } else {
            let held_back = error < NO_ERROR || length > AT_LIMIT;
            self.held_back = if held_back { self.held_back + 1 } else { 0 };
        }
    }

    /// Changes the method if the other is better from here on, with `room` for its steps in units of the fastest time constant.
    /// Whether it did.
    fn reconsider(&mut self, fast: f64, room: f64) -> bool {
        let change = if self.stiff {
            self.following >= HANDED_BACK
        } else if fast > STIFF.0 {
            self.held_back >= HELD_BACK.0 * self.reluctance
        } else {
            room > ROOM && self.held_back >= HELD_BACK.1 * self.reluctance
        };
        if change {
            if self.stiff {
                self.reluctance = (RELUCTANCE.0 * self.reluctance).min(RELUCTANCE.1);
            }
            *self = Self { stiff: !self.stiff, held_back: 0, following: 0, ..*self };
        }
        change
    }
}

impl Run<'_> {
    pub(super) fn fast_rate(&self) -> f64 {
        self.field.stiffness(&self.z).max(self.field.own_rate(&self.z))
    }

    /// Whether the stiff method makes the next step, towards `end`; the other one's memory is void.
    pub(super) fn is_stiff(&mut self, end: f64) -> bool {
        let room = self.recorder.spacing().min(self.clock.left(end)) * self.field.fastest_rate(&self.z);
        if self.choice.reconsider(self.fast_rate(), room) {
            self.forget_step();
        }
        self.choice.stiff
    }

    /// Counts steps that the other method would make better.
    pub(super) fn judge_method(&mut self, h: f64, error: f64) {
        let length = h * self.field.fastest_rate(&self.z);
        self.choice.count(self.fast_rate(), length, error);
    }
}
