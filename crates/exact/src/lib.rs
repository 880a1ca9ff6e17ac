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
//! [`transient`] answers at the report times of a [`alba_ctmc::Problem`], [`stationary`] for the limit. There are
//! C(N + B + 2, N) states: 3003 for ten servers with up to three jobs each, 888,030 for twenty with five; under a central
//! queue (N + 1)(N B + 1), 8181 for a hundred servers with room for eighty jobs.
//!
//! ```
//! use alba_ctmc::Problem;
//! use alba_exact::{Limits, stationary, transient};
//! use alba_model::*;
//!
//! let scheme = Scheme::asynchronous(Dispatch::power_of_d(2)?, ScalingRule::blind(0.4)?);
//! let rates = Rates::new(0.5, 0.1, 0.025)?;
//! let model = Model::new(ArrivalProfile::constant(0.7)?, rates, Buffer::finite(3)?, scheme)?;
//! let start = Counts { cold: 3, initializing: 0, warm: vec![7], waiting: 0 };
//! let problem = Problem::new(model.clone(), start.clone(), Grid::new(500.0, 1)?, 0.0, None)?;
//!
//! let (measures, power, limits) = ([Measure::Busy], PowerDraw::default(), Limits::default());
//! let late = transient(&problem, &measures, &power, &limits)?.points[1].values[0];
//! let limit = stationary(&model, &start, &measures, &power, &limits)?.values[0];
//! assert!((late.value.unwrap() - limit.unwrap()).abs() < 1e-4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod classes;
mod cut;
mod elimination;
mod error;
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

pub use error::ExactError;
pub use generator::Generator;
pub use limits::Limits;
pub use outcome::{Bounded, Cut, Method, Point, Stationary, Transient};
pub use space::StateSpace;
pub use stationary::stationary;
pub use transient::transient;
