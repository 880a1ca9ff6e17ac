//! Asynchronous against synchronous scaling at equal energy.

mod chart;
mod equilibrium;
mod findings;
mod tuning;

use crate::Error;
use alba_compare::Progress;
use alba_compare::{InputError, ResultsFolder};
use alba_ctmc::CtmcError;
use alba_model::{Dispatch, ScalingRule, Scheme};
use alba_scenario::Scenario;
use alba_table::{Cell, Table};
use equilibrium::{Equilibrium, Laboratory, System};
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
    let failed = |source| alba_compare::Error::Chain { scenario: scenario.name().to_owned(), source };
    let laboratory = Laboratory::new(scenario);
    let comparisons = comparisons(&laboratory, &cases(base), progress).map_err(failed)?;
    let curves = curves(&laboratory, base, progress).map_err(failed)?;
    let drawing = alba_plot::render(&chart::figure(scenario, base, &comparisons, &curves))?;
    folder.add_table("equal-energy.csv", &comparisons)?;
    folder.add_table("curves.csv", &curves)?;
    folder.add("findings.md", findings::text(&comparisons).as_bytes())?;
    folder.add(&format!("figures/{}.svg", scenario.name()), drawing.svg().as_bytes())?;
    folder.add(&format!("figures/{}.png", scenario.name()), &drawing.png()?)?;
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

/// A row a system: both schemes at equal energy.
fn comparisons(
    laboratory: &Laboratory<'_>,
    cases: &[System],
    progress: &dyn Progress,
) -> Result<Table, CtmcError> {
    let mut table = Table::new([
        "servers",
        "arrival_rate",
        "expiration_rate",
        "initialization_rate",
        "tabs_energy",
        "tabs_energy_half_width",
        "tabs_waiting_time",
        "tabs_waiting_time_half_width",
        "scaling_rate",
        "tuned_energy",
        "tuned_energy_half_width",
        "tuned_waiting_time",
        "tuned_waiting_time_half_width",
        "energy_difference",
        "waiting_per_energy",
        "waiting_saved",
        "waiting_saved_half_width",
        "runs",
    ]);
    progress.begin("equal energy", cases.len() as u64);
    for &system in cases {
        let tabs = laboratory.measure(system, Scheme::tabs(1)?, laboratory.replications())?;
        let tuned = tune(laboratory, system, tabs.energy.value)?;
        table.push(row(system, &tabs, &tuned));
        progress.advance(1);
    }
    progress.end();
    Ok(table)
}

fn row(system: System, tabs: &Equilibrium, tuned: &Tuned) -> Vec<Cell> {
    let Tuned { at, waiting_per_energy, .. } = tuned;
    // Along its curve from its own energy to that of TABS.
    let missing = tabs.energy.value - at.energy.value;
    let saved = tabs.waiting.value - (at.waiting.value + waiting_per_energy * missing);
    let energy_error = tabs.energy.half_width.hypot(at.energy.half_width);
    let error = tabs.waiting.half_width.hypot(at.waiting.half_width).hypot(waiting_per_energy * energy_error);
    let mut row: Vec<Cell> = vec![system.servers.into()];
    row.extend([system.arrival, system.expiration, system.initialization].map(Cell::from));
    for measured in [tabs.energy, tabs.waiting] {
        row.extend([measured.value, measured.half_width].map(Cell::from));
    }
    row.push(tuned.scaling_rate.into());
    for measured in [at.energy, at.waiting] {
        row.extend([measured.value, measured.half_width].map(Cell::from));
    }
    row.extend([-missing, *waiting_per_energy, saved, error].map(Cell::from));
    row.push(tuned.runs.into());
    row
}

/// A row a scheme and scaling rate: energy and waiting time in equilibrium.
fn curves(laboratory: &Laboratory<'_>, base: System, progress: &dyn Progress) -> Result<Table, CtmcError> {
    let mut table = Table::new([
        "scheme",
        "scaling_rate",
        "energy",
        "energy_half_width",
        "waiting_time",
        "waiting_time_half_width",
    ]);
    let mut add = |system: System, scheme: Scheme, scaling_rate: Option<f64>| -> Result<(), CtmcError> {
        let replications = laboratory.replications().div_ceil(4);
        let Equilibrium { energy, waiting } = laboratory.measure(system, scheme, replications)?;
        let mut row: Vec<Cell> = vec![scheme.to_string().into(), scaling_rate.into()];
        row.extend([energy.value, energy.half_width, waiting.value, waiting.half_width].map(Cell::from));
        table.push(row);
        progress.advance(1);
        Ok(())
    };
    let asynchronous = laboratory.asynchronous(&base)?;
    progress.begin("delay against energy", (asynchronous.len() * ALONG.len() + 3) as u64);
    for (scheme, scaling) in asynchronous {
        for factor in ALONG {
            add(System { scaling: factor * scaling, ..base }, scheme, Some(factor * scaling))?;
        }
    }
    for scheme in [Scheme::tabs(1)?, Scheme::tabs(2)?, Scheme::CentralQueue] {
        add(base, scheme, None)?;
    }
    progress.end();
    Ok(table)
}

impl Laboratory<'_> {
    /// The asynchronous schemes whose curves are drawn, each with the scaling rate in the middle of its curve.
    fn asynchronous(&self, base: &System) -> Result<Vec<(Scheme, f64)>, CtmcError> {
        let blind = Scheme::asynchronous(Dispatch::JOIN_IDLE_QUEUE, ScalingRule::blind(1.0)?);
        // Blind keeps alpha / gamma servers idle: in the middle, a quarter of those that are not needed.
        let enough = 0.25 * base.expiration * (1.0 - base.arrival);
        Ok(vec![(self.scheme(), base.scaling), (blind, enough)])
    }
}

#[cfg(test)]
mod tests;
