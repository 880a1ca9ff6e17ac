//! Percentiles of the response time under first come, first served, and the probability of waiting.

use super::view::{in_milliseconds, milliseconds};
use crate::Warning;
use alba_ctmc::Summary;
use alba_model::{ErlangMixture, Percentile};
use alba_scenario::Scenario;
use alba_table::Cell;

/// The columns: percentiles in service times, then the probability of waiting.
pub(super) fn columns(prefix: &'static str) -> impl Iterator<Item = String> {
    let names = Percentile::ALL.map(Percentile::name).into_iter().chain(["waiting_probability"]);
    names.map(move |name| format!("{prefix}{name}"))
}

/// The cells of [`columns`], empty where no job is accepted.
pub(super) fn cells(response: Option<&ErlangMixture>) -> Vec<Cell> {
    let mut cells: Vec<Cell> = quantiles(response).into_iter().map(Cell::from).collect();
    cells.push(response.map(ErlangMixture::waiting_probability).into());
    cells
}

/// Columns for the percentiles in milliseconds, where the length of a service time is known.
pub(super) fn columns_in_milliseconds(scenario: &Scenario) -> Vec<String> {
    in_milliseconds(scenario, &Percentile::ALL.map(Percentile::name)).collect()
}

/// The cells of [`columns_in_milliseconds`].
pub(super) fn cells_in_milliseconds(scenario: &Scenario, response: Option<&ErlangMixture>) -> Vec<Cell> {
    let scaled = |factor: f64| quantiles(response).map(|time| Cell::from(time.map(|time| factor * time)));
    milliseconds(scenario).into_iter().flat_map(scaled).collect()
}

fn quantiles(response: Option<&ErlangMixture>) -> [Option<f64>; 4] {
    Percentile::ALL.map(|percentile| response.map(|response| response.quantile(percentile.probability())))
}

/// Columns for the half-widths of what [`columns`] and [`columns_in_milliseconds`] have.
pub(super) fn half_width_columns(scenario: &Scenario) -> Vec<String> {
    let half_widths = columns("").map(|name| format!("{name}_half_width"));
    let names = Percentile::ALL.map(|percentile| format!("{}_half_width", percentile.name()));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    half_widths.chain(in_milliseconds(scenario, &names)).collect()
}

/// The cells of [`half_width_columns`].
pub(super) fn half_width_cells(scenario: &Scenario, summary: &Summary) -> Vec<Cell> {
    let half_width =
        |percentile: Percentile| summary.response_quantile(percentile.probability())?.estimate.half_width;
    let half_widths = Percentile::ALL.map(half_width);
    let waiting = summary.response_time().and(summary.waiting_probability.half_width);
    let mut cells: Vec<Cell> = half_widths.into_iter().chain([waiting]).map(Cell::from).collect();
    if let Some(factor) = milliseconds(scenario) {
        cells.extend(half_widths.map(|half_width| Cell::from(half_width.map(|time| factor * time))));
    }
    cells
}

/// If several replications leave a percentile without an interval.
pub(super) fn no_interval(scenario: &Scenario, summary: &Summary) -> Option<Warning> {
    let without = |percentile: Percentile| {
        let (name, probability) = (percentile.name().to_owned(), percentile.probability());
        let quantile = summary.response_quantile(probability)?;
        let missing = quantile.estimate.half_width.is_none();
        missing.then_some(Without { name, exceedances: quantile.exceedances, needed: quantile.needed })
    };
    let all = Percentile::ALL.into_iter().filter(|_| summary.replications > 1).filter_map(without);
    without_interval(scenario.name(), all.collect())
}

/// A percentile without an interval.
pub(super) struct Without {
    pub(super) name: String,
    /// Of the independent requests beyond it.
    pub(super) exceedances: f64,
    pub(super) needed: f64,
}

/// What is said of them, if there are any: of each, how few requests are beyond it at the least.
pub(super) fn without_interval(scenario: &str, all: Vec<Without>) -> Option<Warning> {
    let needed = all.iter().map(|one| one.needed).fold(0.0, f64::max);
    let mut percentiles: Vec<(String, f64)> = vec![];
    for Without { name, exceedances, .. } in all {
        match percentiles.iter_mut().find(|(known, _)| *known == name) {
            Some((_, fewest)) => *fewest = fewest.min(exceedances),
            None => percentiles.push((name, exceedances)),
        }
    }
    let scenario = scenario.to_owned();
    (!percentiles.is_empty()).then_some(Warning::NoInterval { scenario, percentiles, needed })
}
