//! The lines of a file, one at a time.

use super::{Stop, TraceProblem};
use flate2::Crc;
use flate2::bufread::MultiGzDecoder;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// So many empty lines follow each other in no trace.
const MOST_EMPTY: usize = 1_000_000;
/// A line is no longer: a day of the Azure Functions trace takes some ten thousand bytes.
const LONGEST: usize = 1 << 20;
const BUFFER: usize = 1 << 16;
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Reads lines that end with LF, CR LF or CR. Empty lines are skipped, and so are those before the first other one that
/// begin with `#`.
pub(super) struct Lines {
    name: String,
    reader: Source,
    line: Vec<u8>,
    number: usize,
    /// Lines taken from the file; more than `number` where some were looked at ahead of time.
    taken: usize,
    after_return: bool,
    begun: bool,
    again: bool,
    /// Lines that were looked at already, with their numbers.
    ahead: VecDeque<(Vec<u8>, usize)>,
}

/// The file's bytes, packed or not.
enum Source {
    Plain(BufReader<Summed>),
    Packed(BufReader<MultiGzDecoder<BufReader<Summed>>>),
}

/// Sums up what is read.
struct Summed {
    file: File,
    crc: Crc,
    bytes: u64,
}

impl Read for Summed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.crc.update(&buffer[..count]);
        self.bytes += count as u64;
        Ok(count)
    }
}

impl Lines {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let summed = Summed { file: File::open(path)?, crc: Crc::new(), bytes: 0 };
        let mut plain = BufReader::with_capacity(BUFFER, summed);
        let packed = plain.fill_buf()?.starts_with(&GZIP);
        let reader = if packed {
            Source::Packed(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(plain)))
        } else {
            Source::Plain(plain)
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self {
            name,
            reader,
            line: vec![],
            number: 0,
            taken: 0,
            after_return: false,
            begun: false,
            again: false,
            ahead: VecDeque::new(),
        })
    }

    /// The next line with its number, from 1.
    pub(super) fn next(&mut self) -> Result<Option<(&[u8], usize)>, Stop> {
        if std::mem::take(&mut self.again) {
            return Ok(Some((&self.line, self.number)));
        }
        if let Some((line, number)) = self.ahead.pop_front() {
            (self.line, self.number) = (line, number);
            return Ok(Some((&self.line, self.number)));
        }
        let mut empty = 0;
        while self.advance()? {
            let blank = self.line.iter().all(u8::is_ascii_whitespace);
            let comment = !self.begun && self.line.first() == Some(&b'#');
            if !blank && !comment {
                self.begun = true;
                return Ok(Some((&self.line, self.number)));
            }
            empty += 1;
            if empty > MOST_EMPTY {
                return Err(self.wrong(1, TraceProblem::EmptyLines { most: MOST_EMPTY }));
            }
        }
        Ok(None)
    }

    /// The next lines, at most `count`; they come again, and so does what [`Self::push_back`] is for.
    pub(super) fn look_ahead(&mut self, count: usize) -> Result<Vec<Vec<u8>>, Stop> {
        let (line, number) = (self.line.clone(), self.number);
        let mut seen = VecDeque::new();
        while seen.len() < count {
            match self.next()? {
                Some((line, number)) => seen.push_back((line.to_owned(), number)),
                None => break,
            }
        }
        let lines = seen.iter().map(|(line, _)| line.clone()).collect();
        seen.append(&mut self.ahead);
        self.ahead = seen;
        (self.line, self.number) = (line, number);
        Ok(lines)
    }

    /// The next call of [`Self::next`] gives the same line again.
    pub(super) fn push_back(&mut self) {
        self.again = true;
    }

    /// The file's name.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The number of the last line.
    pub(super) fn number(&self) -> usize {
        self.number.max(1)
    }

    /// What is wrong with the last line.
    pub(super) fn wrong(&self, column: usize, problem: TraceProblem) -> Stop {
        Stop::Wrong { line: self.number(), column, problem }
    }

    /// Size and CRC-32 of the file, once all lines are read.
    pub(super) fn finish(self) -> io::Result<(u64, u32)> {
        let mut rest = match self.reader {
            Source::Plain(reader) => reader,
            Source::Packed(reader) => reader.into_inner().into_inner(),
        };
        io::copy(&mut rest, &mut io::sink())?;
        let summed = rest.into_inner();
        Ok((summed.bytes, summed.crc.sum()))
    }

    fn advance(&mut self) -> Result<bool, Stop> {
        self.line.clear();
        self.taken += 1;
        self.number = self.taken;
        let found = match &mut self.reader {
            Source::Plain(reader) => take_line(reader, &mut self.line, &mut self.after_return),
            Source::Packed(reader) => take_line(reader, &mut self.line, &mut self.after_return),
        };
        let found = found.map_err(Stop::Unreadable)?;
        if self.taken == 1 {
            self.take_mark()?;
        }
        if self.line.len() > LONGEST {
            return Err(self.wrong(1, TraceProblem::LongLine { most: LONGEST }));
        }
        if !found {
            self.taken -= 1;
            self.number = self.taken;
        }
        Ok(found)
    }

    /// A byte-order mark.
    fn take_mark(&mut self) -> Result<(), Stop> {
        if self.line.starts_with(&[0xef, 0xbb, 0xbf]) {
            self.line.drain(..3);
        }
        match self.line[..] {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Err(self.wrong(1, TraceProblem::Utf16)),
            _ => Ok(()),
        }
    }
}

/// Appends a line without its end; false if there is none left. Stops early in a line that is too long.
fn take_line(reader: &mut impl BufRead, line: &mut Vec<u8>, after_return: &mut bool) -> io::Result<bool> {
    let mut any = false;
    loop {
        let buffer = match reader.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if buffer.is_empty() {
            return Ok(any);
        }
        if std::mem::take(after_return) && buffer[0] == b'\n' {
            reader.consume(1);
            continue;
        }
        any = true;
        let end = buffer.iter().position(|&byte| byte == b'\n' || byte == b'\r');
        let taken = end.unwrap_or(buffer.len());
        line.extend_from_slice(&buffer[..taken]);
        *after_return = end.is_some_and(|end| buffer[end] == b'\r');
        reader.consume(taken + usize::from(end.is_some()));
        if end.is_some() || line.len() > LONGEST {
            return Ok(true);
        }
    }
}
