//! What an ALBA system is, for every engine that reads it.
//!
//! `N` servers are cold, initializing, or warm with `i = 0..=B` jobs; the state is the fraction of servers in
//! each of these places. Jobs arrive at rate `lambda` per server, a *dispatching rule* sends each to a warm
//! server, and, independently, a *scaling rule* decides at scaling times whether a cold server starts. A
//! [`Model`] yields its [`Transition`]s once; drift, generator and closed forms are derived from them:
//!
//! | event | move | rate per server |
//! |---|---|---|
//! | arrival accepted at level `i < B` | `(i, warm) -> (i+1, warm)` | `lambda f_i(x)` |
//! | service completion, `i >= 1` | `(i, warm) -> (i-1, warm)` | `x[i,2]` |
//! | scale-up | `cold -> initializing` | `alpha g(x)` if `x00 > 0` |
//! | initialization ends | `initializing -> (0, warm)` | `beta x01` |
//! | expiration | `(0, warm) -> cold` | `gamma x02` |
//!
//! That is an asynchronous [`Scheme`]; under TABS and under a central queue arrivals start servers, see there.
//!
//! Time is counted in mean service times of a job. Nouns: a [`Model`] is *what*, an [`Occupancy`] or [`Counts`]
//! a *state*, a [`Snapshot`] a state together with what happens to arrivals in it, a [`Ledger`] what is kept of a state, a path, a run or a
//! distribution, a [`Measure`] what a person asks of a ledger.
//!
//! ```
//! use alba_model::*;
//!
//! let dispatch = Dispatch::power_of_d(2)?;
//! let scaling = ScalingRule::blind(0.06)?;
//! let rates = Rates::new(0.05, 0.1, 0.025)?;
//! let arrivals = ArrivalProfile::constant(0.7)?;
//! let model = Model::new(arrivals, rates, Buffer::finite(100)?, Scheme::asynchronous(dispatch, scaling))?;
//! let start = Occupancy::new(0.0, vec![0.7])?;
//! let mut total = 0.0;
//! model.for_each_transition(&start, 0.7, &mut |transition| total += transition.rate);
//! assert!((total - (0.7 + 0.05 + 0.025 * 0.7)).abs() < 1e-15); // arrivals, scaling times, expirations
//! # Ok::<(), ModelError>(())
//! ```
//!
//! Source: J. Anselmi, *Asynchronous Load Balancing and Auto-Scaling: Mean-Field Limit and Optimal Design*,
//! IEEE/ACM Transactions on Networking, 2024. Equation numbers in these crates are that paper's.

mod arrivals;
mod central_queue;
mod counts;
mod dispatch;
mod error;
mod grid;
mod ledger;
mod measure;
mod model;
mod named;
mod occupancy;
mod parameters;
mod response;
mod scaling;
mod scheme;
mod snapshot;
mod transition;

pub use arrivals::{ArrivalProfile, Segment};
pub use counts::Counts;
pub use dispatch::*;
pub use error::ModelError;
pub use grid::Grid;
pub use ledger::{Account, Delay, Ledger, Parts, Per};
pub use measure::{Formula, Measure, Percentile, Unit};
pub use model::Model;
pub use named::{Kind, Parameter, Values, check_catalogue, names};
pub use occupancy::Occupancy;
pub use parameters::{Buffer, Rates};
pub use response::ErlangMixture;
pub use scaling::*;
pub use scheme::Scheme;
pub use snapshot::{PowerDraw, Snapshot};
pub use transition::{Event, Move, Place, Transition};
