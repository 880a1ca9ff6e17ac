//! Numbered, possibly unequal servers, request by request.

mod arbitrator;
mod arrivals;
mod discipline;
mod draw;
mod engine;
mod error;
mod law;
mod metric;
mod outcome;
pub mod policy;
mod problem;
mod run;
mod scaling;
mod servers;
mod sets;
mod simulate;

pub use alba_replicate::Estimate;
pub use arbitrator::Arbitrator;
pub use arrivals::Arrivals;
pub use discipline::Discipline;
pub use draw::{Curve, Draw};
pub use error::ClusterError;
pub use law::Law;
pub use metric::Metric;
pub use outcome::{GridPoint, Outcome, PolicyOutcome, RequestCounts};
pub use problem::{Experiment, Problem, ProblemParts, Times};
pub use scaling::{Asynchronous, Scaling};
pub use servers::{Group, Servers};
pub use simulate::simulate;
