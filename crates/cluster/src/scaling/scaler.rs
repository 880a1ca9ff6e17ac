//! What a scaling does during a run.

use alba_model::Observation;
use alba_replicate::Stream;

use crate::clock::Clock;
use crate::engine::Census;
use crate::law::Law;
use crate::workload::Arrivals;

/// Starts servers during one run, and may keep idle ones warm. Times are in ticks of [`Seen::clock`].
///
/// One that is to be added gives:
/// - what it does, here: at arrivals ([`Scaler::on_arrival`]), or at times of its own ([`Scaler::next_tick`],
///   [`Scaler::on_tick`]), and which idle servers may go cold ([`Scaler::may_go`]);
/// - what is known of it before a run: [`super::Facts`];
/// - a variant of [`super::Scaling`], of which the compiler asks the rest, its name included;
/// - how a scenario file says it: `scaling.rs` of the scenario's section.
pub(crate) trait Scaler {
    /// A request arrives, and has not been given to a server yet.
    fn on_arrival(&mut self, _seen: &Seen<'_>) -> AtArrival {
        AtArrival::Nothing
    }

    /// When [`Scaler::on_tick`] is next called: later than the last time. Infinite: never.
    fn next_tick(&self) -> f64 {
        f64::INFINITY
    }

    /// How many cold servers start now, as far as there are as many. It must put off [`Scaler::next_tick`].
    fn on_tick(&mut self, _seen: &Seen<'_>, _random: &mut Stream) -> usize {
        0
    }

    /// Whether a server that has been idle for its expiration time goes cold. One that may not is asked about again after the next
    /// tick; if there is none, when it has been idle anew.
    fn may_go(&mut self, _seen: &Seen<'_>) -> bool {
        true
    }
}

/// What an arrival does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtArrival {
    /// It goes where the policy says.
    Nothing,
    /// It goes where the policy says, and a cold server starts beside.
    StartAnother,
    /// A cold server starts for it; if there is none, the policy decides.
    StartForIt,
}

/// What a scaler sees of a run.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) now: f64,
    /// Until then nothing happens but ticks.
    pub(crate) quiet_until: f64,
    /// Warm servers without a request.
    pub(crate) idle: usize,
    /// Warm servers.
    pub(crate) warm: usize,
    /// Cold servers.
    pub(crate) cold: usize,
    pub(crate) clock: Clock,
    /// Of all servers.
    pub(crate) servers: usize,
    pub(crate) arrivals: &'a Arrivals,
    /// How long a server initializes.
    pub(crate) initialization: &'a Law,
    /// Of the run.
    pub(crate) horizon: f64,
    pub(crate) census: &'a Census,
}

impl Seen<'_> {
    /// What the model's scaling rules go by.
    pub(crate) fn observation(&self) -> Observation {
        let (counts, size) = (self.census.counts(), self.servers as f64);
        let initializing = counts.initializing as f64 / size;
        let mean = self.initialization.mean();
        Observation {
            demand: self.arrivals.demand(self.clock.time(self.now), size, self.horizon),
            initializing,
            // Who initializes at once is never seen to.
            warming: if mean > 0.0 { initializing / mean } else { 0.0 },
            one_job: counts.warm.get(1).map_or(0.0, |&count| count as f64 / size),
            warm: self.warm as f64 / size,
        }
    }
}
