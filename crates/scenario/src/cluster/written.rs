//! The section written out again: for manifests.

use super::laws::LawKeys;
use super::policies;
use super::scaling::{ScalingKeys, ScalingSource};
use super::{ArrivalSource, Cluster, Lifetime};
use crate::rules::RuleKeys;
use alba_cluster::Group;
use serde::Serialize;

/// `[cluster]` as a scenario file has it; what is absent follows from the other sections.
#[derive(Serialize)]
pub(crate) struct ClusterKeys {
    discipline: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    scaling: Option<ScalingKeys>,
    #[serde(skip_serializing_if = "Option::is_none")]
    policies: Option<Vec<RuleKeys>>,
    arrivals: Words,
    service: LawKeys,
    #[serde(skip_serializing_if = "Option::is_none")]
    initialization: Option<LawKeys>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expiration: Option<Words>,
    #[serde(skip_serializing_if = "Option::is_none")]
    servers: Option<Vec<GroupKeys>>,
}

/// A word, or a law.
#[derive(Serialize)]
#[serde(untagged)]
enum Words {
    Word(&'static str),
    Law(LawKeys),
}

#[derive(Serialize)]
struct GroupKeys {
    count: u32,
    capacity: Capacity,
    workers: u32,
    speed: f64,
    weight: f64,
    /// None: that of `[energy]`, the only place where an idle server may draw more than a busy one.
    #[serde(skip_serializing_if = "Option::is_none")]
    power: Option<PowerKeys>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Capacity {
    Requests(u32),
    Infinite(&'static str),
}

#[derive(Serialize)]
struct PowerKeys {
    off: f64,
    initializing: f64,
    idle: f64,
    busy: f64,
    exponent: f64,
}

impl Cluster {
    /// The section, if there is one.
    pub(crate) fn keys(&self) -> Option<ClusterKeys> {
        self.is_written.then(|| ClusterKeys {
            discipline: self.discipline.name(),
            scaling: self.scaling.map(ScalingSource::written),
            policies: self.policies.as_ref().map(|all| all.iter().map(policies::written).collect()),
            arrivals: match &self.arrivals {
                ArrivalSource::Poisson => Words::Word("poisson"),
                ArrivalSource::Recorded(..) => Words::Word("recorded"),
                ArrivalSource::Renewal(_, between) => Words::Law(between.keys.clone()),
            },
            service: self.service.keys.clone(),
            initialization: self.initialization.as_ref().map(|source| source.keys.clone()),
            expiration: self.expiration.as_ref().map(|lifetime| match lifetime {
                Lifetime::Never => Words::Word("never"),
                Lifetime::Law(source) => Words::Law(source.keys.clone()),
            }),
            servers: self.groups.as_ref().map(|groups| groups.iter().map(group).collect()),
        })
    }
}

fn group(group: &Group) -> GroupKeys {
    let (draw, warm) = (group.draw(), group.draw().warm());
    GroupKeys {
        count: group.count(),
        capacity: group.capacity().map_or(Capacity::Infinite("infinite"), Capacity::Requests),
        workers: group.workers(),
        speed: group.speed(),
        weight: group.weight(),
        power: (warm.idle_w() <= warm.busy_w()).then(|| PowerKeys {
            off: draw.off(),
            initializing: draw.initializing(),
            idle: warm.idle_w(),
            busy: warm.busy_w(),
            exponent: warm.gamma(),
        }),
    }
}
