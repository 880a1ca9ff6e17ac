//! What can go wrong.

use alba_model::ModelError;
use alba_replicate::{OutOfTime, PrecisionError};

use crate::Decimal;

/// Why there is no table, policy or outcome.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ClusterError {
    /// A rule of the model outside its range.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A precision that cannot be asked for.
    #[error(transparent)]
    Precision(#[from] PrecisionError),
    /// The experiment's deadline.
    #[error(transparent)]
    OutOfTime(#[from] OutOfTime),
    /// A central queue before numbered servers.
    #[error("every request goes to a server at once, and in a central queue it does not")]
    CentralQueue,
    /// A text that is no exact decimal number.
    #[error(
        "{text:?} is not allowed: a number above 0 in digits, with a point or not, without sign or exponent, of at most \
         {most} digits, as in 2.5"
    )]
    NotDecimal {
        /// The text.
        text: String,
        /// The most digits.
        most: usize,
    },
    /// No ratio at all.
    #[error("there is no ratio: at least one is needed, and the last one repeats")]
    NoRatios,
    /// A ratio with which portions would not get smaller.
    #[error(
        "ratio {index} = {ratio} is not allowed: a number above 1 (with 2 or more no server can be overloaded)"
    )]
    Ratio {
        /// Which, from 1.
        index: usize,
        /// Its value.
        ratio: Decimal,
    },
    /// No server at all.
    #[error("there is no server: at least one capacity is needed")]
    NoServers,
    /// A server that can take no connection.
    #[error("the capacity of server {server} is 0: a whole number from 1 to {}", u32::MAX)]
    NoCapacity {
        /// Which, from 1.
        server: usize,
    },
    /// Ratios below 2 whose portions sum to more than the server has.
    #[error(
        "in phase {phase} the portions of server {server} sum to {limit}, above its capacity {capacity}: the ratios must be \
         larger (with 2 or more this cannot happen)"
    )]
    LimitAboveCapacity {
        /// Which, from 1.
        server: usize,
        /// From 1.
        phase: usize,
        /// Sum of the portions.
        limit: u64,
        /// Connections.
        capacity: u32,
    },
    /// Ratios so near 1 that portions hardly shrink.
    #[error("server {server} has more than {most} phases: the ratios must be larger")]
    TooManyPhases {
        /// Which, from 1.
        server: usize,
        /// The most.
        most: usize,
    },
    /// A first ratio so large that no server gets a portion.
    #[error(
        "no server gets a portion: the largest capacity {capacity} over the first ratio {ratio} is below 1/2"
    )]
    NoPhases {
        /// The largest.
        capacity: u32,
        /// The first.
        ratio: Decimal,
    },
    /// A power-saving ratio that no phase reaches.
    #[error(
        "eta = {eta} is not reached in {phases} phases: the portions sum to the share {reached:.6} of a capacity"
    )]
    EtaOutOfReach {
        /// The ratio asked for.
        eta: Decimal,
        /// Phases looked at.
        phases: usize,
        /// The sum over them.
        reached: f64,
    },
    /// A first phase that the table has not.
    #[error("first phase = {phase} is not allowed: a whole number from 1 to {phases}")]
    NoSuchPhase {
        /// The phase.
        phase: usize,
        /// n*.
        phases: usize,
    },
    /// A number outside its range.
    #[error("{name} = {value} is not allowed: {allowed}")]
    OutOfRange {
        /// What it is.
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
    #[error("servers start with up to {requests} requests, but server {server} holds at most {capacity}")]
    InitialRequests {
        /// Its number, from 1.
        server: usize,
        /// The most that a server starts with.
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
    /// A policy that picked a server that does not exist.
    #[error("the policy picked server {server} of {servers}")]
    NoSuchServer {
        /// The pick, from 1.
        server: usize,
        /// How many there are.
        servers: usize,
    },
    /// A policy that picked a server without room.
    #[error("the policy picked server {server}, which has {capacity} connections and takes no more")]
    Overload {
        /// The pick, from 1.
        server: usize,
        /// Its connections, all that it can take.
        capacity: u32,
    },
}

/// `value` if finite and `allows` says so, or an error naming it.
pub(crate) fn checked(
    name: &'static str,
    value: f64,
    allowed: &'static str,
    allows: impl Fn(f64) -> bool,
) -> Result<f64, ClusterError> {
    if value.is_finite() && allows(value) {
        Ok(value)
    } else {
        Err(ClusterError::OutOfRange { name, value, allowed })
    }
}
