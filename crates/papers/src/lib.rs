//! What repeats papers: their figures, tables and claims, beside what is printed there.
//!
//! [`figures`] draws them from scenarios that are compiled in; [`compare_arbitrators`] runs load balancers on any scenario;
//! [`partition`] prints the phase-partition arbitrator's table.

mod arbitrators;
mod aws_lambda;
mod error;
mod figures;
mod optimality;
mod partition;
mod phase_partition;
mod synchrony;

pub use arbitrators::{ArbitratorsAnswer, EngineAgreement, compare_arbitrators};
pub use error::Error;
pub use figures::{FIGURES, figures};
pub use partition::partition;
