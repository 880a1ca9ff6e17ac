//! Waiting time and energy of a scheme in equilibrium, by simulation.

use crate::Error;
use alba_ctmc::{CtmcError, Estimate, Experiment, Problem, simulate};
use alba_model::{ArrivalProfile, Buffer, Counts, Grid, Measure, Model, Occupancy, PowerDraw, Rates, Scheme};
use alba_scenario::Scenario;
use std::cell::Cell;

/// A system, all but its scheme.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct System {
    pub(super) servers: u64,
    pub(super) arrival: f64,
    pub(super) scaling: f64,
    pub(super) initialization: f64,
    pub(super) expiration: f64,
    pub(super) buffer: Buffer,
}

impl System {
    /// That of a scenario; none if its arrival rate changes.
    pub(super) fn of(scenario: &Scenario) -> Option<Self> {
        let (model, rates) = (scenario.model(), scenario.model().rates());
        Some(Self {
            servers: scenario.servers(),
            arrival: model.arrivals().constant_rate()?,
            scaling: rates.scaling(),
            initialization: rates.initialization(),
            expiration: rates.expiration(),
            buffer: model.buffer(),
        })
    }
}

/// A mean and half its 95 % interval; 0 for a single replication.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measured {
    pub(super) value: f64,
    pub(super) half_width: f64,
}

impl Measured {
    fn of(estimate: Estimate, offset: f64) -> Option<Self> {
        Some(Self { value: estimate.value? + offset, half_width: estimate.half_width.unwrap_or(0.0) })
    }
}

/// What a scheme costs and how long it makes jobs wait.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Equilibrium {
    /// Servers that are warm or initializing, per server.
    pub(super) energy: Measured,
    /// Mean waiting time, in mean service times.
    pub(super) waiting: Measured,
}

/// Simulates one system after the other, each from random numbers of its own.
pub(super) struct Laboratory<'s> {
    scenario: &'s Scenario,
    runs: Cell<u64>,
}

impl<'s> Laboratory<'s> {
    pub(super) fn new(scenario: &'s Scenario) -> Self {
        Self { scenario, runs: Cell::new(0) }
    }

    /// The scenario's scheme.
    pub(super) fn scheme(&self) -> Scheme {
        self.scenario.model().scheme()
    }

    pub(super) fn tabs(&self, d: u32) -> Result<Scheme, Error> {
        Scheme::tabs(d).map_err(|error| self.failed(error.into()))
    }

    pub(super) fn failed(&self, source: CtmcError) -> Error {
        alba_compare::Error::Chain { scenario: self.scenario.name().to_owned(), source }.into()
    }

    /// Those of a full run.
    pub(super) fn replications(&self) -> u64 {
        self.scenario.run().replications
    }

    /// From `x*`; the scenario's horizon is for its number of servers, and as many events are measured for any other.
    ///
    /// # Errors
    /// [`alba_compare::Error::Chain`]; [`Error::NothingMeasured`] where no job is accepted.
    pub(super) fn measure(
        &self,
        system: System,
        scheme: Scheme,
        replications: u64,
    ) -> Result<Equilibrium, Error> {
        let [energy, waiting] =
            self.averages(system, scheme, replications).map_err(|error| self.failed(error))?;
        let measured = Measured::of(energy, 0.0).zip(Measured::of(waiting, -1.0));
        let (energy, waiting) =
            measured.ok_or_else(|| Error::NothingMeasured { scenario: self.scenario.name().to_owned() })?;
        Ok(Equilibrium { energy, waiting })
    }

    /// Of energy and response time.
    fn averages(
        &self,
        system: System,
        scheme: Scheme,
        replications: u64,
    ) -> Result<[Estimate; 2], CtmcError> {
        let run = self.scenario.run();
        let seed = run.seed.wrapping_add(self.runs.replace(self.runs.get() + 1));
        let rates = Rates::new(system.scaling, system.initialization, system.expiration)?;
        let model = Model::new(ArrivalProfile::constant(system.arrival)?, rates, system.buffer, scheme)?;
        let busy = system.arrival.min(1.0);
        let start = Counts::apportion(&Occupancy::new(0.0, vec![0.0, busy])?, system.servers);
        let measured =
            (run.grid.horizon() - run.warm_up) * self.scenario.servers() as f64 / system.servers as f64;
        let problem = Problem::new(model, start, Grid::new(run.warm_up + measured, 1)?, run.warm_up, None)?;
        let measures = vec![Measure::Energy, Measure::MeanResponseTime];
        let experiment = Experiment::new(replications, seed, measures, PowerDraw::default())?;
        let averages = simulate(&problem, &experiment, &|_| ())?.summary.time_averages;
        Ok([averages[0], averages[1]])
    }
}
