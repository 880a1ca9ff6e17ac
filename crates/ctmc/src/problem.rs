//! What to simulate, and how much of it.

use alba_model::{Counts, Grid, Measure, Model, PowerDraw, Scheme};
use alba_replicate::{Deadline, Persistence};

use crate::CtmcError;
use crate::system::leaves_out_idle_scalings;
use crate::uniformized::takes;

/// A model, where it starts, and until when it is watched.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    pub(crate) model: Model,
    pub(crate) initial: Counts,
    pub(crate) grid: Grid,
    pub(crate) warm_up: f64,
    pub(crate) max_events: Option<u64>,
    pub(crate) deadline: Deadline,
}

impl Problem {
    /// The most servers: ranks of servers are 32-bit numbers, with room to spare.
    pub const MOST_SERVERS: u64 = 1_000_000_000;

    /// `initial.servers()` servers from `initial`, as [`Model::at_once`] leaves it, to the grid's horizon. Time averages leave out the first
    /// `warm_up` mean service times; a replication ends at its event number `max_events`, if that is given.
    ///
    /// # Errors
    /// [`CtmcError::Servers`] unless 1 to [`Self::MOST_SERVERS`] servers, [`CtmcError::Model`] for an initial
    /// state above the buffer, [`CtmcError::WarmUp`] unless `0 <= warm_up < horizon`, [`CtmcError::TooFast`] if the rate of all
    /// events together may be infinite.
    pub fn new(
        model: Model,
        initial: Counts,
        grid: Grid,
        warm_up: f64,
        max_events: Option<u64>,
    ) -> Result<Self, CtmcError> {
        let parts = [initial.cold, initial.initializing];
        let servers = parts.iter().chain(&initial.warm).fold(0, |sum: u64, &count| sum.saturating_add(count));
        if !(1..=Self::MOST_SERVERS).contains(&servers) {
            return Err(CtmcError::Servers { servers, most: Self::MOST_SERVERS });
        }
        model.admits(&initial.occupancy()?)?;
        let horizon = grid.horizon();
        if !(warm_up >= 0.0 && warm_up < horizon) {
            return Err(CtmcError::WarmUp { warm_up, horizon });
        }
        let rates = model.rates();
        let rates =
            [rates.scaling(), rates.initialization(), rates.expiration(), model.arrivals().peak(), 1.0];
        if !(servers as f64 * rates.iter().sum::<f64>()).is_finite() {
            return Err(CtmcError::TooFast { servers, rate: rates.into_iter().fold(0.0, f64::max) });
        }
        let initial = model.at_once(initial);
        Ok(Self { model, initial, grid, warm_up, max_events, deadline: Deadline::NONE })
    }

    /// The same, given up with [`CtmcError::OutOfTime`] after `deadline`.
    #[must_use]
    pub fn with_deadline(self, deadline: Deadline) -> Self {
        Self { deadline, ..self }
    }

    /// Between two looks at the clock, in mean service times: some million events. None without a deadline.
    pub(crate) fn patience(&self) -> Option<f64> {
        const EVENTS: f64 = 4e6;
        const MOST: f64 = 1e5;
        let rates = self.model.rates();
        let rates = 2.0 * self.model.arrivals().peak()
            + rates.scaling()
            + rates.initialization()
            + rates.expiration();
        let patience = EVENTS / (self.servers() as f64 * rates);
        self.deadline.is_some().then_some(patience.max(self.grid.horizon() / MOST))
    }

    /// N.
    pub fn servers(&self) -> u64 {
        self.initial.servers()
    }

    /// How long levels that jobs find resemble each other.
    pub(crate) fn persistence(&self) -> Persistence {
        let load = self.model.arrivals().mean_rate(self.warm_up, self.grid.horizon());
        // Times between jobs and service times are exponential.
        Persistence::of_queue(load, 2.0, self.model.buffer().limit())
    }

