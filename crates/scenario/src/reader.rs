//! Who depends on which keys.

use crate::Scenario;
use crate::cluster::{ArrivalSource, ScalingSource};
use alba_model::Scheme;

/// What follows a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// The fluid model over time.
    Fluid,
    /// Averages of the fluid model along the run.
    FluidAverages,
    /// Fixed points of the fluid model.
    FixedPoint,
    /// Simulated runs of the chain.
    Chain,
    /// The same, for a steady state.
    SteadyState,
    /// The exact chain over time.
    Exact,
    /// The exact chain in equilibrium.
    Equilibrium,
    /// Numbered servers, request by request.
    NumberedServers,
    /// Chains of several sizes, as many as it takes to see how biases fall.
    Convergence,
}

impl Reader {
    /// Whether something is drawn at random.
    fn draws(self) -> bool {
        match self {
            Self::Chain | Self::SteadyState | Self::NumberedServers | Self::Convergence => true,
            Self::Fluid | Self::FluidAverages | Self::FixedPoint | Self::Exact | Self::Equilibrium => false,
        }
    }

    /// Whether it goes from a start to a horizon.
    fn runs(self) -> bool {
        !matches!(self, Self::FixedPoint | Self::Equilibrium)
    }

    /// Whether there are report times.
    fn reports(self) -> bool {
        matches!(self, Self::Fluid | Self::Chain | Self::Exact | Self::NumberedServers | Self::Convergence)
    }

    /// Whether something is left out of averages.
    fn averages(self) -> bool {
        matches!(self, Self::FluidAverages | Self::Chain | Self::SteadyState | Self::NumberedServers)
    }

    /// Whether the number of servers makes a difference.
    fn is_finite(self) -> bool {
        !matches!(self, Self::FluidAverages | Self::FixedPoint)
    }
}

impl Scenario {
    /// Whether `key`, a dotted one, makes no difference to `reader` here, whatever its value. Of `[cluster]` others say
    /// so, where it is in the file already: [`Scenario::for_numbered_servers_alone`].
    pub fn is_unread(&self, key: &str, reader: Reader) -> bool {
        match key {
            "system.servers" => !reader.is_finite(),
            "run.horizon" => !reader.runs(),
            "run.samples" => !reader.reports(),
            "run.warm_up" => !reader.averages(),
            "run.replications" | "run.seed" => !reader.draws(),
            "run.max_replications" if reader == Reader::Convergence => false,
            "run.max_replications" => !reader.draws() || self.run.precision.is_none(),
            _ if within(key, "run.precision") => !reader.draws() || reader == Reader::Convergence,
            "run.max_events" => !matches!(reader, Reader::Chain | Reader::SteadyState),
            _ if within(key, "initial") => !reader.runs(),
            "system.scaling_rate" | "system.scaling_interval" => self.has_no_scaling_times(reader),
            _ => reader == Reader::NumberedServers && self.is_replaced(key),
        }
    }

    fn has_no_scaling_times(&self, reader: Reader) -> bool {
        let by_scheme = !matches!(self.model.scheme(), Scheme::Asynchronous { .. });
        by_scheme || reader == Reader::NumberedServers && self.is_replaced("scheme.scaling")
    }

    /// Whether `[cluster]` says something else in its place.
    fn is_replaced(&self, key: &str) -> bool {
        let cluster = &self.cluster;
        let replaced = [
            ("scheme.dispatch", cluster.policies.is_some()),
            ("scheme.scaling", cluster.scaling.is_some_and(ScalingSource::is_own)),
            ("system.initialization_rate", cluster.initialization.is_some()),
            ("system.initialization_time", cluster.initialization.is_some()),
            ("system.expiration_rate", cluster.expiration.is_some()),
            ("system.expiration_time", cluster.expiration.is_some()),
            ("system.arrival_rate", matches!(cluster.arrivals, ArrivalSource::Renewal(..))),
        ];
        replaced.into_iter().any(|(own, is_replaced)| is_replaced && within(key, own))
    }
}

/// Whether `key` is `table` or one of its keys.
fn within(key: &str, table: &str) -> bool {
    key.strip_prefix(table).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
