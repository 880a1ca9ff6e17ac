//! Reading a tree: every fault is noted and reading goes on, so that all of them are reported at once.

use super::fault::{Fault, Place, Problem};
use super::tree::{Entry, Node, Value};
use alba_model::ModelError;
use std::cell::RefCell;
use std::ops::RangeInclusive;

/// The faults found so far.
pub type Faults = RefCell<Vec<Fault>>;

/// A fault has been noted; there is no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Noted;

/// A value at a key, or at an index of one.
#[derive(Clone)]
pub struct Item<'t> {
    key: String,
    node: &'t Node,
    faults: &'t Faults,
}

/// A table whose keys are known.
pub struct Section<'t> {
    key: String,
    place: &'t Place,
    entries: &'t [Entry],
    faults: &'t Faults,
}

impl<'t> Item<'t> {
    /// The whole scenario.
    pub fn root(node: &'t Node, faults: &'t Faults) -> Self {
        Self { key: String::new(), node, faults }
    }

    /// The full dotted key.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The value as written.
    pub fn node(&self) -> &'t Node {
        self.node
    }

    /// Another value, called `key` in messages.
    pub fn at_node(&self, key: String, node: &'t Node) -> Self {
        Self { key, node, faults: self.faults }
    }

    /// Notes what is wrong at `place`.
    pub fn note(&self, place: &Place, problem: Problem) -> Noted {
        self.faults.borrow_mut().push(Fault { place: place.clone(), problem });
        Noted
    }

    /// Notes that the value is not allowed.
    pub fn reject(&self, allowed: impl Into<String>) -> Noted {
        let (key, value) = (self.key.clone(), self.node.written.clone());
        self.note(&self.node.place, Problem::Value { key, value, allowed: allowed.into() })
    }

    /// A table in which every key is one of `keys`; others are noted.
    pub fn section(&self, keys: &[&'static str]) -> Result<Section<'t>, Noted> {
        let Value::Table(entries) = &self.node.value else {
            return Err(self.reject(format!("a table with {}", keys.join(", "))));
        };
        let section =
            Section { key: self.key.clone(), place: &self.node.place, entries, faults: self.faults };
        for entry in entries.iter().filter(|entry| !keys.contains(&entry.key.as_str())) {
            let (key, allowed) = (section.full(&entry.key), keys.to_vec());
            self.note(&entry.place, Problem::UnknownKey { key, allowed });
        }
        Ok(section)
    }

    /// The elements of an array.
    pub fn elements(&self, allowed: &str) -> Result<Vec<Self>, Noted> {
        let Value::Array(nodes) = &self.node.value else {
            return Err(self.reject(allowed));
        };
        let element =
            |(index, node)| Self { key: format!("{}[{index}]", self.key), node, faults: self.faults };
        Ok(nodes.iter().enumerate().map(element).collect())
    }

    /// A real number, whole ones too.
    pub fn number(&self) -> Option<f64> {
        match self.node.value {
            Value::Integer(integer) => Some(integer as f64),
            Value::Real(real) => Some(real),
            Value::Text(_) | Value::Array(_) | Value::Table(_) | Value::Other => None,
        }
    }

    /// A text.
    pub fn text(&self) -> Option<&'t str> {
        match &self.node.value {
            Value::Text(text) => Some(text),
            Value::Integer(_) | Value::Real(_) | Value::Array(_) | Value::Table(_) | Value::Other => None,
        }
    }

    /// The value as its author wrote it, shortened to one line.
    pub(super) fn written(&self) -> &'t str {
        &self.node.written
    }

    /// A whole number.
    pub fn integer(&self) -> Option<i128> {
        match self.node.value {
            Value::Integer(integer) => Some(integer),
            Value::Real(_) | Value::Text(_) | Value::Array(_) | Value::Table(_) | Value::Other => None,
        }
    }

    /// The keys, if it is a table.
    pub fn keys(&self) -> Option<Vec<&'t str>> {
        match &self.node.value {
            Value::Table(entries) => Some(entries.iter().map(|entry| entry.key.as_str()).collect()),
            Value::Integer(_) | Value::Real(_) | Value::Text(_) | Value::Array(_) | Value::Other => None,
        }
    }

    /// A real number that `check` accepts.
    pub fn real(&self, check: impl Fn(f64) -> Result<(), ModelError>) -> Result<f64, Noted> {
        self.checked(self.number(), check, "")
    }

    /// `value`, if there is one and `check` accepts it. What is allowed is the check's to say: no check accepts NaN.
    pub fn checked(
        &self,
        value: Option<f64>,
        check: impl Fn(f64) -> Result<(), ModelError>,
        also: &str,
    ) -> Result<f64, Noted> {
        let value = value.unwrap_or(f64::NAN);
        match check(value) {
            Ok(()) => Ok(value),
            Err(ModelError::OutOfRange { allowed, .. }) => Err(self.reject(format!("{allowed}{also}"))),
            Err(other) => Err(self.reject(other.to_string())),
        }
    }

    /// A whole number in a range.
    pub fn count(&self, range: RangeInclusive<u64>) -> Result<u64, Noted> {
        self.integer()
            .and_then(|integer| u64::try_from(integer).ok())
            .filter(|count| range.contains(count))
            .ok_or_else(|| self.reject(format!("a whole number from {} to {}", range.start(), range.end())))
    }

    /// The index of a name in `names`.
    pub fn name(&self, names: &'static [&'static str]) -> Result<usize, Noted> {
        let Some(name) = self.text() else {
            return Err(self.reject(format!("one of {}", names.join(", "))));
        };
        names.iter().position(|known| *known == name).ok_or_else(|| {
            let (key, name) = (self.key.clone(), name.to_owned());
            self.note(&self.node.place, Problem::Name { key, name, allowed: names })
        })
    }
}

impl<'t> Section<'t> {
    /// Notes what is wrong at `place`.
    pub fn note(&self, place: &Place, problem: Problem) -> Noted {
        self.faults.borrow_mut().push(Fault { place: place.clone(), problem });
        Noted
    }

    fn full(&self, key: &str) -> String {
        if self.key.is_empty() { key.to_owned() } else { format!("{}.{key}", self.key) }
    }

    /// The value of a key that may be absent.
    pub fn find(&self, key: &str) -> Option<Item<'t>> {
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        Some(Item { key: self.full(key), node: &entry.node, faults: self.faults })
    }

    /// The value at the end of a path of keys.
    pub fn at(&self, path: &[&str]) -> Option<Item<'t>> {
        let (last, tables) = path.split_last()?;
        let mut key = self.key.clone();
        let mut entries = self.entries;
        for part in tables {
            let entry = entries.iter().find(|entry| entry.key == *part)?;
            let Value::Table(inner) = &entry.node.value else { return None };
            key = if key.is_empty() { (*part).to_owned() } else { format!("{key}.{part}") };
            entries = inner;
        }
        Section { key, place: self.place, entries, faults: self.faults }.find(last)
    }

    /// The value of a key that must be there.
    pub fn need(&self, key: &str, allowed: &str) -> Result<Item<'t>, Noted> {
        self.find(key).ok_or_else(|| {
            let problem = Problem::MissingKey { key: self.full(key), allowed: allowed.to_owned() };
            self.faults.borrow_mut().push(Fault { place: self.place.clone(), problem });
            Noted
        })
    }
}
