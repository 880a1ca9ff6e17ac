//! What can go wrong.

use alba_ctmc::CtmcError;
use alba_model::ModelError;

/// Why there is no exact solution.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ExactError {
    /// The chain cannot be: no servers, or, where an equilibrium is asked for, an arrival rate that changes.
    #[error(transparent)]
    Chain(#[from] CtmcError),
    /// The model and the initial state do not fit together.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Limits of the exact solution that nothing can meet.
    #[error(
        "limits of {states} states and an error of {error} are not allowed: a whole number >= 1, a number in (0, 1)"
    )]
    Limits {
        /// The most states.
        states: usize,
        /// The largest error.
        error: f64,
    },
    /// More states than the exact solution can hold.
    #[error(
        "{servers} servers with up to {buffer} jobs each make {} states, and {most} fit; {}; alba simulate and \
         alba fluid take any number of servers",
        several(*states, *explored),
        fitting(*servers_that_fit, *buffer)
    )]
    TooManyStates {
        /// N.
        servers: u64,
        /// B.
        buffer: u32,
        /// C(N + B + 2, N); the initial state may lead to fewer.
        states: f64,
        /// States found before giving up; 0 if they were not even numbered.
        explored: usize,
        /// The most.
        most: usize,
        /// The most servers whose states are allowed with this buffer.
        servers_that_fit: u64,
    },
    /// Rates so fast, or a horizon so long, that uniformization would take too many steps.
    #[error(
        "uniformization would take {steps:.1e} steps over {states} states: shorten the horizon, slow the fastest rate, \
         or simulate"
    )]
    TooManySteps {
        /// Largest rate out of a state times the time.
        steps: f64,
        /// States.
        states: usize,
    },
    /// A list of states of an infinite buffer.
    #[error("the buffer is infinite: its states cannot be listed")]
    InfiniteBuffer,
    /// An arrival rate at which the chain leaves the states it was built for.
    #[error("at arrival rate {arrival_rate} the chain leaves the states that the profile's rates lead to")]
    UnreachedState {
        /// Per server and mean service time.
        arrival_rate: f64,
    },
    /// With an infinite buffer, queues too long for every number of levels that fits.
    #[error(
        "the buffer is infinite, and with queues cut at {levels} jobs, the most that {most} states allow, {}; {error:.1e} of \
         both is allowed. Give a finite buffer or fewer servers; is the arrival rate above the capacity?",
        beyond(*probability, *jobs)
    )]
    NoCut {
        /// Jobs per server at the last cut tried.
        levels: u32,
        /// Beyond it.
        probability: f64,
        /// Beyond it, per server.
        jobs: f64,
        /// What is allowed of both.
        error: f64,
        /// The most states.
        most: usize,
    },
    /// Several sets of states that are never left.
    #[error(
        "there is no single equilibrium: chance decides in which of {classes} closed classes of states the chain from this \
         start stays for ever"
    )]
    SeveralClosedClasses {
        /// How many.
        classes: usize,
    },
    /// Rates so far apart that elimination lost the way back to some state.
    #[error("the stationary law cannot be found: rates too far apart for double precision")]
    Unbalanced,
    /// Sweeps that did not converge.
    #[error(
        "the stationary law is not found: sweeps leave a relative residual of {residual:.1e}, not {allowed:.1e}"
    )]
    NotConverged {
        /// Relative imbalance of flows.
        residual: f64,
        /// What is allowed.
        allowed: f64,
    },
}

/// A number of states: a formula's where they were not counted.
fn several(states: f64, explored: usize) -> String {
    const READABLE: f64 = 1e15;
    let formula = if states < READABLE { format!("{states}") } else { format!("{states:.1e}") };
    if explored > 0 { format!("more than {explored} of {formula} conceivable") } else { formula }
}

fn beyond(probability: f64, jobs: f64) -> String {
    if probability.is_finite() {
        format!("{probability:.1e} of the probability and {jobs:.1e} jobs per server may be beyond")
    } else {
        "longer ones are not getting rarer".to_owned()
    }
}

fn fitting(servers: u64, buffer: u32) -> String {
    match servers {
        0 => format!("no number of servers fits with a buffer of {buffer}"),
        1 => "with this buffer, 1 server fits".to_owned(),
        _ => format!("with this buffer, {servers} servers fit"),
    }
}
