//! Against the chain that goes event by event.

use alba_model::{ArrivalProfile, Buffer, Counts, Grid, Measure, Model, PowerDraw, Rates, Scheme, Snapshot};
use alba_replicate::stream;
use pulp::Arch;
use rand::Rng;

use super::{Means, Uniformized};
use crate::Problem;
use crate::agenda::agenda;
use crate::chain::Engine;
use crate::pick::{Pick, WithPick, with_pick};
use crate::random::Streams;
use crate::replication::{Run, engine, run, run_on};
use crate::system::System;

fn problem(scheme: Scheme, buffer: Buffer, servers: u64, horizon: f64) -> Problem {
    // Few warm servers at first, so that jobs are lost and rejected; a step of the arrival rate, and a warm-up.
    let arrivals = ArrivalProfile::steps(vec![(0.0, 0.5), (0.4 * horizon, 0.9)]).unwrap();
    let model = Model::new(arrivals, Rates::new(0.6, 0.4, 0.3).unwrap(), buffer, scheme).unwrap();
    let share = |percent: u64| servers * percent / 100;
    let mut warm = [12, 10, 5, 0, 5].map(share).to_vec();
    warm[0] += 1;
    warm.truncate(buffer.limit().map_or(5, |limit| limit as usize + 1));
    let initializing = share(10);
    let start =
        Counts { cold: servers - initializing - warm.iter().sum::<u64>(), initializing, warm, waiting: 0 };
    let grid = Grid::new(horizon, 20).unwrap();
    Problem::new(model, start, grid, 0.3 * horizon, None).unwrap()
}

/// Integrals: they come last, and vary less than event by event, since they are conditional expectations.
const INTEGRALS: usize = 8;

/// All numbers of one replication: every measure at 20 times, counts of events, levels found, integrals.
fn numbers(problem: &Problem, seed: u64, replication: u64, means: Option<Means>) -> Vec<f64> {
    let mut numbers = Vec::new();
    let mut engine = engine(problem, Streams::new(seed, replication), means);
    let look = &mut |snapshot: &Snapshot| numbers.extend(at_a_time(snapshot));
    let run = run_on(&mut *engine, problem, &agenda(problem), look).unwrap();
    numbers.extend(on_its_way(run));
    numbers
}

/// The same of several side by side.
fn numbers_abreast(problem: &Problem, seed: u64, replications: u64, means: Means) -> Vec<Vec<f64>> {
    let mut numbers = vec![Vec::new(); replications as usize];
    let runs = run(problem, seed, 0..replications, means, &mut |replication, snapshot| {
        numbers[replication as usize].extend(at_a_time(snapshot));
    });
    for (numbers, run) in numbers.iter_mut().zip(runs) {
        numbers.extend(on_its_way(run.unwrap()));
    }
    numbers
}

fn at_a_time(snapshot: &Snapshot) -> impl Iterator<Item = f64> {
    let measures = Measure::ALL.into_iter().chain((1..=4).map(Measure::Warm));
    measures.map(|measure| measure.parts(&snapshot.with(&PowerDraw::default())).numerator)
}

fn on_its_way(run: Run) -> Vec<f64> {
    let Run { events, average } = run;
    let mut numbers = Vec::new();
    let Some(average) = average else { return numbers };
    let away = average.turned_away;
    numbers.extend(events.classes().map(|class| class.1 as f64));
    numbers.extend([away.lost, away.rejected, away.arrivals].map(|count| count as f64));
    numbers.extend((0..6).map(|level| average.found.get(level).copied().unwrap_or(0) as f64));
    numbers.extend([average.integrals.cold, average.integrals.initializing]);
    numbers.extend((0..6).map(|level| average.integrals.tails.get(level).copied().unwrap_or(0.0)));
    numbers
}

