//! Where a table goes.

use crate::Error;
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
    /// [`Error::Write`] for a file, [`Error::Output`] for standard output; those of `write`.
    pub fn write(&self, write: impl FnOnce(&mut dyn Write) -> Result<(), Error>) -> Result<(), Error> {
        match self {
            Self::Standard => {
                let mut writer = BufWriter::new(io::stdout().lock());
                write(&mut writer)?;
                writer.flush().map_err(Error::Output)
            }
            Self::File(path) => {
                let failed = |source| Error::Write { path: path.clone(), source };
                match std::fs::metadata(path) {
                    Ok(found) if !found.is_file() => {
                        let file = std::fs::File::options().write(true).open(path).map_err(failed)?;
                        write(&mut BufWriter::new(file)).map_err(|error| naming(path, error))
                    }
                    Ok(_) => replace(&path.canonicalize().map_err(failed)?, write),
                    Err(_) => replace(path, write),
                }
            }
        }
    }
}

/// Writes a file beside `path` and renames it into place.
fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<(), Error>) -> Result<(), Error> {
    let failed = |source| Error::Write { path: path.to_owned(), source };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut temporary = new_file(folder).map_err(failed)?;
    let mut writer = BufWriter::new(temporary.as_file_mut());
    write(&mut writer)
        .and_then(|()| writer.flush().map_err(Error::Output))
        .map_err(|error| naming(path, error))?;
    drop(writer);
    temporary.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Writing is the same for files and standard output; the error is not.
fn naming(path: &Path, error: Error) -> Error {
    match error {
        Error::Output(source) => Error::Write { path: path.to_owned(), source },
        other => other,
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
pub(crate) fn new_folder(parent: &Path) -> io::Result<tempfile::TempDir> {
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

    fn hello(writer: &mut dyn Write) -> Result<(), Error> {
        writer.write_all(b"hello").map_err(Error::Output)
    }

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.csv");
        let stopped = Output::File(path.clone()).write(|writer| {
            hello(writer)?;
            Err(Error::NotOurs { path: "x".into() })
        });
        assert!(matches!(stopped, Err(Error::NotOurs { .. })));
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
