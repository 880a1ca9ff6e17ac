//! Engines: how a cell is computed, one file each.

mod cluster;
mod exact;
mod fixed_point;
mod fluid;
mod simulate;

use super::quantity::of_response;
use super::{CellError, Quantity};
use alba_ctmc::Estimate;
use alba_model::{Grid, Measure};
use alba_scenario::{Reader, Scenario};

/// How a cell is computed.
pub trait Engine: Sync {
    /// Its name in sweep files and in the column `engine`.
    fn name(&self) -> &str;

    /// What it depends on; none: it may be anything.
    fn reader(&self) -> Option<Reader> {
        None
    }

    /// Whether it finds this quantity.
    fn offers(&self, quantity: Quantity) -> bool;

    /// Whether its estimates have half-widths.
    fn has_half_widths(&self) -> bool {
        false
    }

    /// Whether its estimates are as precise as a scenario asks for.
    fn reads_precision(&self) -> bool {
        self.has_half_widths()
    }

    /// About how many seconds a cell takes on one core: what cells are ordered by, and work is divided by. Depends on
    /// the scenario alone.
    fn cost(&self, scenario: &Scenario) -> f64;

    /// Computes a cell: one estimate for each quantity wanted, in their order.
    ///
    /// # Errors
    /// Why there is no answer: the row's text.
    fn run(&self, scenario: &Scenario, wanted: &[Quantity]) -> Result<Vec<Estimate>, CellError>;
}

/// Every engine that a sweep file can name.
pub const ENGINES: [&dyn Engine; 5] =
    [&fluid::Fluid, &fixed_point::FixedPoint, &simulate::Simulate, &exact::Exact, &cluster::Cluster];

/// An engine made of a function: for what no engine here finds.
pub struct Custom<F> {
    name: String,
    run: F,
}

impl<F: Fn(&Scenario, &[Quantity]) -> Result<Vec<Estimate>, CellError> + Sync> Custom<F> {
    /// It offers every quantity, and is asked for those that the sweep keeps.
    pub fn new(name: impl Into<String>, run: F) -> Self {
        Self { name: name.into(), run }
    }
}

impl<F: Fn(&Scenario, &[Quantity]) -> Result<Vec<Estimate>, CellError> + Sync> Engine for Custom<F> {
    fn name(&self) -> &str {
        &self.name
    }

    fn offers(&self, _quantity: Quantity) -> bool {
        true
    }

    fn has_half_widths(&self) -> bool {
        true
    }

    fn cost(&self, _scenario: &Scenario) -> f64 {
        1.0
    }

    fn run(&self, scenario: &Scenario, wanted: &[Quantity]) -> Result<Vec<Estimate>, CellError> {
        (self.run)(scenario, wanted)
    }
}

/// Measures of the quantities wanted, each once, but for those that follow from response times alone.
fn measures(wanted: &[Quantity]) -> Vec<Measure> {
    let mut measures: Vec<Measure> = vec![];
    for quantity in wanted {
        if let Quantity::AtRest(measure) | Quantity::AtEnd(measure) = quantity
            && !measures.contains(measure)
            && of_response(*measure, None).is_none()
        {
            measures.push(*measure);
        }
    }
    measures
}

/// The measures of whole runs among the quantities.
pub(super) fn at_rest(quantities: &[Quantity]) -> Vec<Measure> {
    let at_rest = |quantity: &Quantity| match quantity {
        Quantity::AtRest(measure) => Some(*measure),
        Quantity::AtEnd(_)
        | Quantity::FixedPoints
        | Quantity::Stable
        | Quantity::LeadingEigenvalue
        | Quantity::States
        | Quantity::Events => None,
    };
    quantities.iter().filter_map(at_rest).collect()
}

/// A value without an interval.
fn exactly(value: Option<f64>) -> Estimate {
    Estimate { value, half_width: None }
}

/// The arrival rate's mean over the run, and the number of its steps.
fn load(scenario: &Scenario) -> (f64, usize) {
    let (horizon, arrivals) = (scenario.run().grid.horizon(), scenario.model().arrivals());
    (arrivals.mean_rate(0.0, horizon), arrivals.segments(horizon).count())
}

/// The start and the horizon alone.
fn ends(scenario: &Scenario) -> Result<Grid, CellError> {
    Ok(Grid::new(scenario.run().grid.horizon(), 1)?)
}
