//! Scenario files: one system, one start, one run.

mod arrivals;
mod at_rest;
mod cluster;
mod error;
mod fault;
mod files;
mod limits;
mod overrides;
mod precision;
mod read;
mod reader;
mod resolved;
mod rules;
mod scheme;
pub mod section;
pub(crate) mod system;
mod template;
pub mod tree;
mod units;

pub use alba_trace::{unit_named, unit_s};
pub use arrivals::{CutStamps, TraceSource};
pub use cluster::Cluster;
pub use cluster::equal_servers;
pub use error::ScenarioError;
pub use fault::{Fault, Place, Problem};
pub use limits::{Limits, time_s};
pub use overrides::Override;
pub use precision::{Asked, Tolerances};
pub use read::name;
pub use reader::Reader;
pub use resolved::Resolved;
pub use template::{Setting, Template};
pub use units::duration_s;

use alba_model::{Grid, Model, Occupancy, PowerDraw};
use std::io::Read;
use std::path::Path;

/// A scenario, read and valid.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    name: String,
    model: Model,
    servers: u64,
    mean_service_time_s: Option<f64>,
    trace: Option<TraceSource>,
    initial: Occupancy,
    power: PowerDraw,
    run: Run,
    cluster: Cluster,
    limits: Limits,
}

/// How long to run, what to report, how often to repeat.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Report times.
    pub grid: Grid,
    /// Independent runs of the chain.
    pub replications: u64,
    /// Keys all random numbers.
    pub seed: u64,
    /// Left out of time averages, in service times.
    pub warm_up: f64,
    /// A replication ends after so many events.
    pub max_events: Option<u64>,
    /// How wide intervals may be: there are more replications until they are narrow enough.
    pub precision: Option<Tolerances>,
    /// The most replications then, where it is said.
    pub max_replications: Option<u64>,
}

impl Run {
    /// The most replications that a precision may take, where nothing is said, over the replications that there are anyway.
    const MORE: u64 = 1000;

    /// The most replications that a precision may take.
    pub fn most_replications(&self) -> u64 {
        self.max_replications.unwrap_or(self.replications.saturating_mul(Self::MORE))
    }
}

impl Scenario {
    /// Reads the file at `path`, changed by `overrides` in their order.
    ///
    /// # Errors
    /// [`ScenarioError::Unreadable`] for the file, [`ScenarioError::Faults`] with everything that is wrong in it.
    pub fn load(path: &Path, overrides: &[Override]) -> Result<Self, ScenarioError> {
        let text = read_text(path)?;
        Self::parse_in(folder_of(path), &path.display().to_string(), &text, overrides)
    }

    /// Reads `text`, changed by `overrides` in their order; `file` is what errors call it, and where relative paths start.
    ///
    /// ```
    /// use alba_scenario::Scenario;
    ///
    /// let text = include_str!("../../../scenarios/figure1.toml");
    /// let scenario = Scenario::parse("figure1.toml", text, &[])?;
    /// assert_eq!(scenario.servers(), 1000);
    /// let error = Scenario::parse("x.toml", &text.replace("alpha", "").replace("buffer", "bufer"), &[]).unwrap_err();
    /// assert!(error.to_string().contains("unknown key system.bufer (did you mean buffer?)"));
    /// # Ok::<(), alba_scenario::ScenarioError>(())
    /// ```
    ///
    /// # Errors
    /// [`ScenarioError::Faults`] with everything that is wrong.
    pub fn parse(file: &str, text: &str, overrides: &[Override]) -> Result<Self, ScenarioError> {
        Self::parse_in(folder_of(Path::new(file)), file, text, overrides)
    }

    fn parse_in(
        folder: &Path,
        file: &str,
        text: &str,
        overrides: &[Override],
    ) -> Result<Self, ScenarioError> {
        Template::parse(folder, file, text, overrides)?.scenario(&[])
    }

    /// Its name, safe as the name of a folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The system, for any number of servers.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// N.
    pub fn servers(&self) -> u64 {
        self.servers
    }

    /// The length of a service time, where it is known.
    pub fn mean_service_time_s(&self) -> Option<f64> {
        self.mean_service_time_s
    }

    /// The trace that its arrival rate comes from, if it does.
    pub fn trace(&self) -> Option<&TraceSource> {
        self.trace.as_ref()
    }

    /// Where the system starts.
    pub fn initial(&self) -> &Occupancy {
        &self.initial
    }

    /// What servers draw.
    pub fn power(&self) -> &PowerDraw {
        &self.power
    }

    /// What `alba cluster` needs beyond all that.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// What each engine may take.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// How long to run, what to report, how often to repeat.
    pub fn run(&self) -> &Run {
        &self.run
    }
}

/// The text of a scenario or sweep file.
///
/// # Errors
/// [`ScenarioError::Unreadable`], also for more than 16 MiB, which nobody has written.
pub fn read_text(path: &Path) -> Result<String, ScenarioError> {
    const MOST: u64 = 1 << 24;
    let read = || {
        let mut text = String::new();
        std::fs::File::open(path)?.take(MOST + 1).read_to_string(&mut text)?;
        if text.len() as u64 > MOST {
            return Err(std::io::Error::other("larger than 16 MiB: this is no scenario or sweep file"));
        }
        Ok(text)
    };
    read().map_err(|source| ScenarioError::Unreadable { path: path.to_owned(), source })
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

#[cfg(test)]
mod tests;
