//! Replications of a simulation: what the engines with randomness have in common.
//!
//! Replication `r` draws from a [`stream`] keyed by (seed, `r`) alone; replications run in blocks, in parallel, each
//! block reduced in order and dropped ([`in_order`]); what is left are means with confidence intervals ([`Moments`],
//! [`Estimate`]). So results are the same bytes on any number of threads, and memory does not grow with replications.
//! A simulation that is [`Sequential`] goes on until a [`Precision`] is met; long runs of a steady state are cut into batches ([`Batching`]).
//!
//! ```
//! use alba_model::Parts;
//! use alba_replicate::{Moments, in_order, stream, student_quantile};
//! use rand::RngExt;
//!
//! let mut moments = Moments::default();
//! let uniform = |replication| stream(1, replication).random::<f64>();
//! in_order(0..100, 1, uniform, |value| {
//!     moments.push(Parts { numerator: value, denominator: 1.0 });
//!     Ok::<(), ()>(())
//! })
//! .unwrap();
//! let mean = moments.estimate(student_quantile(moments.count()));
//! assert!((mean.value.unwrap() - 0.5).abs() < 0.1);
//! assert!((mean.half_width.unwrap() - 1.984 * (1.0f64 / 1200.0).sqrt()).abs() < 0.02);
//! ```

mod blocks;
mod deadline;
mod difference;
mod estimate;
mod known;
mod nature;
mod persistence;
mod precision;
mod prediction;
mod quantile;
mod rare;
mod skew;
mod steady;
mod stream;

pub use blocks::{in_order, in_order_by_groups};
pub use deadline::{Deadline, OutOfTime};
pub use difference::PairedMoments;
pub use estimate::{Estimate, Moments, Quantiles, student_quantile};
pub use known::{Fixed, Known, Sample};
pub use nature::Nature;
pub use persistence::Persistence;
pub use precision::{
    PILOT, Pilot, Precision, PrecisionError, Sequential, Shortfall, Tolerance, replicate_to_precision,
};
pub use prediction::{Interval, SingleRuns};
pub use quantile::{Distribution, Quantile, Section};
pub use steady::{Batching, Steady, Verdict};
pub use stream::{Stream, stream, stream_for, streams};
