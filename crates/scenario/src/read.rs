//! Reads a whole scenario.

use super::arrivals::TraceSource;
use super::cluster::{self, Around, Cluster};
use super::files::Files;
use super::section::{Item, Noted, Section};
use super::system::{self, System};
use super::units::Clock;
use super::{Limits, Run, Scenario, limits, precision, scheme};
use crate::at_rest::fixed_point_state;
use alba_model::{Buffer, Grid, Model, ModelError, Occupancy, PowerDraw};

/// A horizon converted to service times may be this much longer than the trace, relative to it.
const ROUNDING: f64 = 1e-9;
/// Report times kept in memory, for every measure.
const MOST_SAMPLES: u64 = 1_000_000;
/// Whole numbers that a TOML file can hold.
pub(super) const MOST: u64 = i64::MAX as u64;

/// The scenario, or everything that is wrong with it in the item's faults.
pub(super) fn scenario(root: &Item<'_>, files: Files<'_>) -> Result<Scenario, Noted> {
    let root =
        root.section(&["name", "system", "scheme", "initial", "energy", "run", "cluster", "limits"])?;
    let name = name(&root);
    let asynchronous = scheme::is_asynchronous(&root);
    let (basis, system) = system::read(&root, files, asynchronous);
    let scheme = root.need("scheme", "a table: dispatch and scaling").and_then(|item| scheme::read(&item));
    let initial = root.need("initial", "a table: where the servers start").and_then(|item| initial(&item));
    let power = root.find("energy").map_or(Ok(PowerDraw::default()), |item| energy(&item));
    let trace = match &system {
        Ok(system) => Ok(system.trace.as_ref()),
        Err(Noted) if root.at(&["system", "arrival_rate", "trace"]).is_some() => Err(Noted),
        Err(Noted) => Ok(None),
    };
    let horizon = Horizon { clock: basis.clock, trace };
    let run = root.need("run", "a table: horizon and samples").and_then(|item| run(&item, horizon));
    let around = Around {
        clock: basis.clock,
        servers: basis.servers,
        buffer: basis.buffer,
        power: power.unwrap_or_default(),
        asynchronous,
        trace,
        folder: files.folder,
    };
    let cluster = root.find("cluster").map_or(Ok(Cluster::absent()), |item| cluster::read(&item, around));
    let limits = root.find("limits").map_or(Ok(Limits::default()), |item| limits::read(&item));
    let (name, system, scheme, initial, run) = (name?, system?, scheme?, initial?, run?);
    let System { servers, mean_service_time_s, arrivals, trace, rates, buffer } = system;
    let model = Model::new(arrivals, rates, buffer, scheme).map_err(|error| misfit(&root, &error))?;
    let initial = initial.resolve(&root, &model)?;
    fits(&initial, model.buffer()).map_err(|error| misfit(&root, &error))?;
    let (power, cluster, limits) = (power?, cluster?, limits?);
    let scenario =
        Scenario { name, model, servers, mean_service_time_s, trace, initial, power, run, cluster, limits };
    if let Ok(servers) = scenario.numbered_servers() {
        cluster::check(&root, &scenario.cluster, &servers)?;
    }
    Ok(scenario)
}

/// Stricter than [`Model::admits`]: zeros above the buffer are as good as a typing error.
fn fits(initial: &Occupancy, buffer: Buffer) -> Result<(), ModelError> {
    let level = initial.levels().len().saturating_sub(1);
    match buffer.limit() {
        Some(limit) if level > limit as usize => Err(ModelError::LevelAboveBuffer { level, buffer: limit }),
        _ => Ok(()),
    }
}

/// Parts that are valid each but not together: blames the key that a person would change.
fn misfit(root: &Section<'_>, error: &ModelError) -> Noted {
    let path: &[&str] = match error {
        ModelError::ThresholdAboveBuffer { .. } => &["scheme", "dispatch", "d"],
        ModelError::LevelAboveBuffer { .. } => &["initial", "warm"],
        ModelError::OutOfRange { .. }
        | ModelError::TooManyServers { .. }
        | ModelError::MassNotOne { .. }
        | ModelError::UnorderedSteps { .. } => &["system"],
    };
    root.at(path).map_or(Noted, |item| item.reject(error.to_string()))
}

/// The key `name`.
pub fn name(root: &Section<'_>) -> Result<String, Noted> {
    let allowed = "a text that can name a folder: letters, digits, spaces, - _ + and ., neither beginning nor \
                   ending with a space or a point, at most 100 bytes";
    let item = root.need("name", allowed)?;
    let good = |name: &&str| {
        let ends = |c: Option<char>| c.is_some_and(|c| c != '.' && c != ' ');
        name.chars().all(|c| c.is_alphanumeric() || " -_+.".contains(c))
            && ends(name.chars().next())
            && ends(name.chars().last())
            && name.len() <= 100
    };
    item.text().filter(good).map(str::to_owned).ok_or_else(|| item.reject(allowed))
}

/// Where the servers start.
enum Initial {
    Fractions(Occupancy),
    /// At the fluid model's fixed point for the first arrival rate.
    FixedPoint,
}

impl Initial {
    fn resolve(self, root: &Section<'_>, model: &Model) -> Result<Occupancy, Noted> {
        match self {
            Self::Fractions(state) => Ok(state),
            Self::FixedPoint => fixed_point_state(model).map_err(|reason| {
                let start = root.at(&["initial", "state"]);
                start.map_or(Noted, |item| item.reject(format!("a start that exists; here {reason}")))
            }),
        }
    }
}

