//! The journal: a line for every cell begun and for every cell finished, appended, never changed.
//!
//! A line is the CRC-32 of its rest, a space, and a word for its kind: `header` and JSON; `begin`, cell and host;
//! `ok` or `failed`, cell, seconds, host, a tab and the cell's row of the table as CSV. A line that is torn or damaged
//! is none: what it told is done again.

use super::header::Header;
use crate::Error;
use alba_scenario::ScenarioError;
use alba_table::WriteError;
use flate2::Crc;
use std::fs::{File, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Its name in the folder of a sweep.
pub(super) const JOURNAL: &str = "journal";

/// What is written is on the disk after so long, should the power fail.
const SYNC: Duration = Duration::from_secs(5);

/// A journal that is written to. Nobody else does meanwhile.
pub(super) struct Journal {
    file: File,
    path: PathBuf,
    host: String,
    synced: Instant,
}

/// What a journal tells of every cell.
pub(super) struct Record {
    pub(super) header: Header,
    /// Where the finished cell's line begins, plus one; 0 for a cell that is not finished.
    lines: Vec<u64>,
    /// How often the cell was begun.
    pub(super) attempts: Vec<u16>,
    pub(super) failed: u64,
    pub(super) done: u64,
}

/// A finished cell.
pub(super) struct Finished {
    pub(super) seconds: f64,
    pub(super) host: String,
    /// Its row as CSV.
    pub(super) row: String,
}

impl Journal {
    /// Opens the journal of `folder`, makes it where missing, and reads it: it must be about what `header` says.
    ///
    /// # Errors
    /// [`Error::SweepChanged`], [`Error::SweepBusy`] if another process writes to it, [`Error::Write`].
    pub(super) fn open(folder: &Path, header: &Header) -> Result<(Self, Record), Error> {
        let path = folder.join(JOURNAL);
        let failed = |source| WriteError::File { path: path.clone(), source };
        let options = || File::options().read(true).append(true).create(true).clone();
        let mut file = options().open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::SweepBusy { path }),
            Err(TryLockError::Error(source)) => return Err(failed(source).into()),
        }
        let read = read(&file).map_err(failed)?;
        // A torn last line goes, or the next one would be appended to it.
        file.set_len(read.end).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        let host = gethostname::gethostname().to_string_lossy().replace(char::is_whitespace, "-");
        let mut journal = Self { file, path: path.clone(), host, synced: Instant::now() };
        let record = match read.record {
            Some(record) => {
                let changes = record.header.changes(header);
                if !changes.is_empty() {
                    return Err(Error::SweepChanged { folder: folder.to_owned(), changes });
                }
                record
            }
            None => {
                let json = serde_json::to_string(header).map_err(|error| failed(error.into()))?;
                journal.file.set_len(0).map_err(failed)?;
                journal.append(&format!("header {json}"))?;
                Record::empty(header.clone())
            }
        };
        Ok((journal, record))
    }

    pub(super) fn begin(&mut self, cell: u64) -> Result<(), Error> {
        let line = format!("begin {cell} {}", self.host);
        self.append(&line)
    }

    pub(super) fn finish(&mut self, cell: u64, ok: bool, seconds: f64, row: &str) -> Result<(), Error> {
        let kind = if ok { "ok" } else { "failed" };
        let line = format!("{kind} {cell} {seconds:.6} {}\t{row}", self.host);
        self.append(&line)?;
        if self.synced.elapsed() > SYNC { self.sync() } else { Ok(()) }
    }

    /// Waits until everything is on the disk.
    pub(super) fn sync(&mut self) -> Result<(), Error> {
        self.synced = Instant::now();
        Ok(self.file.sync_data().map_err(|source| WriteError::File { path: self.path.clone(), source })?)
    }

    /// Appends a line that another journal holds.
    pub(super) fn copy(&mut self, line: &str) -> Result<(), Error> {
        self.append(line)
    }

    /// One write a line: two processes cannot tear each other's.
    fn append(&mut self, rest: &str) -> Result<(), Error> {
        let line = format!("{:08x} {rest}\n", checksum(rest.as_bytes()));
        let failed = |source| WriteError::File { path: self.path.clone(), source };
        Ok(self.file.write_all(line.as_bytes()).map_err(failed)?)
    }
}

