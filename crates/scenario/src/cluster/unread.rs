//! Keys that an engine does not read, and that would change its result.

use super::{ArrivalSource, Lifetime, equal_servers};
use crate::Scenario;
use alba_cluster::{Arbitrator, Discipline, Group, Law, Scaling};
use alba_model::PowerDraw;

/// Times that differ by less, relative to each other, are one: both may come from texts with units.
const ROUNDING: f64 = 1e-9;

impl Scenario {
    /// Keys of `[cluster]` by which its system differs from what the other sections say, and all engines but the one of
    /// numbered servers follow.
    pub fn for_numbered_servers_alone(&self) -> Vec<&'static str> {
        let cluster = &self.cluster;
        let others = [
            ("cluster.servers", self.has_other_servers()),
            ("cluster.policies", self.has_other_policies()),
            ("cluster.discipline", cluster.discipline != Discipline::FirstComeFirstServed),
            ("cluster.arrivals", !matches!(cluster.arrivals, ArrivalSource::Poisson)),
            ("cluster.service", !is_exponential(&cluster.service.law, 1.0)),
            ("cluster.initialization", self.has_other_initialization()),
            ("cluster.expiration", self.has_other_expiration()),
            ("cluster.scaling", self.has_other_scaling()),
        ];
        others.into_iter().filter(|(_, differs)| *differs).map(|(key, _)| key).collect()
    }

    fn has_other_servers(&self) -> bool {
        let Some(groups) = &self.cluster.groups else { return false };
        let Ok(equal) = equal_servers(self.servers, self.model.buffer(), &self.power) else { return true };
        let kind = |group: &Group| (group.capacity(), group.workers(), group.speed(), *group.draw());
        equal.groups().iter().any(|equal| groups.iter().any(|group| kind(group) != kind(equal)))
    }

    fn has_other_policies(&self) -> bool {
        let own = self.model.scheme().dispatch().map(Arbitrator::from);
        self.cluster.policies.as_ref().is_some_and(|policies| own.is_none_or(|own| !policies.contains(&own)))
    }

    fn has_other_initialization(&self) -> bool {
        let mean = 1.0 / self.model.rates().initialization();
        self.cluster.initialization.as_ref().is_some_and(|source| !is_exponential(&source.law, mean))
    }

    fn has_other_expiration(&self) -> bool {
        let rate = self.model.rates().expiration();
        match &self.cluster.expiration {
            None => false,
            Some(Lifetime::Never) => rate > 0.0,
            Some(Lifetime::Law(source)) => !is_exponential(&source.law, 1.0 / rate),
        }
    }

    fn has_other_scaling(&self) -> bool {
        let of_scheme = Scaling::of(self.model.scheme(), self.model.rates());
        self.cluster.scaling.is_some() && self.numbered_scaling().ok() != of_scheme.ok()
    }

    /// Keys of the other sections that numbered servers do without, each with the reason.
    pub fn unread_by_numbered_servers(&self) -> Vec<(&'static str, String)> {
        let groups = self.cluster.groups.as_deref().unwrap_or_default();
        let is_own = !groups.is_empty();
        let buffer = self.model.buffer().limit();
        let capacities = || groups.iter().all(|group| group.capacity() != buffer);
        let power = super::problem::draw(&self.power);
        let powers = || groups.iter().all(|group| power.as_ref().is_ok_and(|power| group.draw() != power));
        let given = |what: &str| format!("every group of cluster.servers has its own {what}");
        let all = [
            ("system.buffer", is_own && buffer.is_some() && capacities(), given("capacity")),
            ("energy", is_own && self.power != PowerDraw::default() && powers(), given("power")),
            ("cluster.servers.workers", self.has_idle_workers(), self.without_workers()),
            ("cluster.servers.weight", self.has_idle_weights(), "no policy goes by weights".to_owned()),
        ];
        let unread = all.into_iter().filter(|(_, unread, _)| *unread).map(|(key, _, why)| (key, why));
        unread.chain(self.unread_arrival_rate()).collect()
    }

    fn has_idle_workers(&self) -> bool {
        let several = self.cluster.groups.iter().flatten().any(|group| group.workers() > 1);
        several && self.cluster.discipline != Discipline::FirstComeFirstServed
    }

    fn without_workers(&self) -> String {
        format!("under {} all requests present are served", self.cluster.discipline)
    }

    fn has_idle_weights(&self) -> bool {
        let weights = self.cluster.groups.iter().flatten().any(|group| group.weight() != 1.0);
        weights && !self.policies().iter().any(Arbitrator::goes_by_weight)
    }

    /// The rate at which requests come with independent times between them, per server and service time.
    pub fn renewal_rate(&self) -> Option<f64> {
        match &self.cluster.arrivals {
            ArrivalSource::Renewal(_, between) => Some(1.0 / (between.law.mean() * self.servers as f64)),
            ArrivalSource::Poisson | ArrivalSource::Recorded(..) => None,
        }
    }

    /// Whether recorded requests come one by one.
    pub fn replays(&self) -> bool {
        matches!(self.cluster.arrivals, ArrivalSource::Recorded(..))
    }

    fn unread_arrival_rate(&self) -> Option<(&'static str, String)> {
        /// Relative: rates are written with a few digits.
        const SAME: f64 = 0.01;
        let rate = self.renewal_rate()?;
        let constant = self.model.arrivals().constant_rate();
        let same = constant.is_some_and(|constant| (constant / rate - 1.0).abs() < SAME);
        let why = format!("cluster.arrivals brings {rate:.4} requests per server and service time");
        (!same).then_some(("system.arrival_rate", why))
    }

    /// What keeps servers warm where nothing ever starts one and idle ones go cold, in numbered servers or in the model.
    pub fn keeps_warm(&self, numbered: bool) -> Option<&'static str> {
        let model = &self.model;
        let expires = model.rates().expiration() > 0.0;
        if !numbered {
            return (!model.starts_servers() && expires).then_some("system.expiration_rate = 0");
        }
        let never = self.numbered_scaling().is_ok_and(|scaling| !scaling.starts());
        let expires = match &self.cluster.expiration {
            None => expires,
            Some(Lifetime::Never) => false,
            Some(Lifetime::Law(_)) => true,
        };
        (never && expires).then_some("cluster.expiration = \"never\"")
    }
}

fn is_exponential(law: &Law, mean: f64) -> bool {
    law.name() == Law::NAMES[0] && (law.mean() / mean - 1.0).abs() <= ROUNDING
}
