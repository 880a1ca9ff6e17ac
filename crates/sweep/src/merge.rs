//! Shards put together.

use super::assemble::assemble;
use super::header::STUDY;
use super::journal::{JOURNAL, Journal, Record};
use super::run::Ran;
use crate::Error;
use alba_compare::is_ours;
use alba_scenario::ScenarioError;
use alba_table::WriteError;
use alba_table::new_folder;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Makes the folder `output`, or `parent` and the sweep's name, of the folders of all shards of a sweep, in any order:
/// as if one run had computed all of it. The shards are left as they are.
///
/// # Errors
/// [`Error::SweepsDiffer`] if they are not shards of the same sweep, [`Error::ShardsMissing`] if cells are
/// missing; [`alba_compare::Error::NotOurs`], [`Error::Write`].
pub fn merge(shards: &[PathBuf], output: Option<&Path>, parent: &Path) -> Result<Ran, Error> {
    let records = shards.iter().map(|folder| Record::read(folder)).collect::<Result<Vec<_>, _>>()?;
    let Some(header) = records.first().map(|record| record.header.whole()) else {
        return Err(Error::ShardsMissing { missing: 0, cells: 0, first: 0, shards: vec![] });
    };
    for (folder, record) in shards.iter().zip(&records) {
        let changes = header.changes(&record.header.whole());
        if !changes.is_empty() {
            return Err(Error::SweepsDiffer { folder: folder.clone(), changes });
        }
    }
    complete(&records)?;
    let folder = output.map_or_else(|| parent.join(&header.name), Path::to_owned);
    if folder.symlink_metadata().is_ok() && !is_ours(&folder, STUDY) {
        return Err(alba_compare::Error::NotOurs { path: folder }.into());
    }
    let failed = |source| WriteError::File { path: folder.clone(), source };
    let beside = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(beside).map_err(failed)?;
    let making = new_folder(beside).map_err(failed)?;
    let (mut journal, _) = Journal::open(making.path(), &header)?;
    for (shard, record) in shards.iter().zip(&records) {
        copy(shard, record, &mut journal)?;
    }
    journal.sync()?;
    drop(journal);
    let record = Record::read(making.path())?;
    assemble(making.path(), &record)?;
    alba_compare::replace_folder(making.path(), &folder).map_err(failed)?;
    Ok(Ran { folder, cells: record.done, failed: record.failed, before: record.done })
}

/// Every cell is in one of the shards.
fn complete(records: &[Record]) -> Result<(), Error> {
    let cells = records.first().map_or(0, |record| record.header.cells);
    let is_missing = |cell: &u64| !records.iter().any(|record| record.is_done(*cell));
    let mut missing = (0..cells).filter(is_missing);
    let Some(first) = missing.next() else { return Ok(()) };
    let shards = records.iter().filter_map(|record| record.header.shard()).collect();
    Err(Error::ShardsMissing { missing: 1 + missing.count() as u64, cells, first, shards })
}

fn copy(folder: &Path, record: &Record, journal: &mut Journal) -> Result<(), Error> {
    let path = folder.join(JOURNAL);
    let unreadable = |source| ScenarioError::Unreadable { path: path.clone(), source };
    let mut file = BufReader::new(File::open(&path).map_err(unreadable)?);
    for cell in 0..record.header.cells {
        if let Some(line) = record.line(&mut file, cell).map_err(unreadable)? {
            for _ in 0..record.attempts[cell as usize] {
                journal.copy(&format!("begin {cell} -"))?;
            }
            journal.copy(&line)?;
        }
    }
    Ok(())
}
