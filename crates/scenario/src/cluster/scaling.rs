//! When servers are started.

use super::Around;
use crate::section::{Item, Noted};
use alba_cluster::Scaling;
use serde::Serialize;

/// A scaling, and how it was written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ScalingSource {
    /// None: the scheme's rule at the scheme's times.
    pub(crate) scaling: Option<Scaling>,
    pub(crate) keys: ScalingKeys,
}

/// A scaling as a scenario file has it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(transparent)]
pub(crate) struct ScalingKeys(&'static str);

/// A scaling by its name. Where the scheme has no scaling rule none can be followed.
pub(super) fn read(item: &Item<'_>, around: Around<'_>) -> Result<ScalingSource, Noted> {
    let name = Scaling::NAMES[item.name(&Scaling::NAMES)?];
    let scaling = match name {
        "none" => Some(Scaling::None),
        "tabs" => Some(Scaling::Tabs),
        "per-request" => Some(Scaling::PerRequest),
        "switch-on" => Some(Scaling::SwitchOn),
        "asynchronous" if around.asynchronous => None,
        "asynchronous" => {
            return Err(item.reject(
                "\"none\", \"tabs\", \"per-request\" or \"switch-on\": scheme.kind has no scaling rule",
            ));
        }
        _ => return Err(item.reject(format!("a table: {name} has parameters"))),
    };
    Ok(ScalingSource { scaling, keys: ScalingKeys(name) })
}
