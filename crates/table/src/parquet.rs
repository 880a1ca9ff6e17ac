//! Tables as Parquet, a group of rows at a time.

use super::{Cell, ColumnKind, Row};
use crate::write::fits;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Rows held until they are written together.
const GROUP: usize = 1 << 14;

/// Writes columns of numbers, texts and truths, each of which may be empty.
pub struct ParquetWriter<W: Write> {
    columns: Vec<(String, ColumnKind)>,
    rows: Vec<Row>,
    file: Option<SerializedFileWriter<Spool>>,
    spool: Spool,
    writer: W,
}

impl<W: Write> ParquetWriter<W> {
    /// Names of the columns, and what they hold.
    pub fn new(columns: Vec<(String, ColumnKind)>, writer: W) -> Self {
        Self { columns, rows: vec![], file: None, spool: Spool::default(), writer }
    }

    /// Writes a row.
    ///
    /// # Errors
    /// Those of the writer; one of kind [`io::ErrorKind::InvalidInput`] for a row that is longer or shorter than there are columns.
    pub fn row(&mut self, row: Row) -> io::Result<()> {
        fits(&row, self.columns.len())?;
        self.rows.push(row);
        if self.rows.len() < GROUP { Ok(()) } else { self.flush() }
    }

    /// Writes a row that was written as a line of CSV.
    ///
    /// # Errors
    /// As [`Self::row`].
    pub fn line(&mut self, line: &str) -> io::Result<()> {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
        let record = reader.records().next().transpose().map_err(io::Error::other)?.unwrap_or_default();
        let kinds = self.columns.iter().map(|(_, kind)| *kind).chain(std::iter::repeat(ColumnKind::Text));
        self.row(record.iter().zip(kinds).map(|(field, kind)| kind.cell(field)).collect())
    }

    /// Writes what is left, and the footer.
    pub fn finish(mut self) -> io::Result<()> {
        if !self.rows.is_empty() || self.file.is_none() {
            self.flush()?;
        }
        if let Some(file) = self.file.take() {
            file.close().map_err(io::Error::other)?;
        }
        self.spool.drain(&mut self.writer)?;
        self.writer.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.file.is_none() {
            self.file = Some(open(&self.columns, self.spool.clone()).map_err(io::Error::other)?);
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        group(file, &self.columns, &self.rows)?;
        self.rows.clear();
        self.spool.drain(&mut self.writer)
    }
}

/// What columns hold: the narrowest kind that all cells fit; numbers where all are empty.
pub(super) fn kinds_of(rows: &[Row], columns: usize) -> Vec<ColumnKind> {
    let kind = |column: usize| {
        let kinds = rows.iter().filter_map(|row| ColumnKind::of(row.get(column)?));
        kinds.reduce(ColumnKind::joined).unwrap_or(ColumnKind::Number)
    };
    (0..columns).map(kind).collect()
}

fn open(columns: &[(String, ColumnKind)], spool: Spool) -> Result<SerializedFileWriter<Spool>, ParquetError> {
    let field = |(name, kind): &(String, ColumnKind)| -> Result<TypePtr, ParquetError> {
        let (physical, logical) = match kind {
            ColumnKind::Integer => (Physical::INT64, None),
            ColumnKind::Number => (Physical::DOUBLE, None),
            ColumnKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            ColumnKind::Truth => (Physical::BOOLEAN, None),
        };
        let builder = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
        Ok(Arc::new(builder.with_logical_type(logical).build()?))
    };
    let fields = columns.iter().map(field).collect::<Result<Vec<_>, _>>()?;
    let schema = Arc::new(Type::group_type_builder("schema").with_fields(fields).build()?);
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    SerializedFileWriter::new(spool, schema, Arc::new(properties))
}

fn group(
    file: &mut SerializedFileWriter<Spool>,
    columns: &[(String, ColumnKind)],
    rows: &[Row],
) -> io::Result<()> {
    let mut group = file.next_row_group().map_err(io::Error::other)?;
    for (index, (name, kind)) in columns.iter().enumerate() {
        let cells: Vec<&Cell> = rows.iter().map(|row| &row[index]).collect();
        let is_other = |cell: &&&Cell| ColumnKind::of(cell).is_some_and(|own| kind.joined(own) != *kind);
        if let Some(cell) = cells.iter().find(is_other) {
            return Err(io::Error::other(format!("column {name} of {kind:?} cannot hold {cell:?}")));
        }
        let Some(mut column) = group.next_column().map_err(io::Error::other)? else { break };
        written(column.untyped(), &cells).map_err(io::Error::other)?;
        column.close().map_err(io::Error::other)?;
    }
    group.close().map_err(io::Error::other)?;
    Ok(())
}

/// Writes the cells of a column, whose writer knows what they hold.
fn written(writer: &mut ColumnWriter<'_>, cells: &[&Cell]) -> Result<usize, ParquetError> {
    let filled = || cells.iter().copied().filter(|cell| **cell != Cell::Empty);
    let levels: Vec<i16> = cells.iter().map(|cell| i16::from(**cell != Cell::Empty)).collect();
    let levels = Some(levels.as_slice());
    match writer {
        ColumnWriter::Int64ColumnWriter(writer) => {
            writer.write_batch(&filled().filter_map(integer).collect::<Vec<_>>(), levels, None)
        }
        ColumnWriter::DoubleColumnWriter(writer) => {
            writer.write_batch(&filled().filter_map(Cell::number).collect::<Vec<_>>(), levels, None)
        }
        ColumnWriter::BoolColumnWriter(writer) => {
            writer.write_batch(&filled().filter_map(truth).collect::<Vec<_>>(), levels, None)
        }
        ColumnWriter::ByteArrayColumnWriter(writer) => {
            let texts: Vec<ByteArray> = filled().map(|cell| cell.field().into_bytes().into()).collect();
            writer.write_batch(&texts, levels, None)
        }
        _ => Ok(0),
    }
}

fn integer(cell: &Cell) -> Option<i64> {
    match cell {
        Cell::Integer(integer) => i64::try_from(*integer).ok(),
        Cell::Empty | Cell::Number(_) | Cell::Text(_) | Cell::Truth(_) => None,
    }
}

fn truth(cell: &Cell) -> Option<bool> {
    match cell {
        Cell::Truth(truth) => Some(*truth),
        Cell::Empty | Cell::Number(_) | Cell::Text(_) | Cell::Integer(_) => None,
    }
}

/// Bytes on their way: the Parquet writer wants one that can be sent to other threads, and standard output cannot.
#[derive(Clone, Default)]
struct Spool(Arc<Mutex<Vec<u8>>>);

impl Spool {
    fn drain(&self, writer: &mut impl Write) -> io::Result<()> {
        let bytes = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        writer.write_all(&bytes)
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
