//! Recorded runs of AWS Lambda, request by request.

use std::path::Path;

use alba_cluster::{Arbitrator, Arrivals, Discipline, Group, Law, ProblemParts, Scaling, Servers, Times};
use alba_model::{Counts, Grid, Measure};

use super::simulated;

const FOLDER: &str = "../shared/data/aws-lambda";
/// Files, and the number of instances that was measured, the first quarter left out.
const RUNS: [(&str, f64); 5] = [
    ("2020-05-28_01-57-40.csv", 0.674_193_548),
    ("2020-06-09_01-04-58.csv", 0.907_569_721),
    ("2020-06-18_23-36-37.csv", 1.129_083_665),
    ("2020-05-26_01-31-35.csv", 1.269_904_459),
    ("2020-05-23_20-42-58.csv", 2.764_098_491),
];
const EXPIRY_S: f64 = 600.0;

/// Request times, mean response time of warm and of cold requests, and cold requests after the first quarter.
fn recorded(text: &str) -> (Vec<f64>, f64, f64, f64) {
    let rows: Vec<Vec<f64>> = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|field| field.parse().unwrap()).collect())
        .collect();
    let times: Vec<f64> = rows.iter().map(|row| row[0]).collect();
    let mean = |cold: bool| {
        let responses: Vec<f64> =
            rows.iter().filter(|row| (row[3] == 1.0) == cold).map(|row| row[1]).collect();
        responses.iter().sum::<f64>() / responses.len() as f64
    };
    let quarter = times[times.len() - 1] / 4.0;
    let cold = rows.iter().filter(|row| row[0] >= quarter && row[3] == 1.0).count();
    let (warm, first) = (mean(false), mean(true));
    (times, warm, first, cold as f64)
}

/// Every recorded request at its time: instances within 8 % of what was measured, cold starts within 25 %.
#[test]
fn recorded_runs_have_the_instances_and_cold_starts_that_were_measured() {
    for (file, instances) in RUNS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER).join(file);
        let Ok(text) = std::fs::read_to_string(&path) else {
            // As a failure would be, but visible: data files stay out of the repository.
            use std::io::Write;
            writeln!(std::io::stderr(), "skipped: {} is not there", path.display()).unwrap();
            continue;
        };
        let (times, warm, first, cold) = recorded(&text);
        let end = times[times.len() - 1];
        let constant = |time| Law::deterministic(time).unwrap();
        let parts = ProblemParts {
            servers: Servers::new(vec![Group::new(50).unwrap().with_capacity(1).unwrap()]).unwrap(),
            discipline: Discipline::FirstComeFirstServed,
            arrivals: Arrivals::times(times).unwrap(),
            times: Times {
                service: constant(warm),
                initialization: constant((first - warm).max(0.0)),
                expiration: Some(constant(EXPIRY_S)),
            },
            scaling: Scaling::PerRequest,
            initial: Counts { cold: 50, ..Counts::default() },
            grid: Grid::new(end, 1).unwrap(),
            warm_up: end / 4.0,
        };
        let outcome = simulated(&parts, vec![Arbitrator::MostRecentlyUsedIdle], 1, 1).policies.remove(0);
        let value = |metric| outcome.metric(metric).value.unwrap();
        let on = value(Measure::ServersOn);
        let requests = outcome.requests_per_server.iter().sum::<f64>();
        let starts = value(Measure::ColdStartFraction) * requests;
        println!(
            "{file}: {on:.3} instances, measured {instances:.3}; {starts:.0} cold starts, measured {cold}"
        );
        assert!((on / instances - 1.0).abs() < 0.08, "{file}: {on} instances, not {instances}");
        assert!((starts / cold - 1.0).abs() < 0.25, "{file}: {starts} cold starts, not {cold}");
    }
}
