//! The fluid model at rest.

use super::{Engine, exactly};
use crate::quantity::is_of_levels;
use crate::{CellError, Quantity};
use alba_compare::InputError;
use alba_ctmc::Estimate;
use alba_fluid::{FixedPoints, fixed_points};
use alba_model::Snapshot;
use alba_scenario::{Reader, Scenario};

/// The fixed point, and what holds there: the one that is stable, or the only one. Without it, or with several that may
/// be it, the cell fails.
pub(super) struct FixedPoint;

impl Engine for FixedPoint {
    fn name(&self) -> &'static str {
        "fixed-point"
    }

    fn reader(&self) -> Option<Reader> {
        Some(Reader::FixedPoint)
    }

    fn offers(&self, quantity: Quantity) -> bool {
        match quantity {
            Quantity::AtRest(measure) => is_of_levels(measure),
            Quantity::FixedPoints | Quantity::Stable | Quantity::LeadingEigenvalue => true,
            Quantity::AtEnd(_) | Quantity::States | Quantity::Events => false,
        }
    }

    /// Finite buffers are scanned, and their levels solved for.
    fn cost(&self, scenario: &Scenario) -> f64 {
        let levels = scenario.model().buffer().limit().map_or(0, |limit| limit.min(10_000));
        1e-4 + 1e-5 * f64::from(levels)
    }

    fn run(&self, scenario: &Scenario, wanted: &[Quantity]) -> Result<Vec<Estimate>, CellError> {
        let name = || scenario.name().to_owned();
        let rate = scenario.model().arrivals().constant_rate();
        let arrival_rate = rate.ok_or_else(|| InputError::NotConstant { scenario: name() })?;
        let kept = scenario.initial().warm() + scenario.initial().initializing();
        let found = fixed_points(scenario.model(), arrival_rate, kept)
            .map_err(|source| alba_compare::Error::Fluid { scenario: name(), source })?;
        let count = found.points.len();
        let point = preferred(&found)?.clone();
        let stability = point.stability;
        let at = Snapshot { time: 0.0, arrival_rate, state: point.state, inflow: point.inflow };
        let value = |quantity: &Quantity| match *quantity {
            Quantity::AtRest(measure) => measure.value(&at.with(scenario.power())),
            Quantity::FixedPoints => Some(count as f64),
            Quantity::Stable => stability.is_stable().map(|stable| f64::from(u8::from(stable))),
            Quantity::LeadingEigenvalue => stability.leading_eigenvalue(),
            Quantity::AtEnd(_) | Quantity::States | Quantity::Events => None,
        };
        Ok(wanted.iter().map(|quantity| exactly(value(quantity))).collect())
    }
}

/// The fixed point where the system comes to rest, if that is known: the only stable one, else the only one, else, where
/// none is known to be stable, the only one that may be.
fn preferred(found: &FixedPoints) -> Result<&alba_fluid::FixedPoint, CellError> {
    let only = |stabilities: &[Option<bool>]| {
        let mut kept = found.points.iter().filter(|point| stabilities.contains(&point.stability.is_stable()));
        kept.next().filter(|_| kept.next().is_none())
    };
    let none_stable = found.points.iter().all(|point| point.stability.is_stable() != Some(true));
    only(&[Some(true)])
        .or_else(|| only(&[None, Some(true), Some(false)]))
        .or_else(|| only(&[None]).filter(|_| none_stable))
        .ok_or(match found.points.len() {
            0 => CellError::OnlyFamilies { families: found.families.len() },
            points => CellError::SeveralFixedPoints { points },
        })
}
