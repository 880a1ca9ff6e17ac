//! What rules that look at a shortage have in common: how the probability grows with it.

use crate::{Gradient, Observation};

/// `min(1, gain (s^+)^exponent)` of a shortage `s`, the demand but for what counts against it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ramp {
    pub(super) gain: f64,
    pub(super) exponent: f64,
    /// The derivatives of the shortage.
    pub(super) direction: Gradient,
}

/// Where a scaling rule's probability is on its way from 0 to 1: it is smooth within a piece, and has kinks between.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Piece {
    /// No shortage: 0.
    Zero,
    /// It grows with the shortage.
    Rising,
    /// 1, however short servers are.
    One,
}

impl Ramp {
    /// What is missing.
    pub(super) fn shortage(self, seen: &Observation) -> f64 {
        seen.demand
            + self.direction.warm * seen.warm
            + self.direction.initializing * seen.initializing
            + self.direction.warming * seen.warming
            + self.direction.one_job * seen.one_job
    }

    pub(super) fn piece(self, shortage: f64) -> Piece {
        if shortage <= 0.0 {
            Piece::Zero
        } else if self.rising(shortage) >= 1.0 {
            Piece::One
        } else {
            Piece::Rising
        }
    }

    /// How far a shortage is from the nearest end of a piece; negative outside.
    pub(super) fn room(self, piece: Piece, shortage: f64) -> f64 {
        let full = self.gain.recip().powf(self.exponent.recip());
        match piece {
            Piece::Zero => -shortage,
            Piece::Rising => shortage.min(full - shortage),
            Piece::One => shortage - full,
        }
    }

    /// The probability by a piece, continued smoothly past its ends: an odd function of the shortage where it rises.
    pub(super) fn value(self, piece: Piece, shortage: f64) -> f64 {
        match piece {
            Piece::Zero => 0.0,
            Piece::Rising => self.rising(shortage),
            Piece::One => 1.0,
        }
    }

    /// Its derivative by the shortage, where that is at least `least` on either side of none.
    pub(super) fn slope(self, piece: Piece, shortage: f64, least: f64) -> f64 {
        match piece {
            Piece::Zero | Piece::One => 0.0,
            Piece::Rising if self.exponent == 1.0 => self.gain,
            Piece::Rising => self.gain * self.exponent * shortage.abs().max(least).powf(self.exponent - 1.0),
        }
    }

    fn rising(self, shortage: f64) -> f64 {
        let raised = if self.exponent == 1.0 {
            shortage
        } else {
            shortage.abs().powf(self.exponent).copysign(shortage)
        };
        self.gain * raised
    }
}
