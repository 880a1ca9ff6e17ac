//! Which of the two methods makes the next step.

use super::Run;

/// The stiff method takes over above the first stiffness and hands back below the second.
pub(super) const STIFF: (f64, f64) = (20.0, 10.0);
/// Explicit steps are at most this long, in units of the fastest time constant: their real stability interval is
/// 3.3, and at its end errors of the size of the tolerance would never die out.
pub(super) const STABLE: f64 = 3.2;
/// Explicit steps whose error is below the first are held back by their stability; so many in a row are handed over.
const HELD_BACK: (f64, usize) = (1e-5, 500);
/// Where a rate is fast, so many explicit steps in a row are handed over that are held back or longer than the first, in
/// units of the fastest time constant: near the end of the stability interval errors say nothing.
const AT_LIMIT: (f64, usize) = (1.0, 10);
/// Stiff steps below this, in units of the fastest time constant, so many in a row, are handed back: what is fast is what
/// happens, as when all buffers fill one job after the other, and the explicit method follows it with longer steps.
const FOLLOWING: (f64, usize) = (0.3, 3);

impl Run<'_> {
    pub(super) fn fast_rate(&self) -> f64 {
        self.field.stiffness(&self.z).max(self.field.own_rate(&self.z))
    }

    /// Whether the stiff method goes on.
    pub(super) fn is_stiff(&self) -> bool {
        let held_back = self.held_back >= HELD_BACK.1;
        if self.stiff {
            (held_back || self.fast_rate() > STIFF.1) && self.following < FOLLOWING.1
        } else {
            held_back || self.held_back >= AT_LIMIT.1 && self.fast_rate() > STIFF.0
        }
    }

    /// Counts steps that the other method would make better.
    pub(super) fn judge_method(&mut self, h: f64, error: f64) {
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
}
