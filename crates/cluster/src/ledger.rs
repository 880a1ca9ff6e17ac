//! What numbered servers keep, so that measures can be taken from it.

use alba_model::{Account, Delay, Ledger};

use crate::engine::{DelayTimes, Delays, RequestCounts, Totals};

/// A state, or what a run recorded after its warm-up.
pub(crate) struct Recorded<'r> {
    pub(crate) servers: f64,
    /// 1 for a state.
    pub(crate) duration: f64,
    /// Numbers, or their integrals over time.
    pub(crate) totals: &'r Totals,
    /// Of a whole run: what arrivals meet at a time is the policy's to say.
    pub(crate) requests: Option<Requests<'r>>,
}

/// What became of the requests of a run.
#[derive(Clone, Copy)]
pub(crate) struct Requests<'r> {
    pub(crate) delays: &'r Delays,
    pub(crate) counts: &'r RequestCounts,
}

impl Ledger for Recorded<'_> {
    fn servers(&self) -> f64 {
        self.servers
    }

    fn duration(&self) -> f64 {
        self.duration
    }

    fn get(&self, account: Account) -> Option<f64> {
        let (totals, requests) = (self.totals, self.requests);
        let counts = || requests.map(|requests| requests.counts);
        let response = || requests.map(|requests| &requests.delays.response);
        let waiting = || requests.map(|requests| &requests.delays.waiting);
        Some(match account {
            Account::Cold => totals.cold,
            Account::Initializing => totals.initializing,
            Account::Idle => totals.idle,
            Account::Busy => totals.busy,
            Account::Warm => totals.idle + totals.busy,
            Account::On => totals.initializing + totals.idle + totals.busy,
            Account::WarmWith(level) => totals.levels.get(level).copied().unwrap_or(0.0),
            Account::Jobs => totals.jobs,
            Account::JobsOfWarm => totals.warm_jobs,
            Account::Energy => totals.energy,
            Account::Overload => totals.overload,
            Account::Arrivals => counts()?.arrived as f64,
            Account::Accepted => counts()?.accepted() as f64,
            Account::Lost => counts()?.lost as f64,
            Account::Rejected => counts()?.rejected as f64,
            Account::ColdStarts => counts()?.cold_starts as f64,
            Account::Responses => response()?.count() as f64,
            Account::ResponseTimes => response()?.sum(),
            Account::Waits => waiting()?.count() as f64,
            Account::WaitingTimes => waiting()?.sum(),
            Account::Waited => waiting()?.positive() as f64,
            // Servers may differ in capacity: there is overload instead.
            Account::SomeWith(_) => None?,
        })
    }

    fn quantile(&self, delay: Delay, probability: f64) -> Option<f64> {
        times(delay, self.requests?.delays).quantile(probability)
    }
}

/// These times of the two that are recorded.
pub(crate) fn times(delay: Delay, delays: &Delays) -> &DelayTimes {
    match delay {
        Delay::Response => &delays.response,
        Delay::Waiting => &delays.waiting,
    }
}
