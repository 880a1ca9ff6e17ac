//! What the paper proves about the fluid model: Proposition 1's closed forms and Theorem 3's convergence.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test's helpers: a failure is a panic, and what fails is printed"
)]

use crate::fluid_random::{Draws, System};
use alba_fluid::Stop;
use alba_model::{Dispatch, Occupancy, ScalingRule, Scheme};

/// Where Proposition 1 says that `sum_i i x[i,2]` ends: (A) warm shortage, (B) capacity shortage.
fn backlog_limit(system: &System) -> f64 {
    let (alpha, beta, _) = system.rates;
    let start = system.start();
    let missing = system.arrivals[0].1 - start.warm();
    let slowness = |gain: f64| (missing - start.initializing()) / (alpha * gain);
    let Scheme::Asynchronous { scaling, .. } = system.scheme else {
        panic!("Proposition 1 is about shortages")
    };
    match scaling {
        ScalingRule::WarmShortage(rule) => start.jobs() + slowness(rule.gain()),
        ScalingRule::CapacityShortage(rule) => start.jobs() + slowness(rule.gain()) + missing / beta,
        _ => panic!("Proposition 1 is about shortages"),
    }
}

/// Levels 1, 2, ... with random shares of `total`, none idle.
fn busy(draws: &mut Draws, total: f64) -> Vec<f64> {
    let mut warm = vec![0.0];
    warm.extend((0..=draws.below(5)).map(|_| draws.between(0.05, 1.0)));
    let sum: f64 = warm.iter().sum();
    warm.iter().map(|level| total * level / sum).collect()
}

/// A system within Proposition 1's conditions.
fn within_conditions(seed: u64) -> System {
    let draws = &mut Draws::new(seed);
    let lambda = draws.between(0.3, 0.85);
    let y0 = lambda * draws.between(0.2, 0.95);
    let warm = busy(draws, y0);
    let (beta, gain, alpha, initializing, scaling);
    if seed.is_multiple_of(2) {
        beta = draws.log_between(0.1, 2.0);
        gain = draws.between(0.2, 1.0 / (lambda - y0));
        alpha = beta / 4.0 / gain * draws.between(0.4, 1.0);
        initializing = (lambda - y0) / 2.0 * draws.between(0.0, 1.0);
        scaling = ScalingRule::warm_shortage(gain).unwrap();
    } else {
        beta = draws.log_between(0.1, 1.0);
        initializing = (lambda - y0) * draws.between(0.0, 1.0);
        gain = draws.between(0.2, (1.0 / (lambda - y0 - initializing)).min(5.0));
        alpha = draws.log_between(0.03, 0.5) / gain;
        scaling = ScalingRule::capacity_shortage(gain).unwrap();
    }
    System {
        scheme: Scheme::asynchronous(Dispatch::JOIN_IDLE_QUEUE, scaling),
        arrivals: vec![(0.0, lambda)],
        rates: (alpha, beta, draws.log_between(0.02, 1.0)),
        buffer: None,
        initializing,
        warm,
        // Thirty time constants of the slower of the two exponentials.
        horizon: 30.0 / (alpha * gain).min(beta),
    }
}

/// The example under Proposition 1 in the notes on the model: 5.6 and 3.6 jobs per server.
fn example(scaling: ScalingRule) -> System {
    System {
        scheme: Scheme::asynchronous(Dispatch::JOIN_IDLE_QUEUE, scaling),
        arrivals: vec![(0.0, 0.7)],
        rates: (0.05, 0.1, 0.025),
        buffer: None,
        initializing: 0.0,
        warm: vec![0.0, 0.6],
        horizon: 2000.0,
    }
}

/// A trajectory's end, or why there is none.
fn end(system: &System) -> Result<(Occupancy, Stop), String> {
    let mut outcome = system.solved(4)?;
    let last = outcome.snapshots.pop().ok_or("no snapshot")?;
    Ok((last.state, outcome.stop))
}

