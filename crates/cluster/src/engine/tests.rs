use super::*;
use crate::{Arrivals, Discipline, Draw, Law, PowerModel, ProblemParts, Scaling, Servers, Times};
use alba_model::{ArrivalProfile, Counts, Grid, ScalingRule};
use proptest::prelude::*;

mod scaler;

/// A few unequal servers with limits, of which some are warm with a request, some initialize, some are cold.
fn problems() -> impl Strategy<Value = Problem> {
    let group = (1u32..4, 1u32..5, 1u32..3, 0.5f64..2.0).prop_map(|(count, capacity, workers, speed)| {
        let group =
            Group::new(count).unwrap().with_capacity(capacity).unwrap().with_workers(workers).unwrap();
        let draw = Draw::new(0.0, 2.0, PowerModel::new(1.0, 3.0, 1.4).unwrap()).unwrap();
        group.with_speed(speed).unwrap().with_weight(speed).unwrap().with_draw(draw)
    });
    let laws = prop::sample::select(vec![
        Law::exponential(1.0).unwrap(),
        Law::deterministic(0.5).unwrap(),
        Law::hyperexponential(1.0, 4.0).unwrap(),
        Law::log_normal(1.0, 2.0).unwrap(),
        Law::empirical(vec![0.0, 0.5, 1.0, 2.5]).unwrap(),
    ]);
    let steps = ArrivalProfile::steps(vec![(0.0, 0.4), (10.0, 2.0), (20.0, 0.0), (25.0, 0.9)]).unwrap();
    let arrivals = prop::sample::select(vec![
        Arrivals::poisson(steps),
        Arrivals::renewal(Law::deterministic(0.25).unwrap()).unwrap(),
        Arrivals::times((0..100).map(|k| f64::from(k / 2) * 0.5).collect()).unwrap(),
    ]);
    let scaling = prop::sample::select(vec![
        Scaling::None,
        Scaling::asynchronous(0.5, ScalingRule::blind(0.5).unwrap()).unwrap(),
        Scaling::asynchronous(1.0, ScalingRule::rate_idle(1.0, 1.0).unwrap()).unwrap(),
        Scaling::Tabs,
        Scaling::PerRequest,
        Scaling::SwitchOn,
    ]);
    let life = (laws.clone(), prop::option::of(laws.clone()), prop::sample::select(Discipline::ALL.to_vec()));
    (prop::collection::vec(group, 1..4), laws, life, arrivals, scaling, 0u64..20, 0u64..20).prop_map(
        |(
            groups,
            service,
            (initialization, expiration, discipline),
            arrivals,
            scaling,
            warm,
            initializing,
        )| {
            let servers = Servers::new(groups).unwrap();
            let count = servers.count() as u64;
            let warm = warm.min(count);
            let initializing = initializing.min(count - warm);
            let initial = Counts {
                cold: count - warm - initializing,
                initializing,
                warm: vec![warm / 2, warm - warm / 2],
                waiting: 0,
            };
            let grid = Grid::new(40.0, 80).unwrap();
            let times = Times { service, initialization, expiration };
            let warm_up = 10.0;
            let parts =
                ProblemParts { servers, discipline, arrivals, times, scaling, initial, grid, warm_up };
            Problem::new(parts).unwrap()
        },
    )
}

