//! Queues with closed forms: 20 replications of 8000 time units after a warm-up of 1000, seed 1, within 3 standard errors.

use alba_cluster::{Arbitrator, Discipline, Group, Law, Outcome};
use alba_model::Measure;

use super::{always_warm, simulated, standard_error};

const REPLICATIONS: u64 = 20;

fn assert_close(what: &str, outcome: &Outcome, metric: Measure, expected: f64) {
    let estimate = outcome.policies[0].metric(metric);
    let (value, error) = (estimate.value.unwrap(), standard_error(&estimate, REPLICATIONS));
    let z = (value - expected) / error;
    println!("{what}: {} {value:.5} +- {error:.5}, {expected:.5} expected, z = {z:.2}", metric.name());
    assert!(z.abs() < 3.0, "{what}: {} {value} +- {error}, not {expected}", metric.name());
}

fn one(group: Group, discipline: Discipline, rate: f64, service: Law) -> Outcome {
    simulated(&always_warm(group, discipline, rate, service), vec![Arbitrator::RoundRobin], REPLICATIONS, 1)
}

fn laws() -> [Law; 5] {
    [
        Law::exponential(1.0).unwrap(),
        Law::deterministic(1.0).unwrap(),
        Law::hyperexponential(1.0, 4.0).unwrap(),
        Law::log_normal(1.0, 2.0).unwrap(),
        Law::empirical(vec![0.5, 0.5, 2.0]).unwrap(),
    ]
}

#[test]
fn m_m_1() {
    for rho in [0.5, 0.8] {
        let server = Group::new(1).unwrap();
        let outcome = one(server, Discipline::FirstComeFirstServed, rho, Law::exponential(1.0).unwrap());
        let name = format!("M/M/1, {rho}");
        assert_close(&name, &outcome, Measure::MeanResponseTime, 1.0 / (1.0 - rho));
        assert_close(&name, &outcome, Measure::MeanWaitingTime, rho / (1.0 - rho));
        assert_close(&name, &outcome, Measure::WaitingProbability, rho);
        assert_close(&name, &outcome, Measure::Busy, rho);
        assert_close(&name, &outcome, Measure::JobsPerServer, rho / (1.0 - rho));
        for (metric, probability) in
            [(Measure::P50, 0.5), (Measure::P95, 0.95), (Measure::P99, 0.99), (Measure::P99_9, 0.999)]
        {
            let quantile = -f64::ln(1.0 - probability) / (1.0 - rho);
            let estimate = outcome.policies[0].metric(metric);
            // Where too few requests are beyond it there is no interval.
            let error = estimate.half_width.map(|_| standard_error(&estimate, REPLICATIONS));
            let far = matches!(metric, Measure::P99 | Measure::P99_9);
            assert!(error.is_some() || far, "{name}: {metric:?} {estimate:?}");
            let allowed = error.map_or(0.15 * quantile, |error| 3.0 * error + 1e-3 * quantile);
            assert!((estimate.value.unwrap() - quantile).abs() < allowed, "{name}: {metric:?} {estimate:?}");
        }
    }
}

/// Probability that all of `servers` are busy, with or without a queue, under offered load `load`.
fn erlang(servers: u32, load: f64) -> (f64, f64) {
    let blocked = (1..=servers).fold(1.0, |blocked, k| load * blocked / (f64::from(k) + load * blocked));
    let queue = blocked / (1.0 - load / f64::from(servers) * (1.0 - blocked));
    (blocked, queue)
}

#[test]
fn m_m_c() {
    let server = Group::new(1).unwrap().with_workers(4).unwrap();
    let outcome = one(server, Discipline::FirstComeFirstServed, 3.2, Law::exponential(1.0).unwrap());
    let (_, waits) = erlang(4, 3.2);
    assert_close("M/M/4", &outcome, Measure::WaitingProbability, waits);
    assert_close("M/M/4", &outcome, Measure::MeanWaitingTime, waits / (4.0 - 3.2));
    assert_close("M/M/4", &outcome, Measure::Idle, {
        let sum: f64 = (0..4).map(|k| 3.2f64.powi(k) / (1..=k).map(f64::from).product::<f64>()).sum();
        1.0 / (sum + 3.2f64.powi(4) / 24.0 / (1.0 - 0.8))
    });
}

#[test]
fn m_g_1_of_pollaczek_and_khinchine() {
    for law in laws() {
        let rho = 0.7;
        let waiting = rho * (1.0 + law.squared_variation()) / 2.0 / (1.0 - rho);
        let outcome = one(Group::new(1).unwrap(), Discipline::FirstComeFirstServed, rho, law.clone());
        assert_close(law.name(), &outcome, Measure::MeanWaitingTime, waiting);
        assert_close(law.name(), &outcome, Measure::MeanResponseTime, waiting + 1.0);
        assert_close(law.name(), &outcome, Measure::WaitingProbability, rho);
    }
}

/// The law of the service time does not matter beyond its mean.
#[test]
fn processor_sharing_is_insensitive() {
    for law in laws() {
        let rho = 0.7;
        let outcome = one(Group::new(1).unwrap(), Discipline::ProcessorSharing, rho, law.clone());
        assert_close(law.name(), &outcome, Measure::MeanResponseTime, 1.0 / (1.0 - rho));
        assert_close(law.name(), &outcome, Measure::JobsPerServer, rho / (1.0 - rho));
        let levels = &outcome.policies[0].levels;
        for (level, share) in levels.iter().enumerate().take(5) {
            let (expected, error) =
                ((1.0 - rho) * rho.powi(level as i32), standard_error(share, REPLICATIONS));
            assert!((share.value.unwrap() - expected).abs() < 3.0 * error, "{}: {level}", law.name());
        }
    }
}

/// Erlang B does not depend on the law either: connections side by side in one server, and servers of one connection.
#[test]
fn erlang_b() {
    let (blocked, _) = erlang(5, 4.0);
    for law in laws() {
        let together = Group::new(1).unwrap().with_capacity(5).unwrap();
        let outcome = one(together, Discipline::Parallel, 4.0, law.clone());
        assert_close(law.name(), &outcome, Measure::RejectedFraction, blocked);
        assert_close(law.name(), &outcome, Measure::OverloadFraction, blocked);
        let apart = Group::new(5).unwrap().with_capacity(1).unwrap();
        let outcome = one(apart, Discipline::FirstComeFirstServed, 4.0, law.clone());
        assert_close(law.name(), &outcome, Measure::RejectedFraction, blocked);
        assert_close(law.name(), &outcome, Measure::Busy, 4.0 * (1.0 - blocked) / 5.0);
    }
}

/// A server twice as fast halves service times.
#[test]
fn speeds() {
    let fast = Group::new(1).unwrap().with_speed(2.0).unwrap();
    for discipline in [Discipline::FirstComeFirstServed, Discipline::ProcessorSharing] {
        let outcome = one(fast.clone(), discipline, 1.2, Law::exponential(1.0).unwrap());
        assert_close("M/M/1, twice as fast", &outcome, Measure::MeanResponseTime, 1.0 / (2.0 - 1.2));
    }
}
