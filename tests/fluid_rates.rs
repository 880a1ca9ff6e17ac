//! What a run of the fluid model costs as one of its rates goes over fifteen orders of magnitude: every rule, beside the same
//! system with that rate at 1.

use alba_fluid::{FluidError, Outcome, Problem, Tolerances, solve};
use alba_model::{ArrivalProfile, Buffer, Dispatch, Grid, Model, Occupancy, Rates, ScalingRule, Scheme};
use std::time::Instant;

const NAMES: [&str; 3] = ["scaling_rate", "initialization_rate", "expiration_rate"];
const VALUES: [f64; 7] = [1e-6, 1e-4, 1e-2, 1e2, 1e4, 1e6, 1e9];

#[derive(Debug, Clone)]
struct System {
    scheme: Scheme,
    buffer: Option<u32>,
    warm: Vec<f64>,
    horizon: f64,
    /// alpha, beta, gamma.
    rates: [f64; 3],
}

impl System {
    fn with(&self, which: usize, rate: f64) -> Self {
        let mut other = self.clone();
        other.rates[which] = rate;
        other
    }

    fn problem(&self) -> Problem {
        let [alpha, beta, gamma] = self.rates;
        let buffer = self.buffer.map_or(Buffer::Infinite, |jobs| Buffer::finite(jobs).unwrap());
        let arrivals = ArrivalProfile::constant(0.7).unwrap();
        let model =
            Model::new(arrivals, Rates::new(alpha, beta, gamma).unwrap(), buffer, self.scheme).unwrap();
        let start = Occupancy::new(0.0, self.warm.clone()).unwrap();
        let grid = Grid::new(self.horizon, 100).unwrap();
        Problem::new(model, start, grid, Tolerances::default()).unwrap()
    }
}

/// Power-of-1 to 4 and JBT-0 to 2 with every kind of scaling rule, and TABS-1 to 4.
fn rules() -> Vec<Scheme> {
    let mut dispatches: Vec<Dispatch> = (1..5).map(|d| Dispatch::power_of_d(d).unwrap()).collect();
    dispatches.extend((0..3).map(Dispatch::join_below_threshold));
    let scalings = [
        ScalingRule::blind(0.06).unwrap(),
        ScalingRule::rate_idle(1.0, 1.0).unwrap(),
        ScalingRule::warm_shortage(0.8).unwrap(),
        ScalingRule::capacity_shortage(1.5).unwrap(),
        ScalingRule::None,
    ];
    let pairs = dispatches
        .iter()
        .flat_map(|&dispatch| scalings.iter().map(move |&scaling| Scheme::asynchronous(dispatch, scaling)));
    pairs.chain((1..5).map(|d| Scheme::tabs(d).unwrap())).collect()
}

fn systems(buffers: &[Option<u32>], horizons: &[f64], starts: &[&[f64]]) -> Vec<System> {
    let mut systems = Vec::new();
    for scheme in rules() {
        for &buffer in buffers {
            for &horizon in horizons {
                for start in starts {
                    let warm = start.to_vec();
                    systems.push(System { scheme, buffer, warm, horizon, rates: [0.05, 0.1, 0.025] });
                }
            }
        }
    }
    systems
}

/// The shortest of several times, in milliseconds; of short runs many more, since others may want the processor, too.
fn timed(problem: &Problem, runs: usize) -> (f64, Result<Outcome, FluidError>) {
    let (start, mut best, mut tries) = (Instant::now(), f64::INFINITY, 0);
    loop {
        let clock = Instant::now();
        let outcome = solve(problem);
        best = best.min(1e3 * clock.elapsed().as_secs_f64());
        tries += 1;
        if tries >= runs && start.elapsed().as_millis() > 10 {
            return (best, outcome);
        }
    }
}

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// Work, and not time, is counted: the same on every machine.
fn work(system: &System) -> f64 {
    match solve(&system.problem()) {
        Ok(outcome) => outcome.statistics.work as f64,
        Err(error) => panic!("{system:?}: {error}"),
    }
}

