//! Ten measured loads of AWS Lambda beside the simulation of instances that are scaled per request.

mod chart;
mod measured;

use crate::Error;
use alba_cluster::{Estimate, Outcome};
use alba_compare::outcome;
use alba_compare::{InputError, ResultsFolder};
use alba_compare::{Progress, Silent};
use alba_model::Measure;
use alba_scenario::{Override, Scenario};
use alba_table::{Cell, Row, Table};
use measured::{Measured, measured};
use std::path::{Path, PathBuf};

/// What is near enough: of the number of instances, and of the share of cold starts.
const INSTANCES: f64 = 0.08;
const COLD_STARTS: f64 = 0.25;
/// A measurement is off by more standard errors in one of twenty cases.
const ERRORS: f64 = 1.96;
/// The measurements took so long, the first quarter was discarded; so many runs of that length show how far chance goes.
const RUN: &str = "28 h";
const DISCARDED: &str = "7 h";
const RUNS: u64 = 400;

/// Simulates the scenario at every measured load under its policies, of which the first is compared: table, figure and
/// manifest in a folder of its name in `results`.
///
/// # Errors
/// [`InputError::Faults`] for a scenario without what is set at every load; those of [`super::cluster`].
pub(super) fn aws_lambda(
    text: &str,
    overrides: &[Override],
    results: &Path,
    progress: &dyn Progress,
) -> Result<PathBuf, Error> {
    let scenario = Scenario::parse(FILE, text, overrides)?;
    let folder = ResultsFolder::create(results, scenario.name())?;
    let mut table = Table::new(COLUMNS);
    let loads = measured();
    progress.begin(scenario.name(), loads.len() as u64);
    for load in &loads {
        let set = |more: &[String]| -> Result<Scenario, Error> {
            let sets = load.overrides().into_iter().chain(more.iter().cloned());
            let sets = sets.map(|set| Override::parse(&set).map_err(InputError::from));
            // The load's own keys come last: they win.
            let sets = overrides.iter().cloned().map(Ok).chain(sets).collect::<Result<Vec<_>, _>>()?;
            Ok(Scenario::parse(FILE, text, &sets)?)
        };
        let long = outcome(&set(&[])?, &Silent)?;
        let short = [("horizon", RUN), ("warm_up", DISCARDED)].map(|(key, time)| format!("run.{key}={time}"));
        let runs = [format!("run.replications={RUNS}"), "run.samples=1".to_owned()];
        let short = outcome(&set(&[short.as_slice(), &runs].concat())?, &Silent)?;
        table.push(row(load, &long, &short));
        progress.advance(1);
    }
    progress.end();
    folder.add_table("table.csv", &table)?;
    folder.add_figure(scenario.name(), &chart::figure(&scenario, &table))?;
    Ok(folder.finish("figures", &scenario)?)
}

/// What errors call the compiled-in scenario.
const FILE: &str = "scenarios/aws-lambda.toml";

const COLUMNS: [&str; 18] = [
    "experiment",
    "requests_per_s",
    "measured_instances",
    "simulated_instances",
    "simulated_instances_half_width",
    "instances_difference",
    "other_policy_instances",
    "measured_cold_start_fraction",
    "measured_cold_start_fraction_error",
    "simulated_cold_start_fraction",
    "simulated_cold_start_fraction_half_width",
    "cold_start_fraction_difference",
    "other_policy_cold_start_fraction",
    "difference_in_measured_errors",
    "run_deviation",
    "difference_in_run_deviations",
    "agrees",
    "remark",
];

