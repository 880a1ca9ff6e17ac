//! A scenario that is read many times, each time with other values at some keys.

use super::fault::{Fault, Place};
use super::files::{Files, Traces};
use super::overrides::put;
use super::section::{Faults, Item};
use super::tree::Node;
use super::{Override, Scenario, read};
use crate::ScenarioError;
use std::path::{Path, PathBuf};

/// The tree of a scenario file, and the traces that it names: each is read once.
#[derive(Debug)]
pub struct Template {
    root: Node,
    folder: PathBuf,
    traces: Traces,
}

/// A value for a key, and where it is given.
#[derive(Debug, Clone)]
pub struct Setting<'k> {
    /// The parts of the dotted key.
    pub key: &'k [String],
    /// Where it is given.
    pub place: &'k Place,
    /// The value.
    pub node: Node,
}

impl Template {
    /// The tree of `text`, which errors call `file`, changed by `overrides` in their order.
    pub fn parse(
        folder: &Path,
        file: &str,
        text: &str,
        overrides: &[Override],
    ) -> Result<Self, ScenarioError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self::new(Node::parse(file, text)?, folder, overrides)
    }

    /// A tree changed by `overrides` in their order.
    pub fn new(mut root: Node, folder: &Path, overrides: &[Override]) -> Result<Self, ScenarioError> {
        let faults = overrides.iter().filter_map(|change| change.apply(&mut root).err());
        let faults: Vec<Fault> = faults.collect();
        if faults.is_empty() {
            Ok(Self { root, folder: folder.to_owned(), traces: Traces::default() })
        } else {
            Err(ScenarioError::Faults { faults })
        }
    }

    /// The scenario with `settings` made, in their order.
    ///
    /// # Errors
    /// [`ScenarioError::Faults`] with everything that is wrong.
    pub fn scenario(&self, settings: &[Setting<'_>]) -> Result<Scenario, ScenarioError> {
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
            _ => Err(ScenarioError::Faults { faults }),
        }
    }

    /// The tree as written.
    pub fn root(&self) -> &Node {
        &self.root
    }
}
