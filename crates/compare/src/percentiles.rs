//! Percentiles of the response time under first come, first served, and the probability of waiting.

use super::view::{HALF, in_milliseconds};
use crate::Warning;
use alba_ctmc::Summary;
use alba_model::{ErlangMixture, Percentile};
use alba_scenario::Scenario;
use alba_table::Column;

/// Percentiles in service times, then the probability of waiting; empty where no job is accepted.
pub(super) fn columns<'c, R>(
    prefix: &str,
    response: impl Fn(&R) -> Option<&ErlangMixture> + Copy + 'c,
) -> impl Iterator<Item = Column<'c, R>> {
    let percentile = |percentile: Percentile| {
        let value = move |row: &R| quantile(response(row), percentile);
        Column::new(format!("{prefix}{}", percentile.name()), "service times", "of the response time", value)
    };
    let waiting = move |row: &R| response(row).map(ErlangMixture::waiting_probability);
    let meaning = "that a job finds another one at its server";
    let waiting = Column::new(format!("{prefix}waiting_probability"), "", meaning, waiting);
    Percentile::ALL.map(percentile).into_iter().chain([waiting])
}

fn quantile(response: Option<&ErlangMixture>, percentile: Percentile) -> Option<f64> {
    response.map(|response| response.quantile(percentile.probability()))
}

/// The percentiles in milliseconds, where the length of a service time is known.
pub(super) fn columns_in_milliseconds<'c, R>(
    scenario: &Scenario,
    response: impl Fn(&R) -> Option<&ErlangMixture> + Copy + 'c,
) -> impl Iterator<Item = Column<'c, R>> {
    Percentile::ALL.into_iter().filter_map(move |percentile| {
        in_milliseconds(scenario, percentile.name(), move |row: &R| quantile(response(row), percentile))
    })
}

/// Half-widths of what [`columns`] and [`columns_in_milliseconds`] have.
pub(super) fn half_width_columns<'c, R>(
    scenario: &Scenario,
    summary: impl Fn(&R) -> &Summary + Copy + 'c,
) -> impl Iterator<Item = Column<'c, R>> {
    let name = |name: &str| format!("{name}_half_width");
    let of = move |row: &R, percentile: Percentile| {
        summary(row).response_quantile(percentile.probability())?.estimate.half_width
    };
    let percentile = move |percentile: Percentile| {
        Column::new(name(percentile.name()), "service times", HALF, move |row| of(row, percentile))
    };
    let in_milliseconds = move |percentile: Percentile| {
        in_milliseconds(scenario, name(percentile.name()), move |row: &R| of(row, percentile))
    };
    let waiting =
        move |row: &R| summary(row).response_time().and(summary(row).waiting_probability.half_width);
    let waiting = Column::new(name("waiting_probability"), "", HALF, waiting);
    let percentiles = Percentile::ALL.into_iter().map(percentile);
    percentiles.chain([waiting]).chain(Percentile::ALL.into_iter().filter_map(in_milliseconds))
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
