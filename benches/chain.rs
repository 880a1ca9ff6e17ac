//! The chain on Figure 1's workload, rule by rule: the engine, and for the rules that it knows the plain loop that a person
//! would write first. Each iteration is a run of 10^6 events from Figure 1's start, its set-up included; criterion reports
//! the time an event takes (throughput, elements a second).

#![expect(clippy::unwrap_used, reason = "a bench has nobody to report an error to")]

use std::time::Duration;

use alba_benches::plain::Plain;
use alba_ctmc::{Experiment, Problem, simulate};
use alba_model::{
    ArrivalProfile, Buffer, Counts, Dispatch, Grid, Measure, Model, PowerDraw, Rates, ScalingRule, Scheme,
};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

const EVENTS: u64 = 1_000_000;
const SERVERS: [u64; 2] = [1000, 1_000_000];
/// For the rules that the plain loop knows: a byte a server no longer fits into a cache.
const MORE: u64 = 10_000_000;

/// Figure 1 with any number of servers, ended by its number of events.
fn problem(scheme: Scheme, servers: u64) -> Problem {
    let rates = Rates::new(0.05, 0.1, 0.025).unwrap();
    let arrivals = ArrivalProfile::constant(0.7).unwrap();
    let model = Model::new(arrivals, rates, Buffer::finite(100).unwrap(), scheme).unwrap();
    let idle = servers * 7 / 10;
    let start = Counts { cold: servers - idle, initializing: 0, warm: vec![idle], waiting: 0 };
    // Arrivals alone would be as many events until then: what ends the run is their number.
    let horizon = EVENTS as f64 / (0.7 * servers as f64);
    Problem::new(model, start, Grid::new(horizon, 400).unwrap(), 0.0, Some(EVENTS)).unwrap()
}

/// With whether the plain loop knows it, and then whether as join-idle-queue.
fn schemes() -> Vec<(&'static str, Scheme, Option<bool>)> {
    let with_blind = |dispatch| Scheme::asynchronous(dispatch, ScalingRule::blind(0.06).unwrap());
    let power_of = |d| with_blind(Dispatch::power_of_d(d).unwrap());
    vec![
        ("power_of_1", power_of(1), None),
        ("power_of_2", power_of(2), Some(false)),
        ("power_of_3", power_of(3), None),
        ("jiq", with_blind(Dispatch::JOIN_IDLE_QUEUE), Some(true)),
        ("jbt_2", with_blind(Dispatch::join_below_threshold(2)), None),
        ("tabs_2", Scheme::tabs(2).unwrap(), None),
    ]
}

fn figure_1(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("figure_1");
    group.throughput(Throughput::Elements(EVENTS)).sample_size(10);
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    // One thread: an event's own cost.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let experiment = Experiment::new(1, 1, Measure::ALL.to_vec(), PowerDraw::default()).unwrap();
    for (name, scheme, plain) in schemes() {
        for servers in SERVERS.into_iter().chain(plain.map(|_| MORE)) {
            if let Some(join_idle_queue) = plain {
                group.bench_function(BenchmarkId::new(format!("plain/{name}"), servers), |bencher| {
                    bencher.iter(|| {
                        let mut plain = Plain::new(join_idle_queue, servers, 1);
                        while plain.events < EVENTS {
                            plain.step();
                        }
                        plain
                    });
                });
            }
            let problem = problem(scheme, servers);
            let run = || pool.install(|| simulate(&problem, &experiment, &|_| ()).unwrap());
            assert_eq!(run().summary.events.total(), EVENTS, "{name}: the horizon comes first");
            group.bench_function(BenchmarkId::new(format!("engine/{name}"), servers), |bencher| {
                bencher.iter(run);
            });
        }
    }
    group.finish();
}

criterion_group!(benches, figure_1);
criterion_main!(benches);