    /// The system.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Where it starts.
    pub fn initial(&self) -> &Counts {
        &self.initial
    }

    /// How its replications are simulated: `bursts`, which go on event by event where a queue gets longer than 255 jobs, or
    /// `events`, one by one from the start, where the state does not fit bursts, all jobs wait in one queue, or nearly all
    /// events of bursts would be scaling times that start nothing.
    pub fn engine(&self) -> &'static str {
        let own_queues = self.model.scheme() != Scheme::CentralQueue;
        let bursts = own_queues && takes(&self.initial) && !leaves_out_idle_scalings(self);
        if bursts { "bursts" } else { "events" }
    }

    /// The report times.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }
}

/// How often to simulate a problem, and what to measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    pub(crate) replications: u64,
    pub(crate) seed: u64,
    pub(crate) measures: Vec<Measure>,
    pub(crate) power: PowerDraw,
    pub(crate) single_runs: bool,
}

impl Experiment {
    /// `replications >= 1` independent replications; replication `r` depends on `seed` and `r` alone.
    ///
    /// # Errors
    /// [`CtmcError::NoReplications`] for none.
    pub fn new(
        replications: u64,
        seed: u64,
        measures: Vec<Measure>,
        power: PowerDraw,
    ) -> Result<Self, CtmcError> {
        if replications == 0 {
            return Err(CtmcError::NoReplications);
        }
        Ok(Self { replications, seed, measures, power, single_runs: false })
    }

    /// The same, and it is found out where one more run lies ([`crate::Summary::one_run`]).
    #[must_use]
    pub fn with_single_runs(self) -> Self {
        Self { single_runs: true, ..self }
    }

    /// What is measured, in the order of every list of estimates.
    pub fn measures(&self) -> &[Measure] {
        &self.measures
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alba_model::{ArrivalProfile, Buffer, Dispatch, Rates, ScalingRule, Scheme};

    fn problem(initial: Counts, warm_up: f64) -> Result<Problem, CtmcError> {
        fast_problem(initial, warm_up, 0.1)
    }

    fn fast_problem(initial: Counts, warm_up: f64, rate: f64) -> Result<Problem, CtmcError> {
        let scheme = Scheme::asynchronous(Dispatch::JOIN_IDLE_QUEUE, ScalingRule::None);
        let rates = Rates::new(0.1, rate, 0.1).unwrap();
        let arrivals = ArrivalProfile::constant(0.5).unwrap();
        let model = Model::new(arrivals, rates, Buffer::finite(2).unwrap(), scheme).unwrap();
        Problem::new(model, initial, Grid::new(10.0, 5).unwrap(), warm_up, None)
    }

    fn warm(warm: Vec<u64>) -> Counts {
        Counts { cold: 1, initializing: 0, warm, waiting: 0 }
    }

    #[test]
    fn bad_problems_are_refused() {
        assert!(problem(warm(vec![1, 0, 1]), 9.9).is_ok());
        let nobody = Counts::default();
        assert!(matches!(problem(nobody, 0.0), Err(CtmcError::Servers { servers: 0, .. })));
        assert!(matches!(problem(warm(vec![u64::MAX]), 0.0), Err(CtmcError::Servers { .. })));
        assert!(matches!(problem(warm(vec![0, 0, 0, 1]), 0.0), Err(CtmcError::Model(_))));
        for warm_up in [-1.0, 10.0, f64::NAN] {
            assert!(matches!(problem(warm(vec![1]), warm_up), Err(CtmcError::WarmUp { .. })));
        }
        assert!(fast_problem(warm(vec![6]), 0.0, 1e307).is_ok());
        let endless = fast_problem(warm(vec![6]), 0.0, 5e307);
        assert_eq!(endless, Err(CtmcError::TooFast { servers: 7, rate: 5e307 }));
        assert_eq!(Experiment::new(0, 1, vec![], PowerDraw::default()), Err(CtmcError::NoReplications));
    }
}
