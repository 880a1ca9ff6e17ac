//! What can go wrong.

use crate::plot::PlotError;
use crate::scenario::Fault;
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

struct Suggestion(Option<&'static str>);

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |name| write!(f, " (did you mean {name}?)"))
    }
}
