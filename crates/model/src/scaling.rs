//! Scaling rules: the probability `g` that a scaling time starts one cold server.

mod blind;
mod capacity_shortage;
mod ramp;
mod rate_idle;
mod warm_shortage;

pub use blind::Blind;
pub use capacity_shortage::CapacityShortage;
pub use ramp::Piece;
pub use rate_idle::RateIdle;
pub use warm_shortage::WarmShortage;

use crate::ModelError;
use crate::named::{Kind, names};
use ramp::Ramp;

/// What a scaling rule may look at; all per server.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// What the scaler believes the arrival rate to be.
    pub demand: f64,
    /// `x01`.
    pub initializing: f64,
    /// `beta x01`: the rate at which servers warm up.
    pub warming: f64,
    /// `x[1,2]`: the rate at which servers with one job become idle.
    pub one_job: f64,
    /// `y0`.
    pub warm: f64,
}

/// The derivatives of a scaling rule by each quantity of an [`Observation`] but the demand; at a kink, those of one
/// side.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Gradient {
    /// By `x01`, `beta x01` held.
    pub initializing: f64,
    /// By `beta x01`.
    pub warming: f64,
    /// By `x[1,2]`.
    pub one_job: f64,
    /// By `y0`.
    pub warm: f64,
}

/// A scaling rule.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(test, derive(strum::EnumCount))]
pub enum ScalingRule {
    /// `g = theta`.
    Blind(Blind),
    /// `g = min(1, c ((demand - beta x01 - x[1,2])^+)^p)`.
    RateIdle(RateIdle),
    /// `g = min(1, c (demand - y0)^+)`.
    WarmShortage(WarmShortage),
    /// `g = min(1, c (demand - y0 - x01)^+)`.
    CapacityShortage(CapacityShortage),
    /// `g = 0`: servers never start.
    None,
}

impl ScalingRule {
    /// Every kind of rule.
    pub const KINDS: [&'static Kind<Self>; 5] =
        [&Blind::KIND, &RateIdle::KIND, &WarmShortage::KIND, &CapacityShortage::KIND, &Self::NONE];

    /// Names in scenario files.
    pub const NAMES: [&'static str; Self::KINDS.len()] = names(&Self::KINDS);

    const NONE: Kind<Self> = Kind::bare("none", |_| Ok(Self::None));

    /// Blind-theta with `0 < theta <= 1`.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] otherwise.
    pub fn blind(theta: f64) -> Result<Self, ModelError> {
        Blind::new(theta).map(Self::Blind)
    }

    /// Rate-Idle with `gain >= 0` and `exponent >= 1`.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] otherwise.
    pub fn rate_idle(gain: f64, exponent: f64) -> Result<Self, ModelError> {
        RateIdle::new(gain, exponent).map(Self::RateIdle)
    }

    /// Warm shortage with `gain >= 0`.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] otherwise.
    pub fn warm_shortage(gain: f64) -> Result<Self, ModelError> {
        WarmShortage::new(gain).map(Self::WarmShortage)
    }

    /// Capacity shortage with `gain >= 0`.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] otherwise.
    pub fn capacity_shortage(gain: f64) -> Result<Self, ModelError> {
        CapacityShortage::new(gain).map(Self::CapacityShortage)
    }

    /// Every rule, with typical parameters: what tests, benches and studies loop over.
    ///
    /// # Errors
    /// None in practice: all parameters are valid.
    pub fn catalogue() -> Result<Vec<Self>, ModelError> {
        Ok(vec![
            Self::blind(0.4)?,
            Self::rate_idle(1.0, 1.0)?,
            Self::rate_idle(1.2, 2.0)?,
            Self::warm_shortage(0.8)?,
            Self::capacity_shortage(1.5)?,
            Self::None,
        ])
    }

    /// Its kind: name and parameters in scenario files.
    pub fn kind(&self) -> &'static Kind<Self> {
        match self {
            Self::Blind(_) => &Blind::KIND,
            Self::RateIdle(_) => &RateIdle::KIND,
            Self::WarmShortage(_) => &WarmShortage::KIND,
            Self::CapacityShortage(_) => &CapacityShortage::KIND,
            Self::None => &Self::NONE,
        }
    }

    /// The values of its kind's parameters.
    pub fn values(&self) -> Vec<f64> {
        match self {
            Self::Blind(rule) => vec![rule.theta()],
            Self::RateIdle(rule) => vec![rule.gain(), rule.exponent()],
            Self::WarmShortage(rule) => vec![rule.gain()],
            Self::CapacityShortage(rule) => vec![rule.gain()],
            Self::None => vec![],
        }
    }

    /// What it does.
    fn form(&self) -> Form {
        match self {
            Self::Blind(rule) => Form::Constant(rule.theta()),
            Self::RateIdle(rule) => Form::Ramp(rule.ramp()),
            Self::WarmShortage(rule) => Form::Ramp(rule.ramp()),
            Self::CapacityShortage(rule) => Form::Ramp(rule.ramp()),
            Self::None => Form::Constant(0.0),
        }
    }

    /// The rule's name in scenario files.
    pub fn name(&self) -> &'static str {
        self.kind().name
    }

