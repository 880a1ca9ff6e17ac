//! For tables not yet made from a schema.

use crate::{Cell, ColumnKind, Head, Row, Table, Value};

impl Table {
    /// An empty table.
    pub fn new(columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::guessed(columns.into_iter().map(Into::into).collect(), vec![])
    }

    /// Adds a row.
    pub fn push(&mut self, mut row: Row) {
        row.resize(self.heads().len(), Cell::Empty);
        self.add(row);
    }

    /// Names of the columns.
    pub fn columns(&self) -> Vec<String> {
        self.heads().iter().map(|head| head.name.clone()).collect()
    }

    /// The texts of a column.
    pub fn texts(&self, column: &str) -> Option<Vec<&str>> {
        let index = self.heads().iter().position(|head| head.name == column)?;
        Some(
            self.rows()
                .iter()
                .map(|row| if let Cell::Text(text) = &row[index] { text.as_str() } else { "" })
                .collect(),
        )
    }
}

/// Heads of names.
pub fn heads_of(names: &[String]) -> Vec<Head> {
    let head = |name: &String| Head {
        name: name.clone(),
        kind: ColumnKind::Number,
        unit: "",
        meaning: String::new(),
    };
    names.iter().map(head).collect()
}

impl<V: Value> From<V> for Cell {
    fn from(value: V) -> Self {
        value.cell()
    }
}
