//! Scenarios to start from.

mod expiration;
mod service;

use expiration::Expiration;
pub use service::ServiceTimes;

use crate::Warning;
use alba_trace::{Duplicates, Gaps, Stamps, Trace, TraceFacts, TraceKeys, Values};
use std::fmt::Write;

/// Servers are as many as carry the peak at this load each.
const LOAD_AT_PEAK: f64 = 0.8;
/// Where the user says nothing.
const SERVICE_TIME_S: f64 = 1.0;
const REQUESTS_PER_S: f64 = 10.0;
const HORIZON_S: f64 = 3600.0;
/// The whole platform thinks about starting a server once in so many seconds, over the number of servers.
const SCALING_INTERVAL_S: f64 = 30.0;
/// A cold start.
const INITIALIZATION_S: f64 = 0.5;
const MOST_SAMPLES: usize = 1440;
/// Finite: after an hour without requests almost no server is warm, and the fluid model's queues would be endless.
const BUFFER: u32 = 100;

/// A scenario that runs as it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Starter {
    /// The file, with comments.
    pub text: String,
    /// What was assumed because nothing says it.
    pub notes: Vec<String>,
    /// About the trace.
    pub warnings: Vec<Warning>,
}

/// A trace for a scenario to start from.
#[derive(Debug, Clone, Copy)]
pub struct StarterTrace<'t> {
    /// Its path as the scenario is to say it.
    pub path: &'t str,
    /// How it was read.
    pub keys: &'t TraceKeys,
    /// What was read.
    pub trace: &'t Trace,
    /// Its service times, if they are known.
    pub service: Option<&'t ServiceTimes>,
}

impl StarterTrace<'_> {
    /// Whether its requests can be replayed one by one, and Poisson arrivals at its rates are not like them.
    fn is_better_recorded(&self) -> bool {
        let facts = &self.trace.facts;
        facts.format.is_one_by_one()
            && facts.dispersion.is_some_and(|dispersion| !Warning::POISSON.contains(&dispersion))
    }
}

/// What the arrivals look like, and servers for them.
struct Load {
    service_time_s: f64,
    servers: u64,
    first: f64,
    peak: f64,
    horizon_s: f64,
    samples: usize,
}

/// A commented scenario called `name`: with a trace, its arrivals, and servers for its peak.
///
/// ```
/// use alba_compare::starter;
/// use alba_scenario::Scenario;
///
/// let starter = starter("mine", None, Some(0.25)); // 10 requests/s, 0.25 s each
/// let scenario = Scenario::parse("mine.toml", &starter.text, &[])?;
/// assert_eq!(scenario.servers(), 4); // 80 % load each
/// # Ok::<(), alba_scenario::ScenarioError>(())
/// ```
pub fn starter(name: &str, trace: Option<StarterTrace<'_>>, mean_service_time_s: Option<f64>) -> Starter {
    let measured = trace.and_then(|trace| trace.service);
    let measured_s = measured.map(|service| service.mean_s);
    let service_time_s = mean_service_time_s.or(measured_s).unwrap_or(SERVICE_TIME_S);
    let mut notes = vec![];
    if mean_service_time_s.or(measured_s).is_none() {
        notes
            .push(format!("mean service time: {SERVICE_TIME_S} s, as nothing says it (--mean-service-time)"));
    }
    notes.extend(measured.map(ServiceTimes::note));
    let load = Load::of(trace, service_time_s);
    let expiration = Expiration::of(&load, trace);
    notes.extend(expiration.note());
    let dispersion = trace.and_then(|trace| trace.trace.facts.dispersion);
    let warnings = dispersion
        .filter(|dispersion| !Warning::POISSON.contains(dispersion))
        .map(|dispersion| Warning::NotPoisson { scenario: name.to_owned(), dispersion });
    if let Some(StarterTrace { trace, keys, .. }) = trace {
        notes.extend(gaps_note(&trace.facts, keys.gaps));
        let file = trace.facts.path.display();
        notes.extend(trace.facts.remarks.iter().map(|remark| format!("{file}: {remark}")));
    }
    if trace.is_some_and(|trace| trace.is_better_recorded()) {
        notes.push(
            "arrivals: in [cluster], one by one as recorded, since Poisson arrivals at the trace's rates would mislead: run \
             alba cluster"
                .to_owned(),
        );
    }
    let left = expiration.left().map(|share| Warning::TurnedAway { scenario: name.to_owned(), share });
    let warnings: Vec<Warning> = warnings.into_iter().chain(left).collect();
    let scaled = mean_service_time_s.is_some();
    let cluster = trace.map(|trace| cluster(trace, scaled)).unwrap_or_default();
    let text = text(name, trace, &load, expiration.text, &notes, &warnings) + &cluster;
    Starter { text, notes, warnings }
}

