//! The fluid model on systems drawn from a wide range: all rules, rates from 1e-6 to 1e6, horizons to 10^4, jumps of the
//! demand, silent nights, all cold and almost cold starts. None may fail, whatever the rates.
//!
//! A system is its seed: `ALBA_SEED=17 cargo test --test alba fluid_wide::one -- --ignored --nocapture`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test's helpers: a failure is a panic, and what fails is printed"
)]

use crate::fluid_random::{Draws, System};
use crate::oracle::fluid::{Fluid, distance};
use crate::oracle::stiff;
use alba_fluid::{FluidError, Outcome, Problem, Tolerances, solve};
use alba_model::{Dispatch, Grid, ScalingRule, Scheme};

const SAMPLES: usize = 8;
/// The oracle's own tolerance may add up to this; one less sure of itself than the other shows nothing.
const FLOOR: f64 = 2e-6;
const BLUNT: f64 = 1e-3;
/// More would take the oracle too long.
const MOST_LEVELS: u32 = 12;
/// Rows of the table of the slowest.
const SLOWEST: usize = 10;

fn rate(draws: &mut Draws) -> f64 {
    if draws.chance(0.4) { draws.log_between(0.02, 2.0) } else { draws.log_between(1e-6, 1e6) }
}

fn demand(draws: &mut Draws) -> f64 {
    match draws.below(10) {
        0 | 1 => 0.0,
        2 => draws.log_between(1e-6, 1e6),
        _ => draws.between(0.05, 1.2),
    }
}

fn scheme(draws: &mut Draws) -> (Scheme, usize) {
    let (dispatch, d) = match draws.below(12) {
        k @ 0..4 => (Dispatch::power_of_d(k as u32 + 1).unwrap(), 0),
        k @ 4..8 => (Dispatch::join_below_threshold(k as u32 - 4), k - 4),
        k => return (Scheme::tabs(k as u32 - 7).unwrap(), 0),
    };
    let scaling = match draws.below(12) {
        0..3 => ScalingRule::blind(draws.log_between(0.001, 1.0)).unwrap(),
        3..6 => ScalingRule::rate_idle(draws.log_between(0.3, 5.0), 1.0).unwrap(),
        6 | 7 => ScalingRule::rate_idle(draws.log_between(0.5, 5.0), draws.between(1.0, 3.0)).unwrap(),
        8 | 9 => ScalingRule::warm_shortage(draws.log_between(0.3, 5.0)).unwrap(),
        10 => ScalingRule::capacity_shortage(draws.log_between(0.3, 5.0)).unwrap(),
        _ => ScalingRule::None,
    };
    (Scheme::asynchronous(dispatch, scaling), d)
}

fn start(draws: &mut Draws, top: usize) -> (f64, Vec<f64>) {
    let tiny = draws.log_between(1e-20, 1e-6);
    match draws.below(8) {
        0 => (0.0, vec![]),
        1 => (0.0, vec![1.0]),
        2 => (0.0, vec![tiny]),
        3 => (tiny, vec![if draws.chance(0.5) { 0.0 } else { tiny }]),
        4 => (draws.between(0.0, 1.0), vec![]),
        5 => (0.0, vec![draws.between(0.0, 1.0)]),
        _ => {
            let mut warm: Vec<f64> = (0..=top).map(|_| -draws.between(1e-9, 1.0).ln()).collect();
            if draws.chance(0.3) {
                warm[0] = 0.0;
            }
            let others = [draws.between(0.0, 3.0), draws.between(0.0, 2.0)];
            let total = others.iter().chain(&warm).sum::<f64>();
            (others[0] / total, warm.iter().map(|level| level / total).collect())
        }
    }
}

/// The system of `seed`.
pub(crate) fn drawn(seed: u64) -> System {
    let draws = &mut Draws::new(seed ^ 0x57_1DE0);
    let (scheme, d) = scheme(draws);
    let rates = (rate(draws), rate(draws), rate(draws) * f64::from(u8::from(draws.chance(0.95))));
    let finite = draws.chance(0.9);
    let most = if draws.chance(0.2) { 30 - d } else { 8 };
    let buffer = d + 1 + draws.below(most);
    let horizon = draws.log_between(5.0, 1e4);
    let mut arrivals = vec![(0.0, demand(draws))];
    let mut times: Vec<f64> = (0..draws.below(6)).map(|_| draws.between(0.0, horizon)).collect();
    times.sort_by(f64::total_cmp);
    arrivals.extend(times.into_iter().map(|time| (time, demand(draws))));
    let top = 1 + draws.below(buffer);
    let (initializing, warm) = start(draws, top);
    let buffer = finite.then_some(buffer as u32);
    System { scheme, arrivals, rates, buffer, initializing, warm, horizon }
}

