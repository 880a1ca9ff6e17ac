//! Policies, read and written.

use crate::rules::{RuleKeys, Written, build, refuse_others, unused};
use crate::section::{Item, Noted, Section};
use alba_cluster::{Arbitrator, ClusterError, Decimal, Ratios};
use alba_model::{Dispatch, Kind, Parameter, PowerOfD, Values};

const ALLOWED: &str = "an array of policies: names, or tables with rule and its parameters";
const KEYS: &[&str] = &["rule", "d", "ratios", "eta"];

/// At least one policy, none twice.
pub(super) fn read(item: &Item<'_>) -> Result<Vec<Arbitrator>, Noted> {
    let elements = item.elements(ALLOWED)?;
    let policies: Vec<_> = elements.iter().map(policy).collect();
    let policies = policies.into_iter().collect::<Result<Vec<_>, _>>()?;
    if policies.is_empty() {
        return Err(item.reject("at least one policy"));
    }
    let twice = (1..policies.len()).find(|&index| policies[..index].contains(&policies[index]));
    match twice {
        Some(index) => Err(elements[index].reject("every policy once")),
        None => Ok(policies),
    }
}

fn policy(item: &Item<'_>) -> Result<Arbitrator, Noted> {
    if item.text().is_some() {
        let rule = Arbitrator::ALL[item.name(&Arbitrator::ALL)?];
        return bare(rule).ok_or_else(|| item.reject(format!("a table: {rule} has parameters")));
    }
    let section = item.section(KEYS).map_err(|_| item.reject(ALLOWED))?;
    let rule = section.need("rule", "the name of a policy")?;
    let rule = Arbitrator::ALL[rule.name(&Arbitrator::ALL)?];
    let why = format!("the policy {rule} has no such parameter");
    if let Some(kind) = kind(rule) {
        refuse_others(&section, kind, KEYS, &why)?;
        return build(item, &section, kind, &at_least).map(Arbitrator::Rule);
    }
    let known: &[&str] = match rule {
        "phase-partition" => &["ratios"],
        "phase-partition-power-saving" => &["ratios", "eta"],
        _ => &[],
    };
    let others: Vec<_> = KEYS[1..].iter().copied().filter(|key| !known.contains(key)).collect();
    unused(&section, &why, &others)?;
    match rule {
        "phase-partition" => Ok(Arbitrator::PhasePartition { ratios: ratios(&section)? }),
        "phase-partition-power-saving" => {
            let allowed = "the share of its capacity that a server is filled to first, as in 0.7";
            let (ratios, eta) = (ratios(&section), section.need("eta", allowed));
            Ok(Arbitrator::PowerSaving { ratios: ratios?, eta: decimal(&eta?)? })
        }
        _ => bare(rule).ok_or_else(|| item.reject(ALLOWED)),
    }
}

/// A dispatching rule of a scheme, as a policy: beside an idle server join-idle-queue takes the shortest of `d`.
fn kind(rule: &str) -> Option<&'static Kind<Dispatch>> {
    match rule {
        "join-idle-queue" => Some(&JOIN_IDLE_QUEUE),
        _ => Dispatch::KINDS.into_iter().find(|kind| kind.name == rule),
    }
}

const JOIN_IDLE_QUEUE: Kind<Dispatch> = Kind {
    name: "join-idle-queue",
    parameters: &[Parameter { default: Some(1.0), ..PowerOfD::D }],
    build: |values| PowerOfD::new(values[0] as u32).map(Dispatch::idle_or_shortest_of),
};

fn at_least(parameter: &Parameter) -> String {
    match parameter.values {
        Values::Whole { least, .. } => format!("a whole number >= {least}"),
        Values::Real { allowed, .. } => allowed.to_owned(),
    }
}

/// Policies that need no parameters.
fn bare(rule: &str) -> Option<Arbitrator> {
    let is_bare = |policy: &Arbitrator| policy.name() == rule && written(policy).is_bare();
    match rule {
        "phase-partition" => halves().ok().map(|ratios| Arbitrator::PhasePartition { ratios }),
        "join-idle-queue" => Some(Arbitrator::Rule(Dispatch::JOIN_IDLE_QUEUE)),
        _ => Arbitrator::catalogue().ok()?.into_iter().find(is_bare),
    }
}

fn halves() -> Result<Ratios, ClusterError> {
    Ratios::parse(&["2"])
}

/// Numbers as they are written, exactly; `[2]` where nothing is said.
fn ratios(section: &Section<'_>) -> Result<Ratios, Noted> {
    let Some(item) = section.find("ratios") else {
        return halves().map_err(|_| Noted);
    };
    let list: Vec<_> = item.elements("an array of numbers above 1")?.iter().map(decimal).collect();
    let list = list.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ratios::new(list).map_err(|error| item.reject(error.to_string()))
}

fn decimal(item: &Item<'_>) -> Result<Decimal, Noted> {
    let written = item.text().unwrap_or(item.written());
    written.parse().map_err(|error: ClusterError| item.reject(error.to_string()))
}

/// A policy as it is read.
pub(super) fn written(policy: &Arbitrator) -> RuleKeys {
    let bare = RuleKeys::bare(policy.name());
    match policy {
        Arbitrator::PhasePartition { ratios } => bare.with("ratios", texts(ratios)),
        Arbitrator::PowerSaving { ratios, eta } => {
            bare.with("ratios", texts(ratios)).with("eta", Written::Text(eta.to_string()))
        }
        Arbitrator::Rule(rule) => match rule.threshold() {
            Some(rule) if rule.d() == 0 => bare.with("d", Written::Whole(rule.otherwise().d())),
            Some(_) | None => RuleKeys::of(rule.kind(), &rule.values()),
        },
        Arbitrator::RoundRobin
        | Arbitrator::WeightedRoundRobin
        | Arbitrator::LeastConnections
        | Arbitrator::WeightedLeastConnections
        | Arbitrator::Random
        | Arbitrator::MostRecentlyUsedIdle
        | Arbitrator::LeastWorkLeft => bare,
    }
}

fn texts(ratios: &Ratios) -> Written {
    Written::Texts(ratios.list().iter().map(ToString::to_string).collect())
}
