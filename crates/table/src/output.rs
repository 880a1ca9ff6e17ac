//! Where a table goes.

use crate::WriteError;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Where a table goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Standard output.
    Standard,
    /// A file, which is never seen half-written.
    File(PathBuf),
}

impl Output {
    /// Hands `write` a buffered writer.
    ///
    /// A file is written beside its final place and renamed when complete. What is there and is no regular file (a
    /// pipe, `/dev/null`) is written to as it is.
    ///
    /// # Errors
    /// [`WriteError`] where writing fails, whatever `write` makes of that; the other errors of `write`.
    pub fn write<E: From<WriteError>>(
        &self,
        write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Self::Standard => buffered(io::stdout().lock(), write, WriteError::Standard),
            Self::File(path) => {
                let failed = |source| WriteError::File { path: path.clone(), source };
                match std::fs::metadata(path) {
                    Ok(found) if !found.is_file() => buffered(
                        std::fs::File::options().write(true).open(path).map_err(failed)?,
                        write,
                        failed,
                    ),
                    Ok(_) => replace(&path.canonicalize().map_err(failed)?, write),
                    Err(_) => replace(path, write),
                }
            }
        }
    }
}

/// Writes a file beside `path` and renames it into place.
fn replace<E: From<WriteError>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let failed = |source| WriteError::File { path: path.to_owned(), source };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut temporary = new_file(folder).map_err(failed)?;
    buffered(temporary.as_file_mut(), write, failed)?;
    temporary.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Writes through a buffer; a failure to write is `failed`, which knows where.
fn buffered<E: From<WriteError>>(
    writer: impl Write,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
    failed: impl FnOnce(io::Error) -> WriteError,
) -> Result<(), E> {
    let mut sink = Sink { writer: BufWriter::new(writer), failure: None };
    let written = write(&mut sink);
    let flushed = sink.flush();
    match (sink.failure, flushed) {
        (Some(failure), _) => Err(failed(failure).into()),
        (None, Err(failure)) if written.is_ok() => Err(failed(failure).into()),
        (None, _) => written,
    }
}

/// Keeps the first failure: writers above it (CSV, Parquet) wrap errors in their own.
struct Sink<W> {
    writer: W,
    failure: Option<io::Error>,
}

impl<W> Sink<W> {
    fn keep<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| {
            let kind = error.kind();
            self.failure.get_or_insert(error);
            kind.into()
        })
    }
}

impl<W: Write> Write for Sink<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.writer.write(bytes);
        if matches!(&written, Err(error) if error.kind() == io::ErrorKind::Interrupted) {
            return written;
        }
        self.keep(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.writer.flush();
        self.keep(flushed)
    }
}

/// What temporary files and folders are called while they are made.
const PREFIX: &str = ".alba-";

fn new_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(usual(0o666));
    builder.prefix(PREFIX).tempfile_in(folder)
}

/// A folder in `parent` that disappears unless it is renamed.
///
/// # Errors
/// Those of the system.
pub fn new_folder(parent: &Path) -> io::Result<tempfile::TempDir> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(usual(0o777));
    builder.prefix(PREFIX).tempdir_in(parent)
}

/// Permissions as for any new file or folder, before the user's mask: temporary ones are private otherwise, and
/// stay so when renamed.
#[cfg(unix)]
fn usual(mode: u32) -> std::fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello(writer: &mut dyn Write) -> Result<(), WriteError> {
        writer.write_all(b"hello").map_err(WriteError::Standard)
    }

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.csv");
        let stopped = Output::File(path.clone()).write(|writer| {
            hello(writer)?;
            Err(WriteError::Standard(io::ErrorKind::Other.into()))
        });
        assert!(matches!(stopped, Err(WriteError::Standard(_))));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);

        Output::File(path.clone()).write(hello).unwrap();
        Output::File(path.clone()).write(hello).unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), "hello");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn no_folder_no_file() {
        let error = Output::File("/nonexistent/table.csv".into()).write(hello).unwrap_err();
        assert_eq!(error.to_string(), "cannot write /nonexistent/table.csv");
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_to_and_a_link_followed() {
        use std::os::unix::fs::{FileTypeExt, symlink};
        Output::File("/dev/null".into()).write(hello).unwrap();
        assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());

        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "old").unwrap();
        symlink(&file, &link).unwrap();
        Output::File(link.clone()).write(hello).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "hello");
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
