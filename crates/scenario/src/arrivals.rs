//! Reads `system.arrival_rate`: a number, a total with a unit, steps, or a trace.

use super::fault::{Place, Problem};
use super::files::Files;
use super::section::{Item, Noted};
use super::units::{Clock, seconds};
use alba_cluster::Arrivals;
use alba_model::{ArrivalProfile, ModelError};
use alba_trace::{Duplicates, Gaps, Stamps, Stop, Trace, TraceFacts, TraceFormat, TraceKeys, Values};
use std::path::Path;

/// A trace as a scenario uses it.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceSource {
    /// Its path as written in the scenario.
    pub written: String,
    pub(crate) keys: TraceKeys,
    pub(crate) scale: f64,
    pub(crate) facts: TraceFacts,
    /// Its length in service times.
    pub(crate) length: f64,
}

impl TraceSource {
    /// What was read.
    pub fn facts(&self) -> &TraceFacts {
        &self.facts
    }
}

/// What rates are worth here.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'p> {
    pub(super) clock: Clock,
    pub(super) servers: u64,
    pub(super) files: Files<'p>,
}

type Read = (ArrivalProfile, Option<TraceSource>);

const ALLOWED: &str = "a number >= 0, a total as in \"12.5 /s\", { steps = [[0, 0.7], [45, 0.3]] }: (time, rate from \
                       that time on), or { trace = \"requests.csv\" }";
const TRACE: &[&str] = &[
    "trace",
    "format",
    "column",
    "time_column",
    "time_unit",
    "interval",
    "scale",
    "gaps",
    "functions",
    "values",
    "duplicates",
    "stamps",
];

pub(super) fn read(item: &Item<'_>, around: Surroundings<'_>) -> Result<Read, Noted> {
    let rate = |item: &Item<'_>| {
        around.clock.rate(item, around.servers, |rate| ArrivalProfile::constant(rate).map(drop))
    };
    match item.keys() {
        None => {
            let profile = ArrivalProfile::constant(rate(item)?);
            Ok((profile.map_err(|error| item.reject(error.to_string()))?, None))
        }
        Some(keys) if keys.contains(&"trace") => traced(item, around),
        Some(keys) if keys.contains(&"steps") => Ok((steps(item, around.clock, &rate)?, None)),
        Some(_) => Err(item.reject(ALLOWED)),
    }
}

/// Reads rates per server and service time.
type ReadRate<'r> = &'r dyn Fn(&Item<'_>) -> Result<f64, Noted>;

fn steps(item: &Item<'_>, clock: Clock, rate: ReadRate<'_>) -> Result<ArrivalProfile, Noted> {
    let allowed = "an array of pairs: [time, rate from that time on]";
    let all = item.section(&["steps"])?.need("steps", allowed)?;
    let elements = all.elements(allowed)?;
    let pairs: Vec<_> = elements.iter().map(|element| step(element, clock, rate)).collect();
    let pairs = pairs.into_iter().collect::<Result<_, _>>()?;
    ArrivalProfile::steps(pairs).map_err(|error| match error {
        ModelError::UnorderedSteps { index, .. } => elements
            .get(index)
            .unwrap_or(&all)
            .reject("at least one step; times begin at 0 and increase strictly"),
        other => item.reject(other.to_string()),
    })
}

fn step(pair: &Item<'_>, clock: Clock, rate: ReadRate<'_>) -> Result<(f64, f64), Noted> {
    let allowed = "a pair: [time, rate from that time on]";
    let [time, new_rate] = pair.elements(allowed)?.try_into().map_err(|_| pair.reject(allowed))?;
    let time = clock.duration(&time, |value| ArrivalProfile::constant(value).map(drop));
    let new_rate = rate(&new_rate);
    Ok((time?, new_rate?))
}

fn traced(item: &Item<'_>, around: Surroundings<'_>) -> Result<Read, Noted> {
    let section = item.section(TRACE)?;
    let file = section.need("trace", "the path of a file")?;
    let path = file.text().filter(|path| !path.is_empty()).ok_or_else(|| file.reject("the path of a file"));
    let text = |key: &str| section.find(key).map(|item| text(&item)).transpose();
    let length = |key: &str| section.find(key).map(|item| time(&item)).transpose();
    let (column, time_column) = (text("column"), text("time_column"));
    let (interval_s, time_unit_s) =
        (length("interval"), section.find("time_unit").map(|item| time_unit(&item)).transpose());
    let name = |key: &str, names: &'static [&'static str]| {
        section.find(key).map(|item| item.name(names)).transpose()
    };
    let (format, values) = (name("format", TraceFormat::NAMES), name("values", Values::NAMES));
    let gaps = name("gaps", Gaps::NAMES);
    let (duplicates, stamps) = (name("duplicates", Duplicates::NAMES), name("stamps", Stamps::NAMES));
    let functions = section.find("functions").map_or(Ok(vec![]), |item| functions(&item));
    let scale = section
        .find("scale")
        .map_or(Ok(1.0), |item| item.real(|scale| ArrivalProfile::constant(scale).map(drop)));
    let keys = TraceKeys {
        format: format?.map(|index| TraceFormat::ALL[index]),
        column: column?,
        time_column: time_column?,
        time_unit_s: time_unit_s?,
        interval_s: interval_s?,
        values: values?.map(|index| Values::ALL[index]),
        gaps: gaps?.map_or(Gaps::default(), |index| Gaps::ALL[index]),
        duplicates: duplicates?.map_or(Duplicates::default(), |index| Duplicates::ALL[index]),
        stamps: stamps?.map_or(Stamps::default(), |index| Stamps::ALL[index]),
        functions: functions?,
    };
    let (path, scale) = (path?, scale?);
    let service_time_s = around.clock.service_time_s(&file, "a trace")?;
    let path_seen = around.files.folder.join(path);
    let trace = opened(&file, &path_seen, around.files.traces.read(&path_seen, &keys))?;
    let per_server = scale * service_time_s / around.servers as f64;
    let profile =
        profile(&trace, service_time_s, per_server).map_err(|error| item.reject(error.to_string()))?;
    let length = trace.facts.intervals as f64 * trace.facts.interval_s / service_time_s;
    Ok((
        profile,
        Some(TraceSource { written: path.to_owned(), keys, scale, facts: trace.facts.clone(), length }),
    ))
}

