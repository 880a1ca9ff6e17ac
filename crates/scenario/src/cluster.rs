//! Reads `[cluster]`: numbered servers, their policies, and how long things take.

mod groups;
mod laws;
mod policies;
mod problem;
mod scaling;
mod unread;
mod written;

pub use problem::equal_servers;
pub(crate) use written::ClusterKeys;

use super::TraceSource;
use super::arrivals::{CutStamps, recorded};
use super::section::{Item, Noted, Section};
use super::units::Clock;
use alba_cluster::{Arbitrator, Arrivals, Discipline, Group, Servers};
use alba_model::{Buffer, PowerDraw};
use laws::{LawSource, Lengths};
pub(crate) use scaling::ScalingSource;
use std::path::Path;

/// Everything that `alba cluster` needs beyond the other sections; what is absent follows from them.
#[derive(Debug, Clone, PartialEq)]
pub struct Cluster {
    pub(crate) groups: Option<Vec<Group>>,
    pub(crate) policies: Option<Vec<Arbitrator>>,
    pub(crate) discipline: Discipline,
    pub(crate) arrivals: ArrivalSource,
    pub(crate) service: LawSource,
    pub(crate) initialization: Option<LawSource>,
    pub(crate) expiration: Option<Lifetime>,
    /// None: the scheme's.
    pub(crate) scaling: Option<ScalingSource>,
    /// Whether there is such a section.
    pub(crate) is_written: bool,
}

/// When requests arrive.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ArrivalSource {
    /// Poisson, at the rate of `system.arrival_rate`.
    Poisson,
    /// When the trace of `system.arrival_rate` says, one by one; where its stamps are spread, how coarse they are.
    Recorded(Arrivals, Option<CutStamps>),
    /// With independent times between them.
    Renewal(Arrivals, LawSource),
}

/// When idle servers go cold.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Lifetime {
    Never,
    Law(LawSource),
}

/// What the section is read with.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) clock: Clock,
    pub(super) servers: Result<u64, Noted>,
    pub(super) buffer: Result<Buffer, Noted>,
    pub(super) power: PowerDraw,
    /// Whether the scheme has a scaling rule.
    pub(super) asynchronous: bool,
    pub(super) trace: Result<Option<&'a TraceSource>, Noted>,
    /// Where relative paths start.
    pub(super) folder: &'a Path,
}

const KEYS: &[&str] =
    &["servers", "policies", "discipline", "arrivals", "service", "initialization", "expiration", "scaling"];

impl Cluster {
    /// What follows from the other sections alone.
    pub(super) fn absent() -> Self {
        Self {
            groups: None,
            policies: None,
            discipline: Discipline::FirstComeFirstServed,
            arrivals: ArrivalSource::Poisson,
            service: LawSource::default(),
            initialization: None,
            expiration: None,
            scaling: None,
            is_written: false,
        }
    }
}

pub(super) fn read(item: &Item<'_>, around: Around<'_>) -> Result<Cluster, Noted> {
    let section = item.section(KEYS)?;
    let groups = section.find("servers").map(|item| groups::read(&item, around)).transpose();
    let policies = section.find("policies").map(|item| policies::read(&item)).transpose();
    let discipline = section.find("discipline").map_or(Ok(0), |item| item.name(&Discipline::NAMES));
    let arrivals =
        section.find("arrivals").map_or(Ok(ArrivalSource::Poisson), |item| arrivals(&item, around));
    let service =
        section.find("service").map_or(Ok(LawSource::default()), |item| laws::read(&item, SERVICE, around));
    let initialization = law(&section, "initialization", Lengths { mean: None, zero: true }, around);
    let expiration = section.find("expiration").map(|item| lifetime(&item, around)).transpose();
    let scaling = section.find("scaling").map(|item| scaling::read(&item, around)).transpose();
    Ok(Cluster {
        groups: groups?,
        policies: policies?,
        discipline: Discipline::ALL[discipline?],
        arrivals: arrivals?,
        service: service?,
        initialization: initialization?,
        expiration: expiration?,
        scaling: scaling?,
        is_written: true,
    })
}

/// A service time has mean 1 unless something else is said.
const SERVICE: Lengths = Lengths { mean: Some(1.0), zero: false };

fn law(
    section: &Section<'_>,
    key: &str,
    lengths: Lengths,
    around: Around<'_>,
) -> Result<Option<LawSource>, Noted> {
    section.find(key).map(|item| laws::read(&item, lengths, around)).transpose()
}

fn lifetime(item: &Item<'_>, around: Around<'_>) -> Result<Lifetime, Noted> {
    match item.text() {
        Some("never") => Ok(Lifetime::Never),
        _ => laws::read(item, Lengths { mean: None, zero: true }, around).map(Lifetime::Law),
    }
}

fn arrivals(item: &Item<'_>, around: Around<'_>) -> Result<ArrivalSource, Noted> {
    match item.text() {
        Some("poisson") => Ok(ArrivalSource::Poisson),
        Some("recorded") => {
            let trace = around.trace?.ok_or_else(|| item.reject("a trace in system.arrival_rate"))?;
            let (arrivals, cut) = recorded(item, trace, around.clock)?;
            Ok(ArrivalSource::Recorded(arrivals, cut))
        }
        Some(_) => {
            Err(item
                .reject("\"poisson\", \"recorded\", or a table with the law of the times between requests"))
        }
        None => {
            let between = laws::read(item, Lengths { mean: None, zero: false }, around)?;
            let arrivals = Arrivals::renewal(between.law.clone());
            let arrivals = arrivals.map_err(|error| item.reject(error.to_string()))?;
            Ok(ArrivalSource::Renewal(arrivals, between))
        }
    }
}

/// Whether every policy finds what it goes by in the servers.
pub(super) fn check(root: &Section<'_>, cluster: &Cluster, servers: &Servers) -> Result<(), Noted> {
    let policies = cluster.policies.iter().flatten();
    let failed = policies.map(|policy| policy.fits(servers)).find_map(Result::err);
    match (failed, root.at(&["cluster", "policies"])) {
        (Some(error), Some(item)) => Err(item.reject(error.to_string())),
        _ => Ok(()),
    }
}
