//! A scenario written out again, with every default filled in: for manifests.

use super::Scenario;
use super::arrivals::TraceSource;
use super::cluster::ClusterKeys;
use super::limits::LimitKeys;
use super::precision::{Asked, Tolerances};
use super::rules::RuleKeys;
use alba_model::{Measure, Scheme};
use alba_replicate::Tolerance;
use alba_trace::unit_named;
use alba_trace::{Duplicates, Stamps, Values};
use serde::Serialize;
use std::collections::BTreeMap;

/// The scenario file that says everything; reading it gives the same scenario.
#[derive(Serialize)]
pub struct Resolved<'s> {
    name: &'s str,
    system: System<'s>,
    scheme: SchemeKeys,
    initial: Initial<'s>,
    energy: Energy,
    run: Run,
    #[serde(skip_serializing_if = "Option::is_none")]
    cluster: Option<ClusterKeys>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limits: Option<LimitKeys>,
}

#[derive(Serialize)]
struct System<'s> {
    servers: u64,
    buffer: Buffer,
    arrival_rate: ArrivalRate<'s>,
    scaling_rate: f64,
    initialization_rate: f64,
    expiration_rate: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    mean_service_time: Option<String>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Buffer {
    Jobs(u32),
    Infinite(&'static str),
}

#[derive(Serialize)]
#[serde(untagged)]
enum ArrivalRate<'s> {
    Constant(f64),
    Steps { steps: Vec<(f64, f64)> },
    Trace(TraceTable<'s>),
}

#[derive(Serialize)]
struct TraceTable<'s> {
    trace: &'s str,
    format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_column: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_unit: Option<&'static str>,
    interval: String,
    scale: f64,
    gaps: &'static str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    functions: &'s [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duplicates: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stamps: Option<&'static str>,
}

impl<'s> TraceTable<'s> {
    /// What was found out from the file is said too.
    fn of(source: &'s TraceSource) -> Self {
        let (keys, facts) = (&source.keys, &source.facts);
        let said = |is_default: bool, name: &'static str| (!is_default).then_some(name);
        let time_unit_s = keys.time_unit_s.or(facts.time_unit_s);
        Self {
            trace: &source.written,
            format: facts.format.name(),
            column: facts.column.as_deref(),
            time_column: facts.time_column.as_deref(),
            time_unit: time_unit_s.and_then(unit_named),
            interval: format!("{} s", facts.interval_s),
            scale: source.scale,
            gaps: keys.gaps.name(),
            functions: &keys.functions,
            values: facts
                .values
                .filter(|values| keys.values.is_some() || *values != Values::Counts)
                .map(Values::name),
            duplicates: said(keys.duplicates == Duplicates::default(), keys.duplicates.name()),
            stamps: said(keys.stamps == Stamps::default(), keys.stamps.name()),
        }
    }
}

#[derive(Serialize)]
struct SchemeKeys {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    d: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dispatch: Option<RuleKeys>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scaling: Option<RuleKeys>,
}

#[derive(Serialize)]
struct Initial<'s> {
    initializing: f64,
    warm: &'s [f64],
}

#[derive(Serialize)]
struct Energy {
    off: f64,
    initializing: f64,
    idle: f64,
    busy: f64,
}

#[derive(Serialize)]
struct Run {
    horizon: f64,
    samples: usize,
    replications: u64,
    seed: u64,
    warm_up: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_events: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_replications: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    precision: Option<Precision>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Precision {
    ForAll(HalfWidth),
    Each(BTreeMap<String, HalfWidth>),
}

impl Precision {
    fn of(tolerances: &Tolerances) -> Self {
        match tolerances {
            Tolerances::ForAll(asked) => Self::ForAll(HalfWidth::of(asked.tolerance())),
            Tolerances::Each(each) => {
                let half_width =
                    |(measure, asked): &(Measure, Asked)| (measure.name(), HalfWidth::of(asked.tolerance()));
                Self::Each(each.iter().map(half_width).collect())
            }
        }
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum HalfWidth {
    Relative(String),
    Absolute(f64),
}

impl HalfWidth {
    fn of(tolerance: Tolerance) -> Self {
        match tolerance {
            Tolerance::Relative(fraction) => Self::Relative(format!("{} %", 100.0 * fraction)),
            Tolerance::Absolute(half_width) => Self::Absolute(half_width),
        }
    }
}

impl Scenario {
    /// The scenario with everything said; [`Scenario::parse`] reads the same scenario from its text.
    pub fn resolved(&self) -> Resolved<'_> {
        let power = &self.power;
        let run = &self.run;
        Resolved {
            name: &self.name,
            system: self.resolved_system(),
            scheme: resolved_scheme(self.model.scheme()),
            initial: Initial { initializing: self.initial.initializing(), warm: self.initial.levels() },
            energy: Energy {
                off: power.of(1.0, 0.0, 0.0, 0.0),
                initializing: power.of(0.0, 1.0, 0.0, 0.0),
                idle: power.of(0.0, 0.0, 1.0, 0.0),
                busy: power.of(0.0, 0.0, 0.0, 1.0),
            },
            run: Run {
                horizon: run.grid.horizon(),
                samples: run.grid.points() - 1,
                replications: run.replications,
                seed: run.seed,
                warm_up: run.warm_up,
                max_events: run.max_events,
                max_replications: run.max_replications,
                precision: run.precision.as_ref().map(Precision::of),
            },
            cluster: self.cluster.keys(),
            limits: self.limits.keys(),
        }
    }

    fn resolved_system(&self) -> System<'_> {
        let rates = self.model.rates();
        System {
            servers: self.servers,
            buffer: self.model.buffer().limit().map_or(Buffer::Infinite("infinite"), Buffer::Jobs),
            arrival_rate: self.resolved_arrivals(),
            scaling_rate: rates.scaling(),
            initialization_rate: rates.initialization(),
            expiration_rate: rates.expiration(),
            mean_service_time: self.mean_service_time_s.map(|seconds| format!("{seconds} s")),
        }
    }
}

impl Scenario {
    fn resolved_arrivals(&self) -> ArrivalRate<'_> {
        if let Some(source) = &self.trace {
            return ArrivalRate::Trace(TraceTable::of(source));
        }
        let segments = self.model.arrivals().segments(f64::INFINITY);
        let steps: Vec<_> = segments.map(|segment| (segment.start, segment.rate)).collect();
        match steps[..] {
            [(_, rate)] => ArrivalRate::Constant(rate),
            _ => ArrivalRate::Steps { steps },
        }
    }
}

fn resolved_scheme(scheme: Scheme) -> SchemeKeys {
    let bare = SchemeKeys { kind: scheme.kind(), d: None, dispatch: None, scaling: None };
    match scheme {
        Scheme::Asynchronous { dispatch, scaling } => SchemeKeys {
            dispatch: Some(RuleKeys::of(dispatch.kind(), &dispatch.values())),
            scaling: Some(RuleKeys::of(scaling.kind(), &scaling.values())),
            ..bare
        },
        Scheme::Tabs(choices) => SchemeKeys { d: Some(choices.d()), ..bare },
        Scheme::CentralQueue => bare,
    }
}
