//! Tables: what studies print, write and draw; and where they go.
//!
//! A [`Table`] has named columns and rows of [`Cell`]s; it is written as CSV, JSON, Parquet or Markdown to an [`Output`],
//! and read back from CSV and Parquet.

mod error;
mod nearest;
mod output;
mod parquet;
mod read;

pub use error::{ReadError, WriteError};
pub use nearest::nearest;
pub use output::{Output, new_folder};
pub use parquet::ParquetWriter;

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// One value of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Undefined.
    Empty,
    /// A real number.
    Number(f64),
    /// A whole number.
    Integer(u64),
    /// A name.
    Text(String),
    /// Yes or no.
    Truth(bool),
}

impl Cell {
    /// The text in it.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Empty | Self::Number(_) | Self::Integer(_) | Self::Truth(_) => None,
        }
    }

    /// The number in it.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Integer(integer) => Some(*integer as f64),
            Self::Empty | Self::Text(_) | Self::Truth(_) => None,
        }
    }
}

impl From<Option<f64>> for Cell {
    fn from(value: Option<f64>) -> Self {
        value.map_or(Self::Empty, Self::from)
    }
}

impl From<f64> for Cell {
    /// Empty unless finite: no format of ours has a NaN. The sum of no numbers is -0 and becomes 0.
    fn from(value: f64) -> Self {
        if value.is_finite() { Self::Number(value + 0.0) } else { Self::Empty }
    }
}

impl From<u64> for Cell {
    fn from(value: u64) -> Self {
        Self::Integer(value)
    }
}

impl From<String> for Cell {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<Option<bool>> for Cell {
    fn from(value: Option<bool>) -> Self {
        value.map_or(Self::Empty, Self::Truth)
    }
}

impl From<&str> for Cell {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

/// What all cells of a column hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ColumnKind {
    /// Whole numbers.
    Integer,
    /// Real numbers, whole ones too.
    Number,
    /// Names, and whatever does not go together.
    Text,
    /// Yes or no.
    Truth,
}

impl ColumnKind {
    fn of(cell: &Cell) -> Option<Self> {
        match cell {
            Cell::Empty => None,
            Cell::Number(_) => Some(Self::Number),
            Cell::Integer(_) => Some(Self::Integer),
            Cell::Text(_) => Some(Self::Text),
            Cell::Truth(_) => Some(Self::Truth),
        }
    }

    fn joined(self, other: Self) -> Self {
        match (self, other) {
            _ if self == other => self,
            (Self::Integer | Self::Number, Self::Integer | Self::Number) => Self::Number,
            _ => Self::Text,
        }
    }

    /// The cell that a field of CSV stands for.
    pub fn cell(self, field: &str) -> Cell {
        let otherwise = || if field.is_empty() { Cell::Empty } else { Cell::Text(field.to_owned()) };
        match self {
            Self::Integer => field.parse().map_or_else(|_| otherwise(), Cell::Integer),
            Self::Number => field.parse().map_or_else(|_| otherwise(), Cell::Number),
            Self::Text => otherwise(),
            Self::Truth => field.parse().map_or_else(|_| otherwise(), Cell::Truth),
        }
    }
}

/// A row: one cell for every column.
pub type Row = Vec<Cell>;

/// Named columns and rows.
///
/// ```
/// use alba_table::{Format, Table};
///
/// let mut table = Table::new(["time", "idle"]);
/// table.push(vec![0.1.into(), None::<f64>.into()]);
/// let mut text = vec![];
/// table.write(Format::Csv, &mut text)?;
/// assert_eq!(text, b"time,idle\n0.1,\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    columns: Vec<String>,
    rows: Vec<Row>,
}

impl Table {
    /// An empty table.
    pub fn new(columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { columns: columns.into_iter().map(Into::into).collect(), rows: vec![] }
    }