/// What is counted along the way is what a look at all servers finds.
fn check(engine: &Engine<'_>) {
    let mut seen = Counts { cold: 0, initializing: 0, warm: vec![], waiting: 0 };
    let (mut jobs, mut idle, mut full) = (0, 0, false);
    for server in &engine.servers {
        let room = engine.group(server.group).room();
        assert!(server.connections <= room, "above its capacity");
        full |= server.connections == room;
        jobs += u64::from(server.connections);
        match server.phase {
            Phase::Cold => {
                assert_eq!(server.connections, 0);
                seen.cold += 1;
            }
            Phase::Initializing => seen.initializing += 1,
            Phase::Warm => {
                idle += usize::from(server.connections == 0);
                seen.warm.resize(seen.warm.len().max(server.connections as usize + 1), 0);
                seen.warm[server.connections as usize] += 1;
            }
        }
    }
    let mut counted = engine.census.counts();
    counted.warm.truncate(counted.warm.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1));
    assert_eq!(counted, seen);
    assert_eq!((engine.idle, engine.warm as u64), (idle, seen.warm.iter().sum()));
    assert_eq!(engine.now().overload, f64::from(u8::from(full)));
    let counts = engine.counts();
    assert_eq!(counts.present_at_end, jobs);
    assert_eq!(
        counts.present_at_start + counts.arrived,
        counts.done + counts.rejected + counts.lost + counts.present_at_end
    );
}

proptest! {
    #[test]
    fn requests_are_conserved_and_no_server_is_above_its_capacity(problem in problems(), seed in any::<u64>()) {
        for policy in Arbitrator::catalogue().unwrap() {
            let mut engine = Engine::new(&problem, &policy, seed, 0).unwrap();
            check(&engine);
            for time in problem.grid.times() {
                engine.advance(time, true).unwrap();
                check(&engine);
            }
            prop_assert!(engine.counts().arrived > 0, "{}", policy);
        }
    }
}

/// One server that starts warm.
fn alone(arrivals: Arrivals, service: Law, horizon: f64) -> Problem {
    let parts = ProblemParts {
        servers: Servers::new(vec![Group::new(1).unwrap()]).unwrap(),
        discipline: Discipline::FirstComeFirstServed,
        arrivals,
        times: Times { service, initialization: Law::deterministic(0.5).unwrap(), expiration: None },
        scaling: Scaling::None,
        initial: Counts { cold: 0, initializing: 0, warm: vec![1], waiting: 0 },
        grid: Grid::new(horizon, 1).unwrap(),
        warm_up: 0.0,
    };
    Problem::new(parts).unwrap()
}

fn run(problem: &Problem) -> Engine<'_> {
    let mut engine = Engine::new(problem, &Arbitrator::RoundRobin, 1, 0).unwrap();
    engine.advance(problem.grid.horizon(), true).unwrap();
    engine
}

#[test]
fn an_arrival_an_hour_is_24_a_day() {
    let hourly = |service: f64| {
        let arrivals = Arrivals::renewal(Law::deterministic(1.0).unwrap()).unwrap();
        alone(arrivals, Law::deterministic(service).unwrap(), 24.0)
    };
    let problem = hourly(0.75);
    let engine = run(&problem);
    let counts = engine.counts();
    assert_eq!((counts.arrived, counts.done, counts.present_at_end), (24, 23, 1));
    assert_eq!(engine.delays.waiting.positive(), 0);
    assert_eq!(engine.areas(24.0).busy, 23.0 * 0.75);
    // Served in exactly the time to the next arrival: one leaves when the next comes, and nobody waits.
    let problem = hourly(1.0);
    let engine = run(&problem);
    assert_eq!((engine.counts().done, engine.delays.waiting.positive()), (23, 0));
    // Twice too slow: the k-th waits k - 1 hours.
    let problem = hourly(2.0);
    assert_eq!(run(&problem).delays.waiting.sum(), (0..24).sum::<i32>().into());
}

#[test]
fn recorded_times_by_hand() {
    let problem =
        alone(Arrivals::times(vec![0.0, 0.0, 3.0]).unwrap(), Law::deterministic(1.0).unwrap(), 10.0);
    let engine = run(&problem);
    assert_eq!((engine.counts().arrived, engine.counts().done), (3, 3));
    assert_eq!((engine.delays.waiting.sum(), engine.delays.response.sum()), (1.0, 4.0));
    assert_eq!(engine.areas(10.0).jobs, 4.0);
}

