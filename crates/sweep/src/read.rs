//! Sweep files.

use super::axis::{Key, Source, ValueKind, Values};
use super::cell::Computed;
use super::cells::{Cells, Dimension};
use super::latin::LatinHypercube;
use alba_compare::{Engine, Quantity};
use alba_ctmc::Estimate;
use alba_scenario::ScenarioError;
use alba_scenario::section::{Faults, Item, Noted, Section};
use alba_scenario::tree::{Entry, Node, Value};
use alba_scenario::{Override, Scenario, time_s};
use alba_scenario::{Place, Problem, Template};
use alba_table::{Column, ColumnKind, Head, Schema, nearest};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A sweep, read and valid but for values that only some cells have.
pub struct Sweep<'e> {
    name: String,
    pub(super) template: Template,
    pub(super) cells: Cells,
    pub(super) engines: Vec<&'e dyn Engine>,
    pub(super) quantities: Vec<Quantity>,
    /// What the file says but for the scenario, by key: what must not change while a sweep is under way.
    pub(super) written: BTreeMap<String, String>,
    /// Keys that vary, and those that were given for this sweep alone.
    pub(super) given: Vec<String>,
}

/// The key of the scenario.
const PRECISION: &str = "run.precision";

const KEYS: &[&str] =
    &["name", "scenario", "engines", "measures", "axes", "zip", "latin_hypercube", "limits"];

impl<'e> Sweep<'e> {
    /// Reads the file at `path`; `overrides` change its scenario, `engines` are those that it may name.
    ///
    /// # Errors
    /// [`ScenarioError::Unreadable`] for the file or its scenario, [`ScenarioError::Faults`] with everything that is wrong.
    pub fn load(
        path: &Path,
        overrides: &[Override],
        engines: &[&'e dyn Engine],
    ) -> Result<Self, ScenarioError> {
        let text = read_text(path)?;
        Self::parse(&path.display().to_string(), &text, overrides, engines)
    }

    /// Reads `text`; `file` is what errors call it, and where relative paths start.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn parse(
        file: &str,
        text: &str,
        overrides: &[Override],
        engines: &[&'e dyn Engine],
    ) -> Result<Self, ScenarioError> {
        let folder = Path::new(file).parent().unwrap_or(Path::new(""));
        let root = Node::parse(file, text.strip_prefix('\u{feff}').unwrap_or(text))?;
        let faults = Faults::default();
        let parts = parts(&Item::root(&root, &faults), engines);
        let mut faults = faults.into_inner();
        faults.sort_by(|a, b| a.rank().cmp(&b.rank()));
        let Parts { limit, name, base, engines, quantities, cells } = match parts {
            Ok(parts) if faults.is_empty() => parts,
            _ => return Err(ScenarioError::Faults { faults }),
        };
        // What is given for this run comes last.
        let overrides: Vec<Override> = limit.into_iter().chain(overrides.iter().cloned()).collect();
        let template = match base {
            Base::Inline(node) => Template::new(node, folder, &overrides)?,
            Base::File(path) => {
                let path = folder.join(path);
                let folder = path.parent().unwrap_or(Path::new(""));
                Template::parse(folder, &path.display().to_string(), &read_text(&path)?, &overrides)?
            }
        };
        let mut written = root.leaves();
        written.retain(|key, _| key != "scenario" && !key.starts_with("scenario."));
        let given = cells.keys().into_iter().map(|key| key.name.clone());
        let given = given.chain(overrides.iter().map(Override::key)).collect();
        Ok(Self { name, template, cells, engines, quantities, written, given })
    }

    /// Its name, safe as the name of a folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many cells.
    pub fn cells(&self) -> u64 {
        self.cells.count()
    }

    /// The engines, one after the other for every choice of values.
    pub fn engines(&self) -> &[&'e dyn Engine] {
        &self.engines
    }

    /// The keys that vary, the first the slowest.
    pub fn keys(&self) -> Vec<&str> {
        self.cells.keys().into_iter().map(|key| key.name.as_str()).collect()
    }

    /// The scenario of a cell.
    ///
    /// # Errors
    /// [`ScenarioError::Faults`] with everything that is wrong with its values.
    pub fn scenario(&self, cell: u64) -> Result<Scenario, ScenarioError> {
        self.template.scenario(&self.cells.settings(cell))
    }

    /// The engine of a cell.
    pub fn engine(&self, cell: u64) -> &'e dyn Engine {
        self.engines[self.cells.engine(cell)]
    }

