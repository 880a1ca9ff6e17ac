//! alba's fluid model: Figure 1 over 400 service times and 400 report times, the smooth curve and the one with switches, and every
//! scenario of scenarios/ that has a fluid limit, as it stands there. The bench `solvers` has other solvers.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench has nobody to report an error to")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use alba_fluid::{Problem, Tolerances, solve};
use alba_model::{ArrivalProfile, Buffer, Dispatch, Grid, Model, Occupancy, Rates, ScalingRule, Scheme};
use alba_scenario::Scenario;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

fn problem(dispatch: Dispatch, tolerance: f64) -> Problem {
    let scheme = Scheme::asynchronous(dispatch, ScalingRule::blind(0.06).unwrap());
    let rates = Rates::new(0.05, 0.1, 0.025).unwrap();
    let arrivals = ArrivalProfile::constant(0.7).unwrap();
    let model = Model::new(arrivals, rates, Buffer::finite(100).unwrap(), scheme).unwrap();
    let start = Occupancy::new(0.0, vec![0.7]).unwrap();
    let grid = Grid::new(400.0, 400).unwrap();
    Problem::new(model, start, grid, Tolerances::new(tolerance, tolerance).unwrap()).unwrap()
}

fn figure_1(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fluid");
    for tolerance in [1e-6, 1e-10] {
        for (name, dispatch) in
            [("power_of_2", Dispatch::power_of_d(2).unwrap()), ("jiq", Dispatch::JOIN_IDLE_QUEUE)]
        {
            let problem = problem(dispatch, tolerance);
            let id = BenchmarkId::new(format!("alba/{name}"), format!("{tolerance:e}"));
            group.bench_function(id, |bencher| bencher.iter(|| solve(&problem).unwrap()));
        }
    }
    group.finish();
}

/// The scenario files, in order.
fn scenarios() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "toml")).collect();
    files.sort();
    files
}

fn every_scenario(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("scenario");
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(2));
    for file in scenarios() {
        let scenario = Scenario::load(&file, &[]).unwrap();
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let (model, initial) = (scenario.model().clone(), scenario.initial().clone());
        let problem = Problem::new(model, initial, scenario.run().grid, Tolerances::default()).unwrap();
        match solve(&problem) {
            Ok(_) => drop(group.bench_function(name, |bencher| bencher.iter(|| solve(&problem).unwrap()))),
            Err(error) => println!("scenario/{name}: left out: {error}"),
        }
    }
    group.finish();
}

criterion_group!(benches, figure_1, every_scenario);
criterion_main!(benches);
