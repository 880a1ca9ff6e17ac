//! Tables read back: CSV, and Parquet.

use super::{Cell, ReadError, Table, Value};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

/// What a Parquet file begins with.
const MAGIC: &[u8; 4] = b"PAR1";

impl Table {
    /// Reads a table of numbers and texts, CSV with a header line or Parquet, whatever the file is called.
    ///
    /// # Errors
    /// [`ReadError::Unreadable`], [`ReadError::NoTable`].
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        let unreadable = |source| ReadError::Unreadable { path: path.to_owned(), source };
        let mut file = File::open(path).map_err(unreadable)?;
        let mut begin = vec![];
        file.by_ref().take(4).read_to_end(&mut begin).map_err(unreadable)?;
        file.rewind().map_err(unreadable)?;
        let no_table = |reason: String| ReadError::NoTable { path: path.to_owned(), reason };
        if begin == MAGIC {
            from_parquet(file).map_err(|error| no_table(error.to_string()))
        } else {
            from_csv(file).map_err(|error| no_table(error.to_string()))
        }
    }
}

fn from_csv(file: File) -> Result<Table, csv::Error> {
    let mut reader = csv::Reader::from_reader(std::io::BufReader::new(file));
    let names = reader.headers()?.iter().map(str::to_owned).collect();
    let rows = reader.records().map(|record| Ok(record?.iter().map(cell).collect()));
    Ok(Table::guessed(names, rows.collect::<Result<_, csv::Error>>()?))
}

fn cell(field: &str) -> Cell {
    match (field, field.parse::<f64>()) {
        ("", _) => Cell::Empty,
        (_, Ok(number)) if number.is_finite() => Cell::Number(number),
        _ => Cell::Text(field.to_owned()),
    }
}

fn from_parquet(file: File) -> Result<Table, parquet::errors::ParquetError> {
    let reader = SerializedFileReader::new(file)?;
    let fields = reader.metadata().file_metadata().schema().get_fields();
    let names = fields.iter().map(|field| field.name().to_owned()).collect();
    let cells = |row: parquet::record::Row| row.get_column_iter().map(|(_, field)| of_field(field)).collect();
    let rows = reader.get_row_iter(None)?.map(|row| Ok(cells(row?)));
    Ok(Table::guessed(names, rows.collect::<Result<_, parquet::errors::ParquetError>>()?))
}

fn of_field(field: &Field) -> Cell {
    match field {
        Field::Null => Cell::Empty,
        Field::Bool(truth) => Cell::Text(truth.to_string()),
        Field::Int(integer) => Cell::Number(f64::from(*integer)),
        Field::Long(integer) => Cell::Number(*integer as f64),
        Field::Float(number) => f64::from(*number).cell(),
        Field::Double(number) => number.cell(),
        Field::Str(text) => Cell::Text(text.clone()),
        other => Cell::Text(other.to_string()),
    }
}
