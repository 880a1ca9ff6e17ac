use alba_model::{ArrivalProfile, Counts, Grid, Measure, ScalingRule};

use super::*;
use crate::{
    Arbitrator, Arrivals, Discipline, Draw, Estimate, Group, Law, PowerModel, ProblemParts, Scaling, Servers,
    Times,
};

fn group(speed: f64, capacity: u32, weight: f64, busy_w: f64) -> Group {
    let draw = Draw::new(0.0, 1.0, PowerModel::new(1.0, busy_w, 1.0).unwrap()).unwrap();
    let group = Group::new(1).unwrap().with_speed(speed).unwrap().with_capacity(capacity).unwrap();
    group.with_weight(weight).unwrap().with_draw(draw)
}

/// Four unequal servers, of which one starts idle, one with a request, one initializing.
fn unequal(groups: Vec<Group>, discipline: Discipline, scaling: Scaling) -> Problem {
    let expires = !matches!(scaling, Scaling::None);
    Problem::new(ProblemParts {
        servers: Servers::new(groups).unwrap(),
        discipline,
        arrivals: Arrivals::poisson(ArrivalProfile::steps(vec![(0.0, 0.2), (15.0, 0.7)]).unwrap()),
        times: Times {
            service: Law::exponential(1.0).unwrap(),
            initialization: Law::deterministic(1.0).unwrap(),
            expiration: expires.then(|| Law::exponential(3.0).unwrap()),
        },
        scaling,
        initial: Counts { cold: 1, initializing: 1, warm: vec![1, 1], waiting: 0 },
        grid: Grid::new(30.0, 1).unwrap(),
        warm_up: 0.0,
    })
    .unwrap()
}

fn z(one: Estimate, other: Estimate) -> f64 {
    let (Some(a), Some(b)) = (one.value, other.value) else {
        return if one.value == other.value { 0.0 } else { f64::INFINITY };
    };
    // Half-widths are 1.96 standard errors.
    let error = one.half_width.unwrap_or(0.0).hypot(other.half_width.unwrap_or(0.0)) / 1.96;
    if a == b { 0.0 } else { (a - b) / error.max(1e-12) }
}

/// Renumbering servers changes nothing: all policies, disciplines and scalings, the servers as they are and in another order; a
/// seed each, `replications` of some 100 requests, five metrics within 4.5 joint standard errors.
fn renumbered(replications: u64, seed: u64) {
    let policies: Vec<_> =
        Arbitrator::catalogue().unwrap().into_iter().filter(|policy| !policy.goes_by_number()).collect();
    let metrics = [
        Measure::MeanResponseTime,
        Measure::RejectedFraction,
        Measure::LostFraction,
        Measure::Energy,
        Measure::OverloadFraction,
    ];
    let servers = || {
        vec![
            group(0.5, 2, 1.0, 1.0),
            group(1.0, 3, 1.0, 2.0),
            group(1.0, 2, 3.0, 2.0),
            group(3.0, 5, 2.0, 6.0),
        ]
    };
    let scalings = [
        Scaling::None,
        Scaling::asynchronous(0.5, ScalingRule::rate_idle(1.0, 1.0).unwrap()).unwrap(),
        Scaling::Tabs,
        Scaling::PerRequest,
        Scaling::SwitchOn,
    ];
    for (discipline, scaling) in Discipline::ALL.into_iter().flat_map(|d| scalings.map(|s| (d, s))) {
        let outcome = |groups: Vec<Group>, seed| {
            let experiment = Experiment::new(replications, seed, policies.clone()).unwrap();
            simulate(&unequal(groups, discipline, scaling), &experiment, &|_| ()).unwrap()
        };
        let one = outcome(servers(), seed);
        let other = outcome(servers().into_iter().rev().collect(), seed + 1);
        for (one, other) in one.policies.iter().zip(&other.policies) {
            for metric in metrics {
                let (one_way, other_way) = (one.metric(metric), other.metric(metric));
                let z = z(one_way, other_way);
                let what = format!("{}, {discipline}, {scaling}: {metric:?}", one.policy);
                assert!(z.abs() < 4.5, "{what} {one_way:?} {other_way:?}: z = {z}");
            }
            for server in 0..4 {
                let (given, taken) = (one.requests_per_server[server], other.requests_per_server[3 - server]);
                // At most some 2 requests of 1 that a server is given: the variance is below twice the mean, and a margin.
                let error = (4.0 * (given + taken + 0.1) / replications as f64).sqrt();
                let what = format!("{}, {discipline}, {scaling}: server {server}", one.policy);
                assert!((given - taken).abs() < 4.5 * error, "{what}: {given} {taken}");
            }
        }
    }
}

#[test]
fn numbers_are_names() {
    renumbered(60, 1);
}

#[test]
#[ignore = "slow statistical check: half a minute"]
fn numbers_are_names_to_a_percent() {
    renumbered(4000, 11);
}

/// One server at load 2 until 1000: requests are followed to their end, so that the mean is the same whoever goes first (with
/// exponential times the number present is): 100 runs, seed 1, 4 joint standard errors; half the horizon, as the line grows from 0
/// to 1000.
#[test]
fn disciplines_agree_on_the_mean_of_an_overload() {
    let means = [Discipline::FirstComeFirstServed, Discipline::ProcessorSharing].map(|discipline| {
        let mut problem = unequal(vec![group(1.0, u32::MAX - 1, 1.0, 1.0); 4], discipline, Scaling::None);
        problem.servers = Servers::new(vec![Group::new(1).unwrap()]).unwrap();
        problem.initial = Counts { warm: vec![1], ..Counts::default() };
        problem.arrivals = Arrivals::poisson(ArrivalProfile::constant(2.0).unwrap());
        problem.grid = Grid::new(1000.0, 1).unwrap();
        let experiment = Experiment::new(100, 1, vec![Arbitrator::Random]).unwrap();
        let outcome = simulate(&problem, &experiment, &|_| ()).unwrap().policies.remove(0);
        assert!(outcome.counts.present_at_end > 90_000);
        outcome.metric(Measure::MeanResponseTime)
    });
    let [first, shared] = means;
    assert!(z(first, shared).abs() < 4.0, "{first:?} {shared:?}");
    assert!((shared.value.unwrap() - 500.0).abs() < 20.0, "{shared:?}");
}
