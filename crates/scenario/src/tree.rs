//! A scenario as written: a tree of values that know where they stand.

use super::fault::{Fault, Place, Problem};
use std::collections::BTreeMap;
use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

/// A value and where it was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Where it was written.
    pub place: Place,
    /// The value as its author wrote it, shortened to one line.
    pub written: String,
}

/// What a value can be. Dates and whole numbers beyond 128 bits have no use here and are [`Value::Other`].
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A text.
    Text(String),
    /// A whole number.
    Integer(i128),
    /// A real number.
    Real(f64),
    /// Values in order.
    Array(Vec<Node>),
    /// Keys with values, in the file's order.
    Table(Vec<Entry>),
    /// Anything else.
    Other,
}

/// A key of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its name.
    pub key: String,
    /// Where it was written.
    pub place: Place,
    /// Its value.
    pub node: Node,
}

/// Values longer than this are shown shortened.
const LONGEST_SHOWN: usize = 60;

impl Node {
    /// The root table of a TOML text that came from `file`.
    pub fn parse(file: &str, text: &str) -> Result<Self, Fault> {
        let positions = Positions::new(text);
        let source = Source { text, place: &|offset| positions.place(file, offset) };
        match DeTable::parse(text) {
            Ok(root) => {
                let value = source.table(root.get_ref());
                Ok(Self { value, place: (source.place)(0), written: String::new() })
            }
            Err(error) => {
                let place = (source.place)(error.span().map_or(0, |span| span.start));
                Err(Fault { place, problem: Problem::Syntax { message: error.message().to_owned() } })
            }
        }
    }

    /// A value given outside a file: a TOML value, else a bare string.
    pub fn parse_value(text: &str, place: &Place) -> Self {
        let source = Source { text, place: &|_| place.clone() };
        match DeValue::parse(text) {
            Ok(value) => source.node(&value),
            Err(_) => Self {
                value: Value::Text(text.to_owned()),
                place: place.clone(),
                written: format!("{text:?}"),
            },
        }
    }
}

impl Node {
    /// The value as a table shows it: numbers and texts bare, the rest as TOML on one line.
    pub fn shown(&self) -> String {
        match &self.value {
            Value::Text(text) => text.clone(),
            _ => self.as_toml(),
        }
    }

    /// The value as TOML on one line, the same for all ways of writing it.
    fn as_toml(&self) -> String {
        match &self.value {
            Value::Text(text) => format!("{text:?}"),
            Value::Integer(integer) => integer.to_string(),
            Value::Real(real) => real.to_string(),
            Value::Array(nodes) => {
                let nodes: Vec<String> = nodes.iter().map(Self::as_toml).collect();
                format!("[{}]", nodes.join(", "))
            }
            Value::Table(entries) => {
                let pair = |entry: &Entry| format!("{} = {}", entry.key, entry.node.as_toml());
                format!("{{ {} }}", entries.iter().map(pair).collect::<Vec<_>>().join(", "))
            }
            Value::Other => self.written.clone(),
        }
    }

    /// Every value that is no table, as TOML, with its full dotted key.
    pub fn leaves(&self) -> BTreeMap<String, String> {
        let mut leaves = BTreeMap::new();
        self.add_leaves("", &mut leaves);
        leaves
    }

    fn add_leaves(&self, key: &str, leaves: &mut BTreeMap<String, String>) {
        match &self.value {
            Value::Table(entries) => {
                for entry in entries {
                    let dot = if key.is_empty() { "" } else { "." };
                    entry.node.add_leaves(&format!("{key}{dot}{}", entry.key), leaves);
                }
            }
            _ => drop(leaves.insert(key.to_owned(), self.as_toml())),
        }
    }
}

/// The text that a tree is built from.
struct Source<'t> {
    text: &'t str,
    place: &'t dyn Fn(usize) -> Place,
}

