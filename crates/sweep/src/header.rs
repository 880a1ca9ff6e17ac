//! What a journal is about: whether a run may go on with it.

use super::{Shard, Sweep};
use alba_scenario::Scenario;
use alba_table::ColumnKind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Raised when lines of a journal change their meaning.
const FORMAT: u32 = 1;

/// Everything that a row of the table depends on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Header {
    format: u32,
    /// Of the program.
    version: String,
    pub(super) name: String,
    pub(super) cells: u64,
    /// `[index, count]`.
    shard: (u64, u64),
    pub(super) columns: Vec<(String, ColumnKind)>,
    /// What the sweep file says, by key.
    sweep: BTreeMap<String, String>,
    /// What the scenario says where no axis says otherwise, by key.
    scenario: BTreeMap<String, String>,
    /// CRC-32 of every trace, by path as written.
    traces: BTreeMap<String, String>,
    /// The scenario of the first cell that has one, with every default, as TOML.
    first_cell: String,
}

impl Header {
    pub(super) fn new(
        sweep: &Sweep<'_>,
        shard: Shard,
        traces: BTreeMap<String, u32>,
        first: Option<&Scenario>,
    ) -> Result<Self, toml::ser::Error> {
        let first_cell = first.map_or(Ok(String::new()), |first| toml::to_string(&first.resolved()))?;
        Ok(Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            name: sweep.name().to_owned(),
            cells: sweep.cells(),
            shard: (shard.index(), shard.count()),
            columns: sweep.columns().into_iter().map(|head| (head.name, head.kind)).collect(),
            sweep: sweep.written.clone(),
            scenario: sweep.template.root().leaves(),
            traces: traces.into_iter().map(|(path, crc)| (path, format!("{crc:08x}"))).collect(),
            first_cell,
        })
    }

    pub(super) fn shard(&self) -> Option<Shard> {
        Shard::new(self.shard.0, self.shard.1)
    }

    /// The same for all cells.
    pub(super) fn whole(&self) -> Self {
        Self { shard: (0, 1), ..self.clone() }
    }

    /// What is different in `now`, in words; nothing if a run may go on.
    pub(super) fn changes(&self, now: &Self) -> Vec<String> {
        let mut changes = vec![];
        let mut note = |what: &str, was: &str, is: &str| {
            if was != is {
                changes.push(format!("{what} was {was}, is {is}"));
            }
        };
        note("the journal's format", &self.format.to_string(), &now.format.to_string());
        note("the program's version", &self.version, &now.version);
        let shard = |header: &Self| format!("{}/{}", header.shard.0, header.shard.1);
        note("the shard", &shard(self), &shard(now));
        for (what, was, is) in [
            ("sweep: ", &self.sweep, &now.sweep),
            ("scenario: ", &self.scenario, &now.scenario),
            ("checksum of the trace ", &self.traces, &now.traces),
        ] {
            let keys = was.keys().chain(is.keys().filter(|key| !was.contains_key(*key)));
            for key in keys {
                let shown =
                    |map: &BTreeMap<String, String>| map.get(key).map_or("absent".to_owned(), String::clone);
                note(&format!("{what}{key}"), &shown(was), &shown(is));
            }
        }
        // Said last: what lies behind it has been said, if it is known.
        if changes.is_empty() && (self.columns != now.columns || self.cells != now.cells) {
            changes.push("the table's columns or cells are others".to_owned());
        }
        changes
    }

    /// The manifest of the results.
    pub(super) fn manifest(&self) -> Result<String, toml::ser::Error> {
        let first_cell = self.first_cell.parse().ok().filter(|table: &toml::Table| !table.is_empty());
        toml::to_string(&Manifest {
            program: alba_compare::PROGRAM,
            version: &self.version,
            study: STUDY,
            name: &self.name,
            cells: self.cells,
            shard: (self.shard.1 > 1).then(|| format!("{}/{}", self.shard.0, self.shard.1)),
            sweep: &self.sweep,
            scenario: &self.scenario,
            traces: &self.traces,
            first_cell,
        })
    }
}

/// What the manifest calls it.
pub(super) const STUDY: &str = "sweep";

#[derive(Serialize)]
struct Manifest<'h> {
    program: &'static str,
    version: &'h str,
    study: &'static str,
    name: &'h str,
    cells: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    shard: Option<String>,
    sweep: &'h BTreeMap<String, String>,
    scenario: &'h BTreeMap<String, String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    traces: &'h BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_cell: Option<toml::Table>,
}
