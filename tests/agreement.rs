//! The chain of many servers against the fluid model, on every hard case.

use crate::fluid::{Case, hard_cases};
use alba_ctmc::{Experiment, Outcome, Problem, simulate};
use alba_model::{Counts, Grid, Measure, PowerDraw};

/// Functions of the numbers of servers. What arrivals meet is a step function of the state: see the last test.
const STATE: [Measure; 7] = [
    Measure::Cold,
    Measure::Initializing,
    Measure::Idle,
    Measure::Busy,
    Measure::JobsPerServer,
    Measure::JobsPerWarm,
    Measure::Energy,
];
const SAMPLES: usize = 8;
const SEED: u64 = 20;

fn simulated(case: &Case, horizon: f64, servers: u64, replications: u64, measures: &[Measure]) -> Outcome {
    let start = Counts::apportion(&case.start(), servers);
    let grid = Grid::new(horizon, SAMPLES).unwrap();
    let problem = Problem::new(case.model(), start, grid, 0.0, None).unwrap();
    let experiment = Experiment::new(replications, SEED, measures.to_vec(), PowerDraw::default()).unwrap();
    simulate(&problem, &experiment, &|_| ()).unwrap()
}

/// Difference from the fluid model and standard error of every measure at every time.
fn gaps(case: &Case, horizon: f64, servers: u64, replications: u64) -> Vec<Option<(f64, f64)>> {
    let fluid = case.run(horizon, SAMPLES);
    let outcome = simulated(case, horizon, servers, replications, &STATE);
    let student = 2.093; // 19 degrees of freedom
    let mut gaps = Vec::new();
    for (point, snapshot) in outcome.points.iter().zip(&fluid.snapshots) {
        for (estimate, measure) in point.estimates.iter().zip(STATE) {
            let value = measure.value(&snapshot.with(&PowerDraw::default()));
            gaps.push(
                estimate.value.zip(estimate.half_width).zip(value).map(|((simulated, half_width), value)| {
                    ((simulated - value).abs(), half_width / student)
                }),
            );
        }
    }
    gaps
}

/// At N = 10^5 every measure is within 4 standard errors (20 replications, seed 20) of the fluid model, plus a gap of
/// finite N that falls at least like `N^-1/2` from the one seen at N = 2500.
fn assert_agreement(name: &str, case: &Case, horizon: f64) {
    let (few, many) = (gaps(case, horizon, 2500, 20), gaps(case, horizon, 100_000, 20));
    let mut largest = 0.0f64;
    for (index, (few, many)) in few.iter().zip(&many).enumerate() {
        let (Some((coarse, coarse_error)), Some((gap, error))) = (few, many) else { continue };
        let allowed = 4.0 * error + (coarse + 4.0 * coarse_error) / 40f64.sqrt() + 1e-9;
        largest = largest.max(gap / allowed);
        let measure = STATE[index % STATE.len()].name();
        let point = index / STATE.len();
        assert!(*gap <= allowed, "{name}: {measure} at point {point} is {gap} off, {allowed} allowed");
    }
    println!("{name}: at most {largest:.2} of what is allowed");
}

#[test]
fn figure_1_with_many_servers() {
    let cases = hard_cases();
    let (name, case, _) = &cases[0];
    assert_agreement(name, case, 10.0);
}

#[test]
#[ignore = "slow statistical check: half a minute"]
fn hard_cases_with_many_servers() {
    for (name, case, horizon) in hard_cases() {
        assert_agreement(name, &case, horizon);
    }
}

/// Sliding without idle servers, an arrival finds one with probability need / lambda: at N = 10^4 there is one or there
/// is none, and the expectation over 1000 replications (seed 20) is the fluid model's mixture, within 4 standard errors
/// and a gap of `N^-1/2`.
#[test]
#[ignore = "slow statistical check: some seconds"]
fn arrivals_while_no_server_is_idle() {
    let (name, case, _) = &hard_cases()[1];
    let outcome = simulated(case, 12.0, 10_000, 1000, &[Measure::MeanResponseTime]);
    let fluid = case.run(12.0, SAMPLES);
    for (point, snapshot) in outcome.points.iter().zip(&fluid.snapshots).skip(4) {
        let expected = Measure::MeanResponseTime.value(&snapshot.with(&PowerDraw::default())).unwrap();
        let (value, half_width) = point.estimates[0].value.zip(point.estimates[0].half_width).unwrap();
        let error = half_width / 1.962;
        println!("{name}, t = {}: {value:.4} +- {error:.4}, fluid {expected:.4}", point.time);
        assert!((value - expected).abs() < 4.0 * error + 0.01);
    }
}
