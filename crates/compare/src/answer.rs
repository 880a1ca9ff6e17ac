//! What studies answer.

use crate::Warning;
use alba_model::Measure;
use alba_scenario::Scenario;
use alba_table::{Column, Table};

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

/// When: `time`, and `time_s` where the length of a service time is known.
pub(crate) fn time_columns<'c, R>(
    scenario: &Scenario,
    time: impl Fn(&R) -> f64 + Copy + 'c,
) -> impl Iterator<Item = Column<'c, R>> {
    let seconds = scenario
        .mean_service_time_s()
        .map(|length| Column::new("time_s", "s", "the same in seconds", move |row| time(row) * length));
    [Column::new("time", "service times", "when", time)].into_iter().chain(seconds)
}
