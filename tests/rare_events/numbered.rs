//! Numbered servers: shares of whole runs, and their differences.

use alba_cluster::{Arbitrator, Discipline, Group, Law, Outcome, ProblemParts, Scaling};
use alba_model::{Counts, Dispatch, Grid, Measure, ScalingRule};
use rayon::prelude::*;

use super::{Covered, EVENTS, EXPERIMENTS, QUICK, full, slow_cold_start, warm};
use crate::cluster::{always_warm, simulated};
use crate::steady_state::in_equilibrium;
use crate::systems::model;

/// A share and its exact value.
struct Share {
    name: &'static str,
    parts: ProblemParts,
    metric: Measure,
    truth: f64,
    /// Of what it is a share, for each unit of time.
    rate: f64,
}

fn exponential(mean: f64) -> Law {
    Law::exponential(mean).unwrap()
}

fn queue(load: f64, buffer: u32, servers: u32) -> ProblemParts {
    let group = Group::new(servers).unwrap().with_capacity(buffer).unwrap();
    let rate = load * f64::from(servers);
    always_warm(group, Discipline::FirstComeFirstServed, rate, exponential(1.0))
}

/// One server that goes cold after an idle time of mean `1 / expiration`.
fn expiring(load: f64, buffer: u32, expiration: f64, initialization: f64, scaling: Scaling) -> ProblemParts {
    let mut parts = queue(load, buffer, 1);
    parts.times.expiration = Some(exponential(1.0 / expiration));
    parts.times.initialization = exponential(1.0 / initialization);
    parts.scaling = scaling;
    parts
}

impl Share {
    fn all() -> [Self; 6] {
        let of = |name, parts, metric, truth, rate| Self { name, parts, metric, truth, rate };
        let chain = slow_cold_start(2e-4);
        let lost = in_equilibrium(&chain, &warm(1))[7].unwrap();
        let blind = Scaling::asynchronous(0.5, ScalingRule::blind(1.0).unwrap()).unwrap();
        let idle = |load: f64, buffer: u32| (1.0 - load) / (1.0 - load.powi(buffer as i32 + 1));
        // Of M/M/1/B with little load: accepted and not into an empty system.
        let waits = 1.0 - idle(0.003, 4) / (1.0 - full(0.003, 4));
        // A server that goes cold is started by the next request; between two such starts it works off (1 + load / gamma) busy
        // periods of 1 / (1 - load) requests.
        let starts = 0.5 * 1e-3 / (0.5 + 1e-3);
        [
            of("rejected, load 0.3", queue(0.3, 4, 1), Measure::RejectedFraction, full(0.3, 4), 0.3),
            of(
                "rejected, load 0.7, clusters of 3",
                queue(0.7, 12, 1),
                Measure::RejectedFraction,
                full(0.7, 12),
                0.7,
            ),
            of("overload, load 0.7", queue(0.7, 12, 1), Measure::OverloadFraction, full(0.7, 12), 0.7),
            of("waiting, load 0.003", queue(0.003, 4, 1), Measure::WaitingProbability, waits, 0.003),
            of("lost, clusters of 37", expiring(0.7, 5, 2e-4, 0.02, blind), Measure::LostFraction, lost, 0.7),
            of(
                "cold starts",
                expiring(0.5, 1000, 1e-3, 0.5, Scaling::PerRequest),
                Measure::ColdStartFraction,
                starts,
                0.5,
            ),
        ]
    }

    fn outcomes(
        &self,
        policies: &[Arbitrator],
        events: f64,
        replications: u64,
        experiments: u64,
    ) -> Vec<Outcome> {
        let mut parts = self.parts.clone();
        // Relaxation times: 37 at load 0.7, 4 at 0.3.
        parts.warm_up = if self.rate < 0.5 { 40.0 } else { 200.0 };
        parts.grid =
            Grid::new(parts.warm_up + events / (replications as f64 * self.rate * self.truth), 1).unwrap();
        (0..experiments)
            .into_par_iter()
            .map(|seed| simulated(&parts, policies.to_vec(), replications, seed))
            .collect()
    }

