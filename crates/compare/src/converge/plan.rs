//! How many replications a study of convergence needs, and how long they take.

use super::measured::{Biases, biases};
use super::{Convergence, Progress};
use crate::Error;
use crate::Silent;
use alba_scenario::Scenario;
use std::time::Instant;

/// Half-widths are to be this share of the bias.
const SMALL: f64 = 0.25;
/// Fewest replications of the pilot.
const PILOT: u64 = 2000;
/// A bias of the pilot counts if it is so many half-widths from 0: three standard errors.
const SEEN: f64 = 1.5;
/// Servers times replications for gaps along paths, and the fewest and most replications.
const PATHS: (u64, u64, u64) = (2_000_000, 16, 200);

/// How often to simulate how many servers.
pub(super) struct Plan<'s> {
    pub(super) scenario: &'s Scenario,
    pub(super) convergence: &'s Convergence,
    /// Pairs (servers, replications).
    pub(super) bias: Vec<(u64, u64)>,
    pub(super) paths: Vec<(u64, u64)>,
    /// About, for all of it.
    seconds: f64,
}

impl<'s> Plan<'s> {
    /// After a pilot with the fewest servers. If a bias is `v/N` and a standard deviation `s/sqrt(N)`, so many times more
    /// servers need so many times more replications for the same relative interval.
    pub(super) fn new(
        scenario: &'s Scenario,
        convergence: &'s Convergence,
        progress: &dyn Progress,
    ) -> Result<Self, Error> {
        let (run, fewest) = (scenario.run(), convergence.servers[0]);
        let pilot = run.replications.max(PILOT);
        progress.begin(&format!("{}: pilot", scenario.name()), pilot * fewest);
        let begun = Instant::now();
        let found = biases(scenario, convergence, fewest, pilot, progress)?;
        let short = begun.elapsed().as_secs_f64() / pilot as f64;
        progress.end();
        let cost = Cost::new(scenario, convergence, (fewest, short))?;
        let more = (1.0 / (SMALL * least_seen(&found))).powi(2);
        let most = run.max_replications.unwrap_or(u64::MAX).max(1);
        let replications = |servers: u64| {
            let needed = pilot as f64 * (servers as f64 / fewest as f64) * more;
            (needed.ceil() as u64).max(run.replications).min(most)
        };
        let bias: Vec<_> = convergence.servers.iter().map(|&n| (n, replications(n))).collect();
        let (budget, least, enough) = PATHS;
        let paths: Vec<_> =
            convergence.path_servers.iter().map(|&n| (n, (budget / n).clamp(least, enough))).collect();
        let all = bias.iter().chain(&paths);
        let seconds = all.map(|&(n, replications)| replications as f64 * cost.of(n)).sum();
        Ok(Self { scenario, convergence, bias, paths, seconds })
    }
}

/// Seconds a replication takes: so many, and so many more for every server.
struct Cost {
    fixed: f64,
    per_server: f64,
}

impl Cost {
    /// From a pilot, servers and seconds a replication, and a moment with the most servers of the means.
    fn new(scenario: &Scenario, convergence: &Convergence, pilot: (u64, f64)) -> Result<Self, Error> {
        const MOMENT: u64 = 64;
        let (fewest, short) = (pilot.0 as f64, pilot.1);
        let most = convergence.servers.last().copied().unwrap_or(pilot.0);
        if most == pilot.0 {
            return Ok(Self { fixed: 0.0, per_server: short / fewest });
        }
        let begun = Instant::now();
        biases(scenario, convergence, most, MOMENT, &Silent)?;
        let long = begun.elapsed().as_secs_f64() / MOMENT as f64;
        let per_server = ((long - short) / (most as f64 - fewest)).max(0.0);
        Ok(Self { fixed: (short - per_server * fewest).max(0.0), per_server })
    }

    fn of(&self, servers: u64) -> f64 {
        self.fixed + self.per_server * servers as f64
    }
}

/// The smallest, over measures, of the clearest biases, in half-widths; 1 if none is seen.
fn least_seen(found: &Biases) -> f64 {
    let clearest = found.estimates.iter().map(|times| {
        let ratios = times.iter().filter_map(|at| {
            let (value, half_width) = at.bias.value.zip(at.bias.half_width)?;
            Some(if half_width > 0.0 { value.abs() / half_width } else { 0.0 })
        });
        ratios.fold(0.0, f64::max)
    });
    let least = clearest.filter(|ratio| *ratio >= SEEN).fold(f64::INFINITY, f64::min);
    if least.is_finite() { least } else { 1.0 }
}

/// What is about to be done, in words.
pub(super) fn budget(plans: &[Plan<'_>]) -> String {
    let pairs = |pairs: &[(u64, u64)]| {
        let pairs: Vec<String> = pairs.iter().map(|(n, count)| format!("{n} ({count})")).collect();
        pairs.join(", ")
    };
    let mut text = String::from(
        "lambda, alpha, beta and gamma per server are held; totals and 1/scaling_interval grow with N\n\
         servers (replications):\n",
    );
    for plan in plans {
        let name = plan.scenario.name();
        text.push_str(&format!("  {name}: means {}; paths {}\n", pairs(&plan.bias), pairs(&plan.paths)));
    }
    let seconds: f64 = plans.iter().map(|plan| plan.seconds).sum();
    text.push_str(&format!("estimated time: {}", spoken(seconds)));
    text
}

fn spoken(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{:.0} s", s.max(1.0)),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}