    /// Whether some cell asks for a precision that its engine reads: then the table says whether it is met.
    pub(super) fn asks_for_precision(&self) -> bool {
        let asked = |key: &str| {
            key.strip_prefix(PRECISION).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let written = self.template.root().leaves();
        let asked = self.keys().into_iter().chain(written.keys().map(String::as_str)).any(asked);
        asked && self.engines.iter().any(|engine| engine.has_randomness())
    }

    /// Whether the table has half-widths.
    pub(super) fn has_half_widths(&self) -> bool {
        self.engines.iter().any(|engine| engine.has_randomness())
    }

    /// The columns of its table: `cell`, the keys that vary, `engine`, `seed`, the measures kept, their half-widths if
    /// an engine has some, `status`, `error`; `precision_met`, whether averages are as precise as is asked for, if that is.
    pub fn columns(&self) -> Vec<Head> {
        self.schema().heads()
    }

    pub(super) fn schema(&self) -> Schema<'static, Computed> {
        let estimates = |suffix: &'static str, meaning, get: fn(Estimate) -> Option<f64>| {
            self.quantities.iter().enumerate().map(move |(index, quantity)| {
                let name = format!("{}{suffix}", quantity.name());
                Column::new(name, quantity.unit(), meaning, move |row: &Computed| get(row.estimate(index)))
            })
        };
        let half_widths =
            estimates("_half_width", "half of its 95 % interval", |estimate| estimate.half_width);
        let met = "whether averages are as precise as asked for";
        let met = || Column::new("precision_met", "", met, |row: &Computed| row.precise);
        Schema::new()
            .column("cell", "", "its number, from 0", |row: &Computed| row.cell)
            .columns(self.key_columns(|row: &Computed| &row.values))
            .column("engine", "", "who computed it", |row| row.engine.clone())
            .column("seed", "", "of the run", |row| row.seed)
            .columns(estimates("", "", |estimate| estimate.value))
            .columns(half_widths.filter(|_| self.has_half_widths()))
            .column("status", "", "ok or failed", |row| if row.estimates.is_ok() { "ok" } else { "failed" })
            .column("error", "", "why it failed", |row| row.estimates.as_ref().err().cloned())
            .columns(self.asks_for_precision().then(met))
    }

    /// A column for every key that varies.
    pub(super) fn key_columns<R: 'static>(
        &self,
        values: fn(&R) -> &Vec<String>,
    ) -> impl Iterator<Item = Column<'static, R>> {
        let keys = self.cells.keys().into_iter().zip(self.cells.kinds()).enumerate();
        keys.map(move |(index, (key, kind))| {
            let kind = match kind {
                ValueKind::Whole => ColumnKind::Integer,
                ValueKind::Real => ColumnKind::Number,
                ValueKind::Text => ColumnKind::Text,
            };
            let meaning = "value of the scenario's key";
            Column::new(key.name.clone(), "", meaning, move |row: &R| values(row)[index].clone())
                .read_as(kind)
        })
    }
}

fn read_text(path: &Path) -> Result<String, ScenarioError> {
    std::fs::read_to_string(path)
        .map_err(|source| ScenarioError::Unreadable { path: path.to_owned(), source })
}

/// Where the scenario is.
enum Base {
    File(PathBuf),
    Inline(Node),
}

struct Parts<'e> {
    /// What a cell may take, as its scenario says it.
    limit: Option<Override>,
    name: String,
    base: Base,
    engines: Vec<&'e dyn Engine>,
    quantities: Vec<Quantity>,
    cells: Cells,
}

