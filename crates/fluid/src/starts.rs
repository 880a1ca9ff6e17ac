//! What starts cold servers.

use crate::Pool;
use crate::field::{Field, Starts};
use alba_model::{Gradient, Piece, ScalingRule};

/// See [`unresolved`].
const UNRESOLVED: f64 = 1e-13;

impl Field {
    /// The rate per server at which servers start if there are cold ones, continued smoothly in the field's regime.
    pub(crate) fn starting(&self, z: &[f64]) -> f64 {
        match &self.starts {
            Starts::AtScalingTimes(rule) if rests(rule, self) => 0.0,
            Starts::AtScalingTimes(rule) => {
                let seen = self.observe(z);
                let g = match self.piece {
                    Some(piece) => rule.continued(piece, &seen),
                    None => rule.probability(&seen),
                };
                self.rates.scaling() * g
            }
            Starts::AtArrivals => match self.regime.below_threshold {
                Pool::Open => 0.0,
                Pool::Empty => self.arrival_rate - self.need(z, 0),
            },
        }
    }

    /// The rate at which servers start: with an empty cold pool, as fast as idle ones expire.
    pub(crate) fn started(&self, z: &[f64]) -> f64 {
        match self.regime.cold {
            Pool::Open => self.starting(z),
            Pool::Empty => self.expiring(z),
        }
    }

    /// The derivatives of [`Field::starting`].
    pub(crate) fn starting_slope(&self, z: &[f64]) -> Gradient {
        match &self.starts {
            Starts::AtScalingTimes(rule) if rests(rule, self) => Gradient::default(),
            Starts::AtScalingTimes(rule) => {
                let seen = self.observe(z);
                let slope = match self.piece {
                    Some(piece) => rule.slope(piece, &seen, unresolved(self)),
                    None => rule.gradient(&seen),
                };
                slope.times(self.rates.scaling())
            }
            Starts::AtArrivals => match self.regime.below_threshold {
                Pool::Open => Gradient::default(),
                Pool::Empty => Gradient { warming: -1.0, one_job: -1.0, ..Gradient::default() },
            },
        }
    }

    /// The rule and what it believes to be missing at `z`; none where no shortage starts a server.
    fn shortage(&self, z: &[f64]) -> Option<(&ScalingRule, f64)> {
        match &self.starts {
            Starts::AtScalingTimes(rule) if !rests(rule, self) && !self.never_starts() => {
                rule.shortage(&self.observe(z)).map(|shortage| (rule, shortage))
            }
            Starts::AtScalingTimes(_) | Starts::AtArrivals => None,
        }
    }

    /// The piece of the rule's probability that holds at `z`, where the shortage is growing or not; none where there are no
    /// kinks. Within `margin` of a kink the trend decides.
    pub(crate) fn piece_at(&self, z: &[f64], trend: &[f64], margin: f64) -> Option<Piece> {
        let (rule, shortage) = self.shortage(z)?;
        let later: Vec<f64> = z.iter().zip(trend).map(|(z, trend)| z + trend).collect();
        let growth = self.shortage(&later)?.1 - shortage; // it is linear
        let soon = if growth > 0.0 {
            shortage + margin
        } else if growth < 0.0 {
            shortage - margin
        } else {
            shortage // also where the trend is not known
        };
        rule.piece(soon)
    }

    /// How far `z` is from the nearest kink of the rule's probability, in units of the shortage; negative beyond the
    /// field's piece.
    pub(crate) fn room_in_piece(&self, z: &[f64]) -> f64 {
        match (self.shortage(z), self.piece) {
            (Some((rule, shortage)), Some(piece)) => rule.room(piece, shortage),
            (None, _) | (_, None) => f64::INFINITY,
        }
    }

    /// The most that can start.
    pub(crate) fn most_started(&self) -> f64 {
        match &self.starts {
            Starts::AtScalingTimes(_) => self.rates.scaling(),
            Starts::AtArrivals => self.arrival_rate,
        }
    }

    /// Whether no state ever starts a server.
    pub(crate) fn never_starts(&self) -> bool {
        match &self.starts {
            Starts::AtScalingTimes(rule) => self.rates.scaling() == 0.0 || rule.never_starts(),
            Starts::AtArrivals => self.arrival_rate == 0.0,
        }
    }
}

/// A shortage smaller than this is none: a fast rule keeps it so small, and one that bounces off a kink from there on
/// does so by rounding.
pub(crate) fn unresolved(field: &Field) -> f64 {
    UNRESOLVED * (1.0 + field.arrival_rate)
}

/// Without demand a rule that looks at shortages starts nothing. Its own continuation to states that are negative by less
/// than the tolerance would: a kink at the very state in which a night without traffic ends.
fn rests(rule: &ScalingRule, field: &Field) -> bool {
    field.arrival_rate == 0.0 && rule.goes_by_shortage()
}
