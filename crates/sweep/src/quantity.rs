//! What a sweep keeps of a cell.

use alba_model::{Delay, ErlangMixture, Measure};

/// A number that engines find for a cell.
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
    /// What is kept unless a sweep says otherwise.
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
