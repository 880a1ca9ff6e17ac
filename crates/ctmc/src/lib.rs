//! The chain of N servers, simulated exactly.
//!
//! Servers are exchangeable, so the numbers of servers in each place are the whole state, and one event costs the same
//! for any N. With `n = N x`, every transition of rate `r` per server in [`alba_model::Model`] happens at rate `N r`:
//!
//! ```text
//! P(n -> n + move in [t, t + dt]) = N r(n / N, lambda(t)) dt + o(dt)
//! ```
//!
//! Between report times the chain runs without a clock, in bursts of steps at a constant rate; ARCHITECTURE.md says why that is
//! exact. Where a queue is longer than 255 jobs or servers are more than 2^27 it goes event by event.
//!
//! Nouns: a [`Problem`] is *what* (model, initial state, grid, warm-up), an [`Experiment`] *how often* and which
//! measures, an [`Outcome`] what came back; a [`Path`] is one replication. Replication `r` draws from a stream keyed by
//! (seed, `r`) alone: neither threads, nor the number of replications, nor the grid change its path.
//!
//! ```
//! use alba_ctmc::{Problem, path};
//! use alba_model::*;
//!
//! let scheme = Scheme::asynchronous(Dispatch::JOIN_IDLE_QUEUE, ScalingRule::rate_idle(1.0, 1.0)?);
//! let rates = Rates::new(0.05, 0.1, 0.025)?;
//! let model = Model::new(ArrivalProfile::constant(0.7)?, rates, Buffer::Infinite, scheme)?;
//! let start = Counts { cold: 300, initializing: 0, warm: vec![700], waiting: 0 };
//! let problem = Problem::new(model, start, Grid::new(10.0, 10)?, 0.0, None)?;
//! let third = path(&problem, 1, 3)?;
//! assert_eq!(third.snapshots.len(), 11);
//! assert!(third.events.arrivals() > 6000); // 700 a mean service time
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Source: J. Anselmi, *Asynchronous Load Balancing and Auto-Scaling: Mean-Field Limit and Optimal Design*, IEEE/ACM
//! Transactions on Networking, 2024, section III.

mod agenda;
mod central_queue;
mod chain;
mod error;
mod events;
mod nature;
mod odds;
mod outcome;
mod path;
mod pick;
mod precision;
mod problem;
mod random;
mod replication;
mod servers;
mod simulate;
mod single_runs;
mod steady;
mod system;
mod uniformized;

pub use alba_replicate::{
    Estimate, Interval, Precision, PrecisionError, Quantile, Shortfall, Steady, Tolerance, Verdict,
    student_quantile,
};
pub use error::CtmcError;
pub use events::EventCounts;
pub use outcome::{GridPoint, Outcome, Summary};
pub use path::{Path, for_each_path, path};
pub use precision::{Scope, simulate_to_precision};
pub use problem::{Experiment, Problem};
pub use simulate::simulate;
pub use steady::{SteadyState, steady_state, steady_state_to_precision};
