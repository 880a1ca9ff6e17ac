//! Reads `run.precision`: how wide intervals may be.

use super::fault::{Fault, Place, Problem};
use super::section::{Item, Noted};
use crate::ScenarioError;
use alba_model::Measure;
use alba_replicate::{Precision, PrecisionError, Tolerance};
use std::sync::LazyLock;

/// How wide half a 95 % interval may be: of all measures, or of each of some.
#[derive(Debug, Clone, PartialEq)]
pub enum Tolerances {
    /// Of every mean and share that is reported; percentiles, of which rare ones take very many replications, are named.
    ForAll(Asked),
    /// In the order of [`Measure::known`].
    Each(Vec<(Measure, Asked)>),
}

/// A tolerance, and where it was written.
#[derive(Debug, Clone)]
pub struct Asked {
    tolerance: Tolerance,
    place: Place,
    key: String,
    written: String,
}

impl PartialEq for Asked {
    /// Wherever it was written.
    fn eq(&self, other: &Self) -> bool {
        self.tolerance == other.tolerance
    }
}

impl Asked {
    fn read(item: &Item<'_>) -> Result<Self, Noted> {
        Ok(Self {
            tolerance: tolerance(item)?,
            place: item.node().place.clone(),
            key: item.key().to_owned(),
            written: item.node().written.clone(),
        })
    }

    /// How wide half an interval may be.
    pub fn tolerance(&self) -> Tolerance {
        self.tolerance
    }

    fn fault(&self, allowed: String) -> Fault {
        let (key, value) = (self.key.clone(), self.written.clone());
        Fault { place: self.place.clone(), problem: Problem::Value { key, value, allowed } }
    }
}

impl Tolerances {
    /// The measures that are named.
    pub fn named(&self) -> impl Iterator<Item = Measure> + '_ {
        self.each().iter().map(|(measure, _)| *measure)
    }

    fn each(&self) -> &[(Measure, Asked)] {
        match self {
            Self::ForAll(_) => &[],
            Self::Each(each) => each,
        }
    }

    /// The precision of an experiment with these measures, of which at most so many replications are made. A tolerance for all
    /// holds for what is seen at all.
    ///
    /// # Errors
    /// [`PrecisionError::NoReplications`].
    pub fn precision(&self, measures: &[Measure], most: u64) -> Result<Precision, PrecisionError> {
        let of = |measure: &Measure| match self {
            Self::ForAll(asked) => Some(asked.tolerance).filter(|_| is_meant_by_all(*measure)),
            Self::Each(each) => each.iter().find(|(own, _)| own == measure).map(|(_, asked)| asked.tolerance),
        };
        let precision = Precision::new(measures.iter().map(of).collect(), most)?;
        Ok(match self {
            Self::ForAll(_) => precision.of_what_is_seen(),
            Self::Each(_) => precision,
        })
    }

    /// Refuses a precision of anything but what is `reported`, and one of nothing at all; `what` says what those are.
    ///
    /// # Errors
    /// [`ScenarioError::Faults`] with file, line and key of each.
    pub fn refuse_others(&self, reported: &[Measure], what: &str) -> Result<(), ScenarioError> {
        let names = || reported.iter().copied().map(Measure::name).collect::<Vec<_>>().join(", ");
        let allowed = || format!("{what}: {}", if reported.is_empty() { "none".to_owned() } else { names() });
        let faults: Vec<Fault> = match self {
            Self::ForAll(asked) if !reported.iter().copied().any(is_meant_by_all) => {
                vec![asked.fault(allowed())]
            }
            Self::ForAll(_) => vec![],
            Self::Each(each) => {
                let others = each.iter().filter(|(measure, _)| !reported.contains(measure));
                others.map(|(_, asked)| asked.fault(allowed())).collect()
            }
        };
        if faults.is_empty() { Ok(()) } else { Err(ScenarioError::Faults { faults }) }
    }
}

/// Levels are as many as are shown.
fn is_meant_by_all(measure: Measure) -> bool {
    measure.percentile().is_none() && !matches!(measure, Measure::Warm(_) | Measure::SomeWith(_))
}