fn check_backlogs(systems: impl Iterator<Item = System>) {
    let mut failures = 0;
    for system in systems {
        let expected = backlog_limit(&system);
        match end(&system) {
            Ok((state, _)) if (state.jobs() - expected).abs() < 1e-5 => {}
            other => {
                failures += 1;
                println!(
                    "{:?} jobs, not {expected}, {other:.6?}: {system:?}",
                    other.as_ref().map(|o| o.0.jobs())
                );
            }
        }
    }
    assert_eq!(failures, 0, "backlogs off by more than 1e-5");
}

#[test]
fn scaling_on_a_shortage_leaves_the_backlog_of_proposition_1() {
    let (a, b) = (ScalingRule::warm_shortage(0.4).unwrap(), ScalingRule::capacity_shortage(1.0).unwrap());
    assert!((backlog_limit(&example(a)) - 5.6).abs() < 1e-12);
    assert!((backlog_limit(&example(b)) - 3.6).abs() < 1e-12);
    check_backlogs([a, b].map(example).into_iter().chain((0..12).map(within_conditions)));
}

#[test]
#[ignore = "long: two hundred starts"]
fn proposition_1_from_many_starts() {
    check_backlogs((100..300).map(within_conditions));
}

/// What happens when one of the conditions does not hold: printed, for there is no theorem.
#[test]
#[ignore = "prints what happens outside the conditions of Proposition 1"]
fn outside_proposition_1() {
    let (a, b) = (ScalingRule::warm_shortage(0.4).unwrap(), ScalingRule::capacity_shortage(1.0).unwrap());
    let show = |name: &str, change: &dyn Fn(&mut System)| {
        for rule in [a, b] {
            let mut system = example(rule);
            change(&mut system);
            let formula = backlog_limit(&system);
            match end(&system) {
                Ok((state, stop)) => println!(
                    "{name}, {rule}: jobs {:.6} (formula {formula:.6}), cold {:.6} initializing {:.2e} idle {:.2e} \
                     one job {:.6} warm {:.6}, {stop:?}",
                    state.jobs(),
                    state.cold(),
                    state.initializing(),
                    state.idle(),
                    state.warm_with(1),
                    state.warm(),
                ),
                Err(failure) => println!("{name}, {rule}: {failure}"),
            }
        }
    };
    show("within", &|_| {});
    show("idle servers at the start", &|system| system.warm = vec![0.2, 0.4]);
    show("more warm than needed", &|system| system.warm = vec![0.0, 0.5, 0.4]);
    show("exactly as many warm as needed", &|system| system.warm = vec![0.0, 0.4, 0.3]);
    show("too many initializing", &|system| system.initializing = 0.25);
    show("fast scaling, 4 alpha c > beta", &|system| system.rates.0 = 1.0);
    show("fast initialization, beta > 2", &|system| system.rates.1 = 5.0);
    show("a buffer of 20", &|system| system.buffer = Some(20));
    show("a buffer of 5", &|system| system.buffer = Some(5));
    show("few warm, capped rule", &|system| {
        system.warm = vec![0.0, 0.05];
        let steep = match system.scheme {
            Scheme::Asynchronous { scaling: ScalingRule::WarmShortage(_), .. } => {
                ScalingRule::warm_shortage(2.0)
            }
            _ => ScalingRule::capacity_shortage(2.0),
        };
        system.scheme = Scheme::asynchronous(Dispatch::JOIN_IDLE_QUEUE, steep.unwrap());
    });
}

