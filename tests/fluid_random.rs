//! The fluid model against tiny steps, on systems drawn at random: on and off every boundary, with steps of the
//! arrival rate.
//!
//! A system is its seed: to look at one, `ALBA_SEED=17 cargo test --test alba fluid_random::one -- --ignored --nocapture`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test's helpers: a failure is a panic, and what fails is printed"
)]

use crate::oracle::fluid::{Fluid, distance, trajectory};
use alba_fluid::{Outcome, Problem, Tolerances, solve};
use alba_model::{ArrivalProfile, Buffer, Dispatch, Grid, Model, Occupancy, Rates, ScalingRule, Scheme};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Report times besides 0.
const SAMPLES: usize = 10;
/// What the oracle tries to reach, and what is added to its own estimate: the solver's tolerances, 1e-10 and 1e-12 a
/// step, may add up to this over a few thousand steps.
const ORACLE_TARGET: f64 = 1e-7;
const FLOOR: f64 = 2e-8;
/// An oracle less certain than this shows nothing; some starts with `y0 = 0` come near.
const BLUNT: f64 = 1e-4;
/// A solver that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(10);

/// SplitMix64: small, and the same numbers on every machine.
pub(crate) struct Draws(u64);

impl Draws {
    pub(crate) fn new(seed: u64) -> Self {
        let mut draws = Self(seed);
        // Scrambled: the streams of neighbouring seeds would be shifts of one another.
        Self(draws.next() ^ seed.rotate_left(32))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn log_between(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp()
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.between(0.0, 1.0) < probability
    }
}

/// A system, by the numbers that a person would type.
#[derive(Debug, Clone)]
pub(crate) struct System {
    pub(crate) scheme: Scheme,
    pub(crate) arrivals: Vec<(f64, f64)>,
    /// alpha, beta, gamma.
    pub(crate) rates: (f64, f64, f64),
    pub(crate) buffer: Option<u32>,
    pub(crate) initializing: f64,
    pub(crate) warm: Vec<f64>,
    pub(crate) horizon: f64,
}

impl System {
    pub(crate) fn model(&self) -> Model {
        let (alpha, beta, gamma) = self.rates;
        Model::new(
            ArrivalProfile::steps(self.arrivals.clone()).unwrap(),
            Rates::new(alpha, beta, gamma).unwrap(),
            self.buffer.map_or(Buffer::Infinite, |jobs| Buffer::finite(jobs).unwrap()),
            self.scheme,
        )
        .unwrap()
    }

    pub(crate) fn start(&self) -> Occupancy {
        Occupancy::new(self.initializing, self.warm.clone()).unwrap()
    }

    /// The solver's answer, or that it takes too long.
    pub(crate) fn solved(&self, samples: usize) -> Result<Outcome, String> {
        let grid = Grid::new(self.horizon, samples).unwrap();
        let problem = Problem::new(self.model(), self.start(), grid, Tolerances::default()).unwrap();
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || sender.send(solve(&problem)));
        match receiver.recv_timeout(PATIENCE) {
            Ok(Ok(outcome)) => Ok(outcome),
            Ok(Err(error)) => Err(format!("error: {error}")),
            Err(mpsc::RecvTimeoutError::Timeout) => Err("hangs".into()),
            Err(mpsc::RecvTimeoutError::Disconnected) => Err("panics".into()),
        }
    }
}

