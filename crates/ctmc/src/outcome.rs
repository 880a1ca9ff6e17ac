//! What came back.

use alba_model::{ErlangMixture, Percentile};

use alba_replicate::{Interval, Persistence, Quantile, Section};

use crate::{Estimate, EventCounts};

/// Estimates on the grid and along the run.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// One for every point of the grid.
    pub points: Vec<GridPoint>,
    /// Along the run.
    pub summary: Summary,
}

/// Estimates at a time, of functions of the state at that time.
#[derive(Debug, Clone, PartialEq)]
pub struct GridPoint {
    /// In mean service times.
    pub time: f64,
    /// lambda at that time.
    pub arrival_rate: f64,
    /// Replications that had not ended by then; fewer than all only with a maximal number of events.
    pub replications: u64,
    /// One for every measure of the experiment, in its order.
    pub estimates: Vec<Estimate>,
    /// The response time, under first come, first served, of jobs that arrive at that time: from the expected rates at
    /// which they find so many jobs. None where none is accepted, and under a central queue.
    pub response_time: Option<ErlangMixture>,
}

/// Estimates along the run.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// All replications.
    pub replications: u64,
    /// One for every measure of the experiment, in its order; percentiles are those of all jobs together. Averages over time
    /// from the warm-up to the end, each replication's the expected one given the sequence of its steps. Those of jobs
    /// (mean response time, lost and rejected fraction) are averages over the jobs that arrived then, counted.
    pub time_averages: Vec<Estimate>,
    /// Events of all replications together, the warm-up included.
    pub events: EventCounts,
    /// `found[i]`: jobs accepted after the warm-up that found `i` jobs at their server, all replications together.
    pub found: Vec<u64>,
    /// The same for sections of the replications.
    pub(crate) sections: Vec<Vec<u64>>,
    /// How long levels found resemble each other.
    pub(crate) persistence: Persistence,
    /// Percentiles of response times that are measured, with the intervals that they have in [`Self::time_averages`].
    pub(crate) percentiles: Vec<(Percentile, Estimate)>,
    /// Probability that a job accepted after the warm-up finds another one at its server.
    pub waiting_probability: Estimate,
    /// Where one run of this length lies with a probability of 95 %, for every measure of the experiment; empty unless that asks for
    /// it. A run's mean response time is the jobs in the system, summed up over time, for each that is accepted.
    pub one_run: Vec<Option<Interval>>,
    /// Jobs accepted after the warm-up that joined the central queue, all replications together, where there is one; those in
    /// `found` then found an idle server.
    pub queued: Option<u64>,
}

/// A percentile of the response times of jobs that found so many jobs, with its interval from the spread of sections of the
/// replications; levels found resemble each other as `persistence` says.
pub(crate) fn response_quantile(
    found: &[u64],
    sections: &[Vec<u64>],
    persistence: Persistence,
    probability: f64,
) -> Option<Quantile> {
    let response = mixture(found)?;
    let value = response.quantile(probability);
    let above = |time: f64| -> Vec<Section> {
        let section = |found: &Vec<u64>| {
            let count = found.iter().sum::<u64>() as f64;
            let above = mixture(found).map_or(0.0, |response| count * response.survival(time));
            Section { count, above }
        };
        sections.iter().map(section).collect()
    };
    let halves = above(response.quantile(0.5));
    Some(Quantile::new(probability, value, &response, [&above(value), &halves], persistence))
}

fn mixture(found: &[u64]) -> Option<ErlangMixture> {
    ErlangMixture::new(&found.iter().map(|&count| count as f64).collect::<Vec<_>>())
}

impl Summary {
    /// The distribution of the response times of the jobs accepted after the warm-up under first come, first served;
    /// none if there were none, and none under a central queue. Its mean, with an interval, is a time average too.
    pub fn response_time(&self) -> Option<ErlangMixture> {
        if self.queued.is_some() {
            return None;
        }
        mixture(&self.found)
    }

    /// A quantile of [`Self::response_time`], with its interval from the spread of the levels found in sections of the
    /// replications; none where that is none.
    pub fn response_quantile(&self, probability: f64) -> Option<Quantile> {
        if self.queued.is_some() {
            return None;
        }
        let mut quantile = response_quantile(&self.found, &self.sections, self.persistence, probability)?;
        if let Some((_, measured)) = self.percentiles.iter().find(|(own, _)| own.probability() == probability)
        {
            quantile.estimate = *measured;
        }
        Some(quantile)
    }
}
