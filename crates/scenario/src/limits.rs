//! Section `[limits]`: what a run may take.

use super::section::{Item, Noted};
use super::units::duration_s;
use serde::Serialize;
use std::time::Duration;

/// What a run may take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Each engine, in seconds on the clock.
    time_s: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time_s: 86_400.0 }
    }
}

/// Some thousand years.
const LONGEST_S: f64 = 1e11;
const TIME: &str = "a time on the clock with a unit, above 0 and at most 1e11 s, as in \"10 min\"";

impl Limits {
    /// What an engine may take, on the clock; a day if nothing is said.
    pub fn time(&self) -> Duration {
        Duration::from_secs_f64(self.time_s)
    }

    /// As its key says it.
    pub(super) fn keys(self) -> Option<LimitKeys> {
        (self != Self::default()).then(|| LimitKeys { time: format!("{} s", self.time_s) })
    }
}

#[derive(Serialize)]
pub(super) struct LimitKeys {
    time: String,
}

pub(super) fn read(item: &Item<'_>) -> Result<Limits, Noted> {
    let section = item.section(&["time"])?;
    let Some(item) = section.find("time") else { return Ok(Limits::default()) };
    Ok(Limits { time_s: time_s(&item)? })
}

/// A time on the clock.
///
/// # Errors
/// Noted for what is none.
pub fn time_s(item: &Item<'_>) -> Result<f64, Noted> {
    let seconds = item.text().and_then(duration_s).filter(|seconds| *seconds <= LONGEST_S);
    seconds.ok_or_else(|| item.reject(TIME))
}
