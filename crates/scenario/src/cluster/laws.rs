//! Laws of times.

use super::Around;
use crate::arrivals::{opened, time_unit};
use crate::section::{Item, Noted, Section};
use alba_cluster::{ClusterError, Law};
use alba_model::ModelError;
use serde::Serialize;

/// A law, and how it was written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LawSource {
    pub(crate) law: Law,
    pub(crate) keys: LawKeys,
}

/// A law as a scenario file has it, times in mean service times unless there is a unit.
#[derive(Debug, Clone, PartialEq, Serialize, Default)]
pub(crate) struct LawKeys {
    pub(crate) law: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mean: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) squared_variation: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) branches: Option<Vec<(f64, f64)>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) column: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unit: Option<String>,
}

impl Default for LawSource {
    /// Exponential service times.
    fn default() -> Self {
        let law = Law::exponential(1.0).unwrap_or_else(|_| unreachable!("a mean of 1 is allowed"));
        let keys = LawKeys { law: law.name(), mean: Some(1.0), ..LawKeys::default() };
        Self { law, keys }
    }
}

/// What times may be.
#[derive(Clone, Copy)]
pub(super) struct Lengths {
    /// The mean where none is said; none: it must be said.
    pub(super) mean: Option<f64>,
    /// Whether no time at all is allowed.
    pub(super) zero: bool,
}

const KEYS: &[&str] = &["law", "mean", "squared_variation", "branches", "file", "column", "unit"];
const ALLOWED: &str = "the name of a law, or a table with law and its parameters";

/// A law by its name, or a table.
pub(super) fn read(item: &Item<'_>, lengths: Lengths, around: Around<'_>) -> Result<LawSource, Noted> {
    if item.text().is_some() {
        let name = Law::NAMES[item.name(&Law::NAMES)?];
        let mean = lengths.mean.filter(|_| matches!(name, "exponential" | "deterministic"));
        let mean =
            mean.ok_or_else(|| item.reject("a table with law and its parameters: this one needs some"))?;
        let built = if name == "exponential" { Law::exponential(mean) } else { Law::deterministic(mean) };
        let law = built.map_err(|error| item.reject(error.to_string()))?;
        return Ok(LawSource { keys: LawKeys { law: name, mean: Some(mean), ..LawKeys::default() }, law });
    }
    let section = item.section(KEYS).map_err(|_| item.reject(ALLOWED))?;
    let law = section.need("law", "the name of a law")?;
    let name = Law::NAMES[law.name(&Law::NAMES)?];
    let reader = Reader { item, section: &section, name, lengths, around };
    match name {
        "empirical" => reader.empirical(),
        "hyperexponential" if section.find("branches").is_some() => reader.branches(),
        _ => reader.by_moments(),
    }
}

struct Reader<'r, 't> {
    item: &'r Item<'t>,
    section: &'r Section<'t>,
    name: &'static str,
    lengths: Lengths,
    around: Around<'r>,
}

impl Reader<'_, '_> {
    /// Parameters that the law has not are as good as typing errors.
    fn refuse_others(&self, known: &[&str]) -> Result<(), Noted> {
        let mut result = Ok(());
        let others = KEYS.iter().filter(|key| **key != "law" && !known.contains(key));
        for item in others.filter_map(|key| self.section.find(key)) {
            result = Err(item.reject(format!("the law {} has no such parameter here", self.name)));
        }
        result
    }

    fn source(
        &self,
        built: Result<Law, ClusterError>,
        keys: impl FnOnce(LawKeys) -> LawKeys,
    ) -> Result<LawSource, Noted> {
        let law = built.map_err(|error| self.item.reject(error.to_string()))?;
        Ok(LawSource { keys: keys(LawKeys { law: self.name, ..LawKeys::default() }), law })
    }