/// The answer at the given tolerances.
fn solved(system: &System, relative: f64, absolute: f64) -> Result<Outcome, FluidError> {
    let grid = Grid::new(system.horizon, SAMPLES).unwrap();
    solve(
        &Problem::new(system.model(), system.start(), grid, Tolerances::new(relative, absolute).unwrap())
            .unwrap(),
    )
}

fn states(outcome: &Outcome) -> Vec<Fluid> {
    outcome.snapshots.iter().map(|snapshot| Fluid::from(&snapshot.state)).collect()
}

/// How far two answers are from each other, in any component at any report time.
fn apart(a: &[Fluid], b: &[Fluid]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| distance(a, b))
        .fold(0.0, |far, off| if far.is_nan() || off <= far { far } else { off })
}

/// How far the answer is from the oracle's, and how sure that one is of itself; none where it gives up.
fn against_oracle(system: &System, found: &Outcome) -> Option<(f64, f64)> {
    const LEVELS_OF_INFINITE_BUFFER: usize = 12;
    let found = states(found);
    let levels = match system.buffer {
        Some(buffer) if buffer > MOST_LEVELS => return None,
        Some(buffer) => buffer as usize,
        None if found
            .iter()
            .all(|state| state.warm.iter().skip(LEVELS_OF_INFINITE_BUFFER - 2).sum::<f64>() < 1e-9) =>
        {
            LEVELS_OF_INFINITE_BUFFER
        }
        None => return None,
    };
    let times: Vec<f64> = Grid::new(system.horizon, SAMPLES).unwrap().times().collect();
    let (expected, error) = stiff::trajectory(&system.model(), &system.start(), levels, &times)?;
    Some((apart(&found, &expected), error))
}

/// What may end a run: an infinite buffer that overflows.
fn is_overflow(system: &System, error: &FluidError) -> bool {
    let overflows = matches!(
        error,
        FluidError::TooManyLevels { .. }
            | FluidError::ColdStartNeedsBuffer { .. }
            | FluidError::TooManySteps { .. } // on the way there
    );
    system.buffer.is_none() && overflows
}

#[test]
#[ignore = "a tool: prints one system, ALBA_SEED"]
fn one() {
    let Ok(seed) = std::env::var("ALBA_SEED") else { return };
    let system = drawn(seed.parse().unwrap());
    println!("{system:?}");
    let outcome = solved(&system, 1e-10, 1e-12);
    if let Ok(outcome) = &outcome {
        println!("off by, and the oracle by: {:?}", against_oracle(&system, outcome));
    }
    match outcome {
        Ok(outcome) => {
            println!("{:?} {:?}", outcome.statistics, outcome.stop);
            for switch in &outcome.switches {
                println!("  {} {} -> {} {}", switch.time, switch.from, switch.to, switch.guard);
            }
            for (snapshot, state) in outcome.snapshots.iter().zip(states(&outcome)) {
                println!("t {} {state:?}", snapshot.time);
            }
        }
        Err(error) => println!("{error}"),
    }
}

#[test]
#[ignore = "minutes: run it after every change of the fluid solver"]
fn two_thousand_systems_over_twelve_orders_of_magnitude() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
    };
    let (first, count) = (number("ALBA_SEED", 1), number("ALBA_COUNT", 2000));
    let every = number("ALBA_EVERY", 4); // the oracle takes a hundred times as long
    let finite_only = number("ALBA_FINITE", 0) == 1; // thousands of levels take seconds
    let (mut failures, mut overflows, mut furthest_coarse, mut rows) = (0, 0, 0.0_f64, Vec::new());
    let (mut judged, mut blunt, mut furthest) = (0, 0, 0.0_f64);
    for seed in first..first + count {
        let system = drawn(seed);
        if finite_only && system.buffer.is_none() {
            continue;
        }
        let clock = std::time::Instant::now();
        let found = match solved(&system, 1e-10, 1e-12) {
            Ok(found) => found,
            Err(error) if is_overflow(&system, &error) => {
                overflows += 1;
                continue;
            }
            Err(error) => {
                failures += 1;
                println!("seed {seed}: {error}\n  {system:?}");
                continue;
            }
        };
        let took = clock.elapsed().as_secs_f64();
        if seed % every == 0 {
            match against_oracle(&system, &found) {
                Some((_, error)) if error > BLUNT => blunt += 1,
                Some((off, error)) => {
                    judged += 1;
                    furthest = furthest.max(off);
                    if off.is_nan() || off > 2.0 * error + FLOOR {
                        failures += 1;
                        println!("seed {seed}: off by {off:.2e}, the oracle by {error:.1e}\n  {system:?}");
                    }
                }
                None => blunt += 1,
            }
        }
        let coarse = match solved(&system, 1e-8, 1e-10) {
            Ok(coarse) => coarse,
            Err(error) => {
                failures += 1;
                println!("seed {seed}: coarse: {error}\n  {system:?}");
                continue;
            }
        };
        let off = apart(&states(&found), &states(&coarse));
        furthest_coarse = furthest_coarse.max(off);
        let steps = found.statistics.steps + found.statistics.rejected_steps;
        rows.push((took, steps, off, seed, system.scheme, system.rates, system.horizon));
        if off.is_nan() || off > 1e-5 {
            failures += 1;
            println!("seed {seed}: coarse tolerances are {off:.1e} away\n  {system:?}");
        }
    }
    println!("{judged} against the oracle, {furthest:.1e} away at most; {blunt} where it is not sure");
    println!("| s | steps | coarse away by | seed | scheme | alpha, beta, gamma | horizon |");
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (took, steps, off, seed, scheme, (alpha, beta, gamma), horizon) in rows.iter().take(SLOWEST) {
        println!(
            "| {took:.2} | {steps} | {off:.1e} | {seed} | {scheme} | {alpha:.2e}, {beta:.2e}, {gamma:.2e} | {horizon:.0} |"
        );
    }
    let steps = rows.iter().map(|row| row.1).max().unwrap_or(0);
    println!(
        "{count} systems from seed {first}: {failures} failures, {overflows} infinite buffers overflow, {steps} steps at most, coarse {furthest_coarse:.1e} away at most"
    );
    assert_eq!(failures, 0);
}