/// Two cold servers; each request starts its own, is served after half a unit of initialization, and then the server of
/// the last request takes the next one.
#[test]
fn scaling_per_request_by_hand() {
    let mut problem = alone(
        Arrivals::times(vec![1.0, 1.2, 1.4, 4.0, 9.0]).unwrap(),
        Law::deterministic(1.0).unwrap(),
        10.0,
    );
    problem.servers = Servers::new(vec![Group::new(2).unwrap().with_capacity(1).unwrap()]).unwrap();
    problem.initial = Counts { cold: 2, initializing: 0, warm: vec![], waiting: 0 };
    problem.times.expiration = Some(Law::deterministic(3.0).unwrap());
    problem.scaling = Scaling::PerRequest;
    let mut engine = Engine::new(&problem, &Arbitrator::MostRecentlyUsedIdle, 1, 0).unwrap();
    engine.advance(10.0, true).unwrap();
    let counts = engine.counts();
    // The third finds both initializing. The fourth goes to server 2, idle since 2.7. Server 1 goes cold at 5.5, server 2 at
    // 8, and the fifth starts server 1.
    assert_eq!((counts.arrived, counts.lost, counts.rejected, counts.cold_starts), (5, 1, 0, 3));
    assert_eq!(engine.delays.response.sum(), 1.5 + 1.5 + 1.0 + 1.5);
    let areas = engine.areas(10.0);
    assert!((areas.initializing - 1.5).abs() < 1e-12 && (areas.busy - 3.5).abs() < 1e-12, "{areas:?}");
    assert!((areas.cold - (1.0 + 3.5 + 1.2 + 2.0)).abs() < 1e-12, "{areas:?}");
    let given = engine.into_delays_and_given().1;
    assert_eq!(given, [2, 2]);
}

/// Idle times of many lengths leave at most a few events behind.
#[test]
fn expirations_do_not_pile_up() {
    let mut problem = alone(
        Arrivals::renewal(Law::exponential(2.0).unwrap()).unwrap(),
        Law::exponential(1.0).unwrap(),
        100_000.0,
    );
    problem.times.expiration = Some(Law::log_normal(10_000.0, 9.0).unwrap());
    problem.scaling = Scaling::SwitchOn;
    let engine = run(&problem);
    assert!(engine.events.len() < 30, "{}", engine.events.len());
}

/// Alone at a shared server nobody waits; two that overlap do.
#[test]
fn sharing_is_waiting() {
    let arrivals = Arrivals::times(vec![0.1, 1.7, 3.3, 3.4]).unwrap();
    let mut problem = alone(arrivals, Law::deterministic(0.7).unwrap(), 10.0);
    problem.discipline = Discipline::ProcessorSharing;
    let engine = run(&problem);
    assert_eq!((engine.counts().done, engine.delays.waiting.positive()), (4, 2));
    // The third is alone for .1, and then they share until it has had .7: it leaves at 4.6, the fourth at 4.7.
    assert!((engine.delays.response.sum() - (0.7 + 0.7 + 1.3 + 1.3)).abs() < 1e-12);
}

/// A server of one place; requests come every `gap` and take as long as the gap, or a part of it.
fn one_place(arrivals: Arrivals, service: f64, unit_s: f64, discipline: Discipline) -> Problem {
    let mut problem = alone(arrivals, Law::deterministic(service).unwrap(), 1100.0 * service);
    problem.servers = Servers::new(vec![Group::new(1).unwrap().with_capacity(1).unwrap()]).unwrap();
    problem.discipline = discipline;
    problem.with_unit_s(unit_s).unwrap()
}

