//! Asynchronous against synchronous scaling at equal energy.

mod chart;
mod equilibrium;
mod findings;
mod tuning;

use crate::Error;
use alba_compare::Progress;
use alba_compare::{InputError, ResultsFolder};
use alba_model::{Dispatch, ScalingRule, Scheme};
use alba_scenario::Scenario;
use alba_table::{Column, Schema};
use equilibrium::{Equilibrium, Laboratory, Measured, System};
use std::path::{Path, PathBuf};
use tuning::{Tuned, tune};

/// Other arrival rates than the scenario's.
const ARRIVAL_RATES: [f64; 4] = [0.3, 0.5, 0.7, 0.9];
/// Other expiration rates.
const EXPIRATION_RATES: [f64; 3] = [0.025, 0.05, 0.1];
/// Other initialization rates.
const INITIALIZATION_RATES: [f64; 3] = [0.1, 0.2, 0.5];
/// Other numbers of servers.
const SERVERS: [u64; 4] = [100, 300, 1000, 3000];
/// What the scaling rate is multiplied by along the curves of delay against energy.
const ALONG: [f64; 7] = [0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 1.8];

/// Waiting times of TABS and of JIQ with the scenario's scaling rule, tuned to the same energy, over arrival, expiration and
/// initialization rates and numbers of servers; and the curves of waiting against energy of the asynchronous schemes, with
/// TABS and the central queue as points: tables, figure, findings and manifest in a folder of the scenario's name in
/// `results`.
///
/// # Errors
/// [`InputError::NotConstant`] if the arrival rate changes, [`Error::NothingToTune`]; [`alba_compare::Error::Chain`], [`alba_compare::Error::NotOurs`], [`Error::Write`].
pub(super) fn synchrony(
    scenario: &Scenario,
    results: &Path,
    progress: &dyn Progress,
) -> Result<PathBuf, Error> {
    let name = || scenario.name().to_owned();
    let base = System::of(scenario).ok_or_else(|| InputError::NotConstant { scenario: name() })?;
    if !matches!(scenario.model().scheme(), Scheme::Asynchronous { .. }) || base.scaling == 0.0 {
        return Err(Error::NothingToTune { scenario: name() });
    }
    let folder = ResultsFolder::create(results, scenario.name())?;
    let laboratory = Laboratory::new(scenario);
    let comparisons = comparisons(&laboratory, &cases(base), progress)?;
    let curves = curves(&laboratory, base, progress)?;
    folder.add_table("equal-energy.csv", &comparison_columns().table(&comparisons))?;
    folder.add_table("curves.csv", &place_columns().table(&curves))?;
    folder.add("findings.md", findings::text(&comparisons).as_bytes())?;
    folder.add_figure(scenario.name(), &chart::figure(scenario, base, &comparisons, &curves))?;
    Ok(folder.finish("figures", scenario)?)
}

/// The scenario's system, and those that differ from it in one number.
fn cases(base: System) -> Vec<System> {
    let mut cases = vec![base];
    cases.extend(ARRIVAL_RATES.map(|arrival| System { arrival, ..base }));
    cases.extend(EXPIRATION_RATES.map(|expiration| System { expiration, ..base }));
    cases.extend(INITIALIZATION_RATES.map(|initialization| System { initialization, ..base }));
    cases.extend(SERVERS.map(|servers| System { servers, ..base }));
    let mut different: Vec<System> = vec![];
    for case in cases {
        if !different.contains(&case) {
            different.push(case);
        }
    }
    different
}

/// A system under both schemes, at equal energy.
struct Comparison {
    system: System,
    tabs: Equilibrium,
    tuned: Tuned,
}

impl Comparison {
    /// What the energy of TABS is above that of the tuned scheme.
    fn missing(&self) -> f64 {
        self.tabs.energy.value - self.tuned.at.energy.value
    }

    /// Waiting time saved by the tuned scheme, moved along its curve from its own energy to that of TABS.
    fn saved(&self) -> Measured {
        let (tabs, Tuned { at, waiting_per_energy, .. }) = (&self.tabs, &self.tuned);
        let energy_error = tabs.energy.half_width.hypot(at.energy.half_width);
        let error = tabs.waiting.half_width.hypot(at.waiting.half_width);
        Measured {
            value: tabs.waiting.value - (at.waiting.value + waiting_per_energy * self.missing()),
            half_width: error.hypot(waiting_per_energy * energy_error),
        }
    }
}