impl Load {
    fn of(trace: Option<StarterTrace<'_>>, service_time_s: f64) -> Self {
        let (first, peak, horizon_s, samples) = match trace {
            Some(StarterTrace { trace, .. }) => (
                trace.requests.first().copied().unwrap_or(0.0) / trace.facts.interval_s,
                trace.facts.peak / trace.facts.interval_s,
                trace.facts.intervals as f64 * trace.facts.interval_s,
                trace.facts.intervals.min(MOST_SAMPLES),
            ),
            None => (REQUESTS_PER_S, REQUESTS_PER_S, HORIZON_S, 60),
        };
        let needed = (peak * service_time_s / LOAD_AT_PEAK).ceil();
        let servers = (needed as u64).clamp(1, alba_ctmc::Problem::MOST_SERVERS);
        Self { service_time_s, servers, first, peak, horizon_s, samples }
    }

    /// Of the whole platform, in seconds.
    fn scaling_interval_s(&self) -> f64 {
        SCALING_INTERVAL_S / self.servers as f64
    }

    /// The share of servers that so many requests a second need, at least one server.
    fn warm(&self, rate: f64) -> f64 {
        let servers = self.servers as f64;
        (rate * self.service_time_s / servers).max(1.0 / servers).min(1.0)
    }
}

/// The section for `alba cluster`: the trace's own arrivals and service times, where they are known. Service times that
/// are `scaled` to another mean are fitted.
fn cluster(trace: StarterTrace<'_>, scaled: bool) -> String {
    let mut section = String::new();
    let facts = &trace.trace.facts;
    if trace.is_better_recorded() {
        let dispersion = facts.dispersion.unwrap_or(1.0);
        section += &format!(
            "arrivals = \"recorded\"   # one by one as in the trace: its index of dispersion is {dispersion:.2}; or \"poisson\"\n"
        );
    }
    if let Some(service) = trace.service {
        let (fitted, why) = service.fit();
        let measured = format!("service = {}   # as measured", service.empirical(trace.path));
        let fitted = format!("service = {fitted}   # fitted: {why}");
        section += &match scaled {
            true => format!("{fitted}\n# {measured}: with a mean of {} s\n", service.mean_s),
            false => format!("{measured}\n# {fitted}\n"),
        };
    }
    if section.is_empty() {
        return section;
    }
    format!("\n[cluster]   # for alba cluster, request by request; other commands do not read it\n{section}")
}

fn gaps_note(facts: &TraceFacts, gaps: Gaps) -> Option<String> {
    let filled = match gaps {
        Gaps::Error => return None,
        Gaps::Zero => "taken as zero",
        Gaps::Interpolate => "interpolated",
    };
    let (missing, all) = (facts.gaps, facts.intervals);
    (missing > 0).then(|| format!("gaps: {missing} of {all} intervals are not in the file, and {filled}"))
}

