//! Percentiles of the response time under first come, first served, and the probability of waiting.

use super::view::{in_milliseconds, milliseconds};
use crate::{Cell, Scenario};
use alba_model::ErlangMixture;

/// Columns, and the probabilities whose quantiles they hold.
pub(crate) const PERCENTILES: [(&str, f64); 4] =
    [("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("p99_9", 0.999)];

/// The columns: percentiles in service times, then the probability of waiting.
pub(super) fn columns(prefix: &'static str) -> impl Iterator<Item = String> {
    let names = PERCENTILES.iter().map(|percentile| percentile.0).chain(["waiting_probability"]);
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
    in_milliseconds(scenario, &PERCENTILES.map(|percentile| percentile.0)).collect()
}

/// The cells of [`columns_in_milliseconds`].
pub(super) fn cells_in_milliseconds(scenario: &Scenario, response: Option<&ErlangMixture>) -> Vec<Cell> {
    let scaled = |factor: f64| quantiles(response).map(|time| Cell::from(time.map(|time| factor * time)));
    milliseconds(scenario).into_iter().flat_map(scaled).collect()
}

fn quantiles(response: Option<&ErlangMixture>) -> [Option<f64>; 4] {
    PERCENTILES.map(|(_, probability)| response.map(|response| response.quantile(probability)))
}