    /// `g`, in [0, 1].
    pub fn probability(&self, seen: &Observation) -> f64 {
        match self.form() {
            Form::Constant(g) => g,
            Form::Ramp(ramp) => {
                let shortage = ramp.shortage(seen);
                ramp.value(ramp.piece(shortage), shortage)
            }
        }
    }

    /// A bound on `g`, whatever is seen.
    pub fn most(&self) -> f64 {
        match self.form() {
            Form::Constant(g) => g,
            Form::Ramp(_) => 1.0,
        }
    }

    /// Whether it starts servers in no state.
    pub fn never_starts(&self) -> bool {
        match self.form() {
            Form::Constant(g) => g == 0.0,
            Form::Ramp(ramp) => ramp.gain == 0.0,
        }
    }

    /// Whether it goes by what is missing: then it has kinks where nothing is, and where a start is certain.
    pub fn goes_by_shortage(&self) -> bool {
        self.ramp().is_some()
    }

    /// What times the shortage, or its power, is the probability; none for rules that look at nothing.
    pub fn gain(&self) -> Option<f64> {
        self.ramp().map(|ramp| ramp.gain)
    }

    /// What the rule believes to be missing, in its own units; negative where there is more than enough. None for rules that
    /// look at nothing.
    pub fn shortage(&self, seen: &Observation) -> Option<f64> {
        self.ramp().map(|ramp| ramp.shortage(seen))
    }

    /// The piece of `g` at a shortage; none for rules without kinks.
    pub fn piece(&self, shortage: f64) -> Option<Piece> {
        self.ramp().map(|ramp| ramp.piece(shortage))
    }

    /// How far a shortage is from the nearest end of a `piece`; negative outside.
    pub fn room(&self, piece: Piece, shortage: f64) -> f64 {
        self.ramp().map_or(f64::INFINITY, |ramp| ramp.room(piece, shortage))
    }

    /// `g` by one `piece`, continued smoothly past its ends, also out of [0, 1].
    pub fn continued(&self, piece: Piece, seen: &Observation) -> f64 {
        match self.form() {
            Form::Constant(g) => g,
            Form::Ramp(ramp) => ramp.value(piece, ramp.shortage(seen)),
        }
    }

    /// The derivatives of [`ScalingRule::continued`], at a shortage of `least` or more on either side of none: a solver that
    /// knows shortages no better must not take a slope of 0 for granted.
    pub fn slope(&self, piece: Piece, seen: &Observation, least: f64) -> Gradient {
        let of = |ramp: Ramp| ramp.direction.times(ramp.slope(piece, ramp.shortage(seen), least));
        self.ramp().map_or_else(Gradient::default, of)
    }

