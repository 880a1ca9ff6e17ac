//! Results folders: `results/NAME/` with a manifest, a table and figures.

use crate::Error;
use alba_fluid::Tolerances;
use alba_plot::{Figure, render};
use alba_scenario::Resolved;
use alba_scenario::Scenario;
use alba_table::WriteError;
use alba_table::new_folder;
use alba_table::{Format, Table};
use alba_trace::TraceFacts;
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};

/// The file that says what made a folder.
pub const MANIFEST: &str = "manifest.toml";
/// What marks a manifest as ours.
pub const PROGRAM: &str = "alba";

/// Everything that a run used.
#[derive(Serialize)]
struct Manifest<'m, U> {
    program: &'static str,
    version: &'static str,
    study: &'m str,
    #[serde(flatten)]
    used: U,
}

/// What a study of a scenario used.
#[derive(Serialize)]
struct Used<'m> {
    fluid: Accuracy,
    #[serde(skip_serializing_if = "Option::is_none")]
    simulation: Option<Simulation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<TraceFile>,
    scenario: Resolved<'m>,
}

/// How a simulation was done, and what it took if it was to be precise.
#[derive(Serialize)]
pub struct Simulation {
    /// That of [`alba_ctmc::Problem::engine`]; none of numbered servers, which have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) engine: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replications: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) precision_met: Option<bool>,
}

/// What was read of a trace.
#[derive(Serialize)]
struct TraceFile {
    path: String,
    bytes: u64,
    /// As eight hexadecimal digits, of the file as it is on disk.
    crc32: String,
    intervals: u64,
    requests: f64,
    gaps: u64,
}

impl TraceFile {
    fn of(facts: &TraceFacts) -> Self {
        Self {
            path: facts.path.display().to_string(),
            bytes: facts.bytes,
            crc32: format!("{:08x}", facts.crc32),
            intervals: facts.intervals as u64,
            requests: facts.total,
            gaps: facts.gaps as u64,
        }
    }
}

#[derive(Serialize)]
struct Accuracy {
    relative_tolerance: f64,
    absolute_tolerance: f64,
}

impl Accuracy {
    fn of(tolerances: Tolerances) -> Self {
        Self { relative_tolerance: tolerances.relative(), absolute_tolerance: tolerances.absolute() }
    }
}

/// A results folder in the making: hidden beside its final place until [`ResultsFolder::finish`] renames it.
#[derive(Debug)]
pub struct ResultsFolder {
    making: tempfile::TempDir,
    path: PathBuf,
}

impl ResultsFolder {
    /// The folder `name` in `parent`, which is made where missing.
    ///
    /// # Errors
    /// [`Error::NotOurs`] if something else has that name; [`Error::Write`].
    pub fn create(parent: &Path, name: &str) -> Result<Self, Error> {
        let path = parent.join(name);
        refuse_others(&path)?;
        let failed = |source| WriteError::File { path: path.clone(), source };
        std::fs::create_dir_all(parent).map_err(failed)?;
        let making = new_folder(parent).map_err(failed)?;
        Ok(Self { making, path })
    }

    /// Where it will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a file; `name` may hold folders.
    ///
    /// # Errors
    /// [`Error::Write`]; those of `write`.
    pub fn add(&self, name: &str, contents: &[u8]) -> Result<(), Error> {
        let path = self.making.path().join(name);
        let write = || -> io::Result<()> {
            path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::write(&path, contents)
        };
        Ok(write().map_err(|source| WriteError::File { path: self.path.join(name), source })?)
    }