/// z-scores of all numbers' means, and of their variances, where they vary.
fn scores(problem: &Problem, runs: u64, seed: u64, means: Means) -> Vec<f64> {
    let fast: Vec<_> = (0..runs).map(|run| numbers(problem, seed, run, Some(means))).collect();
    let slow: Vec<_> = (0..runs).map(|run| numbers(problem, seed + 1_000_000, run, None)).collect();
    let mut scores = Vec::new();
    let numbers = fast[0].len();
    for index in 0..numbers {
        let column = |side: &[Vec<f64>]| side.iter().map(|numbers| numbers[index]).collect::<Vec<f64>>();
        let (fast, slow) = (column(&fast), column(&slow));
        let center = slow.iter().chain(&fast).sum::<f64>() / (2 * runs) as f64;
        // Rare events are far from normal.
        let off = |side: &[f64]| side.iter().filter(|&&value| (value - center).abs() > 1e-9).count();
        let common = (off(&fast).min(off(&slow)) as f64) > 0.2 * runs as f64;
        let away_from_zero = slow.iter().filter(|value| value.abs() > 1e-9).count() as u64 > runs / 4;
        if common && away_from_zero {
            let squares =
                |side: &[f64]| side.iter().map(|value| (value - center).powi(2)).collect::<Vec<f64>>();
            scores.push(z(&fast, &slow));
            if index < numbers - INTEGRALS {
                scores.push(z(&squares(&fast), &squares(&slow)));
            }
        }
    }
    scores
}

fn z(fast: &[f64], slow: &[f64]) -> f64 {
    let moments = |side: &[f64]| {
        let count = side.len() as f64;
        let mean = side.iter().sum::<f64>() / count;
        let square = side.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
        (mean, square / count)
    };
    let ((fast, fast_square), (slow, slow_square)) = (moments(fast), moments(slow));
    (fast - slow) / (fast_square + slow_square).sqrt().max(1e-12)
}

/// Every `step`th scheme: no score beyond `most`, and their mean square about one (they are correlated: within 0.3).
fn compare(servers: u64, buffer: Buffer, horizon: f64, runs: u64, step: usize, most: f64, means: Means) {
    let mut all = Vec::new();
    for (scheme, seed) in Scheme::catalogue().unwrap().into_iter().step_by(step).zip(1..) {
        let scores = scores(&problem(scheme, buffer, servers, horizon), runs, seed, means);
        let worst = scores.iter().fold(0.0, |worst: f64, z| worst.max(z.abs()));
        assert!(worst < most, "{scheme}, N = {servers}, {buffer:?}: {worst}");
        all.extend(scores);
    }
    let mean_square = all.iter().map(|z| z * z).sum::<f64>() / all.len() as f64;
    assert!((0.7..1.3).contains(&mean_square), "{mean_square} over {} scores", all.len());
}

fn finite(limit: u32) -> Buffer {
    Buffer::finite(limit).unwrap()
}

/// N = 20, 400 runs of every third scheme, seeds 1, 2, ...: about 7,000 scores, 5 standard errors.
#[test]
fn agrees_with_the_chain_event_by_event() {
    compare(20, finite(4), 6.0, 400, 3, 5.0, Means::default());
}

/// Bounds that any arrival, start or idle server passes: bursts of a step or two.
#[test]
fn bounds_may_be_passed_at_every_step() {
    for patience in [0.0, 0.05] {
        compare(20, finite(4), 6.0, 400, 5, 5.0, Means { patience, ..Means::default() });
    }
}

/// 140,000 scores, of which nine pass 4 standard errors by chance: none beyond 5.
#[test]
#[ignore = "slow statistical check: two minutes"]
fn agrees_at_every_size() {
    let means = Means::default();
    let hasty = Means { patience: 0.2, ..means };
    compare(1, finite(4), 20.0, 4000, 1, 5.0, means);
    compare(2, finite(5), 10.0, 4000, 1, 5.0, means);
    compare(10, finite(4), 6.0, 2000, 1, 5.0, means);
    compare(10, Buffer::Infinite, 6.0, 2000, 1, 5.0, hasty);
    compare(20, finite(4), 6.0, 2000, 1, 5.0, hasty);
    compare(100, finite(100), 6.0, 600, 1, 5.0, means);
    compare(1000, finite(4), 6.0, 200, 1, 5.0, means);
    compare(1000, finite(100), 6.0, 150, 1, 5.0, hasty);
    compare(1_000_000, finite(4), 0.3, 60, 6, 5.0, means);
}

