//! Against published simulations.

use std::path::Path;

use alba_cluster::{Arbitrator, Discipline, Group, Law};
use alba_model::{Counts, Dispatch, Grid, Measure};
use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::{always_warm, simulated, standard_error};

const DATA: &str = "../shared/data/jsqd/jsqd_steady_state.csv";
const REPLICATIONS: u64 = 32;

/// Power-of-2, all servers always warm: mean jobs per server of every row within 4 combined standard errors, and the
/// chi-square over all rows between its 0.1 % and 99.9 % quantiles; shares of servers with at least so many jobs within 4 of
/// our own standard errors and the last printed digit. 32 replications, about 6e7 events a row, seeds from 5.
///
/// Source: Gast and Van Houdt 2018 (github.com/ngast/rmf_tool, MIT).
#[test]
#[ignore = "slow statistical check: 2e9 events, about two minutes"]
fn power_of_two_with_numbered_servers() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(DATA);
    let Ok(text) = std::fs::read_to_string(&path) else {
        // As a failure would be, but visible: data files stay out of the repository.
        use std::io::Write;
        writeln!(std::io::stderr(), "skipped: {} is not there", path.display()).unwrap();
        return;
    };
    let (mut chi_square, mut rows) = (0.0, 0.0);
    // Every row has a seed of its own: the same arrivals in all rows would make their errors one error.
    for (line, seed) in text.lines().skip(1).zip(5..) {
        let columns: Vec<f64> = line.split(',').map(|field| field.parse().unwrap()).collect();
        let [rho, d, servers, _, expected, published] = columns[..6] else { panic!("{line}") };
        let mut parts = always_warm(
            Group::new(servers as u32).unwrap(),
            Discipline::FirstComeFirstServed,
            rho * servers,
            Law::exponential(1.0).unwrap(),
        );
        parts.initial = Counts { cold: 0, initializing: 0, warm: vec![0, servers as u64], waiting: 0 };
        parts.warm_up = 5000.0;
        parts.grid = Grid::new(parts.warm_up + 1e6 / servers, 1).unwrap();
        let policy = Arbitrator::from(Dispatch::power_of_d(d as u32).unwrap());
        let outcome = simulated(&parts, vec![policy], REPLICATIONS, seed).policies.remove(0);
        let estimate = outcome.metric(Measure::JobsPerServer);
        let (mean, error) = (estimate.value.unwrap(), standard_error(&estimate, REPLICATIONS));
        let z = (mean - expected) / error.hypot(published);
        println!("rho {rho}, N {servers}: {mean:.6} +- {error:.6}, z = {z:.2}");
        assert!(
            z.abs() < 4.0,
            "rho {rho}, N {servers}: {mean} +- {error}, not {expected} +- {published}, z = {z}"
        );
        chi_square += z * z;
        rows += 1.0;
        let shares: Vec<f64> = outcome.levels.iter().map(|level| level.value.unwrap()).collect();
        let response = outcome.metric(Measure::MeanResponseTime);
        let little = mean / rho - response.value.unwrap();
        assert!(little.abs() < 4.0 * standard_error(&response, REPLICATIONS), "Little's law: {little}");
        for (jobs, &expected) in columns[8..].iter().enumerate().take(4) {
            let share: f64 = shares[jobs + 1..].iter().sum();
            // Published without errors: those of the means, as a share.
            let allowed = 6.0 * published / columns[4] + 2e-6;
            assert!(
                (share - expected).abs() < allowed.max(4.0 * error),
                "rho {rho}, N {servers}: {jobs} {share}"
            );
        }
    }
    let probability = ChiSquared::new(rows).unwrap().cdf(chi_square);
    println!("chi-square {chi_square:.1} over {rows} rows: {probability:.3}");
    assert!((0.001..0.999).contains(&probability), "chi-square {chi_square} over {rows} rows: {probability}");
}
