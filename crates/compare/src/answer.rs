//! What studies answer.

use crate::Warning;
use alba_model::Measure;
use alba_scenario::Scenario;
use alba_table::{Cell, Row, Table};

/// A table, and what its reader should know.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The numbers.
    pub table: Table,
    /// Each once.
    pub warnings: Vec<Warning>,
}

/// The measures of a table: all, and the levels 0 to `levels`.
pub(crate) fn measures(levels: Option<usize>) -> Vec<Measure> {
    let levels = levels.into_iter().flat_map(|highest| (0..=highest).map(Measure::Warm));
    Measure::ALL.into_iter().chain(levels).collect()
}

/// The columns that a time needs: `time_s` where the length of a service time is known.
pub(crate) fn time_columns(scenario: &Scenario) -> Vec<String> {
    let seconds = scenario.mean_service_time_s().map(|_| "time_s");
    ["time"].into_iter().chain(seconds).map(str::to_owned).collect()
}

pub(crate) fn time_cells(scenario: &Scenario, time: f64) -> Row {
    let seconds = scenario.mean_service_time_s().map(|length| Cell::from(time * length));
    [Cell::from(time)].into_iter().chain(seconds).collect()
}
