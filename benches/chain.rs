//! The chain on Figure 1's workload: the plain loop that a person would write first, and the engine. Each iteration is
//! a run of 10^6 events; criterion reports the time an event takes (throughput, elements a second).

#![expect(clippy::unwrap_used, reason = "a bench has nobody to report an error to")]

use alba_benches::plain::Plain;
use alba_ctmc::{Experiment, Problem, simulate};
use alba_model::{
    ArrivalProfile, Buffer, Counts, Dispatch, Grid, Measure, Model, PowerDraw, Rates, ScalingRule, Scheme,
};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

const EVENTS: u64 = 1_000_000;

/// Figure 1 with any number of servers, ended by its number of events.
fn problem(dispatch: Dispatch, servers: u64) -> Problem {
    let scheme = Scheme::asynchronous(dispatch, ScalingRule::blind(0.06).unwrap());
    let rates = Rates::new(0.05, 0.1, 0.025).unwrap();
    let arrivals = ArrivalProfile::constant(0.7).unwrap();
    let model = Model::new(arrivals, rates, Buffer::finite(100).unwrap(), scheme).unwrap();
    let idle = servers * 7 / 10;
    let start = Counts { cold: servers - idle, initializing: 0, warm: vec![idle], waiting: 0 };
    let horizon = 690.0 * 1000.0 / servers as f64 * 1.02;
    Problem::new(model, start, Grid::new(horizon, 200).unwrap(), 0.0, Some(EVENTS)).unwrap()
}

fn figure_1(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("figure_1");
    group.throughput(Throughput::Elements(EVENTS)).sample_size(20);
    // One thread: an event's own cost.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for (name, dispatch) in
        [("power_of_2", Dispatch::power_of_d(2).unwrap()), ("jiq", Dispatch::JOIN_IDLE_QUEUE)]
    {
        for servers in [1000, 10_000_000] {
            group.bench_function(BenchmarkId::new(format!("plain/{name}"), servers), |bencher| {
                bencher.iter(|| {
                    let mut plain = Plain::new(dispatch == Dispatch::JOIN_IDLE_QUEUE, servers, 1);
                    while plain.events < EVENTS {
                        plain.step();
                    }
                    plain
                });
            });
            let problem = problem(dispatch, servers);
            let measures = Measure::ALL.to_vec();
            let experiment = Experiment::new(1, 1, measures, PowerDraw::default()).unwrap();
            group.bench_function(BenchmarkId::new(format!("engine/{name}"), servers), |bencher| {
                bencher.iter(|| pool.install(|| simulate(&problem, &experiment, &|_| ()).unwrap()));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, figure_1);
criterion_main!(benches);
