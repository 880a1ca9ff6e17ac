//! Where the readings of ALBA meet: the engines on one scenario, and what they say together.
//!
//! [`fluid`] integrates the fluid model, [`simulate`] runs the chain of N servers, [`exact`] solves it, [`cluster`] follows
//! requests to numbered servers, [`fixed_points`] finds where the system rests; [`compare`], [`converge`] and
//! [`continue_fixed_points`] put them side by side and keep what they found in a results folder. Answers are tables
//! ([`Answer`]). It prints nothing.
//!
//! ```
//! use alba_scenario::Scenario;
//!
//! let text = include_str!("../../../scenarios/figure1.toml");
//! let scenario = Scenario::parse("figure1.toml", text, &[])?;
//! let answer = alba_compare::fluid(&scenario, alba_compare::View::default())?;
//! assert_eq!(answer.table.rows().len(), 201);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agreement;
mod answer;
mod both;
mod cluster;
mod compare;
mod continuation;
mod converge;
mod curves;
mod engine;
mod error;
mod exact;
mod fixed_point;
mod fluid;
mod jobs;
mod judge;
mod limit;
mod panels;
mod percentiles;
mod planner;
mod power_law;
mod progress;
mod quantity;
mod results;
mod simulate;
mod starter;
mod steady;
mod threads;
mod view;
mod warning;

pub use answer::Answer;
pub use cluster::{ClusterAnswer, OnePolicy, cluster, no_interval, outcome, sample_one, under};
pub use compare::{Closeness, Comparison, Enough, compare, refuse_same_names};
pub use continuation::{Continuation, Continued, continue_fixed_points};
pub use converge::{Converged, Convergence, converge};
pub use engine::{Custom, ENGINES, Engine, EngineError, Found};
pub use error::{Error, InputError};
pub use exact::{exact, exact_stationary};
pub use fixed_point::{
    Band, CounterexampleReport, FamilyReport, FiniteReport, FixedPointReport, OptimalityReport, PointReport,
    RefinedReport, Values, fixed_points,
};
pub use fluid::{fluid, fluid_judged, fluid_switches};
pub use jobs::Jobs;
pub use judge::{Deviation, Judged, Judgement, Runs};
pub use power_law::PowerLaw;
pub use progress::{Progress, Silent};
pub use quantity::{Quantity, at_rest};
pub use results::{MANIFEST, PROGRAM, ResultsFolder, is_ours, replace_folder};
pub use simulate::{chain_problem, simulate, simulate_paths, simulate_summary};
pub use starter::{ServiceTimes, Starter, StarterTrace, starter};
pub use steady::simulate_steady_state;
pub use threads::use_threads;
pub use view::{Unit, View, one_run, unit_of, with_half_width};
pub use warning::{Share, Warning};

/// The most servers of a chain.
pub const MOST_SERVERS: u64 = alba_ctmc::Problem::MOST_SERVERS;
