//! When servers are started.

mod asynchronous;
mod none;
mod per_request;
mod scaler;
mod switch_on;
mod tabs;

pub use asynchronous::Asynchronous;
pub(crate) use scaler::{AtArrival, Scaler, Seen};

use alba_model::{Rates, ScalingRule, Scheme};
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
    /// Names in scenario files.
    pub const NAMES: [&'static str; 5] = ["none", "asynchronous", "tabs", "per-request", "switch-on"];

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
