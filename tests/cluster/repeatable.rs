//! The same seed gives the same bytes, and policies do not disturb each other.

use alba_cluster::{Arbitrator, Discipline, Experiment, Group, Law, Outcome, Problem, Scaling, simulate};
use alba_model::{Counts, Grid, Measure, ScalingRule};

use super::always_warm;

fn problem() -> Problem {
    let group = Group::new(8).unwrap().with_capacity(6).unwrap();
    let service = Law::hyperexponential(1.0, 4.0).unwrap();
    let mut parts = always_warm(group, Discipline::ProcessorSharing, 6.0, service);
    parts.scaling = Scaling::asynchronous(0.3, ScalingRule::blind(0.5).unwrap()).unwrap();
    parts.times.initialization = Law::log_normal(2.0, 1.0).unwrap();
    parts.times.expiration = Some(Law::exponential(5.0).unwrap());
    parts.initial = Counts { cold: 2, initializing: 2, warm: vec![1, 1, 2], waiting: 0 };
    parts.grid = Grid::new(300.0, 20).unwrap();
    parts.warm_up = 50.0;
    Problem::new(parts).unwrap()
}

fn on_threads(threads: usize, seed: u64, policies: Vec<Arbitrator>) -> Outcome {
    let experiment = Experiment::new(40, seed, policies).unwrap().with_levels(4);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| simulate(&problem(), &experiment, &|_| ()).unwrap())
}

#[test]
fn any_number_of_threads_gives_the_same() {
    let all = || Arbitrator::catalogue().unwrap();
    let one = on_threads(1, 5, all());
    assert_eq!(one, on_threads(2, 5, all()));
    assert_eq!(one, on_threads(7, 5, all()));
    assert_ne!(one, on_threads(2, 6, all()));
}

#[test]
fn a_policy_meets_the_same_whatever_the_others_are() {
    let all = Arbitrator::catalogue().unwrap();
    let together = on_threads(2, 5, all.clone());
    let arrived = together.policies[0].counts.arrived;
    for (policy, outcome) in all.into_iter().zip(together.policies) {
        let alone = on_threads(1, 5, vec![policy.clone()]).policies.remove(0);
        assert_eq!(outcome.counts.arrived, arrived, "{policy}");
        assert_eq!(outcome.points, alone.points, "{policy}");
        assert_eq!(outcome.metrics, alone.metrics, "{policy}");
        assert_eq!(outcome.requests_per_server, alone.requests_per_server, "{policy}");
    }
}

/// With all servers warm and no limit every policy serves the same demands: the work done is the same to rounding, if all of
/// it is done by the end.
#[test]
fn service_demands_belong_to_requests() {
    let service = Law::log_normal(1.0, 3.0).unwrap();
    let mut parts = always_warm(Group::new(8).unwrap(), Discipline::FirstComeFirstServed, 6.0, service);
    let rates = vec![(0.0, 0.5), (200.0, 0.0)];
    parts.arrivals = alba_cluster::Arrivals::poisson(alba_model::ArrivalProfile::steps(rates).unwrap());
    parts.grid = Grid::new(1000.0, 1).unwrap();
    parts.warm_up = 0.0;
    let problem = Problem::new(parts).unwrap();
    let policies: Vec<_> = Arbitrator::catalogue().unwrap().into_iter().skip(2).collect();
    let outcome = simulate(&problem, &Experiment::new(3, 1, policies).unwrap(), &|_| ()).unwrap();
    for policy in &outcome.policies {
        assert_eq!(policy.counts.present_at_end, 0);
        let difference = policy.difference(Measure::Busy).value.unwrap();
        assert!(difference.abs() < 1e-12, "{}: {difference}", policy.policy);
    }
}
