//! What both engines of servers with queues of their own are told.

use alba_model::{Buffer, Observation, ScalingRule};
use rand::RngExt;

use crate::Problem;
use crate::odds::ClassRates;
use crate::pick::Pick;
use alba_replicate::Stream;

/// With more scaling times for a server in a mean service time, those that start nothing are not drawn one by one: they would be
/// nearly all that happens.
const MANY_SCALINGS: f64 = 5.0;

/// Whether scaling times that start nothing are to be left out: not where each may be the last event allowed.
pub(crate) fn leaves_out_idle_scalings(problem: &Problem) -> bool {
    problem.max_events.is_none() && problem.model.rates().scaling() > MANY_SCALINGS
}

/// A scheme's rules with the rates and limits of one replication.
#[derive(Debug, Clone, Copy)]
pub(crate) struct System<P> {
    pub(crate) pick: P,
    scaling: ScalingRule,
    pub(crate) buffer: Buffer,
    /// N.
    size: f64,
    /// lambda.
    pub(crate) demand: f64,
    pub(crate) rates: ClassRates,
    pub(crate) max_events: u64,
    /// See [`leaves_out_idle_scalings`].
    pub(crate) leaves_out_idle: bool,
}

impl<P: Pick> System<P> {
    /// Without arrivals as yet.
    pub(crate) fn new(pick: P, scaling: ScalingRule, problem: &Problem) -> Self {
        let (model, size) = (&problem.model, problem.servers() as f64);
        let rates = ClassRates {
            arrivals: 0.0,
            scaling: model.rates().scaling() * size,
            initialization: model.rates().initialization(),
            expiration: model.rates().expiration(),
        };
        let max_events = problem.max_events.unwrap_or(u64::MAX);
        let leaves_out_idle = leaves_out_idle_scalings(problem);
        Self { pick, scaling, buffer: model.buffer(), size, demand: 0.0, rates, max_events, leaves_out_idle }
    }

    pub(crate) fn set_arrival_rate(&mut self, rate: f64) {
        self.demand = rate;
        self.rates.arrivals = rate * self.size;
    }

    /// A bound on the rate at which servers are started.
    pub(crate) fn most_starts(&self) -> f64 {
        if P::STARTS { self.rates.arrivals } else { self.rates.scaling * self.most_scale_ups() }
    }

    /// A bound on the probability that a scaling time starts a server, whatever the state.
    pub(crate) fn most_scale_ups(&self) -> f64 {
        self.scaling.most()
    }

    /// Whether a scaling time starts a server, where one that does not was left out with probability `1 - share`.
    pub(crate) fn scales_up(
        &self,
        share: f64,
        [cold, initializing, warm]: [u32; 3],
        tails: &[u32],
        rng: &mut Stream,
    ) -> bool {
        cold > 0 && share * rng.random::<f64>() < self.scale_up_probability([initializing, warm], tails)
    }

    /// Rate at which scaling times start servers in this very state.
    pub(crate) fn scale_up_rate(&self, [cold, initializing, warm]: [u32; 3], tails: &[u32]) -> f64 {
        if cold == 0 {
            return 0.0;
        }
        self.rates.scaling * self.scale_up_probability([initializing, warm], tails).min(1.0)
    }

    fn scale_up_probability(&self, [initializing, warm]: [u32; 2], tails: &[u32]) -> f64 {
        let fraction = |count: u32| f64::from(count) / self.size;
        self.scaling.probability(&Observation {
            demand: self.demand,
            initializing: fraction(initializing),
            warming: self.rates.initialization * fraction(initializing),
            one_job: fraction(tails[1] - tails[2]),
            warm: fraction(warm),
        })
    }
}
