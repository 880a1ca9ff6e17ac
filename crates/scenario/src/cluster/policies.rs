//! Policies, read and written.

use crate::section::{Item, Noted, Section};
use alba_cluster::{Arbitrator, ClusterError, Decimal, Ratios};
use alba_model::{JoinBelowThreshold, ModelError, PowerOfD};
use serde::Serialize;

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
    let known: &[&str] = match rule {
        "power-of-d" | "join-below-threshold" | "join-idle-queue" => &["d"],
        "phase-partition" => &["ratios"],
        "phase-partition-power-saving" => &["ratios", "eta"],
        _ => &[],
    };
    refuse_others(&section, rule, known)?;
    match rule {
        "power-of-d" => Ok(Arbitrator::PowerOfD(choices(&section, None)?)),
        "join-idle-queue" => Ok(Arbitrator::JoinIdleQueue { otherwise: choices(&section, Some(1))? }),
        "join-below-threshold" => {
            let d = section.need("d", "a whole number >= 0")?.count(0..=1_000_000)? as u32;
            Ok(Arbitrator::JoinBelowThreshold(JoinBelowThreshold::new(d)))
        }
        "phase-partition" => Ok(Arbitrator::PhasePartition { ratios: ratios(&section)? }),
        "phase-partition-power-saving" => {
            let allowed = "the share of its capacity that a server is filled to first, as in 0.7";
            let (ratios, eta) = (ratios(&section), section.need("eta", allowed));
            Ok(Arbitrator::PowerSaving { ratios: ratios?, eta: decimal(&eta?)? })
        }
        _ => bare(rule).ok_or_else(|| item.reject(ALLOWED)),
    }
}

/// Policies that need no parameters.
fn bare(rule: &str) -> Option<Arbitrator> {
    match rule {
        "phase-partition" => halves().ok().map(|ratios| Arbitrator::PhasePartition { ratios }),
        "round-robin" => Some(Arbitrator::RoundRobin),
        "weighted-round-robin" => Some(Arbitrator::WeightedRoundRobin),
        "least-connections" => Some(Arbitrator::LeastConnections),
        "weighted-least-connections" => Some(Arbitrator::WeightedLeastConnections),
        "random" => Some(Arbitrator::Random),
        "join-idle-queue" => PowerOfD::new(1).ok().map(|otherwise| Arbitrator::JoinIdleQueue { otherwise }),
        "most-recently-used-idle" => Some(Arbitrator::MostRecentlyUsedIdle),
        "least-work-left" => Some(Arbitrator::LeastWorkLeft),
        _ => None,
    }
}

fn refuse_others(section: &Section<'_>, rule: &str, known: &[&str]) -> Result<(), Noted> {
    let mut result = Ok(());
    let others = KEYS.iter().filter(|key| **key != "rule" && !known.contains(key));
    for item in others.filter_map(|key| section.find(key)) {
        result = Err(item.reject(format!("the policy {rule} has no such parameter")));
    }
    result
}

fn choices(section: &Section<'_>, otherwise: Option<u32>) -> Result<PowerOfD, Noted> {
    let item = match (section.find("d"), otherwise) {
        (Some(item), _) => item,
        (None, Some(d)) => return PowerOfD::new(d).map_err(|_: ModelError| Noted),
        (None, None) => section.need("d", "a whole number >= 1")?,
    };
    let d = item.count(1..=1_000_000)? as u32;
    PowerOfD::new(d).map_err(|error| item.reject(error.to_string()))
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

/// A policy as a scenario file has it.
#[derive(Serialize)]
pub(crate) struct PolicyKeys {
    rule: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    d: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratios: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    eta: Option<String>,
}

impl PolicyKeys {
    /// As it is read.
    pub(crate) fn of(policy: &Arbitrator) -> Self {
        let bare = Self { rule: policy.name(), d: None, ratios: None, eta: None };
        match policy {
            Arbitrator::PhasePartition { ratios } => Self { ratios: Some(texts(ratios)), ..bare },
            Arbitrator::PowerSaving { ratios, eta } => {
                Self { ratios: Some(texts(ratios)), eta: Some(eta.to_string()), ..bare }
            }
            Arbitrator::PowerOfD(rule) => Self { d: Some(rule.d()), ..bare },
            Arbitrator::JoinBelowThreshold(rule) => Self { d: Some(rule.d()), ..bare },
            Arbitrator::JoinIdleQueue { otherwise } => Self { d: Some(otherwise.d()), ..bare },
            Arbitrator::RoundRobin
            | Arbitrator::WeightedRoundRobin
            | Arbitrator::LeastConnections
            | Arbitrator::WeightedLeastConnections
            | Arbitrator::Random
            | Arbitrator::MostRecentlyUsedIdle
            | Arbitrator::LeastWorkLeft => bare,
        }
    }
}

fn texts(ratios: &Ratios) -> Vec<String> {
    ratios.list().iter().map(ToString::to_string).collect()
}
