//! `--set KEY=VALUE`: changes to a scenario before it is read.

use super::fault::{Fault, Place, Problem};
use super::tree::{Entry, Node, Value};

/// One `KEY=VALUE`: the full dotted key, and a TOML value, else a bare string; a table replaces the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    key: Vec<String>,
    value: String,
    place: Place,
}

impl Override {
    /// From the text after `--set`.
    ///
    /// # Errors
    /// A [`Fault`] if there is no key or no `=`.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let place = Place::Option(format!("--set {text}"));
        let malformed = || Fault {
            place: place.clone(),
            problem: Problem::Syntax { message: "expected KEY=VALUE, as in run.seed=7".into() },
        };
        let (key, value) = text.split_once('=').ok_or_else(malformed)?;
        let key: Vec<String> = key.split('.').map(|part| part.trim().to_owned()).collect();
        if key.iter().any(String::is_empty) {
            return Err(malformed());
        }
        Ok(Self { key, value: value.trim().to_owned(), place })
    }

    /// `--seed SEED`, for `--set run.seed=SEED`.
    pub fn seed(seed: u64) -> Self {
        let place = Place::Option(format!("--seed {seed}"));
        Self { key: vec!["run".to_owned(), "seed".to_owned()], value: seed.to_string(), place }
    }

    /// The full dotted key.
    pub fn key(&self) -> String {
        self.key.join(".")
    }

    /// The value as written.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// What is wrong with it.
    pub fn fault(&self, problem: Problem) -> Fault {
        Fault { place: self.place.clone(), problem }
    }

    /// Puts the value into the tree.
    pub(super) fn apply(&self, root: &mut Node) -> Result<(), Fault> {
        put(root, &self.key, &self.place, Node::parse_value(&self.value, &self.place))
    }
}

/// Puts `value`, given at `place`, at a key of the tree; tables on the way are made where missing.
pub(super) fn put(root: &mut Node, key: &[String], place: &Place, value: Node) -> Result<(), Fault> {
    let mut node = root;
    for (depth, part) in key.iter().enumerate() {
        let Value::Table(entries) = &mut node.value else {
            let key = key[..depth].join(".");
            let problem =
                Problem::Syntax { message: format!("{key} = {} is no table", node.written.clone()) };
            return Err(Fault { place: place.clone(), problem });
        };
        let index = entries.iter().position(|entry| entry.key == *part).unwrap_or_else(|| {
            entries.push(empty_table(part, place));
            entries.len() - 1
        });
        let entry = &mut entries[index];
        if depth + 1 == key.len() {
            entry.place = place.clone();
        }
        node = &mut entry.node;
    }
    *node = value;
    Ok(())
}

fn empty_table(key: &str, place: &Place) -> Entry {
    let place = place.clone();
    let node = Node { value: Value::Table(vec![]), place: place.clone(), written: "{}".into() };
    Entry { key: key.to_owned(), place, node }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(text: &str, set: &str) -> Result<Value, Fault> {
        let mut root = Node::parse("f.toml", text).unwrap();
        Override::parse(set)?.apply(&mut root)?;
        Ok(root.value)
    }

    /// Values only, as text: `a={b=1}`.
    fn shown(value: &Value) -> String {
        match value {
            Value::Table(entries) => {
                let inside: Vec<_> = entries
                    .iter()
                    .map(|entry| format!("{}={}", entry.key, shown(&entry.node.value)))
                    .collect();
                format!("{{{}}}", inside.join(","))
            }
            Value::Integer(integer) => integer.to_string(),
            Value::Text(text) => text.clone(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn keys_are_replaced_or_made() {
        let after = |set| shown(&changed("a = { b = 1, c = 2 }", set).unwrap());
        assert_eq!(after("a.b=3"), "{a={b=3,c=2}}");
        assert_eq!(after("a={ b = 4 }"), "{a={b=4}}");
        assert_eq!(after("d.e.f=x=y"), "{a={b=1,c=2},d={e={f=x=y}}}");
        assert_eq!(after(" a . b = 5 "), "{a={b=5,c=2}}");
    }

    #[test]
    fn nonsense_is_refused() {
        for set in ["a", "=1", "a..b=1", ".a=1", "a.b.c=1"] {
            assert!(changed("a = { b = 1 }", set).is_err(), "{set}");
        }
    }
}