    fn check(&self, events: f64, replications: u64, experiments: u64) {
        let found = self.outcomes(&[Arbitrator::RoundRobin], events, replications, experiments);
        let estimates = found.iter().map(|outcome| outcome.policies[0].metric(self.metric));
        let name = format!("numbered, {}, {events} events in {replications} replications", self.name);
        Covered::of(estimates, self.truth).check(&name, experiments);
    }
}

#[test]
fn shares_of_requests_now_and_then() {
    for share in Share::all() {
        for events in [0.3, 3.0] {
            share.check(events, 10, QUICK / 2);
        }
    }
}

#[test]
#[ignore = "slow statistical check: 2000 experiments of each of 90 kinds, minutes"]
fn shares_of_requests() {
    for replications in [10, 100, 2] {
        for share in Share::all() {
            EVENTS.into_iter().for_each(|events| share.check(events, replications, EXPERIMENTS));
        }
    }
}

/// Rejected at two servers with room for three each, at random less to idle ones first; events are those at random.
fn difference() -> (Share, f64) {
    let chain = |dispatch| {
        let model = model(dispatch, ScalingRule::None, Some(4), 0.2, [0.0, 1.0, 0.0]);
        in_equilibrium(&model, &Counts { warm: vec![2], ..Counts::default() })
            [index(Measure::RejectedFraction)]
        .unwrap()
    };
    let random = chain(Dispatch::power_of_d(1).unwrap());
    let truth = chain(Dispatch::JOIN_IDLE_QUEUE) - random;
    let parts = queue(0.2, 4, 2);
    (Share { name: "difference", parts, metric: Measure::RejectedFraction, truth: random, rate: 0.4 }, truth)
}

fn index(measure: Measure) -> usize {
    Measure::ALL.iter().position(|&other| other == measure).unwrap()
}

fn check_difference(events: f64, replications: u64, experiments: u64) {
    let (share, truth) = difference();
    let idle = Arbitrator::from(Dispatch::JOIN_IDLE_QUEUE);
    let found = share.outcomes(&[Arbitrator::Random, idle], events, replications, experiments);
    for outcome in &found {
        let own = outcome.policies[0].difference(share.metric);
        assert_eq!((own.value, own.half_width), (Some(0.0), Some(0.0)));
    }
    let estimates = found.iter().map(|outcome| outcome.policies[1].difference(share.metric));
    let name = format!("numbered, difference, {events} events in {replications} replications");
    Covered::of(estimates, truth).check(&name, experiments);
}

#[test]
fn differences_now_and_then() {
    for events in [0.3, 3.0] {
        check_difference(events, 10, QUICK / 2);
    }
}

#[test]
#[ignore = "slow statistical check: 2000 experiments of each of 15 kinds"]
fn differences() {
    for replications in [10, 100, 2] {
        EVENTS.into_iter().for_each(|events| check_difference(events, replications, EXPERIMENTS));
    }
}

/// A run that leaves nothing to chance is the same every time; one that does is not, even if it was so far.
#[test]
fn only_what_is_deterministic_is_certain() {
    let mut parts = queue(0.5, 4, 1);
    parts.grid = Grid::new(20.0, 1).unwrap();
    parts.warm_up = 0.0;
    let random = simulated(&parts, vec![Arbitrator::RoundRobin], 3, 1);
    let rejected = random.policies[0].metric(Measure::RejectedFraction);
    assert!(rejected.half_width.unwrap() > 0.0);
    parts.arrivals = alba_cluster::Arrivals::renewal(Law::deterministic(2.0).unwrap()).unwrap();
    parts.times.service = Law::deterministic(1.0).unwrap();
    let same = simulated(&parts, vec![Arbitrator::RoundRobin], 3, 1);
    for metric in [Measure::RejectedFraction, Measure::Busy, Measure::WaitingProbability] {
        assert_eq!(same.policies[0].metric(metric).half_width, Some(0.0), "{metric:?}");
    }
}