    fn ramp(&self) -> Option<Ramp> {
        match self.form() {
            Form::Constant(_) => None,
            Form::Ramp(ramp) => Some(ramp),
        }
    }

    /// What times the outer product of [`ScalingRule::gradient`] gives the second derivatives of `g`: every rule is a
    /// function `G(s)` of a shortage linear in what is seen, and this is `G''/G'^2`. Zero where `g` is.
    pub fn relative_curvature(&self, seen: &Observation) -> f64 {
        match self.ramp() {
            Some(Ramp { exponent, .. }) if exponent > 1.0 => {
                let g = self.probability(seen);
                if g > 0.0 && g < 1.0 { (exponent - 1.0) / (exponent * g) } else { 0.0 }
            }
            Some(_) | None => 0.0,
        }
    }

    /// The derivatives of `g`.
    pub fn gradient(&self, seen: &Observation) -> Gradient {
        let piece = self.shortage(seen).and_then(|shortage| self.piece(shortage));
        piece.map_or_else(Gradient::default, |piece| self.slope(piece, seen, 0.0))
    }
}

/// What a rule does: a probability, or one that grows with a shortage.
enum Form {
    Constant(f64),
    Ramp(Ramp),
}

impl Gradient {
    /// Of a multiple.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self {
            initializing: factor * self.initializing,
            warming: factor * self.warming,
            one_job: factor * self.one_job,
            warm: factor * self.warm,
        }
    }
}