/// What was read of the file at `path`, or its fault noted.
pub(super) fn opened<T>(file: &Item<'_>, path: &Path, read: Result<T, Stop>) -> Result<T, Noted> {
    read.map_err(|stop| match stop {
        Stop::Unreadable(error) => file.reject(format!("cannot read {}: {error}", path.display())),
        Stop::Wrong { line, column, problem } => {
            let place = Place::File { file: path.display().to_string(), line, column };
            file.note(&place, Problem::Trace(problem))
        }
    })
}

/// Stamps that are not times: they were cut to whole numbers of something.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CutStamps {
    /// Of what, in seconds.
    pub resolution_s: f64,
    /// Stamps that equal the one before.
    pub equal: usize,
    /// Of so many.
    pub of: usize,
}

/// The requests of the trace, one by one, and how coarse their stamps are where they are spread.
pub(super) fn recorded(
    item: &Item<'_>,
    trace: &TraceSource,
    clock: Clock,
) -> Result<(Arrivals, Option<CutStamps>), Noted> {
    if trace.scale != 1.0 {
        return Err(item
            .reject("\"poisson\": recorded times cannot be scaled, and system.arrival_rate.scale is not 1"));
    }
    let path = &trace.facts.path;
    let times = opened(item, path, alba_trace::times(path, &trace.keys))?;
    let length = clock.service_time_s(item, "a trace")?;
    let spread_s = times.spread_s(trace.keys.stamps);
    let in_service_times = times.seconds().map(|time| time / length).collect();
    let arrivals = match spread_s {
        Some(resolution_s) => Arrivals::stamps(in_service_times, resolution_s / length),
        None => Arrivals::times(in_service_times),
    };
    let arrivals = arrivals.map_err(|error| item.reject(error.to_string()))?;
    let (equal, of) = (times.equal, times.ns.len());
    Ok((arrivals, spread_s.map(|resolution_s| CutStamps { resolution_s, equal, of })))
}

/// A step for each change of the rate.
fn profile(trace: &Trace, service_time_s: f64, per_server: f64) -> Result<ArrivalProfile, ModelError> {
    let interval_s = trace.facts.interval_s;
    let mut steps: Vec<(f64, f64)> = vec![];
    for (index, requests) in trace.requests.iter().enumerate() {
        let rate = requests / interval_s * per_server;
        if steps.last().is_none_or(|last| last.1 != rate) {
            steps.push((index as f64 * interval_s / service_time_s, rate));
        }
    }
    ArrivalProfile::steps(steps)
}

fn text(item: &Item<'_>) -> Result<String, Noted> {
    item.text().map(str::to_owned).ok_or_else(|| item.reject("the name of a column"))
}

/// A time of at least a nanosecond and at most a hundred years; a bare number has no unit here.
fn time(item: &Item<'_>) -> Result<f64, Noted> {
    let allowed = "a time from 1 ns to 36500 d with a unit (ns, us, ms, s, min, h, d), as in \"1 min\"";
    let within = |seconds: &f64| (1e-9..=36_500.0 * 86_400.0).contains(seconds);
    item.text().and_then(seconds).filter(within).ok_or_else(|| item.reject(allowed))
}

/// The length in seconds of a unit by its name.
pub(super) fn time_unit(item: &Item<'_>) -> Result<f64, Noted> {
    const NAMES: &[&str] = &["ns", "us", "ms", "s", "min", "h", "d"];
    let name = NAMES[item.name(NAMES)?];
    seconds(&format!("1 {name}")).ok_or(Noted)
}

fn functions(item: &Item<'_>) -> Result<Vec<String>, Noted> {
    let allowed = "an array of hashes of functions, or of their beginnings";
    let name = |item: &Item<'_>| {
        item.text().filter(|name| !name.is_empty()).map(str::to_owned).ok_or_else(|| item.reject(allowed))
    };
    let names: Vec<_> = item.elements(allowed)?.iter().map(name).collect();
    names.into_iter().collect()
}
