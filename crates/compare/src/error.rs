//! What can go wrong.

use crate::chart::ChartError;
use crate::plot::PlotError;
use crate::scenario::Fault;
use crate::sweep::Shard;
use std::fmt;
use std::path::PathBuf;

/// Why a study has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What was asked for is wrong.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The fluid model cannot be integrated.
    #[error("{scenario}: the fluid model cannot be solved")]
    Fluid {
        /// The scenario's name.
        scenario: String,
        /// Why.
        source: alba_fluid::FluidError,
    },
    /// The chain cannot be simulated.
    #[error("{scenario}: the chain cannot be simulated")]
    Chain {
        /// The scenario's name.
        scenario: String,
        /// Why.
        source: alba_ctmc::CtmcError,
    },
    /// The chain cannot be solved exactly.
    #[error("{scenario}: the chain cannot be solved exactly")]
    Exact {
        /// The scenario's name.
        scenario: String,
        /// Why.
        source: alba_ctmc::CtmcError,
    },
    /// Servers behind an arbitrator cannot be simulated.
    #[error("the arbitrator's experiment cannot be run")]
    Cluster(#[source] alba_cluster::ClusterError),
    /// A figure cannot be drawn.
    #[error("the figure cannot be drawn")]
    Plot(#[from] PlotError),
    /// A file or folder cannot be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Standard output cannot be written.
    #[error("cannot write the output")]
    Output(#[source] std::io::Error),
    /// A results folder holds something else.
    #[error("{} is there already and is not a results folder of alba: it is left alone", path.display())]
    NotOurs {
        /// The folder.
        path: PathBuf,
    },
    /// The manifest cannot be written as TOML.
    #[error("the manifest cannot be written")]
    Manifest(#[from] toml::ser::Error),
    /// A sweep was stopped before its end.
    #[error("stopped: {done} of {cells} cells are done; the same command goes on from there")]
    Stopped {
        /// Cells finished.
        done: u64,
        /// Of so many.
        cells: u64,
    },
    /// Cells of a sweep failed; the others are done.
    #[error("{failed} of {cells} cells failed: column error of {}", folder.join("table.csv").display())]
    CellsFailed {
        /// Where the tables are.
        folder: PathBuf,
        /// How many.
        failed: u64,
        /// Of so many.
        cells: u64,
    },
    /// A thread pool cannot be started.
    #[error("cannot start {threads} threads")]
    Threads {
        /// How many.
        threads: usize,
        /// Why.
        source: rayon::ThreadPoolBuildError,
    },
}

/// What is wrong with what was asked for.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// A file is missing or cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A scenario is wrong: all its faults, unknown keys first.
    #[error("{}", Lines(faults))]
    Faults {
        /// What is wrong.
        faults: Vec<Fault>,
    },
    /// A scenario would be written over a file.
    #[error("{} is there already: it is left alone", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Two scenarios would share a results folder.
    #[error("two scenarios have the name {name:?}: their results would share a folder")]
    SameName {
        /// The name.
        name: String,
    },
    /// The output would take the place of the scenario that it is made from.
    #[error("--output {} is the scenario itself: choose another file", path.display())]
    OutputIsInput {
        /// The file.
        path: PathBuf,
    },
    /// A fixed point is asked for, but the arrival rate changes.
    #[error(
        "{scenario}: fixed points need a constant arrival rate, and system.arrival_rate has steps or a trace"
    )]
    NotConstant {
        /// The scenario's name.
        scenario: String,
    },
    /// A scaling rate is to be tuned, but there is none.
    #[error(
        "{scenario}: the scaling rate is tuned here: it needs system.scaling_rate > 0, where the search begins, and \
         scheme.kind = \"asynchronous\""
    )]
    NothingToTune {
        /// The scenario's name.
        scenario: String,
    },
    /// An equilibrium is asked for, but the arrival rate changes.
    #[error(
        "{scenario}: --stationary needs a constant arrival rate, and system.arrival_rate has steps or a trace: there is \
         no equilibrium"
    )]
    NoEquilibrium {
        /// The scenario's name.
        scenario: String,
    },
    /// A steady state is asked for, but the arrival rate changes.
    #[error(
        "{scenario}: --steady-state needs a constant arrival rate, and system.arrival_rate has steps or a trace: there is no \
         steady state"
    )]
    NoSteadyState {
        /// The scenario's name.
        scenario: String,
    },
    /// Rates and servers that are too much for a number.
    #[error(
        "{scenario}: system.servers = {servers} with a rate of {rate} a server is not allowed: all rates together must be finite"
    )]
    TooFast {
        /// The scenario's name.
        scenario: String,
        /// N.
        servers: u64,
        /// The largest rate of one server.
        rate: f64,
    },
    /// A steady state is asked for, of runs that may end early.
    #[error("{scenario}: --steady-state needs runs of equal length: leave out run.max_events")]
    EventsLimited {
        /// The scenario's name.
        scenario: String,
    },
    /// A study of convergence without numbers of servers or without measures.
    #[error("--servers, --path-servers and --measures need one number of servers, or measure, each at least")]
    NothingToConverge,
    /// A continuation that cannot be read.
    #[error(
        "--continue {text:?} is not of the form KEY=FROM..TO with different finite numbers, at least one step"
    )]
    Continuation {
        /// What was given.
        text: String,
    },
    /// Capacities and ratios that make no partition table.
    #[error("--capacity and --ratios make no partition table")]
    Partition(#[from] alba_cluster::ClusterError),
    /// Numbered servers that cannot be.
    #[error("{scenario}: numbered servers cannot be simulated")]
    Servers {
        /// The scenario's name.
        scenario: String,
        /// Why.
        source: Box<alba_cluster::ClusterError>,
    },
    /// A central queue before numbered servers.
    #[error(
        "{scenario}: alba cluster gives every request to a server at once, and scheme.kind = \"central-queue\" does not"
    )]
    CentralQueue {
        /// The scenario's name.
        scenario: String,
    },
    /// Arbitrators cannot be run on the scenario's system.
    #[error("{scenario}: {reason}")]
    NoArbitrators {
        /// The scenario's name.
        scenario: String,
        /// Why, and what to change.
        reason: &'static str,
    },
    /// No cell of a sweep has values that are allowed.
    #[error("no cell of {cells} can be computed{}", Because(fault.as_deref()))]
    NoGoodCell {
        /// How many cells.
        cells: u64,
        /// What is wrong with one.
        fault: Option<Box<InputError>>,
    },
    /// A sweep is not what it was when it was begun.
    #[error(
        "{} was begun with something else; --fresh starts over\n{}", folder.display(), changes.join("\n")
    )]
    SweepChanged {
        /// Its folder.
        folder: PathBuf,
        /// What is different, in words.
        changes: Vec<String>,
    },
    /// Another process runs the sweep.
    #[error("another process is writing to {}", path.display())]
    SweepBusy {
        /// The journal.
        path: PathBuf,
    },
    /// A folder holds no journal of a sweep.
    #[error("{} holds no sweep", path.display())]
    NotASweep {
        /// The folder.
        path: PathBuf,
    },
    /// Shards that are not of the same sweep.
    #[error("{} is a shard of something else\n{}", folder.display(), changes.join("\n"))]
    SweepsDiffer {
        /// The shard that differs from the first.
        folder: PathBuf,
        /// What is different, in words.
        changes: Vec<String>,
    },
    /// Shards that are not all there, or not finished.
    #[error(
        "{missing} of {cells} cells are missing, the first is cell {first}: shards given are {}; each is to be run to its end",
        Listed(shards)
    )]
    ShardsMissing {
        /// Cells that no shard has.
        missing: u64,
        /// Of so many.
        cells: u64,
        /// The first of them.
        first: u64,
        /// The shards given.
        shards: Vec<Shard>,
    },
    /// A table cannot be drawn as asked.
    #[error("{}", .0)]
    Chart(#[from] ChartError),
    /// A file that holds no table.
    #[error("{}: no table: {reason}", path.display())]
    NoTable {
        /// The file.
        path: PathBuf,
        /// What its reader says.
        reason: String,
    },
    /// A figure that is not known.
    #[error("there is no figure {name:?}{}: one of {}", Suggestion(*nearest), known.join(", "))]
    UnknownFigure {
        /// The name given.
        name: String,
        /// What may have been meant.
        nearest: Option<&'static str>,
        /// The figures there are.
        known: &'static [&'static str],
    },
}