/// Vector registers or not: the same path to the last bit, for every scheme.
#[test]
fn portable_code_gives_the_same_bytes() {
    let portable = Means { arch: Arch::Scalar, ..Means::default() };
    for servers in [20, 3000] {
        for scheme in Scheme::catalogue().unwrap() {
            let problem = problem(scheme, finite(100), servers, 6.0);
            let bytes = |means| {
                numbers(&problem, 1, 0, Some(means)).into_iter().map(f64::to_bits).collect::<Vec<_>>()
            };
            assert!(bytes(portable) == bytes(Means::default()), "{scheme}, N = {servers}");
        }
    }
}

/// Side by side or alone, in registers of any width: the same paths to the last bit, for every scheme, with queues that outgrow
/// the columns, with bounds that are passed all the time, and if the events are limited.
#[test]
fn chains_side_by_side_go_their_own_ways() {
    for (servers, horizon, patience) in [(20, 6.0, 0.05), (20, 60.0, 20.0), (1000, 6.0, 20.0)] {
        for scheme in Scheme::catalogue().unwrap() {
            for max_events in [None, Some(1500)] {
                let problem = Problem { max_events, ..problem(scheme, finite(100), servers, horizon) };
                for arch in widths() {
                    check_side_by_side(&problem, Means { arch, patience });
                }
            }
        }
    }
}

fn check_side_by_side(problem: &Problem, means: Means) {
    let bits = |numbers: Vec<f64>| numbers.into_iter().map(f64::to_bits).collect::<Vec<_>>();
    for (replication, abreast) in (0..).zip(numbers_abreast(problem, 1, 11, means)) {
        let alone = numbers(problem, 1, replication, Some(means));
        assert!(bits(abreast) == bits(alone), "{:?}, replication {replication}, {means:?}", problem.model);
    }
}

/// Any system, also with arrivals that stop, servers that never start or never expire, and rooms for one job: 200 of them, seed 1.
#[test]
fn any_chains_side_by_side_go_their_own_ways() {
    let mut rng = stream(1, 0);
    let schemes = Scheme::catalogue().unwrap();
    for _ in 0..200 {
        let mut below = |bound: u64| rng.next_u64() % bound;
        let mut rate = || [0.0, 0.01, 0.3, 1.0, 4.0][below(5) as usize];
        let steps = vec![(0.0, rate()), (1.3, rate()), (2.0, rate()), (5.9, rate())];
        let rates = Rates::new(rate(), rate() + 0.1, rate()).unwrap();
        let scheme = schemes[below(schemes.len() as u64) as usize];
        let buffer = [finite(1), finite(2), finite(5), finite(11), Buffer::Infinite][below(5) as usize];
        let Ok(model) = Model::new(ArrivalProfile::steps(steps).unwrap(), rates, buffer, scheme) else {
            continue; // a threshold above the buffer
        };
        let servers = [1, 2, 7, 40, 700][below(5) as usize];
        let warm = below(servers + 1);
        let initializing = below(servers - warm + 1);
        let start =
            Counts { cold: servers - warm - initializing, initializing, warm: vec![warm], waiting: 0 };
        let grid = Grid::new(8.0, 1 + below(30) as usize).unwrap();
        let max_events = [None, Some(below(4000))][below(2) as usize];
        let problem = Problem::new(model, start, grid, 7.9 * below(10) as f64 / 10.0, max_events).unwrap();
        for arch in widths() {
            check_side_by_side(&problem, Means { arch, ..Means::default() });
        }
    }
}

