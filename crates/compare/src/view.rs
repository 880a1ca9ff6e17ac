//! What a table shows.

use crate::answer::measures;
use alba_cluster::{Estimate, Interval};
use alba_model::Measure;
use alba_scenario::Scenario;
use alba_table::Column;

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

    /// What numbers of a measure count.
    pub(super) fn unit_of(self, measure: Measure) -> &'static str {
        match self.unit {
            Unit::Servers if measure.unit() == alba_model::Unit::Share && measure.scales_with_servers() => {
                "servers"
            }
            Unit::Servers | Unit::Fractions => unit_of(measure),
        }
    }

    /// What a value of `measure` is multiplied by.
    pub(super) fn factor(self, measure: Measure, servers: f64) -> f64 {
        match self.unit {
            Unit::Servers if measure.scales_with_servers() => servers,
            Unit::Servers | Unit::Fractions => 1.0,
        }
    }
}

/// An estimate and half its 95 % interval.
pub fn with_half_width<'c, R>(
    name: impl Into<String>,
    unit: &'static str,
    meaning: &str,
    get: impl Fn(&R) -> Estimate + Copy + 'c,
) -> [Column<'c, R>; 2] {
    let name = name.into();
    let half = format!("{name}_half_width");
    [
        Column::new(name, unit, meaning, move |row| get(row).value),
        Column::new(half, unit, HALF, move |row| get(row).half_width),
    ]
}

/// Where one run of the same length lies with a probability of 95 %: names with `_run_low`, then all with `_run_high`, and `suffix`.
pub fn one_run<'c, R, G>(
    of: Vec<(String, &'static str, G)>,
    suffix: &'static str,
) -> impl Iterator<Item = Column<'c, R>>
where
    G: Fn(&R) -> Option<Interval> + Copy + 'c,
{
    type End = (&'static str, &'static str, fn(Interval) -> f64);
    let ends: [End; 2] = [
        ("_run_low", "one run lies above with a probability of 97.5 %", |interval| interval.low),
        ("_run_high", "one run lies below with a probability of 97.5 %", |interval| interval.high),
    ];
    ends.into_iter().flat_map(move |(which, meaning, end)| {
        let column = |(name, unit, get): &(String, &'static str, G)| {
            let get = *get;
            Column::new(format!("{name}{which}{suffix}"), unit, meaning, move |row| get(row).map(end))
        };
        of.iter().map(column).collect::<Vec<_>>()
    })
}

/// What numbers of a measure count.
pub fn unit_of(measure: Measure) -> &'static str {
    match measure.unit() {
        alba_model::Unit::Share => "",
        alba_model::Unit::Time => "service times",
        alba_model::Unit::Number if measure == Measure::ServersOn => "servers",
        alba_model::Unit::Number => "jobs",
        alba_model::Unit::Power => "power",
    }
}

/// What a column of half-widths says.
pub(crate) const HALF: &str = "half of its 95 % interval";

/// What response times are multiplied by to be in milliseconds, where the length of a service time is known.
pub(super) fn milliseconds(scenario: &Scenario) -> Option<f64> {
    scenario.mean_service_time_s().map(|seconds| 1000.0 * seconds)
}

/// A time again in milliseconds, where the length of a service time is known.
pub(super) fn in_milliseconds<'c, R>(
    scenario: &Scenario,
    name: impl std::fmt::Display,
    time: impl Fn(&R) -> Option<f64> + 'c,
) -> Option<Column<'c, R>> {
    let column = |factor| {
        let value = move |row: &R| Some(time(row)? * factor);
        Column::new(format!("{name}_ms"), "ms", "the same in milliseconds", value)
    };
    milliseconds(scenario).map(column)
}

/// A column for every measure of `view`, in its unit; `get` takes the place of the measure among them.
pub(super) fn measure_columns<'c, R>(
    scenario: &Scenario,
    view: View,
    (suffix, meaning): (&'static str, &'static str),
    get: impl Fn(&R, usize) -> Option<f64> + Copy + 'c,
) -> impl Iterator<Item = Column<'c, R>> {
    let servers = scenario.servers() as f64;
    view.measures().into_iter().enumerate().map(move |(index, measure)| {
        let factor = view.factor(measure, servers);
        let value = move |row: &R| get(row, index).map(|value| value * factor);
        Column::new(format!("{}{suffix}", measure.name()), view.unit_of(measure), meaning, value)
    })
}

/// Estimates of every measure of `view`, then their half-widths.
pub(super) fn estimate_columns<'c, R>(
    scenario: &Scenario,
    view: View,
    get: impl Fn(&R, usize) -> Option<Estimate> + Copy + 'c,
) -> impl Iterator<Item = Column<'c, R>> {
    let value = move |row: &R, index| get(row, index)?.value;
    let half_width = move |row: &R, index| get(row, index)?.half_width;
    let values = measure_columns(scenario, view, ("", "mean"), value);
    values.chain(measure_columns(scenario, view, ("_half_width", HALF), half_width))
}

/// The response time and its half-width in milliseconds, of estimates of [`Measure::ALL`] and more.
pub(super) fn response_time_columns<'c, R>(
    scenario: &Scenario,
    prefix: &str,
    get: impl Fn(&R, usize) -> Option<Estimate> + Copy + 'c,
) -> impl Iterator<Item = Column<'c, R>> {
    let place = place_of(Measure::MeanResponseTime);
    let estimate = move |row: &R| get(row, place?);
    let name = format!("{prefix}mean_response_time");
    let half_width = move |row: &R| estimate(row)?.half_width;
    let half_width = in_milliseconds(scenario, format!("{name}_half_width"), half_width);
    in_milliseconds(scenario, name, move |row: &R| estimate(row)?.value).into_iter().chain(half_width)
}

/// The place of a measure among all.
pub(super) fn place_of(measure: Measure) -> Option<usize> {
    Measure::ALL.iter().position(|other| *other == measure)
}
