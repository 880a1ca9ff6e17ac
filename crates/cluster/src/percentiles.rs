//! Quantiles of the requests of all replications together, with intervals.

use alba_model::Measure;
use alba_replicate::{Persistence, Pilot, Quantile, Section};

use crate::Estimate;
use crate::engine::{DelayTimes, Delays, TimeCounts};
use crate::ledger::times;
use crate::outcome::{PolicyOutcome, TooFew};

/// Times of all replications, and how many there are in sections of them.
#[derive(Debug, Clone)]
pub(crate) struct Sections {
    all: Delays,
    /// [`Section::MOST`] at most.
    sections: Vec<[TimeCounts; 2]>,
}

impl Sections {
    pub(crate) fn new() -> Self {
        Self { all: Delays::new(), sections: vec![] }
    }

    /// Adds what replication `index` recorded.
    pub(crate) fn add(&mut self, index: u64, delays: &Delays) {
        let index = (index % Section::MOST as u64) as usize;
        if index >= self.sections.len() {
            self.sections.resize_with(index + 1, || [TimeCounts::new(), TimeCounts::new()]);
        }
        let [response, waiting] = &mut self.sections[index];
        response.add(&delays.response);
        waiting.add(&delays.waiting);
        self.all.add(delays);
    }
}

/// For each of [`Measure::OF_REQUESTS`] that is one: none where nothing was recorded.
pub(crate) struct Percentiles {
    /// With the index of each.
    quantiles: Vec<(usize, Measure, Option<Quantile>)>,
    has_spread: bool,
}

impl Percentiles {
    /// Without persistence all replications were the same.
    pub(crate) fn new(sections: &Sections, persistence: Option<Persistence>) -> Self {
        let all = Measure::OF_REQUESTS.into_iter().enumerate();
        let all = all.filter(|(_, measure)| measure.percentile().is_some());
        Self {
            quantiles: all
                .map(|(index, measure)| (index, measure, quantile(measure, sections, persistence)))
                .collect(),
            has_spread: sections.sections.len() > 1,
        }
    }

    /// In order.
    pub(crate) fn into_quantiles(self) -> Vec<Option<Quantile>> {
        self.quantiles.into_iter().map(|(.., quantile)| quantile).collect()
    }

    /// Puts them in their places, with intervals as wide as `pilot` says.
    pub(crate) fn put(&self, pilot: &Pilot, replications: u64, metrics: &mut [Estimate]) {
        for (order, (index, _, own)) in self.quantiles.iter().enumerate() {
            metrics[*index] = pilot.percentile(order, own.as_ref(), replications);
        }
    }

    /// Their differences from those of the `first` policy, and those without an interval.
    pub(crate) fn complete(&self, first: &Self, outcome: &mut PolicyOutcome) {
        for ((index, measure, own), (.., first)) in self.quantiles.iter().zip(&first.quantiles) {
            let pair = own.as_ref().zip(first.as_ref());
            outcome.differences[*index] = pair.map(|(own, first)| own.minus(first)).unwrap_or_default();
            let Some(own) = own else { continue };
            if self.has_spread && own.estimate.half_width.is_none() {
                let (exceedances, needed) = (own.exceedances, own.needed);
                outcome.too_few.push(TooFew { measure: *measure, exceedances, needed });
            }
        }
    }
}

fn quantile(measure: Measure, sections: &Sections, persistence: Option<Persistence>) -> Option<Quantile> {
    let (delay, percentile) = measure.percentile()?;
    let all: &DelayTimes = times(delay, &sections.all);
    let value = all.quantile(percentile.probability())?;
    let Some(persistence) = persistence else {
        return Some(Quantile::constant(value, sections.sections.len()));
    };
    let at = |time: f64| -> Vec<Section> {
        let section = |counts: &[TimeCounts; 2]| {
            let times = &counts[delay as usize];
            Section { count: times.count() as f64, above: all.above_of(times, time) }
        };
        sections.sections.iter().map(section).collect()
    };
    let median = all.quantile(0.5)?;
    Some(Quantile::new(percentile.probability(), value, all, [&at(value), &at(median)], persistence))
}
