//! Engines: what answers for a scenario, one file each.

mod cluster;
mod exact;
mod fixed_point;
mod fluid;
mod simulate;

pub(crate) use cluster::Cluster;
pub(crate) use simulate::Simulate;

use crate::quantity::is_of_levels;
use crate::{Error, InputError, Quantity};
use alba_ctmc::Estimate;
use alba_model::{Grid, Measure, ModelError};
use alba_scenario::{Reader, Scenario};

/// Something that finds numbers for a scenario. What must be given: [`name`](Self::name), [`cost`](Self::cost) and
/// [`run`](Self::run). What is usual has a default, to be given where an engine differs: which measures it knows
/// ([`at_rest`](Self::at_rest), [`at_end`](Self::at_end)), what it knows beside measures ([`own`](Self::own)), whether chance plays a
/// part ([`has_randomness`](Self::has_randomness)), and what of a scenario it reads
/// ([`reader`](Self::reader), [`needs_constant_rate`](Self::needs_constant_rate)).
pub trait Engine: Sync {
    /// Its name in sweep files and in the column `engine`.
    fn name(&self) -> &str;

    /// As what it reads a scenario, which says of a key whether it makes a difference; none, the default: any may.
    fn reader(&self) -> Option<Reader> {
        None
    }

    /// Whether it knows a measure at rest: of a run, its average after the warm-up. The default is that of engines that know
    /// jobs by where they go, and not one by one.
    fn at_rest(&self, measure: Measure) -> bool {
        is_of_levels(measure)
    }

    /// Whether it knows a measure at the horizon; all by default.
    fn at_end(&self, _measure: Measure) -> bool {
        true
    }

    /// What it knows beside measures; nothing by default.
    fn own(&self) -> &[Quantity] {
        &[]
    }

    /// Whether it finds this quantity.
    fn offers(&self, quantity: Quantity) -> bool {
        match quantity {
            Quantity::AtRest(measure) => self.at_rest(measure),
            Quantity::AtEnd(measure) => self.at_end(measure),
            Quantity::FixedPoints
            | Quantity::Stable
            | Quantity::LeadingEigenvalue
            | Quantity::States
            | Quantity::Events => self.own().contains(&quantity),
        }
    }

    /// Whether its estimates come from random replications: then they have half-widths, and a precision can be asked for.
    fn has_randomness(&self) -> bool {
        false
    }

    /// Whether there is no answer where the arrival rate changes.
    fn needs_constant_rate(&self) -> bool {
        false
    }

    /// Whether it follows requests to numbered servers, and so reads section `[cluster]`.
    fn follows_requests(&self) -> bool {
        self.reader() == Some(Reader::NumberedServers)
    }

    /// About how many seconds it takes on one core: what cells of a sweep are ordered by, and work is divided by. Depends on the
    /// scenario alone.
    fn cost(&self, scenario: &Scenario) -> f64;

    /// The quantities wanted, all of which it [`offers`](Self::offers), in any order; others beside them do no harm. What is left out
    /// is undefined.
    ///
    /// # Errors
    /// Why there is no answer.
    fn run(&self, scenario: &Scenario, wanted: &[Quantity]) -> Result<Vec<Found>, EngineError>;
}

/// A quantity, as an engine found it.
pub type Found = (Quantity, Estimate);

/// Every engine, as sweep files name them.
pub const ENGINES: [&dyn Engine; 5] =
    [&fluid::Fluid, &fixed_point::FixedPoint, &simulate::Simulate, &exact::Exact, &cluster::Cluster];

/// Why an engine has no answer.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A study has none.
    #[error(transparent)]
    Study(#[from] Error),
    /// Its values do not go together.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Fixed points form continua, and none is isolated.
    #[error("{families} families of fixed points, and no isolated one")]
    OnlyFamilies {
        /// How many continua.
        families: usize,
    },
    /// It is not known at which fixed point the system comes to rest.
    #[error("{points} fixed points, of which none is the only stable one")]
    SeveralFixedPoints {
        /// How many.
        points: usize,
    },
    /// An average over time is not accurate.
    #[error(
        "the averages over time are known to {relative_error:.1e} only: a shorter horizon has finer report times"
    )]
    RoughAverage {
        /// The largest relative error of one, about.
        relative_error: f64,
    },
    /// An engine gave more or fewer estimates than it was asked for.
    #[error("{found} estimates for {wanted} measures")]
    Estimates {
        /// How many it gave.
        found: usize,
        /// How many were wanted.
        wanted: usize,
    },
    /// What an engine of one's own says.
    #[error(transparent)]
    Own(Box<dyn std::error::Error + Send + Sync>),
}

impl From<InputError> for EngineError {
    fn from(error: InputError) -> Self {
        Self::Study(error.into())
    }
}

/// An engine made of a function: for what no engine here finds.
pub struct Custom<F> {
    name: String,
    run: F,
}

impl<F: Fn(&Scenario, &[Quantity]) -> Result<Vec<Estimate>, EngineError> + Sync> Custom<F> {
    /// It offers every quantity, and is asked for those that are kept: one estimate for each, in their order.
    pub fn new(name: impl Into<String>, run: F) -> Self {
        Self { name: name.into(), run }
    }
}

impl<F: Fn(&Scenario, &[Quantity]) -> Result<Vec<Estimate>, EngineError> + Sync> Engine for Custom<F> {
    fn name(&self) -> &str {
        &self.name
    }

    fn offers(&self, _quantity: Quantity) -> bool {
        true
    }

    fn has_randomness(&self) -> bool {
        true
    }

    fn cost(&self, _scenario: &Scenario) -> f64 {
        1.0
    }

    fn run(&self, scenario: &Scenario, wanted: &[Quantity]) -> Result<Vec<Found>, EngineError> {
        let found = (self.run)(scenario, wanted)?;
        if found.len() != wanted.len() {
            return Err(EngineError::Estimates { found: found.len(), wanted: wanted.len() });
        }
        Ok(wanted.iter().copied().zip(found).collect())
    }
}

/// What is wanted at the horizon.
fn at_end(wanted: &[Quantity]) -> Vec<Measure> {
    wanted.iter().filter_map(|quantity| quantity.at_end()).collect()
}

/// Whether anything else is wanted.
fn is_about_rest(wanted: &[Quantity]) -> bool {
    wanted.iter().any(|quantity| quantity.at_end().is_none())
}

/// A value without an interval.
fn exactly(quantity: Quantity, value: Option<f64>) -> Found {
    (quantity, Estimate { value, half_width: None })
}

/// The arrival rate's mean over the run, and the number of its steps.
fn load(scenario: &Scenario) -> (f64, usize) {
    let (horizon, arrivals) = (scenario.run().grid.horizon(), scenario.model().arrivals());
    (arrivals.mean_rate(0.0, horizon), arrivals.segments(horizon).count())
}

/// Events a server and service time, about, of starting servers, which get warm and go cold, at times that come at `scaling`. Those
/// that start nothing are left out where they are many.
fn starting(scenario: &Scenario, scaling: f64) -> f64 {
    const MANY: f64 = 5.0;
    let rates = scenario.model().rates();
    let cycle = 1.0 / scaling + 1.0 / rates.initialization() + 1.0 / rates.expiration();
    if scaling > MANY { 3.0 / cycle } else { scaling + 2.0 / cycle }
}

/// The start and the horizon alone.
fn ends(scenario: &Scenario) -> Result<Grid, ModelError> {
    Grid::new(scenario.run().grid.horizon(), 1)
}
