//! What a person asks of a whole run.

use alba_model::Parts;

use crate::engine::{DelayTimes, Delays, RequestCounts, Totals};

/// A quantity of a whole run, after the warm-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "what they are is said at their names")]
pub enum Metric {
    MeanResponseTime,
    P50,
    P95,
    P99,
    P99_9,
    MeanWaitingTime,
    WaitingP50,
    WaitingP95,
    WaitingP99,
    WaitingP99_9,
    WaitingProbability,
    RejectedFraction,
    LostFraction,
    ColdStartFraction,
    Cold,
    Initializing,
    Idle,
    Busy,
    ServersOn,
    JobsPerServer,
    Energy,
    OverloadFraction,
}

/// What a run recorded after its warm-up.
pub(crate) struct Recorded<'r> {
    pub(crate) delays: &'r Delays,
    pub(crate) counts: &'r RequestCounts,
    /// Integrals over time.
    pub(crate) areas: &'r Totals,
    pub(crate) duration: f64,
    pub(crate) servers: f64,
}

impl Metric {
    /// All, in the order of every list of estimates and of tables' columns.
    pub const ALL: [Self; 22] = [
        Self::MeanResponseTime,
        Self::P50,
        Self::P95,
        Self::P99,
        Self::P99_9,
        Self::MeanWaitingTime,
        Self::WaitingP50,
        Self::WaitingP95,
        Self::WaitingP99,
        Self::WaitingP99_9,
        Self::WaitingProbability,
        Self::RejectedFraction,
        Self::LostFraction,
        Self::ColdStartFraction,
        Self::Cold,
        Self::Initializing,
        Self::Idle,
        Self::Busy,
        Self::ServersOn,
        Self::JobsPerServer,
        Self::Energy,
        Self::OverloadFraction,
    ];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            // Of requests that arrived after the warm-up and were accepted; under processor sharing, that were done in time.
            Self::MeanResponseTime => "mean_response_time",
            Self::P50 => "p50",
            Self::P95 => "p95",
            Self::P99 => "p99",
            Self::P99_9 => "p99_9",
            // Response time without the request's own service.
            Self::MeanWaitingTime => "mean_waiting_time",
            Self::WaitingP50 => "waiting_p50",
            Self::WaitingP95 => "waiting_p95",
            Self::WaitingP99 => "waiting_p99",
            Self::WaitingP99_9 => "waiting_p99_9",
            Self::WaitingProbability => "waiting_probability",
            // Of requests that arrived.
            Self::RejectedFraction => "rejected_fraction",
            Self::LostFraction => "lost_fraction",
            // Of requests that were accepted: given to a server that was not warm.
            Self::ColdStartFraction => "cold_start_fraction",
            // Averages over time, of all servers.
            Self::Cold => "cold",
            Self::Initializing => "initializing",
            Self::Idle => "idle",
            Self::Busy => "busy",
            // A number: initializing and warm ones.
            Self::ServersOn => "servers_on",
            Self::JobsPerServer => "jobs_per_server",
            // Power per server.
            Self::Energy => "energy",
            // Share of time in which some server is full.
            Self::OverloadFraction => "overload_fraction",
        }
    }

    /// Whether it is a time, in mean service times.
    pub fn is_time(self) -> bool {
        self.quantile().is_some() || matches!(self, Self::MeanResponseTime | Self::MeanWaitingTime)
    }

    /// Of which times it is a quantile, and which.
    pub(crate) fn quantile(self) -> Option<(Delay, f64)> {
        match self {
            Self::P50 => Some((Delay::Response, 0.5)),
            Self::P95 => Some((Delay::Response, 0.95)),
            Self::P99 => Some((Delay::Response, 0.99)),
            Self::P99_9 => Some((Delay::Response, 0.999)),
            Self::WaitingP50 => Some((Delay::Waiting, 0.5)),
            Self::WaitingP95 => Some((Delay::Waiting, 0.95)),
            Self::WaitingP99 => Some((Delay::Waiting, 0.99)),
            Self::WaitingP99_9 => Some((Delay::Waiting, 0.999)),
            Self::MeanResponseTime
            | Self::MeanWaitingTime
            | Self::WaitingProbability
            | Self::RejectedFraction
            | Self::LostFraction
            | Self::ColdStartFraction
            | Self::Cold
            | Self::Initializing
            | Self::Idle
            | Self::Busy
            | Self::ServersOn
            | Self::JobsPerServer
            | Self::Energy
            | Self::OverloadFraction => None,
        }
    }

    /// As a ratio of what one run recorded.
    pub(crate) fn parts(self, run: &Recorded<'_>) -> Parts {
        let (response, waiting) = (&run.delays.response, &run.delays.waiting);
        let (counts, areas) = (run.counts, run.areas);
        let per = |numerator: f64, denominator: u64| Parts { numerator, denominator: denominator as f64 };
        let over_time = |area: f64| Parts { numerator: area, denominator: run.duration };
        let per_server = |area: f64| over_time(area / run.servers);
        match self {
            Self::MeanResponseTime => per(response.sum(), response.count()),
            Self::MeanWaitingTime => per(waiting.sum(), waiting.count()),
            Self::WaitingProbability => per(waiting.positive() as f64, waiting.count()),
            Self::RejectedFraction => per(counts.rejected as f64, counts.arrived),
            Self::LostFraction => per(counts.lost as f64, counts.arrived),
            Self::ColdStartFraction => per(counts.cold_starts as f64, counts.accepted()),
            Self::Cold => per_server(areas.cold),
            Self::Initializing => per_server(areas.initializing),
            Self::Idle => per_server(areas.idle),
            Self::Busy => per_server(areas.busy),
            Self::ServersOn => over_time(areas.initializing + areas.idle + areas.busy),
            Self::JobsPerServer => per_server(areas.jobs),
            Self::Energy => per_server(areas.energy),
            Self::OverloadFraction => over_time(areas.overload),
            Self::P50
            | Self::P95
            | Self::P99
            | Self::P99_9
            | Self::WaitingP50
            | Self::WaitingP95
            | Self::WaitingP99
            | Self::WaitingP99_9 => {
                self.quantile_of(run.delays).map_or(Parts { numerator: 0.0, denominator: 0.0 }, |numerator| {
                    Parts { numerator, denominator: 1.0 }
                })
            }
        }
    }

    /// The quantile of these delays, if it is one and there are any.
    pub(crate) fn quantile_of(self, delays: &Delays) -> Option<f64> {
        let (of, probability) = self.quantile()?;
        of.times(delays).quantile(probability)
    }

    /// The largest value that it can have; the smallest one is 0.
    pub(crate) fn most(self) -> f64 {
        match self {
            Self::WaitingProbability
            | Self::RejectedFraction
            | Self::LostFraction
            | Self::ColdStartFraction
            | Self::Cold
            | Self::Initializing
            | Self::Idle
            | Self::Busy
            | Self::OverloadFraction => 1.0,
            Self::MeanResponseTime
            | Self::P50
            | Self::P95
            | Self::P99
            | Self::P99_9
            | Self::MeanWaitingTime
            | Self::WaitingP50
            | Self::WaitingP95
            | Self::WaitingP99
            | Self::WaitingP99_9
            | Self::ServersOn
            | Self::JobsPerServer
            | Self::Energy => f64::INFINITY,
        }
    }
}

/// Which times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delay {
    Response,
    Waiting,
}

impl Delay {
    pub(crate) fn times(self, delays: &Delays) -> &DelayTimes {
        match self {
            Self::Response => &delays.response,
            Self::Waiting => &delays.waiting,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_is_at_its_index() {
        for (index, metric) in Metric::ALL.into_iter().enumerate() {
            assert_eq!(metric as usize, index, "{metric:?}");
        }
    }
}
