//! Ten measured loads of AWS Lambda beside the simulation of instances that are scaled per request.

mod chart;
mod measured;

use crate::Error;
use alba_cluster::{Estimate, Outcome};
use alba_compare::outcome;
use alba_compare::{InputError, ResultsFolder, with_half_width};
use alba_compare::{Progress, Silent};
use alba_model::Measure;
use alba_scenario::{Override, Scenario};
use alba_table::Schema;
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
    let mut rows = vec![];
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
        rows.push(Load::new(*load, &long, &short));
        progress.advance(1);
    }
    progress.end();
    folder.add_table("table.csv", &columns().table(&rows))?;
    folder.add_figure(scenario.name(), &chart::figure(&scenario, &rows))?;
    Ok(folder.finish("figures", &scenario)?)
}

/// What errors call the compiled-in scenario.
const FILE: &str = "scenarios/aws-lambda.toml";

/// What is compared, measured or simulated.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Numbers<V> {
    instances: V,
    cold_starts: V,
}

/// A measured load beside its simulation.
struct Load {
    measured: Measured,
    simulated: Numbers<Estimate>,
    /// Under the second policy.
    other: Numbers<Option<f64>>,
    /// Of the share of cold starts in one run as long as the measurement.
    run_deviation: Option<f64>,
}

impl Load {
    fn new(measured: Measured, long: &Outcome, short: &Outcome) -> Self {
        let first = |metric| long.policies[0].metric(metric);
        let other = |metric| long.policies.get(1).and_then(|policy| policy.metric(metric).value);
        let run = &short.policies[0];
        let (instances, cold_starts) = (Measure::ServersOn, Measure::ColdStartFraction);
        Self {
            measured,
            simulated: Numbers { instances: first(instances), cold_starts: first(cold_starts) },
            other: Numbers { instances: other(instances), cold_starts: other(cold_starts) },
            run_deviation: deviation(run.metric(cold_starts), run.replications),
        }
    }

    /// By how much the simulation is off, relative to the measurement.
    fn differences(&self) -> Numbers<Option<f64>> {
        let relative =
            |simulated: Estimate, measured: f64| simulated.value.map(|value| value / measured - 1.0);
        Numbers {
            instances: relative(self.simulated.instances, self.measured.instances),
            cold_starts: relative(self.simulated.cold_starts, self.measured.cold_start_fraction),
        }
    }

    fn cold_starts_off(&self) -> Option<f64> {
        Some(self.simulated.cold_starts.value? - self.measured.cold_start_fraction)
    }

    fn in_errors(&self) -> Option<f64> {
        Some(self.cold_starts_off()? / self.measured.cold_start_fraction_error)
    }

    fn in_deviations(&self) -> Option<f64> {
        Some(self.cold_starts_off()? / self.run_deviation?)
    }

    /// Whether the row agrees, and what is to be said of it.
    fn verdict(&self) -> (bool, String) {
        verdict(self.differences(), self.in_errors(), self.in_deviations())
    }
}

fn columns() -> Schema<'static, Load> {
    let instances = "mean number of instances";
    let cold = "share of requests that find no idle instance";
    let off = "simulated over measured, less one";
    Schema::new()
        .column("experiment", "", "its number", |row: &Load| row.measured.experiment)
        .column("requests_per_s", "1/s", "load", |row| row.measured.requests_per_s)
        .column("measured_instances", "instances", instances, |row| row.measured.instances)
        .columns(with_half_width("simulated_instances", "instances", instances, |row: &Load| {
            row.simulated.instances
        }))
        .column("instances_difference", "", off, |row| row.differences().instances)
        .column("other_policy_instances", "instances", instances, |row| row.other.instances)
        .column("measured_cold_start_fraction", "", cold, |row| row.measured.cold_start_fraction)
        .column("measured_cold_start_fraction_error", "", "standard error", |row| {
            row.measured.cold_start_fraction_error
        })
        .columns(with_half_width("simulated_cold_start_fraction", "", cold, |row: &Load| {
            row.simulated.cold_starts
        }))
        .column("cold_start_fraction_difference", "", off, |row| row.differences().cold_starts)
        .column("other_policy_cold_start_fraction", "", cold, |row| row.other.cold_starts)
        .column("difference_in_measured_errors", "", "of cold starts, in standard errors", Load::in_errors)
        .column("run_deviation", "", "standard deviation of one run as long", |row| row.run_deviation)
        .column("difference_in_run_deviations", "", "of cold starts, in these", Load::in_deviations)
        .column("agrees", "", "whether it is near enough", |row| row.verdict().0)
        .column("remark", "", "what is to be said of it", |row| row.verdict().1)
}

/// Of one run, from the interval of the mean of many.
fn deviation(mean: Estimate, runs: u64) -> Option<f64> {
    // Student's quantile for so many runs is the normal one to three digits.
    mean.half_width.map(|half_width| half_width / ERRORS * (runs as f64).sqrt())
}

fn verdict(off: Numbers<Option<f64>>, in_errors: Option<f64>, in_deviations: Option<f64>) -> (bool, String) {
    let percent = |value: f64| 100.0 * value;
    let Some(instances) = off.instances else { return (false, "no instances".to_owned()) };
    if instances.abs() > INSTANCES {
        return (false, format!("instances are {:+.1} % off, 8 % are allowed", percent(instances)));
    }
    let Some((cold, errors)) = off.cold_starts.zip(in_errors) else {
        return (false, "no requests".to_owned());
    };
    if cold.abs() <= COLD_STARTS {
        return (true, String::new());
    }
    let remark = format!("cold starts {:+.0} %", percent(cold));
    if errors.abs() <= ERRORS {
        return (true, format!("{remark}: {errors:+.2} of the measurement's standard errors"));
    }
    let run = in_deviations.map_or_else(String::new, |deviations| {
        format!(
            ", and simulated runs of that length scatter so much that this is {deviations:+.2} of their standard deviations"
        )
    });
    let remark = format!(
        "{remark}, {errors:+.2} of the measurement's standard errors: one run of 21 h has few cold starts{run}; of ten rows one is \
         beyond 1.96 with probability 0.40",
    );
    (false, remark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts() {
        let off = |instances, cold_starts| Numbers { instances, cold_starts };
        let of = |instances, cold, errors| verdict(off(Some(instances), Some(cold)), Some(errors), Some(1.0));
        assert_eq!(of(0.08, -0.25, 9.0), (true, String::new()));
        assert!(!of(-0.081, 0.0, 0.0).0);
        assert!(of(0.0, 0.3, 1.9).0 && of(0.0, 0.3, 1.9).1.contains("+1.90"));
        assert!(!of(0.0, 0.3, 2.0).0 && of(0.0, 0.3, 2.0).1.contains("+30 %, +2.00"));
        assert!(!verdict(off(None, None), None, None).0);
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
