//! What a table shows.

use crate::answer::measures;
use alba_cluster::Interval;
use alba_model::Measure;
use alba_scenario::Scenario;
use alba_table::Cell;

/// What a table shows beside the measures of every table, and in which unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct View {
    /// Also the levels 0 to this one.
    pub levels: Option<usize>,
    /// What servers are counted in.
    pub unit: Unit,
}

/// What servers are counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    /// Fractions of all servers.
    #[default]
    Fractions,
    /// Numbers of servers.
    Servers,
}

impl View {
    pub(super) fn measures(self) -> Vec<Measure> {
        measures(self.levels)
    }

    /// What a value of `measure` is multiplied by.
    pub(super) fn factor(self, measure: Measure, scenario: &Scenario) -> f64 {
        match self.unit {
            Unit::Servers if measure.scales_with_servers() => scenario.servers() as f64,
            Unit::Servers | Unit::Fractions => 1.0,
        }
    }
}

/// Names with the suffixes `_run_low`, then `_run_high`: where one run of the same length lies with a probability of 95 %.
pub fn one_run_columns(names: &[String]) -> impl Iterator<Item = String> {
    let ends = ["_run_low", "_run_high"].into_iter();
    ends.flat_map(|end| names.iter().map(move |name| format!("{name}{end}")))
}

/// The cells of [`one_run_columns`].
pub fn one_run_cells(intervals: &[Option<Interval>], factor: f64) -> Vec<Cell> {
    let end = |of: fn(Interval) -> f64| {
        intervals.iter().map(move |interval| Cell::from(interval.map(|interval| factor * of(interval))))
    };
    end(|interval| interval.low).chain(end(|interval| interval.high)).collect()
}

/// What response times are multiplied by to be in milliseconds, where the length of a service time is known.
pub(super) fn milliseconds(scenario: &Scenario) -> Option<f64> {
    scenario.mean_service_time_s().map(|seconds| 1000.0 * seconds)
}

/// The last columns of a table, `names` where the length of a service time is known.
pub(super) fn in_milliseconds<'n>(
    scenario: &Scenario,
    names: &'n [&'n str],
) -> impl Iterator<Item = String> + 'n {
    let shown = if milliseconds(scenario).is_some() { names } else { &[] };
    shown.iter().map(|name| format!("{name}_ms"))
}