/// Of registers on this machine.
fn widths() -> Vec<Arch> {
    let mut widths = vec![Arch::new()];
    #[cfg(target_arch = "x86_64")]
    widths.extend(pulp::x86::V3::try_new().map(Arch::V3));
    widths
}

/// A queue outgrows a byte on the way: one server, arrivals at rate 2, an infinite buffer; 300 jobs at t = 300. Mean and variance of
/// jobs at the end as event by event, 600 runs, 4.5 standard errors.
#[test]
fn a_queue_outgrows_its_byte() {
    let scheme = Scheme::catalogue().unwrap()[0];
    let arrivals = ArrivalProfile::constant(2.0).unwrap();
    let model = Model::new(arrivals, Rates::new(0.0, 1.0, 0.0).unwrap(), Buffer::Infinite, scheme).unwrap();
    let start = Counts { cold: 0, initializing: 0, warm: vec![1], waiting: 0 };
    let problem = Problem::new(model, start, Grid::new(300.0, 20).unwrap(), 100.0, None).unwrap();
    let scores = scores(&problem, 600, 1, Means::default());
    assert!(scores.len() > 40 && scores.iter().all(|z| z.abs() < 4.5), "{scores:.1?}");
}

/// Steps for every event, and bursts: what `events` cost.
struct Work {
    problem: Problem,
    events: u64,
}

impl WithPick for Work {
    type Output = [f64; 2];

    fn with<P: Pick + 'static>(self, pick: P, scaling: alba_model::ScalingRule) -> [f64; 2] {
        let problem = Problem { max_events: Some(self.events), ..self.problem };
        let system = System::new(pick, scaling, &problem);
        let streams = Streams::new(1, 0);
        let mut engine = Uniformized::new(system, &problem.initial, streams, Means::default()).unwrap();
        engine.set_arrival_rate(problem.model.arrivals().rate_at(0.0), 0.0);
        let (mut steps, mut bursts) = (0, 0);
        // Ten thousand bursts: the work of those that never end.
        while bursts < 10_000 && engine.reached(problem.grid.horizon()).unwrap().is_none() {
            if engine.begin() {
                engine.run();
                steps += engine.burst.steps;
                bursts += 1;
            }
        }
        let events = engine.tally.events.max(1) as f64;
        [steps as f64 / events, f64::from(bursts) / events]
    }
}

/// Each rate from 1e-9 to 1e9 with the others as usual, every scheme, one server to a thousand, 3,000 events: null steps may be
/// worth as much as the new bounds that would spare them, 20 for every event, and that twice; no event needs more than three bursts.
#[test]
fn null_steps_do_not_dominate_whatever_the_rates() {
    for scheme in Scheme::catalogue().unwrap() {
        for (servers, key) in [1, 10, 1000].into_iter().flat_map(|n| (0..4).map(move |key| (n, key))) {
            for exponent in -9..=9 {
                let mut rates = [0.7, 0.05, 0.1, 0.025];
                rates[key] = 10f64.powi(exponent);
                let [steps, bursts] = work(scheme, servers, rates);
                let at =
                    format!("{scheme}, N = {servers}, {rates:?}: {steps} steps, {bursts} bursts an event");
                assert!(steps <= 40.0 && bursts <= 3.0, "{at}");
            }
        }
    }
}

fn work(scheme: Scheme, servers: u64, [arrival, scaling, initialization, expiration]: [f64; 4]) -> [f64; 2] {
    let arrivals = ArrivalProfile::constant(arrival).unwrap();
    let rates = Rates::new(scaling, initialization, expiration).unwrap();
    let model = Model::new(arrivals, rates, finite(20), scheme).unwrap();
    let warm = (7 * servers).div_ceil(10);
    let start = Counts { cold: servers - warm, initializing: 0, warm: vec![warm], waiting: 0 };
    let problem = Problem::new(model, start, Grid::new(1e15, 1).unwrap(), 0.0, None).unwrap();
    with_pick(problem.model.scheme(), Work { problem, events: 3000 }).unwrap()
}