fn row(load: &Measured, long: &Outcome, short: &Outcome) -> Row {
    let first = |metric| long.policies[0].metric(metric);
    let other = |metric| long.policies.get(1).and_then(|policy| policy.metric(metric).value);
    let (instances, cold) = (first(Measure::ServersOn), first(Measure::ColdStartFraction));
    let relative = |estimate: Estimate, measured: f64| estimate.value.map(|value| value / measured - 1.0);
    let (instances_off, cold_off) =
        (relative(instances, load.instances), relative(cold, load.cold_start_fraction));
    let off = cold.value.map(|value| value - load.cold_start_fraction);
    let in_errors = off.map(|off| off / load.cold_start_fraction_error);
    let deviation =
        deviation(short.policies[0].metric(Measure::ColdStartFraction), short.policies[0].replications);
    let in_deviations = off.zip(deviation).map(|(off, deviation)| off / deviation);
    let verdict = verdict(instances_off, cold_off, in_errors, in_deviations);
    vec![
        load.experiment.into(),
        load.requests_per_s.into(),
        load.instances.into(),
        instances.value.into(),
        instances.half_width.into(),
        instances_off.into(),
        other(Measure::ServersOn).into(),
        load.cold_start_fraction.into(),
        load.cold_start_fraction_error.into(),
        cold.value.into(),
        cold.half_width.into(),
        cold_off.into(),
        other(Measure::ColdStartFraction).into(),
        in_errors.into(),
        deviation.into(),
        in_deviations.into(),
        Cell::Truth(verdict.0),
        verdict.1.into(),
    ]
}

/// Of one run, from the interval of the mean of many.
fn deviation(mean: Estimate, runs: u64) -> Option<f64> {
    // Student's quantile for so many runs is the normal one to three digits.
    mean.half_width.map(|half_width| half_width / ERRORS * (runs as f64).sqrt())
}

/// Whether the row agrees, and what is to be said of it.
fn verdict(
    instances: Option<f64>,
    cold: Option<f64>,
    in_errors: Option<f64>,
    in_deviations: Option<f64>,
) -> (bool, String) {
    let within = |value: Option<f64>, limit: f64| value.is_some_and(|value| value.abs() <= limit);
    let percent = |value: Option<f64>| 100.0 * value.unwrap_or(f64::NAN);
    if !within(instances, INSTANCES) {
        return (false, format!("instances are {:+.1} % off, 8 % are allowed", percent(instances)));
    }
    if within(cold, COLD_STARTS) {
        return (true, String::new());
    }
    let errors = in_errors.unwrap_or(f64::NAN);
    if within(in_errors, ERRORS) {
        let remark =
            format!("cold starts {:+.0} %: {errors:+.2} of the measurement's standard errors", percent(cold));
        return (true, remark);
    }
    let remark = format!(
        "cold starts {:+.0} %, {errors:+.2} of the measurement's standard errors: one run of 21 h has few cold starts, and \
         simulated runs of that length scatter so much that this is {:+.2} of their standard deviations; of ten rows one is \
         beyond 1.96 with probability 0.40",
        percent(cold),
        in_deviations.unwrap_or(f64::NAN),
    );
    (false, remark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts() {
        let of = |instances, cold, errors| verdict(Some(instances), Some(cold), Some(errors), Some(1.0));
        assert_eq!(of(0.08, -0.25, 9.0), (true, String::new()));
        assert!(!of(-0.081, 0.0, 0.0).0);
        assert!(of(0.0, 0.3, 1.9).0 && of(0.0, 0.3, 1.9).1.contains("+1.90"));
        assert!(!of(0.0, 0.3, 2.0).0 && of(0.0, 0.3, 2.0).1.contains("+30 %, +2.00"));
        assert!(!verdict(None, None, None, None).0);
    }

    /// Short runs: every load has its row, and nobody is turned away.
    #[test]
    fn every_load_is_simulated() {
        let results = tempfile::tempdir().unwrap();
        let sets = ["run.horizon=80 h", "run.warm_up=20 h", "run.replications=2"];
        let overrides: Vec<_> = sets.iter().map(|set| Override::parse(set).unwrap()).collect();
        let text = include_str!("../../../scenarios/aws-lambda.toml");
        let folder = aws_lambda(text, &overrides, results.path(), &Silent).unwrap();
        let table = std::fs::read_to_string(folder.join("table.csv")).unwrap();
        assert_eq!(table.lines().count(), 11);
        assert!(folder.join("figures/aws-lambda.png").exists());
    }
}
