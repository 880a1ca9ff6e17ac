//! An axis: a key of the scenario and the values that it takes.

use super::range::{FORMS, Range, Span, WholeSpan};
use alba_scenario::Place;
use alba_scenario::section::{Item, Noted};
use alba_scenario::tree::{Node, Value};

/// A key of the scenario.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Key {
    /// The full dotted key.
    pub(super) name: String,
    /// Its parts.
    pub(super) path: Vec<String>,
    /// Where the axis is written.
    pub(super) place: Place,
}

/// Values of a key, by index.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Values {
    /// Each written out.
    List(Vec<Node>),
    /// A range written at a place.
    Range(Range, Place),
}

impl Values {
    pub(super) fn read(item: &Item<'_>) -> Result<Self, Noted> {
        let allowed = format!("a list of values, or a range: {FORMS}");
        if let Some(text) = item.text() {
            let range = Range::parse(text).ok_or_else(|| item.reject(allowed))?;
            return Ok(Self::Range(range, item.node().place.clone()));
        }
        match &item.node().value {
            Value::Array(nodes) if !nodes.is_empty() => Ok(Self::List(nodes.clone())),
            _ => Err(item.reject(allowed)),
        }
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Self::List(nodes) => nodes.len() as u64,
            Self::Range(range, _) => range.len(),
        }
    }

    pub(super) fn node(&self, index: u64) -> Node {
        match self {
            Self::List(nodes) => nodes[index as usize].clone(),
            Self::Range(range, place) => generated(range.value(index), place),
        }
    }

    /// What the column of the key holds.
    pub(super) fn kind(&self) -> ValueKind {
        let kinds = match self {
            Self::List(nodes) => nodes.iter().map(|node| ValueKind::of(&node.value)).collect(),
            Self::Range(Range::Steps { decimals, .. }, _) => {
                vec![if *decimals == 0 { ValueKind::Whole } else { ValueKind::Real }]
            }
            Self::Range(Range::Spread { .. }, _) => vec![ValueKind::Real],
            Self::Range(Range::Whole(_), _) => vec![ValueKind::Whole],
        };
        kinds.into_iter().reduce(ValueKind::joined).unwrap_or(ValueKind::Text)
    }
}

/// What values of a key are drawn from, for a Latin hypercube.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Source {
    /// Evenly between two ends.
    Span(Span, Place),
    /// Whole numbers between two ends.
    Whole(WholeSpan, Place),
    /// A list, every value as often as every other.
    List(Vec<Node>),
}

impl Source {
    pub(super) fn read(item: &Item<'_>) -> Result<Self, Noted> {
        let allowed = "a list of values, or two ends as in \"0.1..0.9\", \"1e-3..1 log\", \"1..100 whole\"";
        if let Some(text) = item.text() {
            let span = || {
                let (low, rest) = text.split_once("..")?;
                let mut words: Vec<&str> = rest.split_whitespace().collect();
                let whole = words.last() == Some(&"whole");
                words.truncate(words.len() - usize::from(whole));
                let (high, logarithmic) = match words[..] {
                    [high] => (high, false),
                    [high, "log"] => (high, true),
                    _ => return None,
                };
                let place = item.node().place.clone();
                Some(if whole {
                    Self::Whole(WholeSpan::new(low, high, logarithmic)?, place)
                } else {
                    Self::Span(Span::new(low, high, logarithmic)?, place)
                })
            };
            return span().ok_or_else(|| item.reject(allowed));
        }
        match &item.node().value {
            Value::Array(nodes) if !nodes.is_empty() => Ok(Self::List(nodes.clone())),
            _ => Err(item.reject(allowed)),
        }
    }

    /// The value at `share` of the way, which is in (0, 1).
    pub(super) fn node(&self, share: f64) -> Node {
        match self {
            Self::Span(span, place) => generated(span.at(share), place),
            Self::Whole(span, place) => generated(Value::Integer(span.at(share)), place),
            Self::List(nodes) => nodes[((share * nodes.len() as f64) as usize).min(nodes.len() - 1)].clone(),
        }
    }

    pub(super) fn kind(&self) -> ValueKind {
        match self {
            Self::Span(..) => ValueKind::Real,
            Self::Whole(..) => ValueKind::Whole,
            Self::List(nodes) => Values::List(nodes.clone()).kind(),
        }
    }
}

fn generated(value: Value, place: &Place) -> Node {
    let node = Node { value, place: place.clone(), written: String::new() };
    Node { written: node.shown(), ..node }
}

/// What a column of parameters holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueKind {
    Whole,
    Real,
    Text,
}

impl ValueKind {
    fn of(value: &Value) -> Self {
        match value {
            Value::Integer(_) => Self::Whole,
            Value::Real(_) => Self::Real,
            Value::Text(_) | Value::Array(_) | Value::Table(_) | Value::Other => Self::Text,
        }
    }

    fn joined(self, other: Self) -> Self {
        match (self, other) {
            (Self::Whole, Self::Whole) => Self::Whole,
            (Self::Text, _) | (_, Self::Text) => Self::Text,
            _ => Self::Real,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_hold_what_all_values_are() {
        let place = Place::Option("x".into());
        let kind = |text: &str| {
            let Value::Array(nodes) = Node::parse_value(text, &place).value else { panic!("{text}") };
            Values::List(nodes).kind()
        };
        assert_eq!(kind("[1, 2]"), ValueKind::Whole);
        assert_eq!(kind("[1, 2.5]"), ValueKind::Real);
        assert_eq!(kind("[1, \"infinite\"]"), ValueKind::Text);
    }

    #[test]
    fn values_are_shown_on_one_line() {
        let place = Place::Option("x".into());
        let shown = |text: &str| Node::parse_value(text, &place).shown();
        assert_eq!(shown("{ rule = \"power-of-d\", d = 2 }"), "{ d = 2, rule = \"power-of-d\" }");
        assert_eq!(shown("\"10 min\""), "10 min");
        assert_eq!(shown("[0.5, 1]"), "[0.5, 1]");
        assert_eq!(shown("1e-7"), "0.0000001");
    }
}