impl std::fmt::Display for ScalingRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Blind(rule) => write!(f, "Blind-{}", rule.theta()),
            Self::RateIdle(_) => f.write_str("Rate-Idle"),
            Self::WarmShortage(_) => f.write_str("warm shortage"),
            Self::CapacityShortage(_) => f.write_str("capacity shortage"),
            Self::None => f.write_str("no scaling"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::named::check_catalogue;
    use std::collections::HashSet;
    use strum::EnumCount;

    fn seen() -> Observation {
        Observation { demand: 0.7, initializing: 0.5, warming: 0.05, one_job: 0.25, warm: 0.1 }
    }

    #[test]
    fn every_rule_is_made_of_what_is_said_of_it() {
        let rules = ScalingRule::catalogue().unwrap();
        let made =
            check_catalogue(&ScalingRule::KINDS, &rules, |rule| (rule.kind(), rule.values()), |rule| *rule);
        assert_eq!(made, Ok(()));
        let variants: HashSet<_> = rules.iter().map(std::mem::discriminant).collect();
        assert_eq!(variants.len(), ScalingRule::COUNT, "a rule is not in the catalogue");
    }

    #[test]
    fn probabilities_by_hand() {
        let close =
            |rule: ScalingRule, g: f64| assert!((rule.probability(&seen()) - g).abs() < 1e-15, "{rule}");
        close(ScalingRule::blind(0.06).unwrap(), 0.06);
        close(ScalingRule::rate_idle(1.5, 1.0).unwrap(), 0.6);
        close(ScalingRule::rate_idle(1.5, 2.0).unwrap(), 0.24);
        close(ScalingRule::rate_idle(10.0, 1.0).unwrap(), 1.0);
        close(ScalingRule::warm_shortage(0.5).unwrap(), 0.3);
        close(ScalingRule::capacity_shortage(0.5).unwrap(), 0.05);
        close(ScalingRule::None, 0.0);
    }

    #[test]
    fn gradients_are_difference_quotients() {
        let step = 1e-6;
        for rule in ScalingRule::catalogue().unwrap() {
            let gradient = rule.gradient(&seen());
            let quotient = |change: fn(&mut Observation, f64)| {
                let (mut above, mut below) = (seen(), seen());
                change(&mut above, step);
                change(&mut below, -step);
                (rule.probability(&above) - rule.probability(&below)) / (2.0 * step)
            };
            let close = |exact: f64, quotient: f64| assert!((exact - quotient).abs() < 1e-8, "{rule}");
            close(gradient.initializing, quotient(|seen, by| seen.initializing += by));
            close(gradient.warming, quotient(|seen, by| seen.warming += by));
            close(gradient.one_job, quotient(|seen, by| seen.one_job += by));
            close(gradient.warm, quotient(|seen, by| seen.warm += by));
        }
    }

    /// Pieces meet at their ends, where there is no room left, and each goes on smoothly beyond.
    #[test]
    fn pieces_meet_at_kinks() {
        for rule in [
            ScalingRule::rate_idle(2.0, 1.0).unwrap(),
            ScalingRule::rate_idle(4.0, 2.0).unwrap(),
            ScalingRule::warm_shortage(2.0).unwrap(),
            ScalingRule::capacity_shortage(2.0).unwrap(),
        ] {
            let at = |shortage: f64| {
                let none =
                    Observation { demand: 0.0, initializing: 0.0, warming: 0.0, one_job: 0.0, warm: 0.0 };
                Observation { demand: shortage, ..none }
            };
            assert_eq!(rule.shortage(&at(0.25)), Some(0.25));
            let full = 0.5; // 2 * 0.5 = 4 * 0.5^2 = 1
            for (kink, below, above) in [(0.0, Piece::Zero, Piece::Rising), (full, Piece::Rising, Piece::One)]
            {
                assert_eq!([rule.room(below, kink), rule.room(above, kink)], [0.0, 0.0], "{rule}");
                assert_eq!(rule.continued(below, &at(kink)), rule.continued(above, &at(kink)), "{rule}");
                assert_eq!(rule.piece(kink - 0.01), Some(below));
                assert_eq!(rule.piece(kink + 0.01), Some(above));
                assert!(rule.room(below, kink + 0.01) < 0.0 && rule.room(above, kink - 0.01) < 0.0);
            }
            let quarter = rule.continued(Piece::Rising, &at(0.25));
            assert_eq!(quarter, rule.probability(&at(0.25)));
            assert_eq!(rule.continued(Piece::Rising, &at(-0.25)), -quarter);
            assert!(rule.slope(Piece::Rising, &at(0.0), 1e-3).warm.abs() <= 2.0);
        }
        assert_eq!(ScalingRule::blind(0.4).unwrap().piece(1.0), None);
    }

    #[test]
    fn curvature_is_a_difference_quotient_of_the_gradient() {
        let step = 1e-5;
        for rule in ScalingRule::catalogue().unwrap() {
            let shifted = |by: f64| Observation { one_job: seen().one_job + by, ..seen() };
            let quotient = (rule.gradient(&shifted(step)).one_job - rule.gradient(&shifted(-step)).one_job)
                / (2.0 * step);
            let exact = rule.relative_curvature(&seen()) * rule.gradient(&seen()).one_job.powi(2);
            assert!((exact - quotient).abs() < 1e-8, "{rule}: {exact} {quotient}");
        }
    }

    #[test]
    fn no_shortage_no_start() {
        let full = Observation { demand: 0.2, ..seen() };
        for rule in ScalingRule::catalogue().unwrap() {
            let g = rule.probability(&full);
            let blind = matches!(rule, ScalingRule::Blind(_));
            let warm_short = matches!(rule, ScalingRule::WarmShortage(_));
            assert_eq!(g > 0.0, blind || warm_short, "{rule}: {g}");
        }
    }

    #[test]
    fn parameters_out_of_range() {
        assert!(ScalingRule::blind(0.0).is_err());
        assert!(ScalingRule::blind(1.1).is_err());
        assert!(ScalingRule::rate_idle(-1.0, 1.0).is_err());
        assert!(ScalingRule::rate_idle(1.0, 0.5).is_err());
        assert!(ScalingRule::warm_shortage(f64::INFINITY).is_err());
        assert!(ScalingRule::capacity_shortage(f64::NAN).is_err());
    }
}
