//! Where the readings of ALBA meet: scenario files, studies, tables, figures and results folders.
//!
//! A *scenario* is a system, a start and a run, read from a TOML file ([`Scenario`]). A *study* asks something of it:
//! [`fluid`] integrates the fluid model, [`simulate`] runs the N-server chain, [`compare`] does both and keeps what
//! it found in a results folder. Answers are tables ([`Table`]), written as CSV or JSON and drawn from
//! ([`plot`]). Only this crate reads and writes files; it prints nothing.
//!
//! ```
//! use alba_compare::{Override, Scenario};
//!
//! let text = include_str!("../../../scenarios/figure1.toml");
//! let scenario = Scenario::parse("figure1.toml", text, &[Override::parse("system.servers=100")?])?;
//! assert_eq!(scenario.name(), "figure1");
//! assert_eq!(scenario.servers(), 100);
//! # Ok::<(), alba_compare::InputError>(())
//! ```

mod chart;
mod error;
mod output;
pub mod plot;
mod results;
mod scenario;
mod starter;
mod study;
pub mod sweep;
mod table;
mod threads;
mod trace;
mod warning;

pub use alba_model::Measure;
pub use chart::{Chart, ChartError, Kind, chart};
pub use error::{Error, InputError};
pub use output::Output;
pub use results::ResultsFolder;
pub use scenario::{
    Cluster, Fault, Override, Place, Problem, Run, Scenario, Tolerances, TraceSource, duration_s, unit_s,
};
pub use starter::{ServiceTimes, Starter, StarterTrace, starter};
pub use study::{
    Answer, ArbitratorsAnswer, Closeness, ClusterAnswer, Comparison, EngineAgreement, Enough, FIGURES,
    Progress, Silent, Unit, View, cluster, compare, compare_arbitrators, exact, exact_stationary, figures,
    fluid, fluid_judged, fluid_switches, partition, simulate, simulate_paths, simulate_steady_state,
    simulate_summary,
};
pub use study::{
    Band, Continuation, Continued, CounterexampleReport, FamilyReport, FiniteReport, FixedPointReport,
    OptimalityReport, PointReport, RefinedReport, continue_fixed_points, fixed_points,
};
pub use study::{Converged, Convergence, converge};
pub use study::{Deviation, Judged, Judgement, Runs};
pub use table::{Cell, Format, Row, Table, TableWriter};
pub use threads::use_threads;
pub use trace::{
    Duplicates, Gaps, Stamps, Trace, TraceFacts, TraceFormat, TraceKeys, TraceProblem, TraceRemark, Values,
};
pub use warning::{Share, Warning};

/// The most servers of a chain.
pub const MOST_SERVERS: u64 = alba_ctmc::Problem::MOST_SERVERS;
