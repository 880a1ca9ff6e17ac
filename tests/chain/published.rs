//! Against published simulations.

use std::path::Path;

use alba_ctmc::{Experiment, Problem, simulate};
use alba_model::{
    ArrivalProfile, Buffer, Counts, Dispatch, Grid, Measure, Model, PowerDraw, Rates, ScalingRule, Scheme,
};
use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::standard_error;

const DATA: &str = "../shared/data/jsqd/jsqd_steady_state.csv";

/// Power-of-2, all servers always warm: mean jobs per server of every row within 4 combined standard errors, and the
/// chi-square over all rows between its 0.1 % and 99.9 % quantiles. 32 replications, about 6e7 events a row, seed 4.
///
/// Source: Gast and Van Houdt 2018 (github.com/ngast/rmf_tool, MIT).
#[test]
#[ignore = "slow statistical check: 2e9 events, about a minute"]
fn power_of_two_with_all_servers_warm() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(DATA);
    let Ok(text) = std::fs::read_to_string(&path) else {
        // As a failure would be, but visible: data files stay out of the repository.
        use std::io::Write;
        writeln!(std::io::stderr(), "skipped: {} is not there", path.display()).unwrap();
        return;
    };
    let (mut chi_square, mut rows) = (0.0, 0.0);
    for line in text.lines().skip(1) {
        let columns: Vec<f64> = line.split(',').map(|field| field.parse().unwrap()).collect();
        let [rho, d, servers, _, expected, error] = columns[..6] else { panic!("{line}") };
        let (mean, own_error) = mean_jobs(rho, d as u32, servers as u64);
        let z = (mean - expected) / own_error.hypot(error);
        assert!(
            z.abs() < 4.0,
            "rho {rho}, N {servers}: {mean} +- {own_error}, not {expected} +- {error}, z = {z}"
        );
        chi_square += z * z;
        rows += 1.0;
    }
    let probability = ChiSquared::new(rows).unwrap().cdf(chi_square);
    assert!((0.001..0.999).contains(&probability), "chi-square {chi_square} over {rows} rows: {probability}");
}

fn mean_jobs(rho: f64, d: u32, servers: u64) -> (f64, f64) {
    let scheme = Scheme::asynchronous(Dispatch::power_of_d(d).unwrap(), ScalingRule::None);
    let rates = Rates::new(0.0, 1.0, 0.0).unwrap();
    let model = Model::new(ArrivalProfile::constant(rho).unwrap(), rates, Buffer::Infinite, scheme).unwrap();
    let start = Counts { cold: 0, initializing: 0, warm: vec![0, servers], waiting: 0 };
    let warm_up = 5000.0;
    let horizon = warm_up + 1e6 / servers as f64;
    let problem = Problem::new(model, start, Grid::new(horizon, 1).unwrap(), warm_up, None).unwrap();
    let experiment = Experiment::new(32, 4, vec![Measure::JobsPerServer], PowerDraw::default()).unwrap();
    let outcome = simulate(&problem, &experiment, &|_| ()).unwrap();
    let average = outcome.summary.time_averages[0];
    (average.value.unwrap(), standard_error(&average, 32))
}
