//! What can go wrong.

use crate::limit::{out_of_time, said};
use alba_plot::PlotError;
use alba_scenario::{Fault, ScenarioError};
use alba_table::{ReadError, WriteError};
use alba_trace::TraceError;
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
        source: alba_exact::ExactError,
    },
    /// Servers behind an arbitrator cannot be simulated.
    #[error("the arbitrator's experiment cannot be run")]
    Cluster(#[source] alba_cluster::ClusterError),
    /// A figure cannot be drawn.
    #[error("the figure cannot be drawn")]
    Plot(#[from] PlotError),
    /// Something cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
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
    /// A scenario is wrong.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// A trace is wrong.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A file holds no table.
    #[error(transparent)]
    Table(#[from] ReadError),
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
    /// What would take much longer than it may.
    #[error(
        "{scenario}: this would take about {} on this machine, and limits.time is {}: shorten run.horizon, ask for fewer \
         run.replications, slow the fastest rate, or raise limits.time",
        said(*seconds),
        said(*limit)
    )]
    TooLong {
        /// The scenario's name.
        scenario: String,
        /// What it would take, about.
        seconds: f64,
        /// What it may take, in seconds.
        limit: f64,
    },
    /// What took longer than it may.
    #[error(
        "{scenario}: not done after limits.time = {}: shorten run.horizon, ask for fewer run.replications, slow the fastest \
         rate, or raise limits.time",
        said(*limit)
    )]
    OutOfTime {
        /// The scenario's name.
        scenario: String,
        /// What it may take, in seconds.
        limit: f64,
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
}

impl InputError {
    /// Numbered servers of `scenario` that cannot be.
    pub fn servers(scenario: &alba_scenario::Scenario, source: alba_cluster::ClusterError) -> Self {
        let name = scenario.name().to_owned();
        match source {
            alba_cluster::ClusterError::CentralQueue => Self::CentralQueue { scenario: name },
            alba_cluster::ClusterError::OutOfTime(_) => out_of_time(scenario),
            source => Self::Servers { scenario: name, source: Box::new(source) },
        }
    }
}

impl From<Fault> for InputError {
    fn from(fault: Fault) -> Self {
        Self::Scenario(fault.into())
    }
}

impl From<ScenarioError> for Error {
    fn from(error: ScenarioError) -> Self {
        Self::Input(error.into())
    }
}

impl Error {
    /// Whether what was asked for is wrong, rather than the answer out of reach.
    pub fn is_input(&self) -> bool {
        matches!(self, Self::Input(_) | Self::Fluid { source: alba_fluid::FluidError::CentralQueue, .. })
    }

    /// Whether the reader of standard output has gone, as in `alba fluid scenario.toml | head`.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Write(error) if error.is_closed_pipe())
    }
}
