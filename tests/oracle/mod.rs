//! Obvious slow versions that the engines are tested against.

pub(crate) mod fluid;
mod slow_chain;
mod small_chain;

pub(crate) use slow_chain::slow_path;
pub(crate) use small_chain::SmallChain;
