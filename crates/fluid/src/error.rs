//! What can go wrong.

use alba_model::ModelError;

/// Why there is no trajectory.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FluidError {
    /// The model and the state do not fit together.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A central queue: its waiting jobs are not a fraction of anything that servers hold.
    #[error(
        "a central queue has no fluid model here: it is not a state of servers, each with jobs of its own; simulate it, or \
         solve a few servers exactly"
    )]
    CentralQueue,
    /// A tolerance outside its range.
    #[error("the {name} tolerance {value} is not allowed: from 1e-13 to 0.1")]
    Tolerance {
        /// Which.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// With no warm or initializing server, an infinite buffer would hold infinitely many jobs at once.
    #[error(
        "at time {time} no server is warm or initializing and jobs arrive: with an infinite buffer the first warm \
         servers would get infinitely many jobs each; set a finite buffer"
    )]
    ColdStartNeedsBuffer {
        /// When.
        time: f64,
    },
    /// Queues grow beyond the most levels that are tracked.
    #[error(
        "at time {time} queues are longer than {levels} jobs and growing: is the arrival rate above the capacity, or too \
         few servers warm? a finite buffer sets a limit"
    )]
    TooManyLevels {
        /// When.
        time: f64,
        /// The most levels tracked.
        levels: usize,
    },
    /// Queues grow for ever: the arrival rate is at least one, and the buffer infinite.
    #[error(
        "there is no fixed point at arrival rate {arrival_rate}: queues grow for ever; set a finite buffer"
    )]
    NoFixedPoint {
        /// Per server and mean service time.
        arrival_rate: f64,
    },
    /// No state was found at which the drift vanishes.
    #[error("no fixed point was found: rates or levels are beyond what double precision tells apart")]
    FixedPointNotFound,
    /// The step size became too small to go on.
    #[error("at time {time} the step size fell to {step}: the fastest rate there is {name} = {value}")]
    StepUnderflow {
        /// When.
        time: f64,
        /// The step size.
        step: f64,
        /// The key of the rate that makes the system fast there.
        name: &'static str,
        /// Its value, per mean service time.
        value: f64,
    },
    /// The run would take too long.
    #[error(
        "at time {time} the run has taken {steps} steps, and what is left would take far too many: the fastest rate there is \
         {name} = {value}; shorten the horizon or bring the rates closer together"
    )]
    TooManySteps {
        /// When.
        time: f64,
        /// Steps so far.
        steps: usize,
        /// The key of the rate that makes the system fast there.
        name: &'static str,
        /// Its value, per mean service time.
        value: f64,
    },
    /// A state had to be put right by more than the tolerance explains.
    #[error(
        "the trajectory had to be corrected by {correction}, far beyond the tolerance: it cannot be trusted"
    )]
    Inconsistent {
        /// The largest change to a fraction of servers.
        correction: f64,
    },
    /// More changes of regime at one time than can be told apart.
    #[error("at time {time} no regime is consistent with the state")]
    NoRegime {
        /// When.
        time: f64,
    },
}
