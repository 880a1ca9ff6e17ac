//! What starts cold servers.

use crate::Pool;
use crate::field::Field;
use alba_model::{Gradient, Piece, ScalingRule};

/// See [`unresolved`].
const UNRESOLVED: f64 = 1e-13;

/// How a scheme starts cold servers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Starts {
    /// At rate `alpha g`, by a scaling rule.
    AtScalingTimes(ScalingRule),
    /// One at every arrival that finds no idle server: at rate 0 while there are idle ones, else at rate
    /// `lambda - x[1,2] - beta x01`, what is beyond the arrivals that take every server as it becomes idle (TABS).
    AtArrivals,
}

impl Starts {
    /// The rate per server at which servers start if there are cold ones, continued smoothly in the field's regime.
    pub(crate) fn rate(&self, field: &Field, z: &[f64]) -> f64 {
        match self {
            Self::AtScalingTimes(rule) if rests(rule, field) => 0.0,
            Self::AtScalingTimes(rule) => {
                let seen = field.observe(z);
                let g = match field.piece {
                    Some(piece) => rule.continued(piece, &seen),
                    None => rule.probability(&seen),
                };
                field.rates.scaling() * g
            }
            Self::AtArrivals => match field.regime.below_threshold {
                Pool::Open => 0.0,
                Pool::Empty => field.arrival_rate - field.need(z, 0),
            },
        }
    }

    /// The derivatives of that rate.
    pub(crate) fn slope(&self, field: &Field, z: &[f64]) -> Gradient {
        match self {
            Self::AtScalingTimes(rule) if rests(rule, field) => Gradient::default(),
            Self::AtScalingTimes(rule) => {
                let seen = field.observe(z);
                let slope = match field.piece {
                    Some(piece) => rule.slope(piece, &seen, unresolved(field)),
                    None => rule.gradient(&seen),
                };
                slope.times(field.rates.scaling())
            }
            Self::AtArrivals => match field.regime.below_threshold {
                Pool::Open => Gradient::default(),
                Pool::Empty => Gradient { warming: -1.0, one_job: -1.0, ..Gradient::default() },
            },
        }
    }

    /// The rule and what it believes to be missing at `z`; none where no shortage starts a server.
    fn shortage(&self, field: &Field, z: &[f64]) -> Option<(&ScalingRule, f64)> {
        match self {
            Self::AtScalingTimes(rule) if !rests(rule, field) && !self.never(field) => {
                rule.shortage(&field.observe(z)).map(|shortage| (rule, shortage))
            }
            Self::AtScalingTimes(_) | Self::AtArrivals => None,
        }
    }

    /// The piece of the rule's probability that holds at `z`, where the shortage is growing or not; none where there are no
    /// kinks. Within `margin` of a kink the trend decides.
    pub(crate) fn piece(&self, field: &Field, z: &[f64], trend: &[f64], margin: f64) -> Option<Piece> {
        let (rule, shortage) = self.shortage(field, z)?;
        let later: Vec<f64> = z.iter().zip(trend).map(|(z, trend)| z + trend).collect();
        let growth = self.shortage(field, &later)?.1 - shortage; // it is linear
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
    pub(crate) fn room(&self, field: &Field, z: &[f64]) -> f64 {
        match (self.shortage(field, z), field.piece) {
            (Some((rule, shortage)), Some(piece)) => rule.room(piece, shortage),
            (None, _) | (_, None) => f64::INFINITY,
        }
    }

    /// The most that can start.
    pub(crate) fn most(&self, field: &Field) -> f64 {
        match self {
            Self::AtScalingTimes(_) => field.rates.scaling(),
            Self::AtArrivals => field.arrival_rate,
        }
    }

    /// Whether no state ever starts a server.
    pub(crate) fn never(&self, field: &Field) -> bool {
        match self {
            Self::AtScalingTimes(rule) => field.rates.scaling() == 0.0 || is_gainless(rule),
            Self::AtArrivals => field.arrival_rate == 0.0,
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
    let by_shortage = match rule {
        ScalingRule::Blind(_) => false,
        ScalingRule::RateIdle(_)
        | ScalingRule::WarmShortage(_)
        | ScalingRule::CapacityShortage(_)
        | ScalingRule::None => true,
    };
    by_shortage && field.arrival_rate == 0.0
}

fn is_gainless(rule: &ScalingRule) -> bool {
    match rule {
        ScalingRule::Blind(_) => false,
        ScalingRule::RateIdle(rule) => rule.gain() == 0.0,
        ScalingRule::WarmShortage(rule) => rule.gain() == 0.0,
        ScalingRule::CapacityShortage(rule) => rule.gain() == 0.0,
        ScalingRule::None => true,
    }
}
