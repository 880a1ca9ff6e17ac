//! What came back.

use alba_model::ErlangMixture;

/// A value, and how far from it the truth may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounded {
    /// The expectation, or ratio of expectations; none where it is undefined, or its denominator smaller than its error.
    pub value: Option<f64>,
    /// The truth is at most so far away, for the rates that the model computes in double precision.
    pub error_bound: f64,
}

/// Expectations over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Transient {
    /// One for every point of the grid.
    pub points: Vec<Point>,
    /// Of the chain.
    pub states: usize,
    /// Where an infinite buffer was cut.
    pub cut: Option<Cut>,
}

/// Expectations at a time, of functions of the state at that time.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// In mean service times.
    pub time: f64,
    /// lambda at that time.
    pub arrival_rate: f64,
    /// One for every measure, in their order.
    pub values: Vec<Bounded>,
}

impl Point {
    /// The largest error bound of a value that is defined.
    pub fn error_bound(&self) -> f64 {
        let defined = self.values.iter().filter(|bounded| bounded.value.is_some());
        defined.map(|bounded| bounded.error_bound).fold(0.0, f64::max)
    }
}

/// An infinite buffer, cut so that the chain is finite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cut {
    /// Jobs that a server holds at most.
    pub levels: u32,
    /// Over time: at most the probability that by the horizon some server would have held more. In equilibrium: about
    /// the fraction of servers that hold more.
    pub probability: f64,
    /// Over time: at most the jobs per server expected at the horizon where that happens. In equilibrium: about the
    /// jobs per server in such servers.
    pub jobs: f64,
}

/// How a stationary law was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Elimination without subtractions (Grassmann, Taksar and Heyman): every probability is accurate to a few digits
    /// less than double precision.
    Elimination,
    /// Sweeps and aggregation.
    Iteration {
        /// How often sixteen sweeps followed an aggregation.
        cycles: usize,
    },
}

/// Expectations in equilibrium.
#[derive(Debug, Clone, PartialEq)]
pub struct Stationary {
    /// lambda.
    pub arrival_rate: f64,
    /// Expectation, or ratio of expectations, of every measure, in their order; none where undefined.
    pub values: Vec<Option<f64>>,
    /// The response time of accepted jobs under first come, first served; none if none are accepted.
    pub response_time: Option<ErlangMixture>,
    /// Of the chain.
    pub states: usize,
    /// Those that are visited for ever.
    pub recurrent_states: usize,
    /// `sum_j |(pi Q)_j| / sum_j pi_j |Q_jj|`: imbalance of probability flows, relative to all flows.
    pub residual: f64,
    /// How the law was found.
    pub method: Method,
    /// Where an infinite buffer was cut.
    pub cut: Option<Cut>,
}