/// The keys of the table.
static NAMES: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| Measure::known().filter_map(Measure::fixed_name).collect());

/// One tolerance for all measures, or a table with one for each of some.
pub(super) fn read(item: &Item<'_>) -> Result<Tolerances, Noted> {
    if item.keys().is_none() {
        return Ok(Tolerances::ForAll(Asked::read(item)?));
    }
    let section = item.section(&NAMES)?;
    let asked = Measure::known().filter_map(|measure| {
        let item = section.find(measure.fixed_name()?)?;
        Some(Asked::read(&item).map(|asked| (measure, asked)))
    });
    let asked: Vec<Result<_, Noted>> = asked.collect();
    if asked.is_empty() {
        return Err(item.reject("at least one measure, as in { mean_response_time = \"1 %\" }"));
    }
    Ok(Tolerances::Each(asked.into_iter().collect::<Result<_, _>>()?))
}

fn tolerance(item: &Item<'_>) -> Result<Tolerance, Noted> {
    let relative = item.text().and_then(percent).map(Tolerance::Relative);
    let absolute = item.number().map(Tolerance::Absolute);
    let good = |tolerance: &Tolerance| tolerance.number() > 0.0 && tolerance.number().is_finite();
    relative.or(absolute).filter(good).ok_or_else(|| {
        item.reject("a share of the value, as in \"1 %\", or a half-width > 0 in the measure's unit, as in 0.001, or a table of \
                     them, as in { mean_response_time = \"1 %\", energy = 0.001 }")
    })
}

/// `"1 %"` as a fraction.
fn percent(text: &str) -> Option<f64> {
    Some(text.trim().strip_suffix('%')?.trim().parse::<f64>().ok()? / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Override, Scenario};

    #[test]
    fn every_known_measure_has_a_key() {
        assert_eq!(NAMES.len(), Measure::known().count());
        assert!(
            ["energy", "p99_9", "waiting_p50", "overload_fraction"].iter().all(|name| NAMES.contains(name))
        );
    }

    #[test]
    fn percents() {
        let texts = ["1 %", "0.5%", " 100 % ", "1", "%", "one %"].map(percent);
        assert_eq!(texts, [Some(0.01), Some(0.005), Some(1.0), None, None, None]);
    }

    fn tolerances(precision: &str) -> Tolerances {
        let set = Override::parse(&format!("run.precision={precision}")).unwrap();
        let text = include_str!("../../../scenarios/figure1.toml");
        Scenario::parse("f.toml", text, &[set]).unwrap().run().precision.clone().unwrap()
    }

    #[test]
    fn one_for_all_is_for_means_and_shares() {
        let asked = |precision: &str| {
            let measures = [Measure::Busy, Measure::P99, Measure::Warm(1), Measure::MeanWaitingTime];
            let precision = tolerances(precision).precision(&measures, 10).unwrap();
            (0..4).map(|index| precision.asks_for(index)).collect::<Vec<_>>()
        };
        assert_eq!(asked("1 %"), [true, false, false, true]);
        assert_eq!(asked("{ p99 = 0.1, busy = '1 %' }"), [true, true, false, false]);
    }

    #[test]
    fn what_nobody_reports_is_refused_where_it_was_written() {
        let named = tolerances("{ p99 = 0.1, busy = '1 %' }");
        assert!(named.refuse_others(&[Measure::Busy, Measure::Cold, Measure::P99], "a mean").is_ok());
        let error = named.refuse_others(&[Measure::Busy, Measure::Cold], "a mean").unwrap_err();
        let expected = "--set run.precision={ p99 = 0.1, busy = '1 %' }: run.precision.p99 = 0.1 is not allowed: a mean: cold, busy";
        assert_eq!(error.to_string(), expected.replace("cold, busy", "busy, cold"));
        let for_all = tolerances("1 %");
        assert!(for_all.refuse_others(&[Measure::Busy], "a mean").is_ok());
        let error = for_all.refuse_others(&[Measure::P99], "a mean").unwrap_err();
        assert!(error.to_string().contains("run.precision = \"1 %\" is not allowed: a mean: p99"), "{error}");
    }
}