fn parts<'e>(item: &Item<'_>, known: &[&'e dyn Engine]) -> Result<Parts<'e>, Noted> {
    let root = item.section(KEYS)?;
    let name = alba_scenario::name(&root);
    let base = root
        .need("scenario", "the path of a scenario file, or a table that is one")
        .and_then(|item| base(&item));
    let engines =
        root.need("engines", &format!("a list of {}", names(known))).and_then(|item| engines(&item, known));
    let dimensions = dimensions(&root);
    let offered = engines.as_deref().unwrap_or(known);
    let quantities = root.find("measures").map_or(Ok(Quantity::usual()), |item| quantities(&item, offered));
    let limit = root.find("limits").map(|item| limit(&item)).transpose();
    let (engines, dimensions) = (engines?, dimensions?);
    let cells = Cells::new(dimensions, engines.len()).ok_or_else(|| {
        let at = ["axes", "zip", "latin_hypercube"].into_iter().find_map(|key| root.find(key));
        at.map_or(Noted, |item| item.reject(format!("at most {} cells in all", Cells::MOST)))
    })?;
    Ok(Parts { limit: limit?.flatten(), name: name?, base: base?, engines, quantities: quantities?, cells })
}

/// Each cell is a run of its own.
fn limit(item: &Item<'_>) -> Result<Option<Override>, Noted> {
    let section = item.section(&["cell"])?;
    let seconds = section.find("cell").map(|item| time_s(&item)).transpose()?;
    Ok(seconds.and_then(|seconds| Override::parse(&format!("limits.time=\"{seconds} s\"")).ok()))
}

fn base(item: &Item<'_>) -> Result<Base, Noted> {
    match &item.node().value {
        Value::Table(_) => Ok(Base::Inline(item.node().clone())),
        Value::Text(path) if !path.is_empty() => Ok(Base::File(path.into())),
        _ => Err(item.reject("the path of a scenario file, or a table that is one")),
    }
}

fn names(known: &[&dyn Engine]) -> String {
    known.iter().map(|engine| engine.name()).collect::<Vec<_>>().join(", ")
}

/// The texts of a list of texts, each once.
fn texts<'t>(item: &Item<'t>, allowed: &str) -> Result<Vec<(Item<'t>, &'t str)>, Noted> {
    let mut found: Vec<(Item<'t>, &str)> = vec![];
    for element in item.elements(allowed)? {
        let text = element.text().ok_or_else(|| element.reject(allowed))?;
        if found.iter().any(|(_, other)| *other == text) {
            return Err(element.reject("each once"));
        }
        found.push((element, text));
    }
    if found.is_empty() { Err(item.reject(allowed)) } else { Ok(found) }
}

fn engines<'e>(item: &Item<'_>, known: &[&'e dyn Engine]) -> Result<Vec<&'e dyn Engine>, Noted> {
    let allowed = format!("a list of {}", names(known));
    let found = texts(item, &allowed)?.into_iter().map(|(element, name)| {
        let engine = known.iter().find(|engine| engine.name() == name);
        engine.copied().ok_or_else(|| {
            let all: Vec<&str> = known.iter().map(|engine| engine.name()).collect();
            element.reject(format!("one of {}{}", names(known), hint(nearest(name, &all))))
        })
    });
    found.collect::<Vec<_>>().into_iter().collect()
}

fn hint(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!(" (did you mean {name}?)"))
}

/// Every measure must be one that some engine of the sweep finds.
fn quantities(item: &Item<'_>, engines: &[&dyn Engine]) -> Result<Vec<Quantity>, Noted> {
    let offered = |quantity: &Quantity| engines.iter().any(|engine| engine.offers(*quantity));
    let all: Vec<String> = Quantity::all().into_iter().filter(&offered).map(Quantity::name).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let allowed = format!("a list of measures of these engines: {}, warm_0, warm_1, ...", all.join(", "));
    let found = texts(item, &allowed)?.into_iter().map(|(element, name)| {
        let quantity = Quantity::named(name).filter(&offered);
        quantity.ok_or_else(|| {
            element.reject(format!(
                "a measure of these engines{}: {}",
                hint(nearest(name, &all)),
                all.join(", ")
            ))
        })
    });
    found.collect::<Vec<_>>().into_iter().collect()
}

/// All dimensions in the order in which they are written.
fn dimensions(root: &Section<'_>) -> Result<Vec<Dimension>, Noted> {
    let axes = root.find("axes").map_or(Ok(vec![]), |item| axes(&item));
    let zipped = root.find("zip").map_or(Ok(vec![]), |item| zipped(&item));
    let latin = root.find("latin_hypercube").map(|item| latin(&item)).transpose();
    let (axes, zipped, latin) = (axes?, zipped?, latin?);
    let mut dimensions: Vec<Dimension> = axes.into_iter().chain(zipped).chain(latin).collect();
    dimensions.sort_by(|a, b| a.place().cmp(b.place()));
    let keys: Vec<&Key> = dimensions.iter().flat_map(Dimension::keys).collect();
    let mut result = Ok(());
    for (index, key) in keys.iter().enumerate() {
        if keys[..index].iter().any(|other| other.path == key.path) {
            let problem = Problem::Syntax { message: format!("{} has two axes: one is enough", key.name) };
            result = Err(root.note(&key.place, problem));
        }
    }
    result.map(|()| dimensions)
}

fn axes(item: &Item<'_>) -> Result<Vec<Dimension>, Noted> {
    let leaves = leaves(item, "a table of axes: a key of the scenario, and its values")?;
    let dimension = |(key, item): (Key, Item<'_>)| {
        let values = Values::read(&item)?;
        Ok(Dimension::Zipped { place: key.place.clone(), axes: vec![(key, values)] })
    };
    leaves.into_iter().map(dimension).collect::<Vec<_>>().into_iter().collect()
}

fn zipped(item: &Item<'_>) -> Result<Vec<Dimension>, Noted> {
    let allowed = "tables [[zip]]: keys of the scenario, and their values, equally many";
    let dimension = |item: &Item<'_>| {
        let axes = leaves(item, allowed)?.into_iter().map(|(key, item)| {
            let values = Values::read(&item)?;
            Ok((key, values, item))
        });
        let axes: Vec<(Key, Values, Item<'_>)> =
            axes.collect::<Vec<_>>().into_iter().collect::<Result<_, _>>()?;
        let count = axes.first().map_or(0, |(_, values, _)| values.len());
        for (_, values, item) in &axes {
            if values.len() != count {
                let found = values.len();
                return Err(item
                    .reject(format!("{count} values, as the first key of this zip has; here are {found}")));
            }
        }
        let axes = axes.into_iter().map(|(key, values, _)| (key, values)).collect();
        Ok(Dimension::Zipped { place: item.node().place.clone(), axes })
    };
    item.elements(allowed)?.iter().map(dimension).collect::<Vec<_>>().into_iter().collect()
}

fn latin(item: &Item<'_>) -> Result<Dimension, Noted> {
    let section = item.section(&["samples", "seed", "axes"])?;
    let samples = section.need("samples", "how many points").and_then(|item| item.count(1..=Cells::MOST));
    let seed = section.find("seed").map_or(Ok(1), |item| item.count(0..=i64::MAX as u64));
    let allowed = "a table of axes: a key of the scenario, and the ends of its range";
    let axes = section.need("axes", allowed).and_then(|item| {
        let read = leaves(&item, allowed)?.into_iter().map(|(key, item)| Ok((key, Source::read(&item)?)));
        read.collect::<Vec<_>>().into_iter().collect::<Result<Vec<_>, _>>()
    });
    let (keys, sources) = axes?.into_iter().unzip();
    let hypercube = LatinHypercube::new(keys, sources, samples?, seed?);
    Ok(Dimension::Latin { place: item.node().place.clone(), hypercube })
}

/// The entries of a table of axes in the order in which they are written, by full dotted keys: `a.b = ...`, `"a.b" = ...`
/// and `a = { b = ... }` are the same.
fn leaves<'t>(item: &Item<'t>, allowed: &str) -> Result<Vec<(Key, Item<'t>)>, Noted> {
    let Value::Table(entries) = &item.node().value else { return Err(item.reject(allowed)) };
    let mut found = vec![];
    gather(item, entries, &[], &mut found);
    found.sort_by(|(a, _), (b, _)| a.place.cmp(&b.place));
    if found.is_empty() { Err(item.reject(allowed)) } else { Ok(found) }
}

fn gather<'t>(item: &Item<'t>, entries: &'t [Entry], above: &[String], found: &mut Vec<(Key, Item<'t>)>) {
    for Entry { key, place, node } in entries {
        let path: Vec<String> =
            above.iter().cloned().chain(key.split('.').map(|part| part.trim().to_owned())).collect();
        match &node.value {
            Value::Table(inner) => gather(item, inner, &path, found),
            _ => {
                let key = Key { name: path.join("."), path, place: Place::clone(place) };
                found.push((key.clone(), item.at_node(key.name, node)));
            }
        }
    }
}
