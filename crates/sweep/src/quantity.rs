//! What a sweep keeps of a cell.

use alba_compare::PERCENTILES;
use alba_model::{ErlangMixture, Measure};

/// A number that engines find for a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Quantity {
    /// At rest: of a run, its average after the warm-up.
    AtRest(Measure),
    /// At the horizon.
    AtEnd(Measure),
    /// A percentile of the response time at rest, under first come, first served: its index among those of every table.
    Percentile(usize),
    /// Probability that a job finds another one at its server.
    WaitingProbability,
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
/// What the name of a level begins with.
const LEVEL: &str = "warm_";

impl Quantity {
    /// What is kept unless a sweep says otherwise.
    pub fn usual() -> Vec<Self> {
        Measure::ALL.map(Self::AtRest).into()
    }

    /// Every one, but for levels.
    pub fn all() -> Vec<Self> {
        let percentiles = (0..PERCENTILES.len()).map(Self::Percentile);
        let others = [
            Self::WaitingProbability,
            Self::FixedPoints,
            Self::Stable,
            Self::LeadingEigenvalue,
            Self::States,
            Self::Events,
        ];
        let at_end = Measure::ALL.map(Self::AtEnd);
        Measure::ALL.map(Self::AtRest).into_iter().chain(at_end).chain(percentiles).chain(others).collect()
    }

    /// Its column.
    pub fn name(self) -> String {
        match self {
            Self::AtRest(measure) => measure.name(),
            Self::AtEnd(measure) => format!("{}{AT_END}", measure.name()),
            Self::Percentile(index) => PERCENTILES[index].0.to_owned(),
            Self::WaitingProbability => "waiting_probability".to_owned(),
            Self::FixedPoints => "fixed_points".to_owned(),
            Self::Stable => "stable".to_owned(),
            Self::LeadingEigenvalue => "leading_eigenvalue".to_owned(),
            Self::States => "states".to_owned(),
            Self::Events => "events".to_owned(),
        }
    }

    /// The quantity of that name; `warm_3` and `warm_3_at_end` are levels.
    pub fn named(name: &str) -> Option<Self> {
        let level = |name: &str| name.strip_prefix(LEVEL)?.parse().ok().map(Measure::Warm);
        let of_level = || match name.strip_suffix(AT_END) {
            Some(rest) => level(rest).map(Self::AtEnd),
            None => level(name).map(Self::AtRest),
        };
        Self::all().into_iter().find(|quantity| quantity.name() == name).or_else(of_level)
    }
}

/// A percentile of a response time.
pub(super) fn percentile(response: Option<&ErlangMixture>, index: usize) -> Option<f64> {
    response.map(|response| response.quantile(PERCENTILES[index].1))
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