impl Source<'_> {
    fn node(&self, spanned: &Spanned<DeValue<'_>>) -> Node {
        let value = match spanned.get_ref() {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(integer) => whole(integer),
            DeValue::Float(real) => real.as_str().parse().map_or(Value::Other, Value::Real),
            DeValue::Array(items) => Value::Array(items.iter().map(|item| self.node(item)).collect()),
            DeValue::Table(table) => self.table(table),
            DeValue::Boolean(_) | DeValue::Datetime(_) => Value::Other,
        };
        let written = shortened(self.text.get(spanned.span()).unwrap_or_default());
        Node { value, place: (self.place)(spanned.span().start), written }
    }

    fn table(&self, table: &DeTable<'_>) -> Value {
        let entry = |(key, node): (&Spanned<_>, &Spanned<DeValue<'_>>)| Entry {
            key: String::from(AsRef::<str>::as_ref(key.get_ref())),
            place: (self.place)(key.span().start),
            node: self.node(node),
        };
        Value::Table(table.iter().map(entry).collect())
    }
}

fn whole(integer: &DeInteger<'_>) -> Value {
    i128::from_str_radix(integer.as_str(), integer.radix()).map_or(Value::Other, Value::Integer)
}

fn shortened(written: &str) -> String {
    let line = written.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST_SHOWN {
        line
    } else {
        line.chars().take(LONGEST_SHOWN).chain(" ...".chars()).collect()
    }
}

/// Lines and columns of a text, found in the same time wherever they are.
struct Positions<'t> {
    text: &'t [u8],
    /// Where lines start.
    lines: Vec<usize>,
    /// Characters before every [`Self::BLOCK`] bytes.
    before: Vec<usize>,
}

impl<'t> Positions<'t> {
    const BLOCK: usize = 1024;

    fn new(text: &'t str) -> Self {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(newline, _)| newline + 1));
        let mut before = vec![0];
        for block in text.as_bytes().chunks(Self::BLOCK) {
            before.push(before[before.len() - 1] + characters(block));
        }
        Self { text: text.as_bytes(), lines: lines.collect(), before }
    }

    fn characters_before(&self, offset: usize) -> usize {
        let block = offset / Self::BLOCK;
        self.before[block] + characters(&self.text[block * Self::BLOCK..offset])
    }

    fn place(&self, file: &str, offset: usize) -> Place {
        let offset = offset.min(self.text.len());
        let line = self.lines.partition_point(|&start| start <= offset);
        let start = self.lines[line - 1];
        let column = self.characters_before(offset) - self.characters_before(start) + 1;
        Place::File { file: file.to_owned(), line, column }
    }
}

/// Bytes that begin a character.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set() -> Place {
        Place::Option("--set x".into())
    }

    #[test]
    fn values_know_their_place() {
        let root = Node::parse("f.toml", "a = 1\n[b]\nc = [2,\n  0x10]\n").unwrap();
        let Value::Table(entries) = root.value else { panic!() };
        let Value::Table(inner) = &entries[1].node.value else { panic!() };
        let Value::Array(items) = &inner[0].node.value else { panic!() };
        assert_eq!(items[1].value, Value::Integer(16));
        assert_eq!(items[1].place, Place::File { file: "f.toml".into(), line: 4, column: 3 });
        assert_eq!(inner[0].node.written, "[2, 0x10]");
    }

    #[test]
    fn places_count_characters_across_blocks() {
        let text = format!("# {}\nw = [{}]\n", "\u{e9}".repeat(3000), "\"\u{fc}\", ".repeat(2000));
        let root = Node::parse("f.toml", &text).unwrap();
        let Value::Table(entries) = root.value else { panic!() };
        let Value::Array(items) = &entries[0].node.value else { panic!() };
        for (index, item) in items.iter().enumerate() {
            assert_eq!(item.place, Place::File { file: "f.toml".into(), line: 2, column: 6 + 5 * index });
        }
    }

    #[test]
    fn bare_words_are_strings() {
        let value = |text| Node::parse_value(text, &set()).value;
        assert_eq!(value("0.5"), Value::Real(0.5));
        assert_eq!(value("\"0.5\""), Value::Text("0.5".into()));
        assert!(matches!(value("{ rule = \"none\" }"), Value::Table(_)));
        for text in ["infinite", "8 h", "", "1\ny = 2", "0.5 # half", "{ rule = none }", "[1"] {
            assert_eq!(value(text), Value::Text(text.into()));
        }
    }

    #[test]
    fn syntax_errors_have_a_place() {
        let fault = Node::parse("f.toml", "a = 1\nb = = 2\n").unwrap_err();
        assert_eq!(fault.place, Place::File { file: "f.toml".into(), line: 2, column: 5 });
    }
}