fn initial(item: &Item<'_>) -> Result<Initial, Noted> {
    let section = item.section(&["initializing", "warm", "state"])?;
    if let Some(state) = section.find("state") {
        let alone = section.find("warm").is_none() && section.find("initializing").is_none();
        return if state.text() == Some("fixed-point") && alone {
            Ok(Initial::FixedPoint)
        } else {
            Err(state.reject("\"fixed-point\", and then neither warm nor initializing"))
        };
    }
    let fraction =
        |item: &Item<'_>| item.real(|x| Occupancy::new(0.0, vec![x]).or_else(one_is_enough).map(drop));
    let initializing = section.find("initializing").map_or(Ok(0.0), |item| fraction(&item));
    let allowed = "an array of fractions of servers: warm[i] are warm with i jobs";
    let warm = section.need("warm", allowed)?;
    let levels: Vec<_> = warm.elements(allowed)?.iter().map(fraction).collect();
    let levels = levels.into_iter().collect::<Result<Vec<_>, _>>()?;
    let state = Occupancy::new(initializing?, levels).map_err(|error| warm.reject(error.to_string()))?;
    Ok(Initial::Fractions(state))
}

/// A single fraction above one is a sum above one: left to the sum's check, which names `initial.warm`.
fn one_is_enough(error: ModelError) -> Result<Occupancy, ModelError> {
    match error {
        ModelError::TooManyServers { .. } => Occupancy::new(0.0, vec![]),
        other => Err(other),
    }
}

fn energy(item: &Item<'_>) -> Result<PowerDraw, Noted> {
    let section = item.section(&["off", "initializing", "idle", "busy"])?;
    let default = PowerDraw::default();
    let draw = |key: &str, otherwise: f64| {
        let check = |power| PowerDraw::new(power, 0.0, 0.0, 0.0).map(drop);
        section.find(key).map_or(Ok(otherwise), |item| item.real(check))
    };
    let off = draw("off", default.of(1.0, 0.0, 0.0, 0.0));
    let initializing = draw("initializing", default.of(0.0, 1.0, 0.0, 0.0));
    let idle = draw("idle", default.of(0.0, 0.0, 1.0, 0.0));
    let busy = draw("busy", default.of(0.0, 0.0, 0.0, 1.0));
    PowerDraw::new(off?, initializing?, idle?, busy?).map_err(|error| item.reject(error.to_string()))
}

/// What a horizon depends on.
#[derive(Clone, Copy)]
struct Horizon<'t> {
    clock: Clock,
    trace: Result<Option<&'t TraceSource>, Noted>,
}

impl Horizon<'_> {
    /// With a trace, all of it unless the key says less.
    fn read(&self, section: &Section<'_>) -> Result<f64, Noted> {
        let item = match (section.find("horizon"), self.trace) {
            (Some(item), _) => item,
            (None, Ok(Some(trace))) => return Ok(trace.length),
            (None, Err(Noted)) => return Err(Noted),
            (None, Ok(None)) => section.need("horizon", "how long to run, in service times")?,
        };
        let horizon = self.clock.duration(&item, |time| Grid::new(time, 1).map(drop))?;
        match self.trace {
            Ok(Some(trace)) if horizon > trace.length * (1.0 + ROUNDING) => {
                let seconds = trace.facts.intervals as f64 * trace.facts.interval_s;
                let (length, end) = (trace.length, "where the trace ends");
                Err(item.reject(format!("at most {length} service times ({seconds} s), {end}")))
            }
            _ => Ok(horizon),
        }
    }
}

fn run(item: &Item<'_>, horizon: Horizon<'_>) -> Result<Run, Noted> {
    let clock = horizon.clock;
    let section = item.section(&[
        "horizon",
        "samples",
        "replications",
        "seed",
        "warm_up",
        "max_events",
        "precision",
        "max_replications",
    ])?;
    let count = |key: &str, least: u64, otherwise: u64| {
        section.find(key).map_or(Ok(otherwise), |item| item.count(least..=MOST))
    };
    let horizon = horizon.read(&section);
    let samples = section
        .need("samples", "number of intervals between report times")
        .and_then(|item| item.count(1..=MOST_SAMPLES));
    let (replications, seed) = (count("replications", 1, 10), count("seed", 0, 1));
    let max_events = section.find("max_events").map(|item| item.count(1..=MOST)).transpose();
    let precision = section.find("precision").map(|item| precision::read(&item)).transpose();
    let least = replications.unwrap_or(1);
    let max_replications = section.find("max_replications").map(|item| item.count(least..=MOST)).transpose();
    let grid = Grid::new(horizon?, samples? as usize).map_err(|error| item.reject(error.to_string()))?;
    let warm_up = section.find("warm_up").map_or(Ok(0.0), |item| {
        let allowed = "a finite number >= 0 and below run.horizon";
        let within = |time: f64| (0.0..grid.horizon()).contains(&time);
        let outside = |value| ModelError::OutOfRange { name: "warm_up", value, allowed };
        clock.duration(&item, |time| within(time).then_some(()).ok_or(outside(time)))
    });
    Ok(Run {
        grid,
        replications: replications?,
        seed: seed?,
        warm_up: warm_up?,
        max_events: max_events?,
        precision: precision?,
        max_replications: max_replications?,
    })
}