    /// Adds a row; cells beyond the columns are dropped, missing ones empty.
    pub fn push(&mut self, mut row: Row) {
        row.resize(self.columns.len(), Cell::Empty);
        self.rows.push(row);
    }

    /// Names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The numbers of a column; none if there is no such column.
    pub fn numbers(&self, column: &str) -> Option<Vec<Option<f64>>> {
        let index = self.columns.iter().position(|name| name == column)?;
        Some(self.rows.iter().map(|row| row[index].number()).collect())
    }

    /// The texts of a column, empty where it holds something else; none if there is no such column.
    pub fn texts(&self, column: &str) -> Option<Vec<&str>> {
        let index = self.columns.iter().position(|name| name == column)?;
        Some(self.rows.iter().map(|row| row[index].text().unwrap_or_default()).collect())
    }

    /// Writes all of it.
    ///
    /// # Errors
    /// Those of `writer`.
    pub fn write(&self, format: Format, writer: impl Write) -> io::Result<()> {
        if format == Format::Parquet {
            let kinds = parquet::kinds_of(&self.rows, self.columns.len());
            let mut table = ParquetWriter::new(self.columns.clone(), Some(kinds), writer);
            self.rows.iter().try_for_each(|row| table.row(row.clone()))?;
            return table.finish();
        }
        let mut table = TableWriter::new(format, writer, &self.columns)?;
        self.rows.iter().try_for_each(|row| table.row(row))?;
        table.finish()
    }

    /// Writes all of it as a Markdown table: cells as in CSV, but for bars, which would end them.
    ///
    /// # Errors
    /// Those of `writer`.
    pub fn write_markdown(&self, mut writer: impl Write) -> io::Result<()> {
        let mut line = |cells: Vec<String>| writeln!(writer, "| {} |", cells.join(" | "));
        line(self.columns.iter().map(|name| escaped(name)).collect())?;
        line(vec!["---".to_owned(); self.columns.len()])?;
        self.rows.iter().try_for_each(|row| line(row.iter().map(|cell| escaped(&csv_field(cell))).collect()))
    }
}

/// A bar or the end of a line would end the cell.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// Comma-separated values: header line, no comments, empty cells for what is undefined.
    #[default]
    Csv,
    /// A JSON array of one object a row; null for what is undefined.
    Json,
    /// Apache Parquet, compressed with Snappy.
    Parquet,
}

/// Writes a table row by row: for tables that do not fit into memory.
pub struct TableWriter<'c, W: Write> {
    columns: &'c [String],
    sink: Sink<W>,
}

enum Sink<W: Write> {
    Csv(Box<csv::Writer<W>>),
    Json { writer: W, rows: u64 },
    Parquet(Box<ParquetWriter<W>>),
}

impl<'c, W: Write> TableWriter<'c, W> {
    /// Writes the header.
    ///
    /// # Errors
    /// Those of `writer`.
    pub fn new(format: Format, mut writer: W, columns: &'c [String]) -> io::Result<Self> {
        let sink = match format {
            Format::Csv => {
                let mut csv = csv::Writer::from_writer(writer);
                csv.write_record(columns).map_err(bare)?;
                Sink::Csv(Box::new(csv))
            }
            Format::Json => {
                writer.write_all(b"[")?;
                Sink::Json { writer, rows: 0 }
            }
            Format::Parquet => Sink::Parquet(Box::new(ParquetWriter::new(columns.to_vec(), None, writer))),
        };
        Ok(Self { columns, sink })
    }

    /// Writes a row.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn row(&mut self, row: &[Cell]) -> io::Result<()> {
        match &mut self.sink {
            Sink::Csv(csv) => csv.write_record(row.iter().map(csv_field)).map_err(bare),
            Sink::Json { writer, rows } => {
                writer.write_all(if *rows > 0 { b",\n" } else { b"\n" })?;
                *rows += 1;
                Ok(serde_json::to_writer(writer, &JsonRow { columns: self.columns, row })?)
            }
            Sink::Parquet(parquet) => parquet.row(row.to_vec()),
        }
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn finish(self) -> io::Result<()> {
        match self.sink {
            Sink::Csv(mut csv) => csv.flush(),
            Sink::Json { mut writer, .. } => {
                writer.write_all(b"\n]\n")?;
                writer.flush()
            }
            Sink::Parquet(parquet) => parquet.finish(),
        }
    }
}

