//! The exact chain on Figure 1's rates with room for five jobs a server: listing states and rates; jobs per server at one time,
//! and in equilibrium (both from the start, so listing included). Beside it, in the same run, what a textbook says.

#![expect(clippy::unwrap_used, reason = "a bench has nobody to report an error to")]

use std::time::Duration;

use alba_benches::textbook::Textbook;
use alba_ctmc::Problem;
use alba_model::{
    ArrivalProfile, Buffer, Counts, Dispatch, Grid, Measure, Model, Occupancy, PowerDraw, Rates, ScalingRule,
    Scheme,
};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

const BUFFER: u32 = 5;
const TIME: f64 = 10.0;
const MEASURES: [Measure; 1] = [Measure::JobsPerServer];
/// Change in a step of the textbook's chain at which it stops: then its equilibrium agrees to 1e-6.
const CHANGE: f64 = 1e-9;

fn problem(servers: u64) -> Problem {
    let scheme = Scheme::asynchronous(Dispatch::power_of_d(2).unwrap(), ScalingRule::blind(0.06).unwrap());
    let rates = Rates::new(0.05, 0.1, 0.025).unwrap();
    let arrivals = ArrivalProfile::constant(0.7).unwrap();
    let model = Model::new(arrivals, rates, Buffer::finite(BUFFER).unwrap(), scheme).unwrap();
    let start = Counts::apportion(&Occupancy::new(0.0, vec![0.7]).unwrap(), servers);
    Problem::new(model, start, Grid::new(TIME, 1).unwrap(), 0.0, None).unwrap()
}

fn textbook(problem: &Problem) -> Textbook {
    let start = problem.initial();
    Textbook::new(start.cold as u32, start.warm[0] as u32, BUFFER as usize)
}

fn build(problem: &Problem) -> (alba_exact::StateSpace, alba_exact::Generator) {
    let limits = alba_exact::Limits::default();
    alba_exact::StateSpace::with_generator(problem.model(), problem.initial(), &limits).unwrap()
}

fn transient(problem: &Problem) -> f64 {
    let limits = alba_exact::Limits::default();
    let outcome = alba_exact::transient(problem, &MEASURES, &PowerDraw::default(), &limits).unwrap();
    outcome.points[1].values[0].value.unwrap()
}

fn stationary(problem: &Problem) -> f64 {
    let (limits, power) = (alba_exact::Limits::default(), PowerDraw::default());
    let outcome =
        alba_exact::stationary(problem.model(), problem.initial(), &MEASURES, &power, &limits).unwrap();
    outcome.values[0].unwrap()
}

fn textbook_transient(problem: &Problem) -> f64 {
    let textbook = textbook(problem);
    textbook.jobs(&textbook.transient(TIME))
}

fn textbook_stationary(problem: &Problem) -> f64 {
    let textbook = textbook(problem);
    textbook.jobs(&textbook.stationary(CHANGE))
}

fn figure_1(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("exact");
    group.sample_size(10).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_secs(2));
    // One thread: the textbook has no more.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for servers in [5, 10, 15] {
        let problem = problem(servers);
        let id = |what: &str| BenchmarkId::new(what, servers);
        group.bench_function(id("build/alba"), |b| b.iter(|| pool.install(|| build(&problem))));
        group.bench_function(id("build/textbook"), |b| b.iter(|| textbook(&problem)));
        if servers > 10 {
            continue; // 170,544 states
        }
        assert_eq!(build(&problem).0.len(), textbook(&problem).states.len());
        assert!((transient(&problem) - textbook_transient(&problem)).abs() < 1e-9, "the same chain");
        assert!((stationary(&problem) - textbook_stationary(&problem)).abs() < 1e-6, "the same chain");
        group.bench_function(id("transient/alba"), |b| b.iter(|| pool.install(|| transient(&problem))));
        group.bench_function(id("transient/textbook"), |b| b.iter(|| textbook_transient(&problem)));
        group.bench_function(id("stationary/alba"), |b| b.iter(|| pool.install(|| stationary(&problem))));
        group.bench_function(id("stationary/textbook"), |b| b.iter(|| textbook_stationary(&problem)));
    }
    group.finish();
}

criterion_group!(benches, figure_1);
criterion_main!(benches);
