//! The chain of a few servers, solved exactly: no simulation, errors bounded.
//!
//! The states that the chain reaches are listed ([`StateSpace`]), the rates between them written down ([`Generator`],
//! from [`alba_model::Model::for_each_transition`]), and Kolmogorov's equations solved for a distribution `p(t)`, a row
//! vector over the states, or for its limit `pi`:
//!
//! ```text
//! p'(t) = p(t) Q(lambda(t)),   p(0) = the initial state;   pi Q = 0,   sum pi = 1
//! ```
//!
//! [`transient`] answers at the report times of a [`crate::Problem`], [`stationary`] for the limit. There are
//! C(N + B + 2, N) states: 3003 for ten servers with up to three jobs each, 888,030 for twenty with five; under a central
//! queue (N + 1)(N B + 1), 8181 for a hundred servers with room for eighty jobs.

mod classes;
mod cut;
mod elimination;
mod escape;
mod generator;
mod iteration;
mod leg;
mod limits;
mod numbering;
mod outcome;
mod poisson;
mod ranking;
mod reach;
mod readout;
mod rows;
mod space;
mod stationary;
mod transient;

pub use generator::Generator;
pub use limits::Limits;
pub use outcome::{Bounded, Cut, Method, Point, Stationary, Transient};
pub use space::StateSpace;
pub use stationary::stationary;
pub use transient::transient;
