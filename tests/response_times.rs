//! Response times from the levels that arrivals find, against jobs timed one by one.

use crate::oracle::response_times;
use alba_ctmc::{Experiment, Problem, simulate};
use alba_model::{
    ArrivalProfile, Buffer, Counts, Dispatch, ErlangMixture, Grid, Model, PowerDraw, Rates, ScalingRule,
    Scheme,
};

const WARM_UP: f64 = 100.0;
const HORIZON: f64 = 1100.0;
const PROBABILITIES: [f64; 4] = [0.5, 0.95, 0.99, 0.999];

fn model(dispatch: Dispatch, scaling: ScalingRule) -> Model {
    let rates = Rates::new(0.3, 0.2, 0.05).unwrap();
    let arrivals = ArrivalProfile::constant(0.6).unwrap();
    Model::new(arrivals, rates, Buffer::finite(30).unwrap(), Scheme::asynchronous(dispatch, scaling)).unwrap()
}

fn start() -> Counts {
    Counts { cold: 4, initializing: 0, warm: vec![12, 4], waiting: 0 }
}

/// Mean, percentiles, mean waiting time.
fn timed(model: &Model, seed: u64) -> [f64; 6] {
    let mut times = response_times(model, &start(), WARM_UP, HORIZON, seed);
    times.sort_by(f64::total_cmp);
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let quantile = |probability: f64| times[(probability * times.len() as f64) as usize];
    let [p50, p95, p99, p99_9] = PROBABILITIES.map(quantile);
    [mean, p50, p95, p99, p99_9, mean - 1.0]
}

fn from_levels(model: &Model, seed: u64) -> [f64; 6] {
    let grid = Grid::new(HORIZON, 1).unwrap();
    let problem = Problem::new(model.clone(), start(), grid, WARM_UP, None).unwrap();
    let experiment = Experiment::new(1, seed, vec![], PowerDraw::default()).unwrap();
    let response = simulate(&problem, &experiment, &|_| ()).unwrap().summary.response_time().unwrap();
    quantities(&response)
}

fn quantities(response: &ErlangMixture) -> [f64; 6] {
    let [p50, p95, p99, p99_9] = PROBABILITIES.map(|probability| response.quantile(probability));
    [response.mean(), p50, p95, p99, p99_9, response.mean() - 1.0]
}

/// Mean and variance of the mean over runs.
fn estimate(runs: &[[f64; 6]], index: usize) -> (f64, f64) {
    let count = runs.len() as f64;
    let mean = runs.iter().map(|run| run[index]).sum::<f64>() / count;
    let squares = runs.iter().map(|run| (run[index] - mean).powi(2)).sum::<f64>();
    (mean, squares / (count - 1.0) / count)
}

/// N = 20, runs of 1000 service times: both ways within 4 joint standard errors, and how much longer timed jobs must be
/// simulated for the same error.
fn compare(runs: u64) {
    let rules = [
        (Dispatch::power_of_d(2).unwrap(), ScalingRule::blind(0.4).unwrap()),
        (Dispatch::join_below_threshold(1), ScalingRule::blind(0.4).unwrap()),
        (Dispatch::JOIN_IDLE_QUEUE, ScalingRule::rate_idle(1.0, 1.0).unwrap()),
    ];
    for (dispatch, scaling) in rules {
        let model = model(dispatch, scaling);
        let jobs: Vec<_> = (0..runs).map(|seed| timed(&model, 1000 + seed)).collect();
        let levels: Vec<_> = (0..runs).map(|seed| from_levels(&model, 2000 + seed)).collect();
        for (index, name) in ["mean", "p50", "p95", "p99", "p99.9", "waiting time"].into_iter().enumerate() {
            let (a, b) = (estimate(&jobs, index), estimate(&levels, index));
            let error = (a.1 + b.1).sqrt();
            println!(
                "{dispatch} + {scaling}, {name}: jobs {:.4}, levels {:.4}, joint error {error:.4}, cost ratio {:.2}",
                a.0,
                b.0,
                a.1 / b.1
            );
            // A percentile of n = 12,000 jobs is biased by the order of 1/n.
            assert!((a.0 - b.0).abs() < 4.0 * error + 0.001 * a.0, "{dispatch} + {scaling}: {name}");
        }
    }
}

#[test]
fn percentiles_from_levels_are_those_of_timed_jobs() {
    compare(12);
}

#[test]
#[ignore = "slow statistical check: half a minute"]
fn percentiles_from_levels_are_those_of_timed_jobs_closely() {
    compare(200);
}
