//! What came back.

use alba_model::ErlangMixture;

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
    /// One for every measure of the experiment, in its order: averages over time from the warm-up to the end, each replication's
    /// the expected one given the sequence of its steps. Those of
    /// jobs (mean response time, lost and rejected fraction) are averages over the jobs that arrived then, counted.
    pub time_averages: Vec<Estimate>,
    /// Events of all replications together, the warm-up included.
    pub events: EventCounts,
    /// `found[i]`: jobs accepted after the warm-up that found `i` jobs at their server, all replications together.
    pub found: Vec<u64>,
    /// Jobs accepted after the warm-up that joined the central queue, all replications together, where there is one; those in
    /// `found` then found an idle server.
    pub queued: Option<u64>,
}

impl Summary {
    /// The events of a replication on average, with their names in tables.
    pub fn events_per_replication(&self) -> [(&'static str, f64); 8] {
        let replications = self.replications as f64;
        self.events.classes().map(|(name, count)| (name, count as f64 / replications))
    }

    /// The distribution of the response times of the jobs accepted after the warm-up under first come, first served;
    /// none if there were none, and none under a central queue. Its mean, with an interval, is a time average too.
    pub fn response_time(&self) -> Option<ErlangMixture> {
        if self.queued.is_some() {
            return None;
        }
        let weights: Vec<f64> = self.found.iter().map(|&count| count as f64).collect();
        ErlangMixture::new(&weights)
    }
}
