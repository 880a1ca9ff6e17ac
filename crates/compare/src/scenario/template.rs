//! A scenario that is read many times, each time with other values at some keys.

use super::fault::{Fault, Place};
use super::overrides::put;
use super::section::{Faults, Item};
use super::tree::Node;
use super::{Override, Scenario, read};
use crate::InputError;
use crate::trace::{self, Stop, Trace, TraceKeys};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The tree of a scenario file, and the traces that it names: each is read once.
#[derive(Debug)]
pub(crate) struct Template {
    root: Node,
    folder: PathBuf,
    traces: Traces,
}

/// A value for a key, and where it is given.
#[derive(Debug, Clone)]
pub(crate) struct Setting<'k> {
    pub(crate) key: &'k [String],
    pub(crate) place: &'k Place,
    pub(crate) node: Node,
}

/// What a scenario reads from beside its own text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Files<'t> {
    /// Where relative paths start.
    pub(super) folder: &'t Path,
    pub(super) traces: &'t Traces,
}

impl Template {
    /// The tree of `text`, which errors call `file`, changed by `overrides` in their order.
    pub(crate) fn parse(
        folder: &Path,
        file: &str,
        text: &str,
        overrides: &[Override],
    ) -> Result<Self, InputError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self::new(Node::parse(file, text)?, folder, overrides)
    }

    /// A tree changed by `overrides` in their order.
    pub(crate) fn new(mut root: Node, folder: &Path, overrides: &[Override]) -> Result<Self, InputError> {
        let faults = overrides.iter().filter_map(|change| change.apply(&mut root).err());
        let faults: Vec<Fault> = faults.collect();
        if faults.is_empty() {
            Ok(Self { root, folder: folder.to_owned(), traces: Traces::default() })
        } else {
            Err(InputError::faults(faults))
        }
    }

    /// The scenario with `settings` made, in their order.
    ///
    /// # Errors
    /// [`InputError::Faults`] with everything that is wrong.
    pub(crate) fn scenario(&self, settings: &[Setting<'_>]) -> Result<Scenario, InputError> {
        let mut changed;
        let mut root = &self.root;
        if !settings.is_empty() {
            changed = self.root.clone();
            for setting in settings {
                put(&mut changed, setting.key, setting.place, setting.node.clone())?;
            }
            root = &changed;
        }
        let faults = Faults::default();
        let files = Files { folder: &self.folder, traces: &self.traces };
        let scenario = read::scenario(&Item::root(root, &faults), files);
        let mut faults = faults.into_inner();
        faults.sort_by(|a, b| a.rank().cmp(&b.rank()));
        match scenario {
            Ok(scenario) if faults.is_empty() => Ok(scenario),
            _ => Err(InputError::faults(faults)),
        }
    }

    /// The tree as written.
    pub(crate) fn root(&self) -> &Node {
        &self.root
    }
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
        let trace = Arc::new(trace::read(path, keys)?);
        if known.len() < Self::MOST {
            known.push((path.to_owned(), keys.clone(), Arc::clone(&trace)));
        }
        Ok(trace)
    }
}
