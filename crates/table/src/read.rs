//! Tables read back: CSV, and Parquet.

use super::{Cell, ReadError, Table, Value};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

/// The most bytes that are read of a CSV file, and the most cells of any: they are held in memory.
const MOST_BYTES: u64 = 1 << 30;
const MOST_CELLS: usize = 100_000_000;
/// What a Parquet file begins with.
const MAGIC: &[u8; 4] = b"PAR1";

impl Table {
    /// Reads a table of numbers and texts, CSV with a header line or Parquet, whatever the file is called.
    ///
    /// # Errors
    /// [`ReadError::Unreadable`], [`ReadError::NoTable`], also for more than 1 GiB of CSV or 10^8 cells.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        let unreadable = |source| ReadError::Unreadable { path: path.to_owned(), source };
        let mut file = File::open(path).map_err(unreadable)?;
        let mut begin = vec![];
        file.by_ref().take(4).read_to_end(&mut begin).map_err(unreadable)?;
        file.rewind().map_err(unreadable)?;
        let no_table = |reason: String| ReadError::NoTable { path: path.to_owned(), reason };
        if begin == MAGIC {
            without_panic(|| from_parquet(file)).map_err(no_table)
        } else {
            from_csv(file).map_err(no_table)
        }
    }
}

fn from_csv(file: File) -> Result<Table, String> {
    let mut left = file.take(MOST_BYTES);
    let mut reader = csv::Reader::from_reader(std::io::BufReader::new(&mut left));
    let names = reader.headers().map(|names| names.iter().map(str::to_owned).collect());
    let rows = reader.records().map(|record| Ok(record?.iter().map(cell).collect()));
    let rows = small(rows.map(|row: Result<_, csv::Error>| row.map_err(|error| error.to_string())));
    drop(reader);
    if left.limit() == 0 {
        return Err(format!("it is larger than {} MiB", MOST_BYTES >> 20));
    }
    Ok(Table::guessed(names.map_err(|error| error.to_string())?, rows?))
}

/// All rows, unless they have too many cells.
fn small(rows: impl Iterator<Item = Result<Vec<Cell>, String>>) -> Result<Vec<Vec<Cell>>, String> {
    let mut cells = 0;
    let count = |row: Result<Vec<Cell>, String>| {
        cells += row.as_ref().map_or(0, Vec::len);
        if cells > MOST_CELLS { Err(format!("it has more than {MOST_CELLS} cells")) } else { row }
    };
    rows.map(count).collect()
}

/// What `read` gives; a reason where it panics, as the reader of Parquet does on some damaged files.
fn without_panic<T>(read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read));
    std::panic::set_hook(hook);
    caught.unwrap_or_else(|_| Err("it is damaged".to_owned()))
}

fn cell(field: &str) -> Cell {
    match (field, field.parse::<f64>()) {
        ("", _) => Cell::Empty,
        (_, Ok(number)) if number.is_finite() => Cell::Number(number),
        _ => Cell::Text(field.to_owned()),
    }
}

fn from_parquet(file: File) -> Result<Table, String> {
    let text = |error: parquet::errors::ParquetError| error.to_string();
    let reader = SerializedFileReader::new(file).map_err(text)?;
    let fields = reader.metadata().file_metadata().schema().get_fields();
    let names = fields.iter().map(|field| field.name().to_owned()).collect();
    let cells = |row: parquet::record::Row| row.get_column_iter().map(|(_, field)| of_field(field)).collect();
    let rows = reader.get_row_iter(None).map_err(text)?;
    Ok(Table::guessed(names, small(rows.map(|row| row.map(cells).map_err(text)))?))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, Schema};

    /// Every byte of a Parquet file damaged in turn: a table or a reason, never a panic.
    #[test]
    fn a_damaged_file_is_no_table() {
        let schema =
            Schema::new()
                .column("number", "", "", |row: &f64| *row)
                .column("name", "", "", |row: &f64| format!("row {row}"));
        let rows: Vec<f64> = (0..50).map(|k| f64::from(k) * 0.37).collect();
        let mut whole = vec![];
        schema.table(&rows).write(Format::Parquet, &mut whole).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let mut refused = 0;
        for index in 4..whole.len() {
            for flipped in [0x01, 0x40, 0xFF] {
                let mut damaged = whole.clone();
                damaged[index] ^= flipped;
                std::fs::write(&path, damaged).unwrap();
                refused += usize::from(Table::read(&path).is_err());
            }
        }
        assert!(refused > whole.len() / 2, "{refused} of {}", 3 * whole.len());
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(length == 0 || Table::read(&path).is_err() || length < 4, "{length}");
        }
    }
}