    fn mean(&self) -> Result<f64, Noted> {
        let zero = self.lengths.zero && self.name == "deterministic";
        let allowed = if zero { "a finite number >= 0" } else { "a finite number > 0" };
        let within = |mean: f64| mean.is_finite() && (mean > 0.0 || zero && mean == 0.0);
        let outside = |value| ModelError::OutOfRange { name: "mean", value, allowed };
        match (self.section.find("mean"), self.lengths.mean) {
            (Some(item), _) => {
                self.around.clock.duration(&item, |mean| within(mean).then_some(()).ok_or(outside(mean)))
            }
            (None, Some(mean)) => Ok(mean),
            (None, None) => {
                self.section.need("mean", "a mean time, in service times or with a unit").map(|_| 0.0)
            }
        }
    }

    fn by_moments(&self) -> Result<LawSource, Noted> {
        let known: &[&str] = match self.name {
            "log-normal" | "hyperexponential" => &["mean", "squared_variation"],
            _ => &["mean"],
        };
        let (mean, refused) = (self.mean(), self.refuse_others(known));
        let squared = || {
            let allowed = "variance over squared mean, a number";
            let item = self.section.need("squared_variation", allowed)?;
            item.number().ok_or_else(|| item.reject(allowed))
        };
        let squared = if known.len() > 1 { squared().map(Some) } else { Ok(None) };
        let (mean, squared, ()) = (mean?, squared?, refused?);
        let built = match (self.name, squared) {
            ("log-normal", Some(squared)) => Law::log_normal(mean, squared),
            (_, Some(squared)) => Law::hyperexponential(mean, squared),
            ("deterministic", None) => Law::deterministic(mean),
            (_, None) => Law::exponential(mean),
        };
        self.source(built, |keys| LawKeys { mean: Some(mean), squared_variation: squared, ..keys })
    }

    fn branches(&self) -> Result<LawSource, Noted> {
        self.refuse_others(&["branches"])?;
        let allowed = "an array of pairs: [probability, mean time]";
        let all = self.section.need("branches", allowed)?;
        let branches: Vec<_> = all.elements(allowed)?.iter().map(|pair| self.branch(pair, allowed)).collect();
        let branches = branches.into_iter().collect::<Result<Vec<_>, _>>()?;
        let built = Law::branches(&branches);
        self.source(built, |keys| LawKeys { branches: Some(branches), ..keys })
    }

    fn branch(&self, pair: &Item<'_>, allowed: &str) -> Result<(f64, f64), Noted> {
        let [probability, mean] = pair.elements(allowed)?.try_into().map_err(|_| pair.reject(allowed))?;
        let any = |_| Ok(());
        Ok((probability.real(any)?, self.around.clock.duration(&mean, any)?))
    }

    /// A column of measured times.
    fn empirical(&self) -> Result<LawSource, Noted> {
        self.refuse_others(&["file", "column", "unit"])?;
        let text = |key: &str, what: &str| {
            let item = self.section.need(key, what)?;
            let text = item.text().filter(|text| !text.is_empty()).ok_or_else(|| item.reject(what))?;
            Ok((text.to_owned(), item))
        };
        let (file, item) = text("file", "the path of a CSV file")?;
        let (column, _) = text("column", "the name of the column of times")?;
        let unit = self.section.find("unit").map(|item| time_unit(&item).map(|unit_s| (unit_s, item)));
        let unit = unit.transpose()?;
        let factor = match &unit {
            None => 1.0,
            Some((unit_s, item)) => unit_s / self.around.clock.service_time_s(item, "a unit")?,
        };
        let path = self.around.folder.join(&file);
        let times = opened(&item, &path, alba_trace::durations(&path, &column))?;
        let built = Law::empirical(times.into_iter().map(|time| time * factor).collect());
        let unit = unit.and_then(|(_, item)| item.text().map(str::to_owned));
        self.source(built, |keys| LawKeys { file: Some(file), column: Some(column), unit, ..keys })
    }
}
