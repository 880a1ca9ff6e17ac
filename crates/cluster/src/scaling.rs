//! When servers are started.

mod asynchronous;
mod none;
mod per_request;
mod scaler;
mod switch_on;
mod tabs;

pub use asynchronous::Asynchronous;
pub(crate) use scaler::{AtArrival, Scaler, Seen};

use alba_model::{Kind, Rates, ScalingRule, Scheme, names};
use alba_replicate::Stream;

use crate::ClusterError;
use crate::clock::Clock;
use none::NoScaling;
use per_request::PerRequest;
use switch_on::SwitchOn;
use tabs::Tabs;

/// When a cold server is started: any of them, each as likely as the others, but for the switch-on, where the policy says which. An
/// idle one goes cold after its expiration time under all of them.
///
/// Each is a file in `scaling/`, which says what it does during a run and what is known of it before (`Scaler`).
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(test, derive(strum::EnumCount))]
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

impl Scaling {
    /// Every kind, as a scenario file says it; none: the scheme's rule at the scheme's times.
    pub const KINDS: [&'static Kind<Option<Self>>; 5] =
        [&none::KIND, &asynchronous::KIND, &tabs::KIND, &per_request::KIND, &switch_on::KIND];

    /// Names in scenario files.
    pub const NAMES: [&'static str; Self::KINDS.len()] = names(&Self::KINDS);

    /// At scaling times of rate `rate >= 0` per server.
    ///
    /// # Errors
    /// [`ClusterError::OutOfRange`] otherwise.
    pub fn asynchronous(rate: f64, rule: ScalingRule) -> Result<Self, ClusterError> {
        Asynchronous::new(rate, rule).map(Self::Asynchronous)
    }

    /// What `scheme` does, with scaling times as `rates` says.
    ///
    /// # Errors
    /// [`ClusterError::CentralQueue`]: numbered servers have queues of their own.
    pub fn of(scheme: Scheme, rates: Rates) -> Result<Self, ClusterError> {
        match scheme {
            Scheme::Asynchronous { scaling, .. } => Self::asynchronous(rates.scaling(), scaling),
            Scheme::Tabs(_) => Ok(Self::Tabs),
            Scheme::CentralQueue => Err(ClusterError::CentralQueue),
        }
    }

    /// Its kind: name and parameters in scenario files.
    pub fn kind(&self) -> &'static Kind<Option<Self>> {
        match self {
            Self::None => &none::KIND,
            Self::Asynchronous(_) => &asynchronous::KIND,
            Self::Tabs => &tabs::KIND,
            Self::PerRequest => &per_request::KIND,
            Self::SwitchOn => &switch_on::KIND,
        }
    }

    /// Its name in scenario files.
    pub fn name(&self) -> &'static str {
        self.kind().name
    }

    /// The values of its kind's parameters.
    pub fn values(&self) -> Vec<f64> {
        match self {
            // The scheme's rule has its own.
            Self::None | Self::Asynchronous(_) | Self::Tabs | Self::PerRequest | Self::SwitchOn => vec![],
        }
    }

    /// Every scaling, with typical parameters: what tests loop over.
    ///
    /// # Errors
    /// None in practice: all parameters are valid.
    pub fn catalogue() -> Result<Vec<Self>, ClusterError> {
        let asynchronous = Self::asynchronous(0.5, ScalingRule::blind(0.5)?)?;
        Ok(vec![Self::None, asynchronous, Self::Tabs, Self::PerRequest, Self::SwitchOn])
    }

    /// Whether it ever starts a server.
    pub fn starts(&self) -> bool {
        self.facts().starts
    }

    /// What is known of it before any run.
    pub(crate) fn facts(&self) -> Facts {
        match self {
            Self::None => none::FACTS,
            Self::Asynchronous(scaling) => scaling.facts(),
            Self::Tabs => tabs::FACTS,
            Self::PerRequest => per_request::FACTS,
            Self::SwitchOn => switch_on::FACTS,
        }
    }

    /// One for a run of so many servers.
    pub(crate) fn scaler(&self, servers: usize, clock: Clock, random: &mut Stream) -> Box<dyn Scaler> {
        match self {
            Self::None => Box::new(NoScaling),
            Self::Asynchronous(scaling) => scaling.scaler(servers, clock, random),
            Self::Tabs => Box::new(Tabs),
            Self::PerRequest => Box::new(PerRequest),
            Self::SwitchOn => Box::new(SwitchOn),
        }
    }
}

/// What is known of a scaling before any run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Facts {
    /// Whether it ever starts a server.
    pub(crate) starts: bool,
    /// Whether the policy may pick any server; a cold one starts then. No request is lost.
    pub(crate) any_server: bool,
    /// Whether requests are given to servers that are not warm.
    pub(crate) to_cold: bool,
    /// What it leaves to chance.
    pub(crate) chance: Chance,
}

/// What a scaling leaves to chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chance {
    /// Nothing.
    Nothing,
    /// Which server takes the request that starts it: nothing, where all are alike.
    Taker,
    /// Which server starts, beside the one that takes the request.
    Started,
    /// When it looks.
    Times,
}

impl std::fmt::Display for Scaling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Asynchronous(scaling) => scaling.rule().fmt(f),
            Self::None => f.write_str("no scaling"),
            Self::Tabs => f.write_str("TABS"),
            Self::PerRequest => f.write_str("scale per request"),
            Self::SwitchOn => f.write_str("switch-on"),
        }
    }
}

#[cfg(test)]
mod tests;
