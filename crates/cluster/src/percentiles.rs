//! Quantiles of the requests of all replications together, with intervals.

use alba_replicate::{Persistence, Quantile, Section};

use crate::engine::{DelayTimes, Delays, TimeCounts};
use crate::outcome::{PolicyOutcome, TooFew};
use crate::{Estimate, Metric};

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

/// For each of [`Metric::ALL`] that is one: none where nothing was recorded.
pub(crate) struct Percentiles {
    quantiles: Vec<Option<Quantile>>,
    has_spread: bool,
}

impl Percentiles {
    /// None: all replications were the same.
    pub(crate) fn new(sections: &Sections, persistence: Option<Persistence>) -> Self {
        let quantile = |metric: Metric| quantile(metric, sections, persistence);
        Self {
            quantiles: Metric::ALL.into_iter().map(quantile).collect(),
            has_spread: sections.sections.len() > 1,
        }
    }

    /// Puts them, and their differences from those of the `first` policy, in their places.
    pub(crate) fn complete(&self, first: &Self, outcome: &mut PolicyOutcome) {
        for (index, metric) in Metric::ALL.into_iter().enumerate() {
            if metric.quantile().is_none() {
                continue;
            }
            let Some(own) = &self.quantiles[index] else {
                (outcome.metrics[index], outcome.differences[index]) = <(Estimate, Estimate)>::default();
                continue;
            };
            outcome.metrics[index] = own.estimate;
            let difference = first.quantiles[index].as_ref().map(|first| own.minus(first));
            outcome.differences[index] = difference.unwrap_or_default();
            if self.has_spread && own.estimate.half_width.is_none() {
                outcome.too_few.push(TooFew { metric, exceedances: own.exceedances, needed: own.needed });
            }
        }
    }
}

fn quantile(metric: Metric, sections: &Sections, persistence: Option<Persistence>) -> Option<Quantile> {
    let (of, probability) = metric.quantile()?;
    let all: &DelayTimes = of.times(&sections.all);
    let value = all.quantile(probability)?;
    let Some(persistence) = persistence else {
        return Some(Quantile::constant(value, sections.sections.len()));
    };
    let at = |time: f64| -> Vec<Section> {
        let section = |counts: &[TimeCounts; 2]| {
            let times = &counts[of as usize];
            Section { count: times.count() as f64, above: all.above_of(times, time) }
        };
        sections.sections.iter().map(section).collect()
    };
    let median = all.quantile(0.5)?;
    Some(Quantile::new(probability, value, all, [&at(value), &at(median)], persistence))
}