/// Whoever leaves makes room for whoever comes at that time: every gap `g`, service `g`, at most one request, nobody is rejected,
/// whether times are decimal or not, computed or recorded, in service times or in seconds.
#[test]
fn who_leaves_makes_room_for_who_comes() {
    let gaps = [1.0, 0.3, 0.7, 0.1, 1e-3, 0.123_456_789, 1.0 / 3.0, 2.0 / 3.0, 0.905, 1e-7, 86_400.0, 1234.5];
    let random = (0..200).map(|k| f64::from(k).mul_add(0.754_877_666, 0.01).fract() + 1e-3);
    for gap in gaps.into_iter().chain(random) {
        for unit_s in [1.0, 0.3, 0.905, 7.0] {
            let recorded = (1..=1000).map(|k| f64::from(k) * gap).collect();
            let kinds = [
                Arrivals::renewal(Law::deterministic(gap).unwrap()).unwrap(),
                Arrivals::times(recorded).unwrap(),
            ];
            for (arrivals, discipline) in
                kinds.into_iter().flat_map(|arrivals| Discipline::ALL.map(|d| (arrivals.clone(), d)))
            {
                let problem = one_place(arrivals, gap, unit_s, discipline);
                let mut engine = Engine::new(&problem, &Arbitrator::RoundRobin, 1, 0).unwrap();
                engine.advance(1000.0 * gap, true).unwrap();
                let counts = engine.counts();
                assert_eq!((counts.arrived, counts.rejected), (1000, 0), "{gap} {unit_s} {discipline}");
            }
        }
    }
}

/// Two come together every `g` and share a server of two places for `g`.
#[test]
fn who_shares_a_server_makes_room_too() {
    for (gap, unit_s) in [(0.3, 1.0), (0.7, 1.0), (1.4, 0.7), (0.1, 3.0)] {
        let times = (1..=1000).map(|k| f64::from((k + 1) / 2) * gap).collect();
        let mut problem =
            alone(Arrivals::times(times).unwrap(), Law::deterministic(gap / 2.0).unwrap(), 600.0 * gap);
        problem.servers = Servers::new(vec![Group::new(1).unwrap().with_capacity(2).unwrap()]).unwrap();
        problem.discipline = Discipline::ProcessorSharing;
        let problem = problem.with_unit_s(unit_s).unwrap();
        let engine = run(&problem);
        let counts = engine.counts();
        assert_eq!((counts.arrived, counts.rejected, counts.done), (1000, 0, 1000), "{gap}");
        assert!((engine.delays.response.sum() / 1000.0 - gap).abs() < 1e-9);
    }
}

/// A server that has been idle for exactly its expiration time takes a request; for a nanosecond longer, it does not.
#[test]
fn an_arrival_at_the_expiration_finds_the_server_warm() {
    for (expiration, lost) in [(0.2, 0), (0.2 - 1e-9, 100)] {
        let gaps = Arrivals::renewal(Law::deterministic(0.3).unwrap()).unwrap();
        let mut problem = alone(gaps, Law::deterministic(0.1).unwrap(), 30.0);
        problem.times.expiration = Some(Law::deterministic(expiration).unwrap());
        // Done at .1.
        problem.initial = Counts { warm: vec![0, 1], ..Counts::default() };
        let counts = run(&problem).counts();
        assert_eq!((counts.arrived, counts.lost), (100, lost), "{expiration}");
    }
}

/// Arrivals at the warm-up's end and at the horizon count.
#[test]
fn ends_are_within() {
    for gap in [0.1, 0.3, 0.7] {
        let gaps = Arrivals::renewal(Law::deterministic(gap).unwrap()).unwrap();
        let problem = alone(gaps, Law::deterministic(gap).unwrap(), 90.0 * gap);
        let mut engine = Engine::new(&problem, &Arbitrator::Random, 1, 0).unwrap();
        engine.advance(30.0 * gap, false).unwrap();
        engine.begin(30.0 * gap);
        engine.advance(90.0 * gap, true).unwrap();
        assert_eq!((engine.counts_after_warm_up().arrived, engine.counts_after_warm_up().done), (61, 61));
        assert!((engine.areas(90.0 * gap).busy - 60.0 * gap).abs() < 1e-9);
    }
}