/// A row as CSV, without a line end.
pub fn csv_line(row: &[Cell]) -> String {
    let mut csv = csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(vec![]);
    // Writing to memory does not fail, nor is a row of ours not UTF-8.
    csv.write_record(row.iter().map(csv_field)).unwrap_or_default();
    let mut line = String::from_utf8(csv.into_inner().unwrap_or_default()).unwrap_or_default();
    line.truncate(line.trim_end_matches('\n').len());
    line
}

/// The cause: in its wrapping a closed pipe is not told from other errors.
fn bare(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// Rust's shortest form that reads back unchanged.
fn csv_field(cell: &Cell) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Number(number) => number.to_string(),
        Cell::Integer(integer) => integer.to_string(),
        Cell::Text(text) => text.clone(),
        Cell::Truth(truth) => truth.to_string(),
    }
}

struct JsonRow<'r> {
    columns: &'r [String],
    row: &'r [Cell],
}

impl Serialize for JsonRow<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.columns.len()))?;
        for (column, cell) in self.columns.iter().zip(self.row) {
            match cell {
                Cell::Empty => map.serialize_entry(column, &())?,
                Cell::Number(number) => map.serialize_entry(column, number)?,
                Cell::Integer(integer) => map.serialize_entry(column, integer)?,
                Cell::Text(text) => map.serialize_entry(column, text)?,
                Cell::Truth(truth) => map.serialize_entry(column, truth)?,
            }
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(table: &Table, format: Format) -> String {
        let mut text = vec![];
        table.write(format, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    fn table() -> Table {
        let mut table = Table::new(["a", "b"]);
        table.push(vec![Cell::Integer(3), Cell::Text("x,y".into())]);
        table.push(vec![Cell::from(f64::NAN), Cell::from(0.1 + 0.2)]);
        table
    }

    #[test]
    fn csv_and_json() {
        assert_eq!(written(&table(), Format::Csv), "a,b\n3,\"x,y\"\n,0.30000000000000004\n");
        assert_eq!(
            written(&table(), Format::Json),
            "[\n{\"a\":3,\"b\":\"x,y\"},\n{\"a\":null,\"b\":0.30000000000000004}\n]\n"
        );
        assert_eq!(written(&Table::new(["a"]), Format::Json), "[\n]\n");
        assert_eq!(csv_field(&Cell::from(-0.0)), "0");
    }

    #[test]
    fn markdown() {
        let mut table = table();
        table.push(vec!["x|y\nz".into(), 2.0.into()]);
        let mut text = vec![];
        table.write_markdown(&mut text).unwrap();
        let expected = "| a | b |\n| --- | --- |\n| 3 | x,y |\n|  | 0.30000000000000004 |\n| x\\|y z | 2 |\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }

    #[test]
    fn numbers_read_back_unchanged() {
        for number in [1e-300, 5e-324, 1e300, 0.1, 1.0, -0.1, 123456789.12345679, f64::MAX] {
            let mut table = Table::new(["x"]);
            table.push(vec![number.into()]);
            let csv = written(&table, Format::Csv);
            let json = written(&table, Format::Json);
            let fields = [csv.lines().nth(1).unwrap(), json.split([':', '}']).nth(1).unwrap()];
            for field in fields {
                assert_eq!(field.parse::<f64>().unwrap().to_bits(), number.to_bits());
            }
        }
    }

    #[test]
    fn columns_by_name() {
        assert_eq!(table().numbers("a"), Some(vec![Some(3.0), None]));
        assert_eq!(table().numbers("c"), None);
    }
}