/// The system of `seed`.
pub(crate) fn drawn(seed: u64) -> System {
    let draws = &mut Draws::new(seed);
    let (dispatch, d) = match draws.below(9) {
        k @ 0..4 => (Dispatch::power_of_d(k as u32 + 1).unwrap(), draws.below(4)),
        k => (Dispatch::join_below_threshold(k as u32 - 4), k - 4),
    };
    let scaling = match draws.below(12) {
        0..3 => ScalingRule::blind(draws.log_between(0.01, 1.0)).unwrap(),
        3..6 => ScalingRule::rate_idle(draws.log_between(0.3, 5.0), 1.0).unwrap(),
        6 | 7 => ScalingRule::rate_idle(draws.log_between(0.5, 5.0), draws.between(1.0, 3.0)).unwrap(),
        8 | 9 => ScalingRule::warm_shortage(draws.log_between(0.3, 5.0)).unwrap(),
        10 => ScalingRule::capacity_shortage(draws.log_between(0.3, 5.0)).unwrap(),
        _ => ScalingRule::None,
    };
    let mut rate =
        || if draws.chance(0.1) { draws.log_between(2.0, 8.0) } else { draws.log_between(0.02, 2.0) };
    let rates = (rate(), rate(), rate());
    let buffer = d + 1 + draws.below(30 - d);
    let horizon = draws.log_between(5.0, 40.0);
    let mut arrivals = vec![(0.0, draws.between(0.05, 1.2))];
    let mut times: Vec<f64> = (0..draws.below(4)).map(|_| draws.between(0.0, horizon)).collect();
    if draws.chance(0.3) {
        times.push(horizon * 0.3);
    }
    times.sort_by(f64::total_cmp);
    for time in times {
        arrivals.push((time, if draws.chance(0.1) { 0.0 } else { draws.between(0.05, 1.2) }));
    }
    let (initializing, warm) = start(draws, d, buffer);
    System {
        scheme: Scheme::asynchronous(dispatch, scaling),
        arrivals,
        rates,
        buffer: Some(buffer as u32),
        initializing,
        warm,
        horizon,
    }
}

/// `x01` and `x[i,2]`, on or off the boundaries.
fn start(draws: &mut Draws, d: usize, buffer: usize) -> (f64, Vec<f64>) {
    let top = 1 + draws.below(buffer);
    let mut warm: Vec<f64> = (0..=top).map(|_| -draws.between(1e-9, 1.0).ln()).collect();
    let (mut cold, mut initializing) = (draws.between(0.0, 3.0), draws.between(0.0, 2.0));
    match draws.below(10) {
        0 => return (0.0, vec![]),
        1 => return (if draws.chance(0.3) { 1.0 } else { draws.between(0.0, 1.0) }, vec![]),
        2 => cold = 0.0,
        3 => warm[..=d.min(top)].fill(0.0),
        4 => {
            cold = 0.0;
            warm[..=d.min(top)].fill(0.0);
        }
        5 => {
            warm = vec![0.0; buffer + 1];
            warm[buffer] = 1.0;
            cold *= f64::from(u8::from(draws.chance(0.5)));
            initializing *= f64::from(u8::from(draws.chance(0.5)));
        }
        6 => warm = vec![draws.between(1.0, 20.0)],
        7 => (cold, initializing) = (0.0, 0.0),
        8 => warm.iter_mut().for_each(|level| *level *= f64::from(u8::from(draws.chance(0.5)))),
        _ => {}
    }
    let total = cold + initializing + warm.iter().sum::<f64>();
    if warm.iter().sum::<f64>() + initializing == 0.0 {
        return (0.0, vec![]);
    }
    (initializing / total, warm.iter().map(|level| level / total).collect())
}

