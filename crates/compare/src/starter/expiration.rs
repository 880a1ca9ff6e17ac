//! How long an idle server is kept, so that requests find a server at all.

use super::{BUFFER, INITIALIZATION_S, Load, SCALING_INTERVAL_S, StarterTrace};
use alba_ctmc::{Experiment, Problem};
use alba_model::{
    ArrivalProfile, Buffer, Counts, Dispatch, Grid, Measure, Model, Occupancy, PowerDraw, Rates, ScalingRule,
    Scheme,
};

/// As platforms do, then longer: the first is taken with which hardly a request is turned away.
const EXPIRATIONS: [(f64, &str); 5] =
    [(600.0, "10 min"), (3600.0, "1 h"), (21_600.0, "6 h"), (86_400.0, "1 d"), (604_800.0, "7 d")];
/// A share of requests that is hardly any.
const HARDLY: f64 = 1e-3;
/// Events of the chain for one of them, all runs together: some tenths of a second.
const EVENTS: f64 = 2e6;
const RUNS: (f64, f64) = (2.0, 20.0);
const SEED: u64 = 1;

/// How long an idle server is kept.
pub(super) struct Expiration {
    pub(super) text: &'static str,
    /// The share of requests that are turned away, where a run of the chain could tell.
    turned_away: Option<f64>,
    /// With the shortest of times.
    with_shortest: Option<f64>,
}

impl Expiration {
    /// The shortest of the times that will do, else the longest.
    pub(super) fn of(load: &Load, trace: Option<StarterTrace<'_>>) -> Self {
        let stretch = trace.and_then(|StarterTrace { trace, .. }| {
            Stretch::quietest(load, &trace.requests, trace.facts.interval_s)
        });
        let turned_away =
            |expiration_s| stretch.as_ref().and_then(|stretch| stretch.turned_away(expiration_s));
        let with_shortest = turned_away(EXPIRATIONS[0].0);
        let mut found = Self { text: EXPIRATIONS[0].1, turned_away: with_shortest, with_shortest };
        for (expiration_s, text) in EXPIRATIONS.into_iter().skip(1) {
            if found.turned_away.is_none_or(|share| share <= HARDLY) {
                break;
            }
            found = Self { text, turned_away: turned_away(expiration_s), with_shortest };
        }
        found
    }

    /// What to say of it, where it is not the shortest.
    pub(super) fn note(&self) -> Option<String> {
        let percent = 100.0 * self.with_shortest.filter(|share| *share > HARDLY)?;
        let [(_, shortest), ..] = EXPIRATIONS;
        Some(format!(
            "expiration_time: {}, as with {shortest} {percent:.1} % of the requests would be turned away (no server warm, or all full)",
            self.text
        ))
    }

    /// The share that is turned away all the same.
    pub(super) fn left(&self) -> Option<f64> {
        self.turned_away.filter(|share| *share > HARDLY)
    }
}

/// A part of the trace that can be simulated.
struct Stretch<'l> {
    load: &'l Load,
    requests: &'l [f64],
    interval_s: f64,
    runs: u64,
}

impl<'l> Stretch<'l> {
    /// The whole trace, or as much on either side of its quietest interval as can be simulated: servers expire there.
    fn quietest(load: &'l Load, requests: &'l [f64], interval_s: f64) -> Option<Self> {
        let scalings = interval_s / load.scaling_interval_s();
        let events = |range: &[f64]| range.iter().map(|requests| 2.0 * requests + scalings).sum::<f64>();
        let most = EVENTS / RUNS.0;
        let least = (0..requests.len()).min_by(|&a, &b| requests[a].total_cmp(&requests[b]))?;
        let (mut first, mut end, mut seen) = (least, least + 1, events(&requests[least..=least]));
        while seen < most && (first > 0 || end < requests.len()) {
            if first > 0 {
                first -= 1;
                seen += events(&requests[first..=first]);
            }
            if end < requests.len() {
                seen += events(&requests[end..=end]);
                end += 1;
            }
        }
        let runs = (EVENTS / seen).clamp(RUNS.0, RUNS.1) as u64;
        Some(Self { load, requests: &requests[first..end], interval_s, runs })
    }

    /// The share of requests that are lost or rejected; none where they cannot be simulated.
    fn turned_away(&self, expiration_s: f64) -> Option<f64> {
        let Load { service_time_s, servers, .. } = *self.load;
        let per_server = service_time_s / (self.interval_s * servers as f64);
        let interval = self.interval_s / service_time_s;
        let rate = |(index, requests): (usize, &f64)| (index as f64 * interval, requests * per_server);
        let arrivals = ArrivalProfile::steps(self.requests.iter().enumerate().map(rate).collect()).ok()?;
        let rates = Rates::new(
            service_time_s / SCALING_INTERVAL_S,
            service_time_s / INITIALIZATION_S,
            service_time_s / expiration_s,
        );
        let scheme = Scheme::asynchronous(Dispatch::JOIN_IDLE_QUEUE, ScalingRule::rate_idle(1.0, 1.0).ok()?);
        let model = Model::new(arrivals, rates.ok()?, Buffer::finite(BUFFER).ok()?, scheme).ok()?;
        let start = Occupancy::new(0.0, vec![self.load.warm(self.requests[0] / self.interval_s)]).ok()?;
        let grid = Grid::new(interval * self.requests.len() as f64, 1).ok()?;
        let most = (4.0 * EVENTS) as u64 / self.runs;
        let problem = Problem::new(model, Counts::apportion(&start, servers), grid, 0.0, Some(most)).ok()?;
        let measures = vec![Measure::LostFraction, Measure::RejectedFraction];
        let experiment = Experiment::new(self.runs, SEED, measures, PowerDraw::default()).ok()?;
        let outcome = alba_ctmc::simulate(&problem, &experiment, &|_| ()).ok()?;
        outcome.summary.time_averages.iter().map(|share| share.value).sum()
    }
}
