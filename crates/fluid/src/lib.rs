//! The fluid (mean-field) model of ALBA: the limit of the chain as the number of servers grows.
//!
//! `x(t)`, the fractions of servers that are cold, initializing and warm with `i` jobs, solves (4a)-(4d), an ordinary
//! differential equation whose right-hand side is discontinuous where the cold pool (`x00 = 0`), the warm servers at
//! or below the threshold of JBT-d (`W = 0`), or all warm servers (`y0 = 0`) are empty. It is integrated as a hybrid
//! system: within a [`Regime`] by a smooth vector field; where a guard falls to zero, the step lands on its root,
//! the regime is decided anew, and integration goes on.
//!
//! Nouns: a [`Problem`] is a model, a start, report times and [`Tolerances`]; [`solve`] turns it into an [`Outcome`]:
//! snapshots, [`Switch`]es, [`Statistics`] and why it [`Stop`]ped, and a [`Solver`] does so step by step. A crossed guard is part of the outcome; what has
//! no answer is a [`FluidError`].
//!
//! ```
//! use alba_fluid::{Guard, Problem, Tolerances, solve};
//! use alba_model::*;
//!
//! let scheme = Scheme::asynchronous(Dispatch::JOIN_IDLE_QUEUE, ScalingRule::blind(0.06)?);
//! let rates = Rates::new(0.05, 0.1, 0.025)?;
//! let model = Model::new(ArrivalProfile::constant(0.7)?, rates, Buffer::Infinite, scheme)?;
//! let start = Occupancy::new(0.0, vec![0.7])?; // just enough servers, all idle
//! let problem = Problem::new(model, start, Grid::new(20.0, 40)?, Tolerances::default())?;
//! let outcome = solve(&problem)?;
//! assert_eq!(outcome.switches[0].guard, Guard::BelowThresholdEmpties); // no idle server is left
//! assert!((outcome.switches[0].time - 3.9150612).abs() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! How it works, module by module: `field` is the drift and its derivative in one regime, `step` two one-step methods
//! (Dormand-Prince 5(4), and RODAS where the system is stiff), `guard` finds the first crossing inside a step,
//! `decide` tells which regime follows, and which piece of the scaling rule's probability, `departure` starts regimes
//! whose drift is 0/0 at first, `settling` notices arrival at a fixed point, and `run` is the loop.
//!
//! Source: J. Anselmi, *Asynchronous Load Balancing and Auto-Scaling: Mean-Field Limit and Optimal Design*,
//! IEEE/ACM Transactions on Networking, 2024, Definition 1.

mod branch;
mod clock;
mod decide;
mod departure;
mod drift;
mod error;
mod field;
mod fixed_point;
mod guard;
mod jacobian;
mod matrix;
mod outcome;
mod problem;
mod recorder;
mod regime;
mod root;
mod rule;
mod run;
mod settling;
mod solver;
mod speed;
mod starts;
mod step;

pub use error::FluidError;
pub use fixed_point::{
    Counterexample, Edge, Family, FixedPoint, FixedPoints, NoRefinement, Optimality, Refined, Refinement,
    Stability, fixed_points,
};
pub use outcome::{Guard, Outcome, Statistics, Stop, Switch};
pub use problem::{Problem, Tolerances};
pub use regime::{Pool, Regime};
pub use solver::{Solver, StopReason};

/// Integrates the fluid model over the problem's horizon.
///
/// Returns a snapshot for every time of the problem's grid, also beyond the time at which the trajectory has
/// settled: when less than the tolerance is left to go.
///
/// # Errors
/// [`FluidError::ColdStartNeedsBuffer`] where an infinite buffer has no limit, [`FluidError::TooManyLevels`] where
/// queues grow for ever, [`FluidError::CentralQueue`]; [`FluidError::TooManySteps`], [`FluidError::StepUnderflow`] and
/// [`FluidError::NoRegime`] where the solver gives up.
///
/// # Source
/// Definition 1, equations (4a)-(4d) and (5).
pub fn solve(problem: &Problem) -> Result<Outcome, FluidError> {
    Solver::new(problem)?.finish()
}
