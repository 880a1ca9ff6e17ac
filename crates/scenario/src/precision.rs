//! Reads `run.precision`: how wide intervals may be.

use super::section::{Item, Noted};
use alba_ctmc::Tolerance;
use alba_model::Measure;

/// How wide half a 95 % interval may be, for every measure of [`Measure::ALL`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerances {
    each: [Option<Tolerance>; Measure::ALL.len()],
    for_all: bool,
}

impl Tolerances {
    /// In the order of [`Measure::ALL`]; none where any width will do.
    pub fn all(&self) -> &[Option<Tolerance>; Measure::ALL.len()] {
        &self.each
    }

    /// Whether one tolerance was given for all measures, of which some may never be seen.
    pub fn is_for_all(&self) -> bool {
        self.for_all
    }

    /// The measures that have one, with their names.
    pub(super) fn named(&self) -> impl Iterator<Item = (&'static str, Tolerance)> + '_ {
        NAMES.iter().zip(self.each).filter_map(|(name, tolerance)| Some((*name, tolerance?)))
    }
}

/// Names of [`Measure::ALL`].
const NAMES: &[&str; Measure::ALL.len()] = &[
    "cold",
    "initializing",
    "idle",
    "busy",
    "jobs_per_server",
    "jobs_per_warm",
    "mean_response_time",
    "lost_fraction",
    "rejected_fraction",
    "energy",
];

/// One tolerance for all measures, or a table with one for each of some.
pub(super) fn read(item: &Item<'_>) -> Result<Tolerances, Noted> {
    if item.keys().is_none() {
        return Ok(Tolerances { each: [Some(tolerance(item)?); Measure::ALL.len()], for_all: true });
    }
    let section = item.section(NAMES)?;
    let read = NAMES.map(|name| section.find(name).map(|item| tolerance(&item)).transpose());
    let mut tolerances = Tolerances { each: [None; Measure::ALL.len()], for_all: false };
    for (tolerance, read) in tolerances.each.iter_mut().zip(read) {
        *tolerance = read?;
    }
    if tolerances.named().next().is_none() {
        return Err(item.reject("at least one measure, as in { mean_response_time = \"1 %\" }"));
    }
    Ok(tolerances)
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

    #[test]
    fn names_are_the_measures() {
        assert_eq!(Measure::ALL.map(Measure::name), NAMES.map(str::to_owned));
    }

    #[test]
    fn percents() {
        let texts = ["1 %", "0.5%", " 100 % ", "1", "%", "one %"].map(percent);
        assert_eq!(texts, [Some(0.01), Some(0.005), Some(1.0), None, None, None]);
    }
}
