//! Columns that know where their values come from.

use crate::{Cell, ColumnKind, Row, Table, Value};
use std::borrow::Borrow;

/// What a column is: all that a reader of the table needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Its name: part of the contract.
    pub name: String,
    /// What its cells hold.
    pub kind: ColumnKind,
    /// What its numbers count, in words; empty for a pure number, a share or a name.
    pub unit: &'static str,
    /// What it says, in a few words.
    pub meaning: String,
}

/// A column of a table whose rows are `R`.
pub struct Column<'c, R> {
    head: Head,
    get: Box<dyn Fn(&R) -> Cell + 'c>,
}

impl<'c, R> Column<'c, R> {
    /// Name, unit and meaning as in [`Head`]; `get` takes the value from a row, and its type is the column's kind.
    pub fn new<V: Value>(
        name: impl Into<String>,
        unit: &'static str,
        meaning: impl Into<String>,
        get: impl Fn(&R) -> V + 'c,
    ) -> Self {
        let head = Head { name: name.into(), kind: V::KIND, unit, meaning: meaning.into() };
        Self { head, get: Box::new(move |row| get(row).cell()) }
    }

    /// The same, whose texts stand for values of another kind once the table is read back.
    #[must_use]
    pub fn read_as(mut self, kind: ColumnKind) -> Self {
        self.head.kind = kind;
        self
    }
}

/// The columns of a table whose rows are `R`, in order. What there is to know of a column stands here and nowhere else: header,
/// CSV, JSON, Parquet and Markdown come from it, and a row cannot be longer or shorter.
///
/// ```
/// use alba_table::{Format, Schema};
///
/// struct Point { time: f64, idle: Option<f64> }
/// let schema = Schema::new()
///     .column("time", "service times", "when", |row: &Point| row.time)
///     .column("idle", "", "share of servers", |row| row.idle);
/// let mut text = vec![];
/// schema.table([Point { time: 0.1, idle: None }]).write(Format::Csv, &mut text)?;
/// assert_eq!(text, b"time,idle\n0.1,\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Schema<'c, R> {
    columns: Vec<Column<'c, R>>,
}

impl<R> Default for Schema<'_, R> {
    fn default() -> Self {
        Self { columns: vec![] }
    }
}

impl<'c, R> Schema<'c, R> {
    /// No columns.
    pub fn new() -> Self {
        Self::default()
    }

    /// With one more column at the end: see [`Column::new`].
    pub fn column<V: Value>(
        self,
        name: impl Into<String>,
        unit: &'static str,
        meaning: impl Into<String>,
        get: impl Fn(&R) -> V + 'c,
    ) -> Self {
        self.columns([Column::new(name, unit, meaning, get)])
    }

    /// With more columns at the end: those that depend on the run, one a measure, say.
    pub fn columns(mut self, more: impl IntoIterator<Item = Column<'c, R>>) -> Self {
        self.columns.extend(more);
        self
    }

    /// What the columns are.
    pub fn heads(&self) -> Vec<Head> {
        self.columns.iter().map(|column| column.head.clone()).collect()
    }

    /// The cells of a row.
    pub fn row(&self, row: &R) -> Row {
        self.columns.iter().map(|column| (column.get)(row)).collect()
    }

    /// A row as a line of CSV, without its end.
    pub fn line(&self, row: &R) -> String {
        crate::csv_line(self.row(row).iter().map(Cell::field))
    }

    /// The table of some rows.
    pub fn table<B: Borrow<R>>(&self, rows: impl IntoIterator<Item = B>) -> Table {
        Table::of(self.heads(), rows.into_iter().map(|row| self.row(row.borrow())).collect())
    }
}
