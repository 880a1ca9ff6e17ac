//! What can go wrong.

use alba_model::ModelError;
use alba_replicate::{OutOfTime, PrecisionError};

/// Why there is no outcome.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CtmcError {
    /// The model and the initial state do not fit together.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// No server, or more than the engine's counters and random ranks are made for.
    #[error("servers = {servers} is not allowed: a whole number from 1 to {most}")]
    Servers {
        /// The number asked for.
        servers: u64,
        /// The most.
        most: u64,
    },
    /// A warm-up that leaves nothing to average.
    #[error("warm_up = {warm_up} is not allowed: a finite number >= 0 and below the horizon {horizon}")]
    WarmUp {
        /// In mean service times.
        warm_up: f64,
        /// In mean service times.
        horizon: f64,
    },
    /// Rates whose sum over all servers is no number any more.
    #[error(
        "the rates of {servers} servers, of which the largest is {rate} a server, add up to more than a number can hold"
    )]
    TooFast {
        /// N.
        servers: u64,
        /// The largest rate of one server.
        rate: f64,
    },
    /// An experiment without a replication.
    #[error("replications = 0 is not allowed: a whole number >= 1")]
    NoReplications,
    /// A precision that cannot be asked for.
    #[error(transparent)]
    Precision(#[from] PrecisionError),
    /// Runs of a steady state that could end early.
    #[error("a steady state needs runs of equal length, and a maximal number of events ends them anywhere")]
    EventsLimited,
    /// With an infinite buffer, a queue that grew beyond the most levels that are tracked.
    #[error(
        "at time {time} a server holds more than {levels} jobs and the buffer is infinite: is the arrival rate above \
         the capacity?"
    )]
    TooManyLevels {
        /// When.
        time: f64,
        /// The most levels tracked.
        levels: usize,
    },
    /// The problem's deadline.
    #[error(transparent)]
    OutOfTime(#[from] OutOfTime),
    /// An arrival rate that changes: the law of the state has no limit.
    #[error("there is no equilibrium: the arrival rate changes {steps} times")]
    NoStationaryLaw {
        /// Changes of the arrival rate.
        steps: usize,
    },
}
