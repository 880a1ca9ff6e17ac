//! From the journal to tables.

use super::header::Header;
use super::journal::{Finished, JOURNAL, Record};
use crate::Error;
use alba_compare::MANIFEST;
use alba_table::{Output, ParquetWriter, WriteError, csv_line};
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::Path;

/// The tables of a sweep.
const TABLE: &str = "table.csv";
const PARQUET: &str = "table.parquet";
const TIMINGS: &str = "timings.csv";
/// All of them.
pub(super) const FILES: [&str; 3] = [TABLE, PARQUET, TIMINGS];

/// A row is not long.
const LINE: usize = 1 << 10;

/// Writes the tables of the cells that `record` holds, in the order of cells, and the manifest. Only one row is held at
/// a time, or a group of them for Parquet.
pub(super) fn assemble(folder: &Path, record: &Record) -> Result<(), Error> {
    let columns = &record.header.columns;
    write(folder, TABLE, |writer| {
        writeln!(writer, "{}", csv_line(columns.iter().map(|(name, _)| name.clone())))?;
        each(folder, record, |_, finished| writeln!(writer, "{}", finished.row))
    })?;
    write(folder, TIMINGS, |writer| {
        writeln!(writer, "cell,seconds,host,attempts")?;
        each(folder, record, |cell, finished| {
            let attempts = record.attempts[cell as usize].max(1);
            writeln!(writer, "{cell},{},{},{attempts}", finished.seconds, finished.host)
        })
    })?;
    write(folder, PARQUET, |writer| {
        let mut parquet = ParquetWriter::new(columns.clone(), writer);
        each(folder, record, |_, finished| parquet.line(&finished.row))?;
        parquet.finish()
    })?;
    write_manifest(folder, &record.header)
}

pub(super) fn write_manifest(folder: &Path, header: &Header) -> Result<(), Error> {
    let manifest = header.manifest().map_err(alba_compare::Error::from)?;
    write(folder, MANIFEST, |writer| writer.write_all(manifest.as_bytes()))
}

fn write(
    folder: &Path,
    name: &str,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    Output::File(folder.join(name)).write(|writer| Ok(write(writer).map_err(WriteError::Standard)?))
}

/// Visits every finished cell in order.
fn each(
    folder: &Path,
    record: &Record,
    mut visit: impl FnMut(u64, &Finished) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = BufReader::with_capacity(LINE, File::open(folder.join(JOURNAL))?);
    for cell in (0..record.header.cells).filter(|cell| record.is_done(*cell)) {
        let line = record.line(&mut file, cell)?;
        let damaged = || io::Error::other(format!("the journal's line of cell {cell} has changed meanwhile"));
        visit(cell, &line.as_deref().and_then(Finished::parse).ok_or_else(damaged)?)?;
    }
    Ok(())
}
