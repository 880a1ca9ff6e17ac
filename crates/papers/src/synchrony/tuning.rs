//! The scaling rate at which a scheme uses a given energy.

use super::equilibrium::{Equilibrium, Laboratory, Measured, System};
use crate::Error;

/// How far energies may differ, in servers per server: waiting changes by about a tenth of it.
const AGREE: f64 = 1e-4;
/// Full runs at most.
const MOST_RUNS: u64 = 6;
/// Short runs that find where to begin.
const PILOTS: usize = 5;
/// The first two differ by this factor in the scaling rate.
const APART: f64 = 1.5;
/// A scaling rate changes by at most this factor from one pilot to the next.
const BOLDEST: f64 = 8.0;

/// More servers start, more energy is used: where noise says otherwise, a slope this gentle is assumed.
const GENTLEST: f64 = 1e-3;
/// A scaling rate further from the first than this factor is not looked for.
const FURTHEST: f64 = 1e3;

/// A scheme tuned to an energy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tuned {
    pub(super) scaling_rate: f64,
    /// At that rate: all full runs, each brought there along the slopes.
    pub(super) at: Equilibrium,
    /// The slope of the scheme's own curve there.
    pub(super) waiting_per_energy: f64,
    /// Full runs.
    pub(super) runs: u64,
}

/// A run at a logarithm of the scaling rate.
#[derive(Debug, Clone, Copy)]
struct Run {
    log_rate: f64,
    at: Equilibrium,
}

/// The scenario's scheme in `system`, its scaling rate such that the measured energy is within [`AGREE`] of `energy`, as far as
/// [`MOST_RUNS`] runs get there.
pub(super) fn tune(laboratory: &Laboratory<'_>, system: System, energy: f64) -> Result<Tuned, Error> {
    let measure = |log_rate: f64, replications: u64| {
        let system = System { scaling: log_rate.exp(), ..system };
        laboratory.measure(system, laboratory.scheme(), replications).map(|at| Run { log_rate, at })
    };
    let within = |log_rate: f64| {
        let first = system.scaling.ln();
        log_rate.clamp(first - FURTHEST.ln(), first + FURTHEST.ln())
    };
    let few = laboratory.replications().div_ceil(4);
    let mut pilots = vec![measure(system.scaling.ln(), few)?];
    let up = pilots[0].at.energy.value < energy;
    pilots.push(measure(system.scaling.ln() + if up { APART.ln() } else { -APART.ln() }, few)?);
    let next = |runs: &[Run]| {
        let last = runs[runs.len() - 1];
        let step = (energy - last.at.energy.value) / energy_slope(&runs[runs.len() - 2..]);
        within(last.log_rate + step.clamp(-BOLDEST.ln(), BOLDEST.ln()))
    };
    while pilots.len() < PILOTS {
        let log_rate = next(&pilots);
        let last = pilots[pilots.len() - 1].log_rate;
        if (log_rate - last).abs() < 0.05 {
            break;
        }
        pilots.push(measure(log_rate, few)?);
    }
    // The two that lie nearest, but not so near that noise is their slope.
    pilots.sort_by(|a, b| (a.at.energy.value - energy).abs().total_cmp(&(b.at.energy.value - energy).abs()));
    let nearest = pilots[0];
    let other = pilots.iter().skip(1).find(|run| (run.log_rate - nearest.log_rate).abs() > 0.1);
    let pair = [nearest, *other.unwrap_or(&nearest)];
    let (energy_slope, waiting_slope) = (energy_slope(&pair), slope(&pair, |run| run.at.waiting.value));
    let mut log_rate = within(nearest.log_rate + (energy - nearest.at.energy.value) / energy_slope);
    let mut runs: Vec<Run> = vec![];
    loop {
        runs.push(measure(log_rate, laboratory.replications())?);
        let at = pooled(&runs, log_rate, energy_slope, waiting_slope);
        let missing = energy - at.energy.value;
        if missing.abs() <= AGREE || runs.len() as u64 == MOST_RUNS {
            return Ok(Tuned {
                scaling_rate: log_rate.exp(),
                at,
                waiting_per_energy: waiting_slope / energy_slope,
                runs: runs.len() as u64,
            });
        }
        log_rate = within(log_rate + missing / energy_slope);
    }
}

/// Between the first and the last run; 0 where they are at one rate.
fn slope(runs: &[Run], of: impl Fn(&Run) -> f64) -> f64 {
    let (first, last) = (&runs[0], &runs[runs.len() - 1]);
    let apart = last.log_rate - first.log_rate;
    if apart == 0.0 { 0.0 } else { (of(last) - of(first)) / apart }
}

fn energy_slope(runs: &[Run]) -> f64 {
    slope(runs, |run| run.at.energy.value).max(GENTLEST)
}

/// The mean of all runs, each moved to `log_rate` along the slopes.
fn pooled(runs: &[Run], log_rate: f64, energy_slope: f64, waiting_slope: f64) -> Equilibrium {
    let count = runs.len() as f64;
    let mean = |of: fn(&Equilibrium) -> Measured, slope: f64| {
        let values = runs.iter().map(|run| of(&run.at).value + slope * (log_rate - run.log_rate));
        let squares = runs.iter().map(|run| of(&run.at).half_width.powi(2));
        Measured { value: values.sum::<f64>() / count, half_width: squares.sum::<f64>().sqrt() / count }
    };
    Equilibrium { energy: mean(|at| at.energy, energy_slope), waiting: mean(|at| at.waiting, waiting_slope) }
}
