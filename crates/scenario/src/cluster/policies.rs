//! Policies, read and written.

use crate::rules::{self, RuleKeys, Written, build, refuse_others, unused};
use crate::section::{Item, Noted, Section};
use alba_cluster::{Arbitrator, ClusterError, Decimal, Ratios};
use alba_model::{Dispatch, Kind, Parameter, PowerOfD, Values};

const ALLOWED: &str = "an array of policies: names, or tables with rule and its parameters";

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
        return said(item, Arbitrator::ALL[item.name(&Arbitrator::ALL)?], None);
    }
    let mut keys = vec!["rule", "d", "ratios", "eta"];
    rules::add_keys(&mut keys, &Dispatch::KINDS);
    rules::add_keys(&mut keys, &Arbitrator::KINDS);
    let section = item.section(&keys).map_err(|_| item.reject(ALLOWED))?;
    let rule = section.need("rule", "the name of a policy")?;
    said(item, Arbitrator::ALL[rule.name(&Arbitrator::ALL)?], Some((&section, &keys)))
}

/// A section and its keys.
type Table<'s, 't> = Option<(&'s Section<'t>, &'s [&'static str])>;

/// A policy by its name alone, or in a table.
fn said(item: &Item<'_>, rule: &str, table: Table<'_, '_>) -> Result<Arbitrator, Noted> {
    if let Some(kind) = of_model(rule) {
        return of_kind(item, kind, table).map(Arbitrator::Rule);
    }
    if let Some(kind) = plain(rule) {
        return of_kind(item, kind, table);
    }
    let saving = rule == "phase-partition-power-saving";
    let Some((section, keys)) = table else {
        let ratios = halves().ok().filter(|_| !saving);
        let partition = ratios.map(|ratios| Arbitrator::PhasePartition { ratios });
        return partition.ok_or_else(|| item.reject(format!("a table: {rule} has parameters")));
    };
    let known = |key: &str| ["rule", "ratios"].contains(&key) || saving && key == "eta";
    let others: Vec<_> = keys.iter().copied().filter(|key| !known(key)).collect();
    unused(section, &no_such(rule), &others)?;
    if !saving {
        return Ok(Arbitrator::PhasePartition { ratios: ratios(section)? });
    }
    let allowed = "the share of its capacity that a server is filled to first, as in 0.7";
    let (ratios, eta) = (ratios(section), section.need("eta", allowed));
    Ok(Arbitrator::PowerSaving { ratios: ratios?, eta: decimal(&eta?)? })
}

fn of_kind<R>(item: &Item<'_>, kind: &Kind<R>, table: Table<'_, '_>) -> Result<R, Noted> {
    let Some((section, keys)) = table else { return rules::bare(item, kind) };
    refuse_others(section, kind, keys, &no_such(kind.name))?;
    build(item, section, kind, &at_least)
}

fn no_such(rule: &str) -> String {
    format!("the policy {rule} has no such parameter")
}

/// A dispatching rule of a scheme, as a policy: beside an idle server join-idle-queue takes the shortest of `d`.
fn of_model(rule: &str) -> Option<&'static Kind<Dispatch>> {
    match rule {
        "join-idle-queue" => Some(&JOIN_IDLE_QUEUE),
        _ => Dispatch::KINDS.into_iter().find(|kind| kind.name == rule),
    }
}

fn plain(rule: &str) -> Option<&'static Kind<Arbitrator>> {
    Arbitrator::KINDS.into_iter().find(|kind| kind.name == rule)
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
        numbers => match (plain(numbers.name()), numbers.values()) {
            (Some(kind), Some(values)) => RuleKeys::of(kind, &values),
            (None, _) | (_, None) => bare,
        },
    }
}

fn texts(ratios: &Ratios) -> Written {
    Written::Texts(ratios.list().iter().map(ToString::to_string).collect())
}
