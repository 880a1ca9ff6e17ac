//! Obvious slow versions that the engines are tested against.

pub(crate) mod fluid;
mod slow_chain;
mod small_chain;
pub(crate) mod stiff;
mod timed_jobs;

pub(crate) use slow_chain::slow_path;
pub(crate) use small_chain::SmallChain;
pub(crate) use timed_jobs::response_times;
