//! Studies: what a person asks of a scenario, answered by one engine or several.

mod agreement;
mod arbitrators;
mod aws_lambda;
mod cluster;
mod compare;
mod continuation;
mod converge;
mod exact;
mod figures;
mod fixed_point;
mod fluid;
mod jobs;
mod judge;
mod optimality;
mod panels;
mod partition;
mod percentiles;
mod phase_partition;
mod planner;
mod power_law;
mod simulate;
mod steady;
mod synchrony;
mod view;

pub use arbitrators::{ArbitratorsAnswer, EngineAgreement, compare_arbitrators};
pub(crate) use cluster::under;
pub use cluster::{ClusterAnswer, cluster};
pub use compare::{Closeness, Comparison, Enough, compare};
pub use continuation::{Continuation, Continued, continue_fixed_points};
pub use converge::{Converged, Convergence, converge};
pub use exact::{exact, exact_stationary};
pub use figures::{FIGURES, figures};
pub(crate) use fixed_point::fixed_point_state;
pub use fixed_point::{
    Band, CounterexampleReport, FamilyReport, FiniteReport, FixedPointReport, OptimalityReport, PointReport,
    RefinedReport, fixed_points,
};
pub use fluid::{fluid, fluid_judged, fluid_switches};
pub use judge::{Deviation, Judged, Judgement, Runs};
pub use partition::partition;
pub(crate) use percentiles::PERCENTILES;
pub(crate) use simulate::chain_problem;
pub use simulate::{simulate, simulate_paths, simulate_summary};
pub use steady::simulate_steady_state;
pub use view::{Unit, View};

use crate::{Cell, Row, Scenario, Table, Warning};
use alba_model::Measure;

/// A table, and what its reader should know.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The numbers.
    pub table: Table,
    /// Each once.
    pub warnings: Vec<Warning>,
}

/// Hears how far a study is.
pub trait Progress: Sync {
    /// A part begins that takes so many steps.
    fn begin(&self, part: &str, steps: u64);
    /// So many more steps are done.
    fn advance(&self, steps: u64);
    /// The part is over.
    fn end(&self);
    /// Something to know before it goes on.
    fn note(&self, _text: &str) {}
}

/// Nobody listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _part: &str, _steps: u64) {}
    fn advance(&self, _steps: u64) {}
    fn end(&self) {}
}

/// The measures of a table: all, and the levels 0 to `levels`.
fn measures(levels: Option<usize>) -> Vec<Measure> {
    let levels = levels.into_iter().flat_map(|highest| (0..=highest).map(Measure::Warm));
    Measure::ALL.into_iter().chain(levels).collect()
}

/// The columns that a time needs: `time_s` where the length of a service time is known.
fn time_columns(scenario: &Scenario) -> Vec<String> {
    let seconds = scenario.mean_service_time_s().map(|_| "time_s");
    ["time"].into_iter().chain(seconds).map(str::to_owned).collect()
}

fn time_cells(scenario: &Scenario, time: f64) -> Row {
    let seconds = scenario.mean_service_time_s().map(|length| Cell::from(time * length));
    [Cell::from(time)].into_iter().chain(seconds).collect()
}
