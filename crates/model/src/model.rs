//! A model: everything but the state, the number of servers and the horizon.

use crate::{
    ArrivalProfile, Buffer, Counts, Event, Inflow, ModelError, Observation, Occupancy, Place, Rates,
    ScalingRule, Scheme, Snapshot, Transition, central_queue,
};

/// An ALBA system: arrivals, rates, buffer and scheme. The same for every number of servers.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    arrivals: ArrivalProfile,
    rates: Rates,
    buffer: Buffer,
    scheme: Scheme,
}

impl Model {
    /// Puts the parts together. Where arrivals start servers, the rate of scaling times plays no role and becomes 0.
    ///
    /// # Errors
    /// [`ModelError::ThresholdAboveBuffer`] unless `B > d` under JBT-d.
    pub fn new(
        arrivals: ArrivalProfile,
        rates: Rates,
        buffer: Buffer,
        scheme: Scheme,
    ) -> Result<Self, ModelError> {
        let threshold = scheme.dispatch().and_then(|dispatch| dispatch.threshold());
        if let (Some(rule), Some(limit)) = (threshold, buffer.limit())
            && limit <= rule.d()
        {
            return Err(ModelError::ThresholdAboveBuffer { d: rule.d(), buffer: limit });
        }
        let rates = match scheme {
            Scheme::Asynchronous { .. } => rates,
            Scheme::Tabs(_) | Scheme::CentralQueue => rates.without_scaling(),
        };
        Ok(Self { arrivals, rates, buffer, scheme })
    }

    /// lambda(t).
    pub fn arrivals(&self) -> &ArrivalProfile {
        &self.arrivals
    }

    /// alpha, beta, gamma.
    pub fn rates(&self) -> Rates {
        self.rates
    }

    /// B.
    pub fn buffer(&self) -> Buffer {
        self.buffer
    }

    /// How jobs are dispatched and servers started.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Whether its scheme ever starts a server, given jobs that arrive.
    pub fn starts_servers(&self) -> bool {
        match self.scheme {
            Scheme::Asynchronous { scaling, .. } => {
                self.rates.scaling() > 0.0 && scaling != ScalingRule::None
            }
            Scheme::Tabs(_) | Scheme::CentralQueue => true,
        }
    }

    /// Whether `state` is one of this model's.
    ///
    /// # Errors
    /// [`ModelError::LevelAboveBuffer`] if some server holds more jobs than the buffer.
    pub fn admits(&self, state: &Occupancy) -> Result<(), ModelError> {
        match self.buffer.limit() {
            Some(limit) if state.highest_level() > limit as usize => {
                Err(ModelError::LevelAboveBuffer { level: state.highest_level(), buffer: limit })
            }
            _ => Ok(()),
        }
    }

    /// What becomes of `counts` at once. Under a central queue, jobs beyond one a server wait, idle servers take them, and
    /// servers initialize for those that are left; each server that initializes already does so for a job of its own.
    /// Under other schemes nothing changes.
    pub fn at_once(&self, counts: Counts) -> Counts {
        match self.scheme {
            Scheme::Asynchronous { .. } | Scheme::Tabs(_) => counts,
            Scheme::CentralQueue => {
                let jobs = counts.jobs() + counts.initializing.saturating_sub(counts.waiting);
                Counts::pooled(counts.servers(), counts.warm(), jobs)
            }
        }
    }

    /// What a scaling rule sees of `state` if it believes in `demand`.
    pub fn observe(&self, state: &Occupancy, demand: f64) -> Observation {
        Observation {
            demand,
            initializing: state.initializing(),
            warming: self.rates.initialization() * state.initializing(),
            one_job: state.warm_with(1),
            warm: state.warm(),
        }
    }

    /// Visits every transition of positive rate out of `state`, rates per server, where jobs arrive at
    /// `arrival_rate` and the scaler believes the same.
    ///
    /// # Source
    /// Section III; the sum over transitions of rate times move is the drift (4) away from its discontinuities.
    pub fn for_each_transition(
        &self,
        state: &Occupancy,
        arrival_rate: f64,
        visit: &mut impl FnMut(Transition),
    ) {
        let mut emit = |transition: Transition| {
            if transition.rate > 0.0 {
                visit(transition);
            }
        };
        match self.scheme {
            Scheme::Asynchronous { scaling, .. } => {
                self.for_each_at_servers(state, arrival_rate, false, &mut emit);
                let start = if state.cold() > 0.0 {
                    scaling.probability(&self.observe(state, arrival_rate))
                } else {
                    0.0
                };
                let alpha = self.rates.scaling();
                emit(Transition::moving(Event::ScaleUp, Place::Cold, Place::Initializing, alpha * start));
                emit(Transition::counted(Event::IdleScaling, alpha * (1.0 - start)));
            }
            Scheme::Tabs(_) => {
                let starts = state.idle() <= 0.0 && state.cold() > 0.0;
                self.for_each_at_servers(state, arrival_rate, starts, &mut emit);
            }
            Scheme::CentralQueue => {
                central_queue::for_each_transition(state, self.rates, self.buffer, arrival_rate, &mut emit);
            }
        }
    }

