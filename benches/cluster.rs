//! Numbered servers: the time that an event (an arrival or a completion) takes, by policy and by number of servers. Each
//! iteration is a run of about 10^6 events on one thread.

#![expect(clippy::unwrap_used, reason = "a bench has nobody to report an error to")]

use alba_cluster::{
    Arbitrator, Arrivals, Discipline, Experiment, Group, Law, Problem, ProblemParts, Scaling, Servers, Times,
    simulate,
};
use alba_model::{ArrivalProfile, Counts, Grid};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

const LOAD: f64 = 0.7;
const EVENTS: f64 = 1e6;

/// Warm servers with exponential service times; each does two events a request.
fn problem(servers: u32, discipline: Discipline, service: Law) -> Problem {
    Problem::new(ProblemParts {
        servers: Servers::new(vec![Group::new(servers).unwrap().with_capacity(100).unwrap()]).unwrap(),
        discipline,
        arrivals: Arrivals::poisson(ArrivalProfile::constant(LOAD).unwrap()),
        times: Times { service, initialization: Law::deterministic(0.0).unwrap(), expiration: None },
        scaling: Scaling::None,
        initial: Counts { warm: vec![u64::from(servers)], ..Counts::default() },
        grid: Grid::new(EVENTS / 2.0 / LOAD / f64::from(servers), 1).unwrap(),
        warm_up: 0.0,
    })
    .unwrap()
}

fn policies(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cluster");
    group.throughput(Throughput::Elements(EVENTS as u64)).sample_size(10);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for servers in [100, 100_000] {
        let problem = problem(servers, Discipline::FirstComeFirstServed, Law::exponential(1.0).unwrap());
        for policy in Arbitrator::catalogue().unwrap() {
            let name = policy.to_string().replace(' ', "_");
            let experiment = Experiment::new(1, 1, vec![policy]).unwrap();
            group.bench_function(BenchmarkId::new(name, servers), |bencher| {
                bencher.iter(|| pool.install(|| simulate(&problem, &experiment, &|_| ()).unwrap()));
            });
        }
    }
    for discipline in [Discipline::ProcessorSharing, Discipline::Parallel] {
        let problem = problem(100, discipline, Law::log_normal(1.0, 2.0).unwrap());
        let experiment = Experiment::new(1, 1, vec![Arbitrator::LeastConnections]).unwrap();
        group.bench_function(BenchmarkId::new(discipline.name(), 100), |bencher| {
            bencher.iter(|| pool.install(|| simulate(&problem, &experiment, &|_| ()).unwrap()));
        });
    }
    group.finish();
}

criterion_group!(benches, policies);
criterion_main!(benches);
