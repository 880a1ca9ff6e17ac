//! What can go wrong.

use alba_model::ModelError;

/// Why there is no outcome.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ClusterError {
    /// A rule of the model outside its range.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A number outside its allowed range.
    #[error("{name} = {value} is not allowed: {allowed}")]
    OutOfRange {
        /// What it is, by its name in scenario files.
        name: &'static str,
        /// The value given.
        value: f64,
        /// The allowed range, in words.
        allowed: &'static str,
    },
    /// Probabilities that do not sum to one.
    #[error("the probabilities of the branches sum to {sum}, not to 1")]
    Probabilities {
        /// Their sum.
        sum: f64,
    },
    /// Measured times of which none is above zero.
    #[error("{count} measured times, none above 0: at least one is needed")]
    NoValues {
        /// How many there are.
        count: usize,
    },
    /// No server, or more than numbers of servers are made for.
    #[error("servers = {servers} is not allowed: a whole number from 1 to {most}")]
    Servers {
        /// The number asked for.
        servers: u64,
        /// The most.
        most: u64,
    },
    /// An initial state with another number of servers.
    #[error("the initial state has {initial} servers, but there are {servers}")]
    InitialServers {
        /// In the initial state.
        initial: u64,
        /// Described.
        servers: u64,
    },
    /// An initial state with more requests in a server than it holds.
    #[error("server {server} starts with {requests} requests, but holds at most {capacity}")]
    InitialRequests {
        /// Its number, from 1.
        server: usize,
        /// What it starts with.
        requests: usize,
        /// Its capacity.
        capacity: u32,
    },
    /// Times of requests out of order.
    #[error("request {index} comes at {time}: times are finite, at least 0, and do not decrease")]
    UnorderedTimes {
        /// Index of the offending time, from 0.
        index: usize,
        /// The time.
        time: f64,
    },
    /// A warm-up that leaves nothing to average.
    #[error("warm_up = {warm_up} is not allowed: a finite number >= 0 and below the horizon {horizon}")]
    WarmUp {
        /// In mean service times.
        warm_up: f64,
        /// In mean service times.
        horizon: f64,
    },
    /// An experiment without a replication.
    #[error("replications = 0 is not allowed: a whole number >= 1")]
    NoReplications,
    /// An experiment without a policy.
    #[error("no policy is given: at least one is needed")]
    NoPolicies,
    /// Servers without a limit on their requests, under a discipline or policy that needs one.
    #[error("{what} needs servers with a finite capacity")]
    NeedsCapacity {
        /// Which.
        what: &'static str,
    },
}

impl ClusterError {
    /// `value` if it is finite and `allows` says so, or an error naming it.
    pub(crate) fn checked(
        name: &'static str,
        value: f64,
        allowed: &'static str,
        allows: impl Fn(f64) -> bool,
    ) -> Result<f64, Self> {
        if value.is_finite() && allows(value) {
            Ok(value)
        } else {
            Err(Self::OutOfRange { name, value, allowed })
        }
    }
}