    /// Adds a table as CSV.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn add_table(&self, name: &str, table: &Table) -> Result<(), Error> {
        let mut csv = vec![];
        table
            .write(Format::Csv, &mut csv)
            .map_err(|source| WriteError::File { path: self.path.join(name), source })?;
        self.add(name, &csv)
    }

    /// Adds a figure as SVG and PNG in `figures/`.
    ///
    /// # Errors
    /// [`Error::Plot`], [`Error::Write`].
    pub fn add_figure(&self, name: &str, figure: &Figure) -> Result<(), Error> {
        let drawing = render(&figure.of_what_is_known())?;
        self.add(&format!("figures/{name}.svg"), drawing.svg().as_bytes())?;
        self.add(&format!("figures/{name}.png"), &drawing.png()?)
    }

    /// Adds the manifest and puts the folder in its place; one of ours that is there gives way.
    ///
    /// # Errors
    /// [`Error::NotOurs`], [`Error::Write`], [`Error::Manifest`].
    pub fn finish(self, study: &str, scenario: &Scenario) -> Result<PathBuf, Error> {
        self.finish_simulated(study, scenario, None)
    }

    /// The same with how a simulation was done.
    ///
    /// # Errors
    /// [`Error::NotOurs`], [`Error::Write`], [`Error::Manifest`].
    pub fn finish_simulated(
        self,
        study: &str,
        scenario: &Scenario,
        simulation: Option<Simulation>,
    ) -> Result<PathBuf, Error> {
        self.finish_with(
            study,
            Used {
                fluid: Accuracy::of(Tolerances::default()),
                simulation,
                trace: scenario.trace().map(|trace| TraceFile::of(trace.facts())),
                scenario: scenario.resolved(),
            },
        )
    }

    /// The same for a study without a scenario, which used `used`: a table of tables.
    ///
    /// # Errors
    /// [`Error::NotOurs`], [`Error::Write`], [`Error::Manifest`].
    pub fn finish_with(self, study: &str, used: impl Serialize) -> Result<PathBuf, Error> {
        let manifest = Manifest { program: PROGRAM, version: env!("CARGO_PKG_VERSION"), study, used };
        self.add(MANIFEST, toml::to_string(&manifest)?.as_bytes())?;
        refuse_others(&self.path)?;
        replace_folder(self.making.path(), &self.path)
            .map_err(|source| WriteError::File { path: self.path.clone(), source })?;
        Ok(self.path)
    }
}

/// Renames the folder `making` to `path`. A folder cannot be renamed over one that holds files: the old one goes aside
/// first, and back if need be.
pub fn replace_folder(making: &Path, path: &Path) -> io::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let aside = new_folder(parent)?;
    let old = aside.path().join("old");
    let replaced = path.exists();
    if replaced {
        std::fs::rename(path, &old)?;
    }
    std::fs::rename(making, path).inspect_err(|_| {
        if replaced {
            // The first error is the one to report: nothing more can be done about a second.
            std::fs::rename(&old, path).unwrap_or_default();
        }
    })
}

/// Whether the folder's manifest is ours, and of that study.
pub fn is_ours(folder: &Path, study: &str) -> bool {
    manifest(folder)
        .is_some_and(|manifest| manifest.get("study").and_then(toml::Value::as_str) == Some(study))
}

/// The manifest of a folder, if it is ours.
fn manifest(folder: &Path) -> Option<toml::Table> {
    let manifest: toml::Table = std::fs::read_to_string(folder.join(MANIFEST)).ok()?.parse().ok()?;
    (manifest.get("program")?.as_str()? == PROGRAM).then_some(manifest)
}

fn refuse_others(path: &Path) -> Result<(), Error> {
    match std::fs::symlink_metadata(path) {
        Ok(found) if !found.is_dir() || manifest(path).is_none() => {
            Err(Error::NotOurs { path: path.to_owned() })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(parent: &Path, contents: &str) -> Result<PathBuf, Error> {
        let folder = ResultsFolder::create(parent, "run")?;
        folder.add("figures/a.svg", contents.as_bytes())?;
        let text = include_str!("../../../scenarios/figure1.toml");
        folder.finish("compare", &Scenario::parse("figure1.toml", text, &[])?)
    }

    #[test]
    fn ours_is_replaced() {
        let parent = tempfile::tempdir().unwrap();
        make(parent.path(), "old").unwrap();
        let path = make(parent.path(), "new").unwrap();
        assert_eq!(std::fs::read_to_string(path.join("figures/a.svg")).unwrap(), "new");
        assert!(std::fs::read_to_string(path.join(MANIFEST)).unwrap().contains("program = \"alba\""));
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_not_ours_is_left_alone() {
        for manifest in [None, Some(""), Some("program = \"other\""), Some("no toml at all")] {
            let parent = tempfile::tempdir().unwrap();
            let path = parent.path().join("run");
            std::fs::create_dir(&path).unwrap();
            std::fs::write(path.join("precious"), "mine").unwrap();
            if let Some(text) = manifest {
                std::fs::write(path.join(MANIFEST), text).unwrap();
            }
            assert!(matches!(make(parent.path(), "new"), Err(Error::NotOurs { .. })), "{manifest:?}");
            assert_eq!(std::fs::read_to_string(path.join("precious")).unwrap(), "mine");
            assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 1);
        }
    }

    #[test]
    fn an_abandoned_folder_disappears() {
        let parent = tempfile::tempdir().unwrap();
        let folder = ResultsFolder::create(parent.path(), "run").unwrap();
        folder.add("table.csv", b"half").unwrap();
        drop(folder);
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