impl InputError {
    pub(crate) fn servers(scenario: &crate::Scenario, source: alba_cluster::ClusterError) -> Self {
        Self::Servers { scenario: scenario.name().to_owned(), source: Box::new(source) }
    }

    pub(crate) fn faults(faults: Vec<Fault>) -> Self {
        Self::Faults { faults }
    }
}

impl From<Fault> for InputError {
    fn from(fault: Fault) -> Self {
        Self::faults(vec![fault])
    }
}

impl Error {
    /// Whether what was asked for is wrong, rather than the answer out of reach.
    pub fn is_input(&self) -> bool {
        matches!(self, Self::Input(_) | Self::Fluid { source: alba_fluid::FluidError::CentralQueue, .. })
    }

    /// Whether the reader of standard output has gone, as in `alba fluid scenario.toml | head`.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == std::io::ErrorKind::BrokenPipe)
    }
}

/// Faults shown before the rest is only counted.
const MOST_SHOWN: usize = 20;

struct Lines<'f>(&'f [Fault]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().take(MOST_SHOWN).enumerate() {
            let separator = if index > 0 { "\n" } else { "" };
            write!(f, "{separator}{fault}")?;
        }
        match self.0.len().saturating_sub(MOST_SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n... and {more} more"),
        }
    }
}

struct Because<'f>(Option<&'f InputError>);

impl fmt::Display for Because<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |fault| write!(f, "\n{fault}"))
    }
}

struct Listed<'s>(&'s [Shard]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        let shards: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&shards.join(", "))
    }
}

struct Suggestion(Option<&'static str>);

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |name| write!(f, " (did you mean {name}?)"))
    }
}