impl Record {
    fn empty(header: Header) -> Self {
        let cells = header.cells as usize;
        Self { header, lines: vec![0; cells], attempts: vec![0; cells], failed: 0, done: 0 }
    }

    /// Reads the journal of `folder` without writing to it.
    ///
    /// # Errors
    /// [`Error::NotASweep`] unless there is one.
    pub(super) fn read(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(JOURNAL);
        let unreadable = |source| ScenarioError::Unreadable { path: path.clone(), source };
        let file = File::open(&path).map_err(unreadable)?;
        let record = read(&file).map_err(unreadable)?.record;
        record.ok_or_else(|| Error::NotASweep { path: folder.to_owned() })
    }

    pub(super) fn is_done(&self, cell: u64) -> bool {
        self.lines[cell as usize] > 0
    }

    /// The rest of the finished cell's line, after the checksum; `file` is its journal.
    pub(super) fn line(&self, file: &mut BufReader<File>, cell: u64) -> io::Result<Option<String>> {
        let Some(start) = self.lines[cell as usize].checked_sub(1) else { return Ok(None) };
        file.seek(SeekFrom::Start(start))?;
        let mut line = String::new();
        file.read_line(&mut line)?;
        Ok(verified(line.as_bytes()).map(str::to_owned))
    }

    fn note(&mut self, start: u64, rest: &str) -> Option<()> {
        let mut words = rest.splitn(3, ' ');
        let (kind, cell) = (words.next()?, words.next()?.parse::<usize>().ok()?);
        let line = self.lines.get_mut(cell)?;
        match kind {
            "begin" => self.attempts[cell] = self.attempts[cell].saturating_add(1),
            "ok" | "failed" if *line == 0 => {
                *line = start + 1;
                self.done += 1;
                self.failed += u64::from(kind == "failed");
            }
            _ => {}
        }
        Some(())
    }
}

impl Finished {
    /// From the rest of a line.
    pub(super) fn parse(rest: &str) -> Option<Self> {
        let (head, row) = rest.split_once('\t')?;
        let mut words = head.splitn(4, ' ').skip(2);
        let (seconds, host) = (words.next()?.parse().ok()?, words.next()?.to_owned());
        Some(Self { seconds, host, row: row.to_owned() })
    }
}

/// A journal as it is: nothing if it has no header.
struct ReadJournal {
    record: Option<Record>,
    /// Where the last whole line ends.
    end: u64,
}

fn read(file: &File) -> io::Result<ReadJournal> {
    let mut reader = BufReader::new(file);
    let (mut record, mut start, mut end): (Option<Record>, u64, u64) = (None, 0, 0);
    let mut line = vec![];
    loop {
        line.clear();
        let length = reader.by_ref().read_until(b'\n', &mut line)? as u64;
        if length == 0 || line.last() != Some(&b'\n') {
            return Ok(ReadJournal { record, end });
        }
        if let Some(rest) = verified(&line) {
            match &mut record {
                Some(record) => drop(record.note(start, rest)),
                None => {
                    let json = rest.strip_prefix("header ");
                    let header = json.and_then(|json| serde_json::from_str(json).ok());
                    record = header.map(Record::empty);
                }
            }
        }
        start += length;
        end = start;
    }
}

/// The rest of a line whose checksum is right.
fn verified(line: &[u8]) -> Option<&str> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let (sum, rest) = line.split_at_checked(9)?;
    (u32::from_str_radix(sum.trim_end(), 16).ok()? == checksum(rest.as_bytes())).then_some(rest)
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}