fn text(
    name: &str,
    trace: Option<StarterTrace<'_>>,
    load: &Load,
    expiration: &str,
    notes: &[String],
    warnings: &[Warning],
) -> String {
    let servers = load.servers;
    let remarks = remarks(trace, notes, warnings);
    let arrivals = trace.map_or_else(
        || format!("\"{REQUESTS_PER_S} /s\"   # in total; or {{ trace = \"requests.csv\" }}"),
        trace_keys,
    );
    let horizon = match trace {
        Some(_) => format!("# horizon = \"{} s\"   # the whole trace unless given", load.horizon_s),
        None => format!("horizon = \"{} s\"", load.horizon_s),
    };
    let command = if trace.is_some_and(|trace| trace.is_better_recorded()) { "cluster" } else { "compare" };
    format!(
        "\
# Run it with: alba {command} THIS_FILE
# Any key can be changed here, or on the command line, as in --set system.servers={twice}.
{remarks}
name = {name}   # results go to results/NAME/

[system]
mean_service_time = \"{service_time} s\"   # of a request
servers = {servers}   # at the peak, {peak:.4} requests/s, each has a load of {LOAD_AT_PEAK} or less
arrival_rate = {arrivals}
buffer = {BUFFER}   # requests that a server may hold, the one in service included; or \"infinite\"
scaling_interval = \"{interval:.4} s\"   # how often the platform thinks about starting a server
initialization_time = \"{initialization_ms} ms\"   # a cold start
expiration_time = \"{expiration}\"   # an idle server is switched off after this time, in the mean

[scheme]
dispatch = {{ rule = \"join-idle-queue\" }}   # an idle server if there is one, else any warm one
scaling = {{ rule = \"rate-idle\", gain = 1.0 }}   # start servers while more requests arrive than servers become idle

[initial]
warm = [{warm:.4}]   # fraction of servers, all idle: what the first interval needs, at least one

[run]
{horizon}
samples = {samples}   # report times
replications = 10   # independent runs, for means and their 95 % intervals
seed = 1
",
        twice = 2 * servers,
        name = quoted(name),
        service_time = load.service_time_s,
        peak = load.peak,
        interval = load.scaling_interval_s(),
        initialization_ms = 1000.0 * INITIALIZATION_S,
        warm = load.warm(load.first),
        samples = load.samples,
    )
}

/// Comments about what is known, assumed and doubtful.
fn remarks(trace: Option<StarterTrace<'_>>, notes: &[String], warnings: &[Warning]) -> String {
    let assumed = notes.iter().map(|note| format!("# Assumed: {note}.\n"));
    let warned = warnings.iter().map(|warning| format!("# Warning: {warning}.\n"));
    let described = trace.map(|trace| describe(&trace.trace.facts)).unwrap_or_default();
    [described].into_iter().chain(assumed).chain(warned).collect()
}

/// Comments about what is in the trace.
fn describe(facts: &TraceFacts) -> String {
    let (interval, seconds) = (facts.interval_s, facts.intervals as f64 * facts.interval_s);
    let (mean, peak) = (facts.total / seconds, facts.peak / interval);
    let start = facts
        .start
        .as_deref()
        .map_or(String::new(), |start| format!(", from {}", start.trim_start_matches("time ")));
    let dispersion = facts.dispersion.map_or(String::new(), |dispersion| {
        format!(
            "# index of dispersion between neighbouring intervals: {dispersion:.2} (Poisson arrivals: 1)\n"
        )
    });
    format!(
        "#
# The trace: {total} requests in {seconds} s{start}; format {format}
# rate: {mean:.4} requests/s in the mean, {peak:.4} in the fullest interval of {interval} s
# peak/mean: {ratio:.2}
{dispersion}",
        total = facts.total,
        format = facts.format.name(),
        ratio = if mean > 0.0 { peak / mean } else { 0.0 },
    )
}

/// The inline table that reads the trace the same way again.
fn trace_keys(trace: StarterTrace<'_>) -> String {
    let (keys, facts) = (trace.keys, &trace.trace.facts);
    let mut table = format!("{{ trace = {}", quoted(trace.path));
    let mut add = |key: &str, value: String| {
        write!(table, ", {key} = {value}").unwrap_or_default();
    };
    if let Some(format) = keys.format {
        add("format", quoted(format.name()));
    }
    if let Some(column) = &facts.column {
        add("column", quoted(column));
    }
    if let Some(column) = &facts.time_column {
        add("time_column", quoted(column));
    }
    if let Some(unit) = keys.time_unit_s.or(facts.time_unit_s).and_then(alba_scenario::unit_named) {
        add("time_unit", quoted(unit));
    }
    if facts.format.is_one_by_one() || keys.interval_s.is_some() {
        add("interval", format!("\"{} s\"", facts.interval_s));
    }
    if facts.gaps > 0 {
        add("gaps", quoted(keys.gaps.name()));
    }
    if !keys.functions.is_empty() {
        let names: Vec<String> = keys.functions.iter().map(|name| quoted(name)).collect();
        add("functions", format!("[{}]", names.join(", ")));
    }
    if let Some(values) = facts.values.filter(|values| keys.values.is_some() || *values != Values::Counts) {
        add("values", quoted(values.name()));
    }
    if keys.duplicates != Duplicates::default() {
        add("duplicates", quoted(keys.duplicates.name()));
    }
    if keys.stamps != Stamps::default() {
        add("stamps", quoted(keys.stamps.name()));
    }
    table.push_str(" }");
    table
}

/// As a TOML string.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