/// A start with warm servers enough and a buffer that is soon full: whatever one of the rates is, a run takes at most twenty
/// times the work, and most take less than five.
#[test]
fn no_rate_makes_a_run_long() {
    let mut ratios = Vec::new();
    let kinked = |system: &System| {
        matches!(
            system.scheme,
            Scheme::Asynchronous {
                scaling: ScalingRule::WarmShortage(_) | ScalingRule::CapacityShortage(_),
                ..
            }
        )
    };
    for system in systems(&[Some(10)], &[690.0], &[&[0.7]]) {
        for (which, name) in NAMES.iter().enumerate().filter(|(which, _)| *which > 0 || !kinked(&system)) {
            let one = work(&system.with(which, 1.0));
            for value in VALUES.into_iter().filter(|value| *value < 1e9) {
                let ratio = work(&system.with(which, value)) / one;
                ratios.push((ratio, format!("{} {name}={value:e}", system.scheme)));
            }
        }
    }
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (worst, ninety) = (&ratios[ratios.len() - 1], &ratios[ratios.len() * 9 / 10]);
    println!("{} runs: {worst:?}, nine tenths below {ninety:?}", ratios.len());
    assert!(worst.0 < 20.0 && ninety.0 < 5.0, "{worst:?} {ninety:?}");
}

#[test]
#[ignore = "a minute: a table of times, beside the same system at rate 1; ALBA_ALL=1 prints all of it"]
fn table_of_times() {
    let all = number("ALBA_ALL", 0) == 1;
    let runs = number("ALBA_RUNS", 3);
    let (mut cells, mut above, mut errors, mut worst) = (0, 0, 0, 0.0_f64);
    println!("{:>9} {:>7} {:>8} {:>6} {:>6}  ratio", "ms", "steps", "rejected", "evals", "events");
    let only = std::env::var("ALBA_ONLY").unwrap_or_default();
    for system in systems(&[Some(10), Some(100), None], &[20.0, 690.0, 1e4], &[&[0.7], &[0.1]]) {
        let system_at =
            format!("{} B={:?} T={} from {:?}", system.scheme, system.buffer, system.horizon, system.warm);
        if !only.split(',').all(|part| system_at.contains(part)) {
            continue;
        }
        for (which, name) in NAMES.iter().enumerate() {
            let (at_one, base) = timed(&system.with(which, 1.0).problem(), runs);
            for value in VALUES {
                let (took, outcome) = timed(&system.with(which, value).problem(), 1);
                let suspect = took > 6.0 * at_one;
                let (took, outcome) = if suspect && took < 1e3 {
                    timed(&system.with(which, value).problem(), runs)
                } else {
                    (took, outcome)
                };
                let ratio = took / at_one;
                cells += 1;
                let (label, is_above) = (format!("{ratio:5.1}"), ratio > 10.0);
                let at = format!("{name}={value:e} {system_at}");
                match (&outcome, &base) {
                    (Ok(outcome), base) => {
                        let own = outcome.statistics;
                        let like = base.as_ref().map(|base| base.statistics.work).unwrap_or(0);
                        if base.is_ok() {
                            worst = worst.max(ratio);
                            above += usize::from(is_above);
                        }
                        if all || is_above {
                            println!(
                                "{took:9.3} {:7} {:8} {:6} {:6}  {label} ({:.1}; {at_one:.3} ms{}) {at}",
                                own.steps,
                                own.rejected_steps,
                                own.evaluations,
                                outcome.switches.len(),
                                own.work as f64 / like.max(1) as f64,
                                if base.is_err() { ", an error" } else { "" },
                            );
                        }
                    }
                    (Err(error), _) => {
                        errors += 1;
                        if all || took > 500.0 {
                            println!("{took:9.3} {error} {at}");
                        }
                    }
                }
            }
        }
    }
    println!("{cells} cells, {above} above 10 times, the worst {worst:.1}; {errors} end in an error");
}
