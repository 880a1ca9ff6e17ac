//! What engines find.

use crate::view::unit_of;
use alba_model::{Delay, ErlangMixture, Measure};

/// A number that engines find for a scenario.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Quantity {
    /// A measure at rest: of a run, its average after the warm-up; percentiles are of response times under first come, first served.
    AtRest(Measure),
    /// A measure at the horizon.
    AtEnd(Measure),
    /// Isolated fixed points found.
    FixedPoints,
    /// Whether the fixed point is stable: 1 or 0.
    Stable,
    /// Largest real part of an eigenvalue at the fixed point.
    LeadingEigenvalue,
    /// States of the exact chain.
    States,
    /// Events of all replications.
    Events,
}

/// What the name of a value at the horizon ends with.
const AT_END: &str = "_at_end";

impl Quantity {
    /// The measures of every table, at rest.
    pub fn usual() -> Vec<Self> {
        Measure::ALL.map(Self::AtRest).into()
    }

    /// Every one, but for levels.
    pub fn all() -> Vec<Self> {
        let at_end = Measure::ALL.map(Self::AtEnd);
        let more = Measure::known().filter(|measure| !Measure::ALL.contains(measure)).map(Self::AtRest);
        let others = [Self::FixedPoints, Self::Stable, Self::LeadingEigenvalue, Self::States, Self::Events];
        Measure::ALL.map(Self::AtRest).into_iter().chain(at_end).chain(more).chain(others).collect()
    }

    /// The measure, at rest.
    pub fn at_rest(self) -> Option<Measure> {
        match self {
            Self::AtRest(measure) => Some(measure),
            Self::AtEnd(_)
            | Self::FixedPoints
            | Self::Stable
            | Self::LeadingEigenvalue
            | Self::States
            | Self::Events => None,
        }
    }

    /// The measure, at the horizon.
    pub fn at_end(self) -> Option<Measure> {
        match self {
            Self::AtEnd(measure) => Some(measure),
            Self::AtRest(_)
            | Self::FixedPoints
            | Self::Stable
            | Self::LeadingEigenvalue
            | Self::States
            | Self::Events => None,
        }
    }

    /// Its column.
    pub fn name(self) -> String {
        match self {
            Self::AtRest(measure) => measure.name(),
            Self::AtEnd(measure) => format!("{}{AT_END}", measure.name()),
            Self::FixedPoints => "fixed_points".to_owned(),
            Self::Stable => "stable".to_owned(),
            Self::LeadingEigenvalue => "leading_eigenvalue".to_owned(),
            Self::States => "states".to_owned(),
            Self::Events => "events".to_owned(),
        }
    }

    /// What it counts.
    pub fn unit(self) -> &'static str {
        match self {
            Self::AtRest(measure) | Self::AtEnd(measure) => unit_of(measure),
            Self::LeadingEigenvalue => "per service time",
            Self::FixedPoints | Self::Stable | Self::States | Self::Events => "",
        }
    }

    /// The quantity of that name; `warm_3` and `warm_3_at_end` are levels.
    pub fn named(name: &str) -> Option<Self> {
        let level = |measure: &Measure| matches!(measure, Measure::Warm(_));
        let of_level = || match name.strip_suffix(AT_END) {
            Some(rest) => Measure::named(rest).filter(level).map(Self::AtEnd),
            None => Measure::named(name).filter(level).map(Self::AtRest),
        };
        Self::all().into_iter().find(|quantity| quantity.name() == name).or_else(of_level)
    }
}

/// The measures of whole runs among the quantities.
pub fn at_rest(quantities: &[Quantity]) -> Vec<Measure> {
    quantities.iter().filter_map(|quantity| quantity.at_rest()).collect()
}

/// Measures of the quantities wanted, each once, but for those that follow from response times alone.
pub(super) fn measures(wanted: &[Quantity]) -> Vec<Measure> {
    let mut measures: Vec<Measure> = vec![];
    for measure in wanted.iter().filter_map(|quantity| quantity.at_rest().or(quantity.at_end())) {
        if !measures.contains(&measure) && of_response(measure, None).is_none() {
            measures.push(measure);
        }
    }
    measures
}

/// Whether engines that know jobs by where they go, and not one by one, find a measure at rest.
pub(super) fn is_of_levels(measure: Measure) -> bool {
    match measure {
        Measure::Percentile(delay, _) => delay == Delay::Response,
        Measure::WaitingProbability | Measure::Warm(_) => true,
        other => Measure::ALL.contains(&other),
    }
}

/// Such a measure of the response times that are `response`, if it is one of those that follow from them alone.
pub(super) fn of_response(measure: Measure, response: Option<&ErlangMixture>) -> Option<Option<f64>> {
    match measure {
        Measure::Percentile(_, percentile) => {
            Some(response.map(|response| response.quantile(percentile.probability())))
        }
        Measure::WaitingProbability => Some(response.map(ErlangMixture::waiting_probability)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        let levels = [Quantity::AtRest(Measure::Warm(0)), Quantity::AtEnd(Measure::Warm(12))];
        for quantity in Quantity::all().into_iter().chain(levels) {
            assert_eq!(Quantity::named(&quantity.name()), Some(quantity), "{}", quantity.name());
        }
        for name in ["", "warm", "warm_", "warm_x", "cold_", "_at_end", "p90"] {
            assert_eq!(Quantity::named(name), None, "{name}");
        }
    }
}