/// Rules so fast that the state hovers at a kink of theirs, where a shortage is nearly none. Warm shortage waits for servers
/// to become warm and so is an oscillator, damped after `sqrt(alpha c / beta)` cycles, which have to be followed.
#[test]
#[ignore = "ten seconds"]
fn a_fast_rule_does_not_hold_up_at_its_kinks() {
    let rules = [
        (ScalingRule::rate_idle(2.0, 1.0).unwrap(), 1e9),
        (ScalingRule::rate_idle(2.0, 1.2).unwrap(), 1e9),
        (ScalingRule::rate_idle(3.0, 2.5).unwrap(), 1e9),
        (ScalingRule::warm_shortage(4.0).unwrap(), 1e6),
        (ScalingRule::capacity_shortage(4.0).unwrap(), 1e9),
    ];
    let dispatches = [
        Dispatch::JOIN_IDLE_QUEUE,
        Dispatch::join_below_threshold(2),
        Dispatch::power_of_d(1).unwrap(),
        Dispatch::power_of_d(3).unwrap(),
    ];
    let mut worst = (0.0_f64, 0);
    for (dispatch, (rule, most)) in
        dispatches.into_iter().flat_map(|dispatch| rules.map(|rule| (dispatch, rule)))
    {
        for alpha in [1e3, 1e6, 1e9].into_iter().filter(|alpha| *alpha <= most) {
            for (beta, gamma) in [1e-2, 1.0, 1e3, 1e6].into_iter().flat_map(|beta| [(beta, 0.1), (beta, 1e3)])
            {
                let system = System {
                    scheme: Scheme::asynchronous(dispatch, rule),
                    arrivals: vec![(0.0, 0.2), (20.0, 0.7), (60.0, 0.0), (70.0, 0.3)],
                    rates: (alpha, beta, gamma),
                    buffer: Some(8),
                    initializing: 0.0,
                    warm: vec![0.3],
                    horizon: 200.0,
                };
                let [found, coarse] = [(1e-10, 1e-12), (1e-8, 1e-10)].map(|(relative, absolute)| {
                    solved(&system, relative, absolute).unwrap_or_else(|error| panic!("{error} {system:?}"))
                });
                let off = apart(&states(&found), &states(&coarse));
                assert!(off < 1e-6, "{off:e} {system:?}");
                let steps = found.statistics.steps + found.statistics.rejected_steps;
                println!("{off:.1e} {steps} {} {alpha:e} {beta:e} {gamma:e}", system.scheme);
                worst = (off.max(worst.0), steps.max(worst.1));
            }
        }
    }
    println!("{:.1e} apart, {} steps at most", worst.0, worst.1);
    assert!(worst.1 < 200_000, "{worst:?}");
}

/// Millions of steps where a kink is not located.
#[test]
fn seeds_that_hovered_at_a_kink() {
    for seed in [877, 1095, 1941] {
        let system = drawn(seed);
        let [found, coarse] = [(1e-10, 1e-12), (1e-8, 1e-10)]
            .map(|(relative, absolute)| solved(&system, relative, absolute).unwrap());
        let off = apart(&states(&found), &states(&coarse));
        assert!(found.statistics.steps < 20_000 && off < 1e-8, "seed {seed}: {off:e} {:?}", found.statistics);
    }
}
