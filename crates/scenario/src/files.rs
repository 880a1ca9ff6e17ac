//! What is read from beside a scenario's own text.

use alba_trace::{Stop, Trace, TraceKeys};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// What a scenario reads from beside its own text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Files<'t> {
    /// Where relative paths start.
    pub(super) folder: &'t Path,
    pub(super) traces: &'t Traces,
}

/// The traces read so far.
#[derive(Debug, Default)]
pub(super) struct Traces(Mutex<Vec<(PathBuf, TraceKeys, Arc<Trace>)>>);

impl Traces {
    /// More are not kept: a sweep over more files reads them again.
    const MOST: usize = 16;

    /// Reads a trace, or finds it.
    pub(super) fn read(&self, path: &Path, keys: &TraceKeys) -> Result<Arc<Trace>, Stop> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.iter().find(|(other, read_by, _)| other == path && read_by == keys);
        if let Some((_, _, trace)) = found {
            return Ok(Arc::clone(trace));
        }
        let trace = Arc::new(alba_trace::read(path, keys)?);
        if known.len() < Self::MOST {
            known.push((path.to_owned(), keys.clone(), Arc::clone(&trace)));
        }
        Ok(trace)
    }
}