    /// Arrivals, each of which starts a server or none does, completions, initializations and expirations where every
    /// server has a queue of its own.
    fn for_each_at_servers(
        &self,
        state: &Occupancy,
        arrival_rate: f64,
        starts: bool,
        emit: &mut impl FnMut(Transition),
    ) {
        let inflow = self.inflow(state, arrival_rate);
        let mut arrive = |arrival: Transition| emit(arrival.and(starts, Place::Cold, Place::Initializing));
        for (level, &rate) in inflow.levels.iter().enumerate() {
            let (from, to) = (Place::Warm(level), Place::Warm(level + 1));
            arrive(Transition::moving(Event::Accepted { level }, from, to, rate));
        }
        arrive(Transition::counted(Event::Rejected, inflow.rejected));
        arrive(Transition::counted(Event::Lost, inflow.lost));
        for (level, &rate) in state.levels().iter().enumerate().skip(1) {
            let (from, to) = (Place::Warm(level), Place::Warm(level - 1));
            emit(Transition::moving(Event::Completion { level }, from, to, rate));
        }
        let warming = self.rates.initialization() * state.initializing();
        emit(Transition::moving(Event::Initialization, Place::Initializing, Place::Warm(0), warming));
        let expiring = self.rates.expiration() * state.idle();
        emit(Transition::moving(Event::Expiration, Place::Warm(0), Place::Cold, expiring));
    }

    /// Where jobs arriving at `arrival_rate` go in `state`.
    pub fn inflow(&self, state: &Occupancy, arrival_rate: f64) -> Inflow {
        match self.scheme.dispatch() {
            Some(dispatch) => dispatch.inflow(state, self.buffer, arrival_rate),
            None => central_queue::inflow(state, self.buffer, arrival_rate),
        }
    }

    /// `state` at `time`, with what happens to arrivals in it.
    pub fn snapshot(&self, time: f64, state: Occupancy) -> Snapshot {
        let arrival_rate = self.arrivals.rate_at(time);
        Snapshot { time, arrival_rate, inflow: self.inflow(&state, arrival_rate), state }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dispatch, ScalingRule};
    use proptest::prelude::*;

    fn model(scheme: Scheme) -> Model {
        let rates = Rates::new(0.5, 0.1, 0.025).unwrap();
        Model::new(ArrivalProfile::constant(0.7).unwrap(), rates, Buffer::finite(5).unwrap(), scheme).unwrap()
    }

    #[test]
    fn threshold_must_be_below_the_buffer() {
        let scheme = Scheme::asynchronous(Dispatch::join_below_threshold(3), ScalingRule::None);
        let build = |buffer| {
            let rates = Rates::new(0.1, 0.1, 0.1).unwrap();
            Model::new(ArrivalProfile::constant(0.5).unwrap(), rates, buffer, scheme)
        };
        assert_eq!(
            build(Buffer::finite(3).unwrap()),
            Err(ModelError::ThresholdAboveBuffer { d: 3, buffer: 3 })
        );
        assert!(build(Buffer::finite(4).unwrap()).is_ok());
        assert!(build(Buffer::Infinite).is_ok());
    }

    proptest! {
        #[test]
        fn transitions_balance(weights in prop::collection::vec(prop_oneof![Just(0.0), 0.0f64..1.0], 8)) {
            let total = weights.iter().sum::<f64>() + 1e-3;
            let shares: Vec<f64> = weights.iter().map(|w| w / total).collect();
            let state = Occupancy::new(shares[0], shares[1..7].to_vec()).unwrap();
            for scheme in Scheme::catalogue().unwrap() {
                let (mut arrivals, mut scalings, mut completions) = (0.0, 0.0, 0.0);
                model(scheme).for_each_transition(&state, 0.7, &mut |transition| {
                    match transition.event {
                        Event::Accepted { .. } | Event::Rejected | Event::Lost | Event::Queued => {
                            arrivals += transition.rate;
                        }
                        Event::Completion { .. } => completions += transition.rate,
                        Event::ScaleUp | Event::IdleScaling => scalings += transition.rate,
                        Event::Initialization | Event::Expiration => {}
                    }
                    for moved in transition.moves.iter().flatten() {
                        let occupied = match moved.from {
                            Place::Cold => state.cold(),
                            Place::Initializing => state.initializing(),
                            Place::Warm(level) => state.warm_with(level),
                        };
                        assert!(occupied > 0.0, "{scheme}: {moved:?} from an empty place");
                        assert!(!matches!(moved.to, Place::Warm(6)), "{scheme}: above the buffer");
                    }
                });
                prop_assert!((arrivals - 0.7).abs() < 1e-12);
                let alpha = if matches!(scheme, Scheme::Tabs(_)) { 0.0 } else { 0.5 };
                prop_assert!((scalings - alpha).abs() < 1e-12);
                prop_assert!((completions - state.busy()).abs() < 1e-12);
            }
        }
    }
}
