//! `alba new` and `alba trace`.

use crate::arguments::{Keys, New, Trace};
use crate::failure::Failure;
use crate::report;
use alba_compare::{InputError, ServiceTimes, StarterTrace, starter};
use alba_table::Output;
use alba_table::WriteError;
use alba_trace::{Duplicates, Gaps, Stamps, TraceFormat, TraceKeys, Values};
use std::io;
use std::path::{Path, PathBuf};

/// What a scenario is called that no file gives a name.
const NAME: &str = "my-platform";

pub(crate) fn new(arguments: &New) -> Result<(), Failure> {
    let output = match &arguments.output {
        Some(path) if path.exists() => return Err(InputError::Exists { path: path.clone() }.into()),
        Some(path) => Output::File(path.clone()),
        None => Output::Standard,
    };
    let keys = arguments.keys.read(arguments.gaps.as_deref().map_or(Gaps::Interpolate, gaps));
    let trace = arguments.trace.as_deref().map(|path| alba_trace::Trace::read(path, &keys)).transpose()?;
    let path = arguments.trace.as_deref().unwrap_or(Path::new(""));
    let seen = seen_from(path, arguments.output.as_deref()).map_err(WriteError::Standard)?;
    let written = seen.to_string_lossy();
    let service = trace.as_ref().map(|trace| service_times(arguments, trace)).transpose()?.flatten();
    let service = service.as_ref();
    let trace = trace.as_ref().map(|trace| StarterTrace { path: &written, keys: &keys, trace, service });
    let name = arguments.trace.as_deref().map_or_else(|| NAME.to_owned(), name_of);
    let starter = starter(&name, trace, arguments.mean_service_time);
    if !arguments.quiet {
        starter.notes.iter().for_each(|note| report::note(&format!("assumed {note}")));
    }
    report::warnings(&starter.warnings);
    Ok(output.write(|writer| writer.write_all(starter.text.as_bytes()).map_err(WriteError::Standard))?)
}

/// The trace's service times. A column that only looks like one of them is no reason to fail.
fn service_times(arguments: &New, trace: &alba_trace::Trace) -> Result<Option<ServiceTimes>, InputError> {
    let (column, unit_s) = (arguments.duration_column.as_deref(), arguments.duration_unit);
    match ServiceTimes::read(&trace.facts, column, unit_s) {
        Err(error) if column.is_none() => {
            report::warning(&format!("service times are not used (--duration-column): {error}"));
            Ok(None)
        }
        read => read,
    }
}

pub(crate) fn trace(arguments: &Trace) -> Result<(), Failure> {
    let keys = arguments.keys.read(arguments.gaps.as_deref().map_or(Gaps::Error, gaps));
    let trace = alba_trace::Trace::read(&arguments.trace, &keys)?;
    for remark in &trace.facts.remarks {
        report::warning(&format!("{}: {remark}", arguments.trace.display()));
    }
    let table = trace.table();
    let output = arguments.output.clone().map_or(Output::Standard, Output::File);
    Ok(output.write(|writer| table.write(arguments.format.into(), writer).map_err(WriteError::Standard))?)
}

impl Keys {
    fn read(&self, gaps: Gaps) -> TraceKeys {
        TraceKeys {
            format: self.trace_format.as_deref().and_then(TraceFormat::named),
            column: self.column.clone(),
            time_column: self.time_column.clone(),
            time_unit_s: self.time_unit,
            interval_s: self.interval,
            values: self.values.as_deref().and_then(Values::named),
            gaps,
            duplicates: self.duplicates.as_deref().and_then(Duplicates::named).unwrap_or_default(),
            stamps: self.stamps.as_deref().and_then(Stamps::named).unwrap_or_default(),
            functions: self.function.clone(),
        }
    }
}

fn gaps(name: &str) -> Gaps {
    Gaps::named(name).unwrap_or_default()
}

/// A scenario's paths start at its file: one that goes to another folder gets the whole path.
fn seen_from(trace: &Path, scenario: Option<&Path>) -> io::Result<PathBuf> {
    let elsewhere = scenario.and_then(Path::parent).is_some_and(|folder| !folder.as_os_str().is_empty());
    if elsewhere && !trace.as_os_str().is_empty() { std::path::absolute(trace) } else { Ok(trace.to_owned()) }
}

/// The file's name without its endings, made fit for a folder.
fn name_of(trace: &Path) -> String {
    let stem = trace.file_name().unwrap_or_default().to_string_lossy();
    let stem = stem.split('.').next().unwrap_or_default();
    let fit = |c: char| if c.is_ascii_alphanumeric() || "-_+".contains(c) { c } else { '-' };
    let kept: String = stem.chars().map(fit).take(60).collect();
    if kept.is_empty() { NAME.to_owned() } else { kept }
}