/// JIQ + Rate-Idle from a start of every kind: overload, all cold, idle, initializing, anything.
fn optimal(seed: u64, gain: Gain, exponent: f64, horizon: f64) -> System {
    let draws = &mut Draws::new(seed);
    let lambda = draws.between(0.2, 0.9);
    let beta = draws.log_between(0.05, 0.95);
    let buffer = 30 + draws.below(70);
    let (initializing, warm) = match seed % 5 {
        0 => (0.0, vec![]),
        1 => {
            let mut warm = vec![0.0; buffer + 1];
            warm[buffer / 2] = draws.between(0.1, 0.5);
            warm[buffer] = draws.between(0.1, 0.5);
            (0.0, warm)
        }
        2 => (0.0, vec![draws.between(0.1, 1.0)]),
        3 => (draws.between(0.1, 1.0), vec![]),
        _ => {
            let total = draws.between(0.05, 0.9);
            (draws.between(0.0, 1.0 - total), busy(draws, total))
        }
    };
    System {
        scheme: Scheme::asynchronous(
            Dispatch::JOIN_IDLE_QUEUE,
            ScalingRule::rate_idle(gain(lambda), exponent).unwrap(),
        ),
        arrivals: vec![(0.0, lambda)],
        rates: (draws.log_between(0.03, 0.5), beta, draws.log_between(0.02, 3.0)),
        buffer: Some(buffer as u32),
        initializing,
        warm,
        horizon,
    }
}

/// The largest difference to x*: `1 - lambda` cold, `lambda` with one job.
fn distance_to_optimum(state: &Occupancy, lambda: f64) -> f64 {
    let others = state.levels().iter().enumerate().filter(|(level, _)| *level != 1).map(|(_, share)| *share);
    let far = (state.cold() - (1.0 - lambda)).abs().max((state.warm_with(1) - lambda).abs());
    others.fold(far.max(state.initializing()), f64::max)
}

/// A gain, of lambda.
type Gain = fn(f64) -> f64;

const GAINS: [(&str, Gain); 3] = [(".3", |_| 0.3), ("1", |_| 1.0), ("1/lambda", |lambda| 1.0 / lambda)];

fn check_optima(starts: u64) {
    let mut failures = 0;
    for (name, gain) in GAINS {
        let mut worst: f64 = 0.0;
        for seed in 0..starts {
            let system = optimal(seed, gain, 1.0, 20_000.0);
            match end(&system) {
                Ok((state, stop)) => {
                    let distance = distance_to_optimum(&state, system.arrivals[0].1);
                    worst = worst.max(distance);
                    if distance.is_nan() || distance > 1e-6 {
                        failures += 1;
                        println!("gain {name}, seed {seed}: {distance:.3e} from x*, {stop:?}\n  {system:?}");
                    }
                }
                Err(failure) => {
                    failures += 1;
                    println!("gain {name}, seed {seed}: {failure}\n  {system:?}");
                }
            }
        }
        println!("gain {name}: at most {worst:.1e} from x*");
    }
    assert_eq!(failures, 0, "starts that do not reach x*");
}

#[test]
fn rate_idle_reaches_the_optimum() {
    check_optima(10);
}

#[test]
#[ignore = "long: fifty starts for each of three gains"]
fn rate_idle_reaches_the_optimum_from_fifty_starts() {
    check_optima(50);
}

/// With exponent 2 the rule fades out with the shortage; yet the warm servers pass lambda while the backlog of JIQ's
/// sub-optimal set keeps the shortage up, so the end is exponential all the same. Distances at three times.
#[test]
#[ignore = "long: fifty starts, three gains, three times"]
fn quadratic_rate_idle_approaches_the_optimum() {
    for (name, gain) in GAINS {
        for horizon in [1e3, 1e4, 1e5] {
            let mut distances: Vec<f64> = Vec::new();
            for seed in 0..50 {
                let system = optimal(seed, gain, 2.0, horizon);
                match end(&system) {
                    Ok((state, _)) => distances.push(distance_to_optimum(&state, system.arrivals[0].1)),
                    Err(failure) => {
                        println!("gain {name}, horizon {horizon}, seed {seed}: {failure}\n  {system:?}");
                    }
                }
            }
            distances.sort_by(f64::total_cmp);
            let (median, most) = (distances[distances.len() / 2], distances[distances.len() - 1]);
            println!(
                "gain {name}, t = {horizon}: median {median:.2e}, most {most:.2e}, {} starts",
                distances.len()
            );
            assert!(most < 1e-6, "gain {name}, t = {horizon}: {most}");
        }
    }
}
