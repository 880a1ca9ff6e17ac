//! When servers are started.

use alba_model::ScalingRule;

use crate::ClusterError;
use crate::error::checked;

/// When a cold server is started: any of them, each as likely as the others, but for the switch-on, where the policy says which. An
/// idle one goes cold after its expiration time under all of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scaling {
    /// Never.
    None,
    /// At the times of a Poisson process of `rate` per server, with the probability that the rule says.
    /// [`Scaling::asynchronous`] makes it.
    Asynchronous(Asynchronous),
    /// TABS: whenever an arrival finds no idle warm server; the arrival goes to a warm
    /// server as the policy says.
    Tabs,
    /// Per request: an arrival that finds no idle warm server starts a cold one and waits for it; if
    /// none is cold, the policy decides.
    PerRequest,
    /// The arbitrator's switch-on: every server may be picked, and a cold one starts when it is; the request waits.
    SwitchOn,
}

/// A scaling rule and how often it is asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Asynchronous {
    rate: f64,
    rule: ScalingRule,
}

impl Asynchronous {
    /// alpha, per server.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// g.
    pub fn rule(&self) -> &ScalingRule {
        &self.rule
    }
}

impl Scaling {
    /// Names in scenario files.
    pub const NAMES: [&'static str; 5] = ["none", "asynchronous", "tabs", "per-request", "switch-on"];

    /// At scaling times of rate `rate >= 0` per server.
    ///
    /// # Errors
    /// [`ClusterError::OutOfRange`] otherwise.
    pub fn asynchronous(rate: f64, rule: ScalingRule) -> Result<Self, ClusterError> {
        let rate = checked("scaling_rate", rate, "a finite number >= 0", |v| v >= 0.0)?;
        Ok(Self::Asynchronous(Asynchronous { rate, rule }))
    }

    /// Its name in scenario files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::None => Self::NAMES[0],
            Self::Asynchronous(_) => Self::NAMES[1],
            Self::Tabs => Self::NAMES[2],
            Self::PerRequest => Self::NAMES[3],
            Self::SwitchOn => Self::NAMES[4],
        }
    }
}

impl std::fmt::Display for Scaling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Asynchronous(scaling) => scaling.rule.fmt(f),
            Self::None => f.write_str("no scaling"),
            Self::Tabs => f.write_str("TABS"),
            Self::PerRequest => f.write_str("scale per request"),
            Self::SwitchOn => f.write_str("switch-on"),
        }
    }
}
