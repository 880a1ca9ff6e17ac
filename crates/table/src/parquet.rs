//! Tables as Parquet, a group of rows at a time.

use super::{Cell, ColumnKind, Row};
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
    names: Vec<String>,
    /// Found out from the first group of rows where not given.
    kinds: Option<Vec<ColumnKind>>,
    rows: Vec<Row>,
    file: Option<SerializedFileWriter<Spool>>,
    spool: Spool,
    writer: W,
}

impl<W: Write> ParquetWriter<W> {
    /// What columns hold is found out from the first rows unless given.
    pub fn new(names: Vec<String>, kinds: Option<Vec<ColumnKind>>, writer: W) -> Self {
        Self { names, kinds, rows: vec![], file: None, spool: Spool::default(), writer }
    }

    /// Writes a row.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn row(&mut self, row: Row) -> io::Result<()> {
        self.rows.push(row);
        if self.rows.len() < GROUP { Ok(()) } else { self.flush() }
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
        let kinds = self.kinds.get_or_insert_with(|| kinds_of(&self.rows, self.names.len())).clone();
        if self.file.is_none() {
            self.file = Some(open(&self.names, &kinds, self.spool.clone()).map_err(io::Error::other)?);
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        group(file, &kinds, &self.rows)?;
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

fn open(
    names: &[String],
    kinds: &[ColumnKind],
    spool: Spool,
) -> Result<SerializedFileWriter<Spool>, ParquetError> {
    let field = |(name, kind): (&String, &ColumnKind)| -> Result<TypePtr, ParquetError> {
        let (physical, logical) = match kind {
            ColumnKind::Integer => (Physical::INT64, None),
            ColumnKind::Number => (Physical::DOUBLE, None),
            ColumnKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            ColumnKind::Truth => (Physical::BOOLEAN, None),
        };
        let builder = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
        Ok(Arc::new(builder.with_logical_type(logical).build()?))
    };
    let fields = names.iter().zip(kinds).map(field).collect::<Result<Vec<_>, _>>()?;
    let schema = Arc::new(Type::group_type_builder("schema").with_fields(fields).build()?);
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    SerializedFileWriter::new(spool, schema, Arc::new(properties))
}

fn group(file: &mut SerializedFileWriter<Spool>, kinds: &[ColumnKind], rows: &[Row]) -> io::Result<()> {
    let mut group = file.next_row_group().map_err(io::Error::other)?;
    for (index, kind) in kinds.iter().enumerate() {
        let cells = || rows.iter().map(|row| row.get(index).unwrap_or(&Cell::Empty));
        if let Some(cell) =
            cells().find(|cell| ColumnKind::of(cell).is_some_and(|own| kind.joined(own) != *kind))
        {
            return Err(io::Error::other(format!("a column of {kind:?} cannot hold {cell:?}")));
        }
        let levels: Vec<i16> = cells().map(|cell| i16::from(*cell != Cell::Empty)).collect();
        let Some(mut column) = group.next_column().map_err(io::Error::other)? else { break };
        let levels = Some(levels.as_slice());
        let written = match column.untyped() {
            ColumnWriter::Int64ColumnWriter(writer) => {
                writer.write_batch(&cells().filter_map(integer).collect::<Vec<_>>(), levels, None)
            }
            ColumnWriter::DoubleColumnWriter(writer) => {
                writer.write_batch(&cells().filter_map(Cell::number).collect::<Vec<_>>(), levels, None)
            }
            ColumnWriter::BoolColumnWriter(writer) => {
                writer.write_batch(&cells().filter_map(truth).collect::<Vec<_>>(), levels, None)
            }
            ColumnWriter::ByteArrayColumnWriter(writer) => {
                let filled = cells().filter(|cell| **cell != Cell::Empty);
                let texts: Vec<ByteArray> =
                    filled.map(|cell| super::csv_field(cell).into_bytes().into()).collect();
                writer.write_batch(&texts, levels, None)
            }
            _ => Ok(0),
        };
        written.map_err(io::Error::other)?;
        column.close().map_err(io::Error::other)?;
    }
    group.close().map_err(io::Error::other)?;
    Ok(())
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
