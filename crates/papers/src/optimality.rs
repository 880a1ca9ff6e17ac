//! Does a scheme reach the point where nobody waits and no idle server burns energy, and how near do N servers come?

mod chart;
mod crowd;
mod rivals;

use crate::Error;
use alba_compare::Progress;
use alba_compare::{InputError, ResultsFolder};
use alba_model::Occupancy;
use alba_scenario::Scenario;
use crowd::{Crowd, SIZES, Size};
use std::path::{Path, PathBuf};

/// Distances of fluid trajectories to `x*`, where they end, and means of finite numbers of servers with the rate at which
/// they approach the optimum: tables, figure and manifest in a folder of the scenario's name in `results`.
///
/// # Errors
/// [`InputError::NotConstant`] if the arrival rate changes; [`alba_compare::Error::Fluid`], [`alba_compare::Error::Chain`], [`alba_compare::Error::NotOurs`],
/// [`Error::Write`].
pub(super) fn optimality(
    scenario: &Scenario,
    results: &Path,
    progress: &dyn Progress,
) -> Result<PathBuf, Error> {
    with_sizes(scenario, &SIZES, results, progress)
}

fn with_sizes(
    scenario: &Scenario,
    sizes: &[Size],
    results: &Path,
    progress: &dyn Progress,
) -> Result<PathBuf, Error> {
    let lambda = scenario
        .model()
        .arrivals()
        .constant_rate()
        .ok_or_else(|| InputError::NotConstant { scenario: scenario.name().to_owned() })?;
    let folder = ResultsFolder::create(results, scenario.name())?;
    let trajectories = rivals::trajectories(scenario, lambda, progress)?;
    let crowd = Crowd::new(scenario, lambda, sizes, progress)?;
    folder.add_table("trajectories.csv", &rivals::over_time(&trajectories))?;
    folder.add_table("ends.csv", &rivals::end_columns(scenario, lambda).table(&trajectories))?;
    folder.add_table("finite.csv", &crowd.table())?;
    folder.add_table("rates.csv", &crowd::rate_columns().table(&crowd.approaches))?;
    folder.add_figure(scenario.name(), &chart::figure(scenario, lambda, &trajectories, &crowd))?;
    Ok(folder.finish("figures", scenario)?)
}

/// The share of servers that is not where `x*` has it: total variation.
fn out_of_place(state: &Occupancy, lambda: f64) -> f64 {
    let missing = |optimal: f64, share: f64| (optimal - share).max(0.0);
    missing(1.0 - lambda, state.cold()) + missing(lambda, state.warm_with(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alba_compare::Silent;

    #[test]
    fn servers_out_of_place_by_hand() {
        let state = Occupancy::new(0.1, vec![0.1, 0.4, 0.2]).unwrap();
        assert!((out_of_place(&state, 0.7) - (0.1 + 0.3)).abs() < 1e-15);
        let optimum = Occupancy::new(0.0, vec![0.0, 0.7]).unwrap();
        assert!(out_of_place(&optimum, 0.7) < 1e-15);
    }

    #[test]
    fn everything_in_the_figure_is_in_the_tables() {
        let text = include_str!("../../../scenarios/optimality.toml");
        let overrides: Vec<_> = ["run.horizon=300", "run.samples=30"]
            .iter()
            .map(|set| alba_scenario::Override::parse(set).unwrap())
            .collect();
        let scenario = Scenario::parse("optimality.toml", text, &overrides).unwrap();
        let sizes =
            [20, 40, 80].map(|servers| Size { servers, warm_up: 10.0, measured: 100.0, replications: 4 });
        let results = tempfile::tempdir().unwrap();
        let folder = with_sizes(&scenario, &sizes, results.path(), &Silent).unwrap();
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(read("finite.csv").lines().count(), 4);
        assert_eq!(read("rates.csv").lines().count(), 3);
        let curves = rivals::curves(&scenario).unwrap().len();
        assert_eq!(read("ends.csv").lines().count(), 1 + curves);
        assert_eq!(read("trajectories.csv").lines().count(), 1 + 31 * curves);
        assert!(read("figures/optimality.svg").starts_with("<svg"));
        assert!(read("manifest.toml").contains("study = \"figures\""));
    }
}
