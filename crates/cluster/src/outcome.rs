//! What came back.

use alba_model::Measure;
use alba_replicate::{Estimate, Interval};

use crate::Arbitrator;
pub use crate::engine::RequestCounts;

/// Estimates for every policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// In the order of the experiment.
    pub policies: Vec<PolicyOutcome>,
}

/// Estimates for one policy.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyOutcome {
    /// The policy.
    pub policy: Arbitrator,
    /// All replications.
    pub replications: u64,
    /// One for every point of the grid.
    pub points: Vec<GridPoint>,
    /// Of whole runs after the warm-up, one for each of [`Measure::OF_REQUESTS`]. A quantile is that of the requests of all
    /// replications together, and so is its interval; it has none where too few are above it.
    pub metrics: Vec<Estimate>,
    /// The same minus that of the experiment's first policy, in pairs of replications that had the same arrivals and
    /// service demands: the values' differences, quantiles too.
    pub differences: Vec<Estimate>,
    /// Where one more run of this length lies with a probability of 95 %, for each of [`Measure::OF_REQUESTS`]; none of fewer than two
    /// runs.
    pub one_run: Vec<Option<Interval>>,
    /// Quantiles without an interval.
    pub too_few: Vec<TooFew>,
    /// Whether all replications, of which there are several, were the same in everything.
    pub identical: bool,
    /// Requests of all replications together, the warm-up included.
    pub counts: RequestCounts,
    /// Requests given to each server after the warm-up, mean over replications.
    pub requests_per_server: Vec<f64>,
    /// Shares of servers that are warm with 0, 1, ... requests: averages over time after the warm-up.
    pub levels: Vec<Estimate>,
}

impl PolicyOutcome {
    /// The estimate of a measure of whole runs.
    pub fn metric(&self, measure: Measure) -> Estimate {
        Self::of(&self.metrics, measure).unwrap_or_default()
    }

    /// The estimated difference of a measure from the first policy's.
    pub fn difference(&self, measure: Measure) -> Estimate {
        Self::of(&self.differences, measure).unwrap_or_default()
    }

    /// Where one more run lies.
    pub fn one_run(&self, measure: Measure) -> Option<Interval> {
        Self::of(&self.one_run, measure).flatten()
    }

    fn of<T: Copy>(all: &[T], measure: Measure) -> Option<T> {
        let index = Measure::OF_REQUESTS.iter().position(|other| *other == measure)?;
        all.get(index).copied()
    }
}

/// A quantile beyond which there are too few requests for an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TooFew {
    /// The quantile.
    pub measure: Measure,
    /// About how many independent requests are above it.
    pub exceedances: f64,
    /// So many independent ones are needed.
    pub needed: f64,
}

/// Estimates at a time.
#[derive(Debug, Clone, PartialEq)]
pub struct GridPoint {
    /// In mean service times.
    pub time: f64,
    /// [`Measure::of_state`], then as many levels of warm servers as the experiment asks for.
    pub estimates: Vec<Estimate>,
    /// The probability that some server is full.
    pub overload: Estimate,
}