/// What is wrong with the solver's answer for `system`, if anything; `most_steps` bounds the oracle's work.
pub(crate) fn fault(system: &System, most_steps: usize) -> Option<String> {
    let grid = Grid::new(system.horizon, SAMPLES).unwrap();
    let clock = Instant::now();
    let outcome = match system.solved(SAMPLES) {
        Ok(outcome) => outcome,
        Err(failure) => return Some(failure),
    };
    let took = clock.elapsed();
    let times: Vec<f64> = grid.times().collect();
    let states: Vec<Fluid> = outcome.snapshots.iter().map(|snapshot| Fluid::from(&snapshot.state)).collect();
    // The oracle's error after a switch jumps about and may look small by chance: a finer one has the last word.
    let (mut oracle, mut worst) = (None, (f64::INFINITY, 0.0));
    for (target, steps) in [(ORACLE_TARGET, most_steps), (ORACLE_TARGET / 30.0, 10 * most_steps)] {
        let tried = trajectory(&system.model(), &system.start(), &times, target, steps);
        let off = states.iter().zip(&tried.states).map(|(state, expected)| distance(state, expected));
        worst = off
            .zip(times.iter().copied())
            .fold((0.0, 0.0), |a, b| if b.0 > a.0 || b.0.is_nan() { b } else { a });
        let agrees = worst.0 <= 2.0 * tried.error + FLOOR;
        oracle = Some(tried);
        if agrees {
            break;
        }
    }
    let oracle = oracle?;
    let mut faults = Vec::new();
    for (state, time) in states.iter().zip(&times) {
        let mass = state.cold + state.initializing + state.warm.iter().sum::<f64>();
        if mass.is_nan() || (mass - 1.0).abs() > 1e-12 {
            faults.push(format!("t {time}: mass 1 + {:.2e}", mass - 1.0));
        }
        let least = state.warm.iter().copied().fold(state.cold.min(state.initializing), f64::min);
        if least < 0.0 {
            faults.push(format!("t {time}: a fraction of {least:.2e}"));
        }
    }
    if outcome.snapshots.len() != times.len() {
        faults.push(format!("{} snapshots", outcome.snapshots.len()));
    }
    if worst.0 > 2.0 * oracle.error + FLOOR || worst.0.is_nan() {
        faults.push(format!("t {}: off by {:.3e}, the oracle by {:.1e}", worst.1, worst.0, oracle.error));
    }
    if oracle.error > BLUNT {
        faults.push(format!("the oracle is only certain to {:.1e}", oracle.error));
    }
    if took > Duration::from_secs(1) {
        faults.push(format!("took {took:?}, {:?}", outcome.statistics));
    }
    (!faults.is_empty()).then(|| faults.join("; "))
}

/// Checks the systems of `seeds` and names every one that fails.
fn check(seeds: impl Iterator<Item = u64>, most_steps: usize) {
    let mut failures = 0;
    for seed in seeds {
        let system = drawn(seed);
        if let Some(fault) = fault(&system, most_steps) {
            failures += 1;
            println!("seed {seed}: {fault}\n  {system:?}");
        }
    }
    assert_eq!(failures, 0, "systems that disagree; their seeds are printed");
}

#[test]
fn a_few_random_systems() {
    check(1..=15, 400_000);
}

