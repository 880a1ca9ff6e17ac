//! Rules with parameters of their own, read and written by what their kinds say of them.

use crate::section::{Item, Noted, Section};
use alba_model::{Kind, Parameter, Values};
use serde::{Serialize, Serializer};

/// Adds the keys of a table that says any of `kinds`.
pub(super) fn add_keys<R>(keys: &mut Vec<&'static str>, kinds: &[&'static Kind<R>]) {
    for parameter in kinds.iter().flat_map(|kind| kind.parameters) {
        if !keys.contains(&parameter.name) {
            keys.push(parameter.name);
        }
    }
}

/// The rule that `item` says, one of `kinds`, which have these `names`.
pub(super) fn read<R>(
    item: &Item<'_>,
    kinds: &[&'static Kind<R>],
    names: &'static [&'static str],
) -> Result<R, Noted> {
    let mut keys = vec!["rule"];
    add_keys(&mut keys, kinds);
    let section = item.section(&keys)?;
    let name = section.need("rule", &format!("one of {}", names.join(", ")))?;
    let kind = kinds[name.name(names)?];
    let others =
        refuse_others(&section, kind, &keys, &format!("the rule {} has no such parameter", kind.name));
    let rule = build(item, &section, kind, &|parameter| {
        let allowed = match parameter.values {
            Values::Whole { .. } => "a whole number",
            Values::Real { allowed, .. } => allowed,
        };
        format!("{allowed}, as {} needs it", kind.name)
    });
    others.and(rule)
}

/// Notes which of `keys` are there but have no meaning to a kind of rule.
pub(super) fn refuse_others<R>(
    section: &Section<'_>,
    kind: &Kind<R>,
    keys: &[&str],
    why: &str,
) -> Result<(), Noted> {
    let known = |key: &str| key == "rule" || kind.parameters.iter().any(|parameter| parameter.name == key);
    unused(section, why, &keys.iter().copied().filter(|key| !known(key)).collect::<Vec<_>>())
}

/// Notes `parameters` that are there but have no meaning.
pub(super) fn unused(section: &Section<'_>, why: &str, parameters: &[&str]) -> Result<(), Noted> {
    let found = parameters.iter().filter_map(|key| section.find(key));
    found.map(|item| Err(item.reject(why))).fold(Ok(()), Result::and)
}

/// A rule of one kind from its parameters; `missing` says what one would hold that is not there.
pub(super) fn build<R>(
    item: &Item<'_>,
    section: &Section<'_>,
    kind: &Kind<R>,
    missing: &dyn Fn(&Parameter) -> String,
) -> Result<R, Noted> {
    let values: Vec<_> = kind.parameters.iter().map(|parameter| value(section, parameter, missing)).collect();
    let values = values.into_iter().collect::<Result<Vec<_>, _>>()?;
    (kind.build)(&values).map_err(|error| item.reject(error.to_string()))
}

/// A rule by its name alone.
pub(super) fn bare<R>(item: &Item<'_>, kind: &Kind<R>) -> Result<R, Noted> {
    let values: Option<Vec<f64>> = kind.parameters.iter().map(|parameter| parameter.default).collect();
    let values = values.ok_or_else(|| item.reject(format!("a table: {} has parameters", kind.name)))?;
    (kind.build)(&values).map_err(|error| item.reject(error.to_string()))
}

fn value(
    section: &Section<'_>,
    parameter: &Parameter,
    missing: &dyn Fn(&Parameter) -> String,
) -> Result<f64, Noted> {
    let item = match (section.find(parameter.name), parameter.default) {
        (None, Some(value)) => return Ok(value),
        (None, None) => section.need(parameter.name, &missing(parameter))?,
        (Some(item), _) => item,
    };
    match parameter.values {
        Values::Whole { least, most } => item.count(least.into()..=most.into()).map(|count| count as f64),
        Values::Real { .. } => item.real(|value| parameter.check(value).map(drop)),
    }
}

/// A rule as a scenario file has it: its name and its parameters, in their order.
pub(crate) struct RuleKeys(Vec<(&'static str, Written)>);

/// A value of a rule.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Written {
    Word(&'static str),
    Whole(u32),
    Real(f64),
    Text(String),
    Texts(Vec<String>),
}

impl RuleKeys {
    /// One without parameters.
    pub(crate) fn bare(rule: &'static str) -> Self {
        Self(vec![("rule", Written::Word(rule))])
    }

    /// With one more.
    pub(crate) fn with(mut self, key: &'static str, value: Written) -> Self {
        self.0.push((key, value));
        self
    }

    /// A rule of `kind` with these values.
    pub(crate) fn of<R>(kind: &Kind<R>, values: &[f64]) -> Self {
        let pairs = kind.parameters.iter().zip(values);
        pairs.fold(Self::bare(kind.name), |keys, (parameter, &value)| {
            keys.with(
                parameter.name,
                match parameter.values {
                    Values::Whole { .. } => Written::Whole(value as u32),
                    Values::Real { .. } => Written::Real(value),
                },
            )
        })
    }
}

impl Serialize for RuleKeys {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}