fn comparisons(
    laboratory: &Laboratory<'_>,
    cases: &[System],
    progress: &dyn Progress,
) -> Result<Vec<Comparison>, Error> {
    progress.begin("equal energy", cases.len() as u64);
    let comparison = |&system: &System| {
        let tabs = laboratory.measure(system, laboratory.tabs(1)?, laboratory.replications())?;
        let tuned = tune(laboratory, system, tabs.energy.value)?;
        progress.advance(1);
        Ok(Comparison { system, tabs, tuned })
    };
    let comparisons = cases.iter().map(comparison).collect();
    progress.end();
    comparisons
}

/// Energy and waiting time of `of`, with half-widths.
fn equilibrium_columns<'c, R: 'c>(
    prefix: &'static str,
    of: fn(&R) -> &Equilibrium,
) -> impl Iterator<Item = Column<'c, R>> {
    let column = move |name: &str, unit, meaning, get: fn(&Equilibrium) -> f64| {
        Column::new(format!("{prefix}{name}"), unit, meaning, move |row: &R| get(of(row)))
    };
    let (times, half) = ("service times", "half of its 95 % interval");
    [
        column("energy", "", "servers warm or initializing, per server", |at| at.energy.value),
        column("energy_half_width", "", half, |at| at.energy.half_width),
        column("waiting_time", times, "mean", |at| at.waiting.value),
        column("waiting_time_half_width", times, half, |at| at.waiting.half_width),
    ]
    .into_iter()
}

fn comparison_columns() -> Schema<'static, Comparison> {
    let times = "service times";
    Schema::new()
        .column("servers", "", "N", |row: &Comparison| row.system.servers)
        .column("arrival_rate", "per server and service time", "lambda", |row| row.system.arrival)
        .column("expiration_rate", "per service time", "gamma", |row| row.system.expiration)
        .column("initialization_rate", "per service time", "beta", |row| row.system.initialization)
        .columns(equilibrium_columns("tabs_", |row: &Comparison| &row.tabs))
        .column("scaling_rate", "per service time", "alpha at which as much energy is used", |row| {
            row.tuned.scaling_rate
        })
        .columns(equilibrium_columns("tuned_", |row: &Comparison| &row.tuned.at))
        .column("energy_difference", "", "tuned less TABS", |row| -row.missing())
        .column("waiting_per_energy", times, "slope of the tuned scheme's curve", |row| {
            row.tuned.waiting_per_energy
        })
        .column("waiting_saved", times, "by the tuned scheme at the energy of TABS", |row| row.saved().value)
        .column("waiting_saved_half_width", times, "half of its 95 % interval", |row| row.saved().half_width)
        .column("runs", "", "full runs that tuning took", |row| row.tuned.runs)
}

/// A scheme in equilibrium.
struct Place {
    scheme: Scheme,
    /// Where the scheme has one.
    scaling_rate: Option<f64>,
    at: Equilibrium,
}

fn curves(laboratory: &Laboratory<'_>, base: System, progress: &dyn Progress) -> Result<Vec<Place>, Error> {
    let mut wanted = vec![];
    for (scheme, middle) in laboratory.asynchronous(&base)? {
        wanted.extend(ALONG.map(|factor| (scheme, Some(factor * middle))));
    }
    wanted.extend(
        [laboratory.tabs(1)?, laboratory.tabs(2)?, Scheme::CentralQueue].map(|scheme| (scheme, None)),
    );
    progress.begin("delay against energy", wanted.len() as u64);
    let place = |(scheme, scaling_rate): (Scheme, Option<f64>)| {
        let system = System { scaling: scaling_rate.unwrap_or(base.scaling), ..base };
        let at = laboratory.measure(system, scheme, laboratory.replications().div_ceil(4))?;
        progress.advance(1);
        Ok(Place { scheme, scaling_rate, at })
    };
    let places = wanted.into_iter().map(place).collect();
    progress.end();
    places
}

fn place_columns() -> Schema<'static, Place> {
    Schema::new()
        .column("scheme", "", "dispatching and scaling", |row: &Place| row.scheme.to_string())
        .column("scaling_rate", "per service time", "alpha", |row| row.scaling_rate)
        .columns(equilibrium_columns("", |row: &Place| &row.at))
}

impl Laboratory<'_> {
    /// The asynchronous schemes whose curves are drawn, each with the scaling rate in the middle of its curve.
    fn asynchronous(&self, base: &System) -> Result<Vec<(Scheme, f64)>, Error> {
        let blind = ScalingRule::blind(1.0).map_err(|error| self.failed(error.into()))?;
        let blind = Scheme::asynchronous(Dispatch::JOIN_IDLE_QUEUE, blind);
        // Blind keeps alpha / gamma servers idle: in the middle, a quarter of those that are not needed.
        let enough = 0.25 * base.expiration * (1.0 - base.arrival);
        Ok(vec![(self.scheme(), base.scaling), (blind, enough)])
    }
}

#[cfg(test)]
mod tests;
