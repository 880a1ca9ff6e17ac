//! When servers are started.

use super::Around;
use crate::rules::{self, RuleKeys};
use crate::section::{Item, Noted};
use alba_cluster::Scaling;
use serde::Serialize;

/// What is followed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ScalingSource {
    /// The scheme's rule at the scheme's times.
    OfScheme,
    /// One of the section's own.
    Own(Scaling),
}

/// A scaling as a scenario file has it.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum ScalingKeys {
    Name(&'static str),
    Table(RuleKeys),
}

/// A scaling by its name, or with its parameters. Where the scheme has no scaling rule none can be followed.
pub(super) fn read(item: &Item<'_>, around: Around<'_>) -> Result<ScalingSource, Noted> {
    let scaling = if item.keys().is_some() {
        rules::read(item, &Scaling::KINDS, &Scaling::NAMES)?
    } else {
        rules::bare(item, Scaling::KINDS[item.name(&Scaling::NAMES)?])?
    };
    match scaling {
        Some(scaling) => Ok(ScalingSource::Own(scaling)),
        None if around.asynchronous => Ok(ScalingSource::OfScheme),
        None => Err(item
            .reject("\"none\", \"tabs\", \"per-request\" or \"switch-on\": scheme.kind has no scaling rule")),
    }
}

impl ScalingSource {
    /// Whether the scheme's is not followed.
    pub(crate) fn is_own(self) -> bool {
        matches!(self, Self::Own(_))
    }

    /// As it is read.
    pub(super) fn written(self) -> ScalingKeys {
        match self {
            Self::OfScheme => ScalingKeys::Name("asynchronous"),
            Self::Own(scaling) if scaling.values().is_empty() => ScalingKeys::Name(scaling.name()),
            Self::Own(scaling) => ScalingKeys::Table(RuleKeys::of(scaling.kind(), &scaling.values())),
        }
    }
}
