//! Tables written: CSV, JSON, Parquet, Markdown.

use crate::{Cell, Head, ParquetWriter, Table};
use serde::Serialize;
use serde::ser::SerializeMap;
use std::io::{self, Write};

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

impl Table {
    /// Writes all of it.
    ///
    /// # Errors
    /// Those of `writer`.
    pub fn write(&self, format: Format, writer: impl Write) -> io::Result<()> {
        let mut table = TableWriter::new(format, writer, self.heads().to_vec())?;
        self.rows().iter().try_for_each(|row| table.row(row))?;
        table.finish()
    }

    /// Writes all of it as a Markdown table: cells as in CSV, but for bars, which would end them.
    ///
    /// # Errors
    /// Those of `writer`.
    pub fn write_markdown(&self, mut writer: impl Write) -> io::Result<()> {
        let mut line = |cells: Vec<String>| writeln!(writer, "| {} |", cells.join(" | "));
        line(self.heads().iter().map(|head| escaped(&head.name)).collect())?;
        line(vec!["---".to_owned(); self.heads().len()])?;
        self.rows().iter().try_for_each(|row| line(row.iter().map(|cell| escaped(&cell.field())).collect()))
    }
}

/// A bar or the end of a line would end the cell.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}

/// Writes a table row by row: for tables that do not fit into memory.
pub struct TableWriter<W: Write> {
    heads: Vec<Head>,
    sink: Sink<W>,
}

enum Sink<W: Write> {
    Csv(Box<csv::Writer<W>>),
    Json { writer: W, rows: u64 },
    Parquet(Box<ParquetWriter<W>>),
}

impl<W: Write> TableWriter<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// Those of `writer`.
    pub fn new(format: Format, mut writer: W, heads: Vec<Head>) -> io::Result<Self> {
        let sink = match format {
            Format::Csv => {
                let mut csv = csv::Writer::from_writer(writer);
                csv.write_record(heads.iter().map(|head| &head.name)).map_err(bare)?;
                Sink::Csv(Box::new(csv))
            }
            Format::Json => {
                writer.write_all(b"[")?;
                Sink::Json { writer, rows: 0 }
            }
            Format::Parquet => {
                let columns = heads.iter().map(|head| (head.name.clone(), head.kind)).collect();
                Sink::Parquet(Box::new(ParquetWriter::new(columns, writer)))
            }
        };
        Ok(Self { heads, sink })
    }

    /// Writes a row.
    ///
    /// # Errors
    /// Those of the writer; one of kind [`io::ErrorKind::InvalidInput`] for a row that is longer or shorter than the header.
    pub fn row(&mut self, row: &[Cell]) -> io::Result<()> {
        fits(row, self.heads.len())?;
        match &mut self.sink {
            Sink::Csv(csv) => csv.write_record(row.iter().map(Cell::field)).map_err(bare),
            Sink::Json { writer, rows } => {
                writer.write_all(if *rows > 0 { b",\n" } else { b"\n" })?;
                *rows += 1;
                Ok(serde_json::to_writer(writer, &JsonRow { heads: &self.heads, row })?)
            }
            Sink::Parquet(parquet) => parquet.row(row.to_vec()),
        }
    }

    /// Writes what ends the table.
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

/// A row has a cell for every column.
pub(crate) fn fits(row: &[Cell], columns: usize) -> io::Result<()> {
    let wrong = || format!("a row of {} cells in a table of {columns} columns", row.len());
    if row.len() == columns { Ok(()) } else { Err(io::Error::new(io::ErrorKind::InvalidInput, wrong())) }
}

/// Fields as a line of CSV, without its end.
pub fn csv_line(fields: impl IntoIterator<Item = String>) -> String {
    let mut csv = csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(vec![]);
    // Writing to memory does not fail, nor is a row of ours not UTF-8.
    csv.write_record(fields.into_iter().map(String::into_bytes)).unwrap_or_default();
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

struct JsonRow<'r> {
    heads: &'r [Head],
    row: &'r [Cell],
}

impl Serialize for JsonRow<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.heads.len()))?;
        for (Head { name, .. }, cell) in self.heads.iter().zip(self.row) {
            match cell {
                Cell::Empty => map.serialize_entry(name, &())?,
                Cell::Number(number) => map.serialize_entry(name, number)?,
                Cell::Integer(integer) => map.serialize_entry(name, integer)?,
                Cell::Text(text) => map.serialize_entry(name, text)?,
                Cell::Truth(truth) => map.serialize_entry(name, truth)?,
            }
        }
        map.end()
    }
}