#[test]
#[ignore = "a minute or more: run it after every change of the fluid solver"]
fn three_hundred_random_systems() {
    let first = std::env::var("ALBA_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1000);
    println!("seeds from {first}");
    check(first..first + 300, 4_000_000);
}

#[test]
#[ignore = "a tool: prints one system, ALBA_SEED, beside its oracle"]
fn one() {
    let Ok(seed) = std::env::var("ALBA_SEED") else { return };
    let seed = seed.parse().unwrap();
    let system = drawn(seed);
    println!("{system:?}\n{:?}", fault(&system, 16_000_000));
    let Ok(outcome) = system.solved(SAMPLES) else { return };
    let times: Vec<f64> = outcome.snapshots.iter().map(|snapshot| snapshot.time).collect();
    let oracle = trajectory(&system.model(), &system.start(), &times, 1e-9, 16_000_000);
    println!("oracle's error {:.1e}, step {}; {:?}", oracle.error, oracle.step, outcome.statistics);
    for switch in &outcome.switches {
        println!("  {} {} -> {} {}", switch.time, switch.from, switch.to, switch.guard);
    }
    for (snapshot, expected) in outcome.snapshots.iter().zip(&oracle.states) {
        let state = Fluid::from(&snapshot.state);
        println!("t {} off {:.3e}\n  {state:?}\n  {expected:?}", snapshot.time, distance(&state, expected));
    }
}

/// A system of `lambda`, the rates and a start, JBT-d or Power-of-d, started all cold or not: the smallest ones that
/// once went wrong.
fn small(
    dispatch: Dispatch,
    scaling: ScalingRule,
    lambda: f64,
    rates: (f64, f64, f64),
    buffer: u32,
) -> System {
    let (initializing, warm, horizon) = (0.0, vec![], 20.0);
    let arrivals = vec![(0.0, lambda)];
    System {
        scheme: Scheme::asynchronous(dispatch, scaling),
        arrivals,
        rates,
        buffer: Some(buffer),
        initializing,
        warm,
        horizon,
    }
}

fn agrees(system: &System) {
    if let Some(fault) = fault(system, 1_000_000) {
        panic!("{fault}: {system:?}");
    }
}

/// The landing on `x00 = 0` leaves a last bit of either sign: once "no regime is consistent with the state".
#[test]
fn the_cold_pool_empties_after_a_cold_start() {
    let blind = ScalingRule::blind(1.0).unwrap();
    agrees(&small(Dispatch::JOIN_IDLE_QUEUE, blind, 0.6, (0.7, 0.03, 0.0), 1));
    agrees(&small(Dispatch::power_of_d(1).unwrap(), blind, 0.1, (1.5927923132930992, 0.2, 0.0), 1));
    agrees(&small(
        Dispatch::join_below_threshold(1),
        ScalingRule::blind(0.5).unwrap(),
        0.7,
        (0.5, 0.1, 0.025),
        30,
    ));
}

/// The same landing, once without an end.
#[test]
fn the_cold_pool_empties_early() {
    let rule = Dispatch::power_of_d(1).unwrap();
    agrees(&System {
        initializing: 0.73158242833673,
        warm: vec![0.0, 0.0, 0.0, 0.15599396717103473, 0.1],
        ..small(rule, ScalingRule::blind(1.0).unwrap(), 0.9629107818483919, (0.09, 0.02, 0.0), 4)
    });
}

/// Leaving `W = 0` at a located root, for d >= 1: once a wrong composition, off by .38, or a step that vanished.
#[test]
fn below_threshold_refills_at_a_root() {
    let rate_idle = ScalingRule::rate_idle(1.0, 1.0).unwrap();
    agrees(&System {
        warm: vec![0.0, 0.1314107273148351],
        ..small(Dispatch::join_below_threshold(3), rate_idle, 0.6689970627110232, (0.2, 0.8, 0.0), 5)
    });
    agrees(&System {
        initializing: 0.9,
        ..small(Dispatch::join_below_threshold(1), ScalingRule::None, 0.8, (0.0, 0.3, 0.0), 2)
    });
    agrees(&System {
        initializing: 0.06,
        warm: vec![0.0, 0.0, 0.1, 0.15],
        ..small(Dispatch::join_below_threshold(1), ScalingRule::None, 0.3, (0.0, 1.0, 0.0), 3)
    });
}

/// The start is exactly where `W = 0` is left: need = lambda.
#[test]
fn need_equals_the_arrival_rate_at_the_start() {
    agrees(&System {
        initializing: 0.1,
        warm: vec![0.0, 0.0, 0.5, 0.1],
        ..small(
            Dispatch::join_below_threshold(1),
            ScalingRule::blind(0.06).unwrap(),
            0.7,
            (0.05, 1.0, 0.025),
            30,
        )
    });
}

/// Nearly no warm server for a long time: once a step that vanished, for d >= 2.
#[test]
fn a_cold_start_in_slow_motion() {
    let (rule, blind) = (Dispatch::power_of_d(2).unwrap(), ScalingRule::blind(1.0).unwrap());
    agrees(&small(rule, blind, 0.7, (1e-6, 0.1, 0.025), 30));
    agrees(&small(rule, blind, 0.7, (0.05, 1e-6, 0.025), 30));
    agrees(&System { initializing: 1e-9, ..small(rule, blind, 0.7, (0.05, 0.1, 0.025), 30) });
}

/// Seeds that failed once, each in a way of its own.
#[test]
fn seeds_that_failed() {
    check([1007, 1010, 1026, 1119, 1163, 1234, 1284].into_iter(), 1_000_000);
}

/// A coarse tolerance may be off by a hundred times itself, not by a regime: the fall into `W = 0` was once located
/// .18 late (JBT-3), and later at 1e-11 than at 1e-9.
#[test]
fn the_fall_below_the_threshold_is_located() {
    let blind = ScalingRule::blind(0.1).unwrap();
    let system = System {
        warm: vec![0.2, 0.1, 0.1, 0.1, 0.1],
        horizon: 6.0,
        ..small(Dispatch::join_below_threshold(3), blind, 0.9, (0.2, 0.1, 0.1), 25)
    };
    for (relative, absolute, allowed) in
        [(1e-5, 1e-6, 1e-4), (1e-7, 1e-8, 1e-6), (1e-9, 1e-11, 2e-9), (1e-11, 1e-13, 1e-9)]
    {
        let grid = Grid::new(system.horizon, 6).unwrap();
        let tolerances = Tolerances::new(relative, absolute).unwrap();
        let outcome =
            solve(&Problem::new(system.model(), system.start(), grid, tolerances).unwrap()).unwrap();
        let time = outcome.switches[0].time;
        // The oracle's states agree with this time; the solver finds it at 1e-13.
        assert!((time - 3.864_760_972).abs() < 10.0 * allowed, "{relative}: {time}");
    }
}

/// No cold, no idle server and `g = 0`: `gamma x02 = alpha g` at the start, and `x02 ~ t^top` decides the tie only by its
/// derivative of order `top`. Once the run slid for ever from `top = 4` on, off by .6.
#[test]
fn a_tie_that_only_a_high_derivative_decides() {
    for top in [1, 3, 4, 8, 16] {
        let mut warm = vec![0.0; top + 1];
        warm[top] = 1.0;
        let (rule, scaling) = (Dispatch::power_of_d(2).unwrap(), ScalingRule::warm_shortage(0.3).unwrap());
        agrees(&System { warm, horizon: 30.0, ..small(rule, scaling, 0.4, (0.3, 0.4, 0.5), 28) });
    }
}

/// Queues that the threshold catches up with: once a NaN, and so a panic.
#[test]
fn below_threshold_refills_from_a_start_without_warm_servers() {
    agrees(&System {
        initializing: 0.17699025718396377,
        horizon: 8.0,
        ..small(
            Dispatch::join_below_threshold(1),
            ScalingRule::None,
            0.15030688941478731,
            (0.0, 0.4246191074509246, 0.0),
            3,
        )
    });
}

/// No switch is reported after the horizon.
#[test]
fn switches_are_within_the_horizon() {
    let system = System {
        initializing: 0.04881588553370446,
        warm: vec![0.9480827062291577],
        horizon: 7.639506859895842,
        ..small(
            Dispatch::join_below_threshold(3),
            ScalingRule::warm_shortage(0.9196292221357989).unwrap(),
            0.06218613090928328,
            (0.15572693753875982, 0.5914669995323715, 6.764092550361741),
            10,
        )
    };
    let outcome = system.solved(SAMPLES).unwrap();
    assert!(outcome.switches.iter().all(|switch| switch.time <= system.horizon), "{:?}", outcome.switches);
}

/// need passes lambda so slowly that it nearly kisses it; found by bisecting on lambda, once a step that vanished.
#[test]
fn need_nearly_kisses_the_arrival_rate() {
    agrees(&System {
        initializing: 0.083,
        warm: vec![0.0, 0.0, 0.0, 0.0, 0.0, 0.04100486766324372, 0.008, 0.03, 0.0, 0.0, 0.4],
        horizon: 7.0,
        ..small(
            Dispatch::join_below_threshold(4),
            ScalingRule::None,
            0.153857421875,
            (8.0, 0.27191104352792506, 6.0),
            10,
        )
    });
    agrees(&small(
        Dispatch::join_below_threshold(3),
        ScalingRule::capacity_shortage(2.721902399686497).unwrap(),
        0.6667779922485353,
        (0.12310046995772372, 1.080272963039936, 0.0),
        21,
    ));
}
