//! The hybrid system one step at a time.

use crate::run::Run;
use crate::{FluidError, Guard, Outcome, Problem, Regime, Statistics, Switch};
use alba_model::{Occupancy, Snapshot};

/// What ended a step of a [`Solver`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// Nothing: the step is as long as the tolerances allow, or goes to a report time.
    Step,
    /// An event: the step ended on the root of this guard, or where the arrival rate steps (also at time 0), and what comes
    /// next has been decided. The regime has changed, or the piece of the scaling rule's probability, or neither, where a
    /// guard only touched zero.
    Event(Guard),
    /// Less than the tolerance is left to go, and the state stays as it is until the arrival rate steps.
    Settled,
    /// The horizon is reached. Further steps do nothing.
    Horizon,
}

/// The hybrid system one step at a time, for those who want to look at it as it goes, or to stop it early.
/// [`solve`](crate::solve) does nothing but call [`Solver::step`] until the horizon.
///
/// ```
/// use alba_fluid::{Guard, Problem, Solver, StopReason, Tolerances};
/// use alba_model::*;
///
/// let scheme = Scheme::asynchronous(Dispatch::JOIN_IDLE_QUEUE, ScalingRule::blind(0.06)?);
/// let rates = Rates::new(0.05, 0.1, 0.025)?;
/// let model = Model::new(ArrivalProfile::constant(0.7)?, rates, Buffer::Infinite, scheme)?;
/// let start = Occupancy::new(0.0, vec![0.7])?; // just enough servers, all idle
/// let problem = Problem::new(model, start, Grid::new(20.0, 40)?, Tolerances::default())?;
///
/// // Until the last idle server is taken:
/// let mut solver = Solver::new(&problem)?;
/// while solver.step()? != StopReason::Event(Guard::BelowThresholdEmpties) {}
/// assert!((solver.time() - 3.9150612).abs() < 1e-6);
/// assert_eq!(solver.state()?.warm_with(0), 0.0);
/// assert_eq!(solver.regime().to_string(), "none-below-threshold");
/// // A moment before, there were some; report times that have passed are answered already.
/// let before = solver.state_at(solver.time() - 1e-3)?.ok_or("within the last step")?;
/// assert!(before.warm_with(0) > 0.0);
/// assert_eq!(solver.snapshots().len(), 8); // 0, 0.5, ..., 3.5
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Solver<'a> {
    run: Run<'a>,
}

impl<'a> Solver<'a> {
    /// At time 0. The first step enters the first regime.
    ///
    /// # Errors
    /// [`FluidError::CentralQueue`].
    pub fn new(problem: &'a Problem) -> Result<Self, FluidError> {
        Ok(Self { run: Run::new(problem)? })
    }

    /// Makes one step, and says what ended it. A step never goes past an event or the horizon, but may go past report times,
    /// whose snapshots it takes.
    ///
    /// # Errors
    /// Those of [`solve`](crate::solve) but [`FluidError::Inconsistent`]. State and time are those at the end of the last step then,
    /// and further steps fail again.
    pub fn step(&mut self) -> Result<StopReason, FluidError> {
        self.run.go_on()
    }

    /// How far it is, in mean service times.
    pub fn time(&self) -> f64 {
        self.run.time()
    }

    /// The regime that holds from here on.
    pub fn regime(&self) -> Regime {
        self.run.field().regime
    }

    /// The arrival rate that holds from here on, per server and mean service time.
    pub fn arrival_rate(&self) -> f64 {
        self.run.field().arrival_rate
    }

    /// The state at [`Solver::time`].
    ///
    /// # Errors
    /// [`FluidError::Model`] where errors of integration make it none.
    pub fn state(&self) -> Result<Occupancy, FluidError> {
        self.run.state()
    }

    /// The state at a `time` from the beginning of the last step to now; none for other times. By an interpolant of fourth order:
    /// within the tolerances, but for implicit steps (those where rates are fast), which are more accurate at their ends.
    ///
    /// # Errors
    /// [`FluidError::Model`] where errors of integration make it none.
    pub fn state_at(&self, time: f64) -> Result<Option<Occupancy>, FluidError> {
        self.run.state_at(time)
    }

    /// The snapshots so far: one for each of the grid's times that a step has passed; all of them at the horizon.
    pub fn snapshots(&self) -> &[Snapshot] {
        self.run.snapshots()
    }

    /// The changes of regime so far.
    pub fn switches(&self) -> &[Switch] {
        self.run.switches()
    }

    /// What it took so far.
    pub fn statistics(&self) -> Statistics {
        self.run.statistics()
    }

    /// Goes on to the horizon.
    ///
    /// # Errors
    /// Those of [`solve`](crate::solve).
    pub fn finish(mut self) -> Result<Outcome, FluidError> {
        while self.step()? != StopReason::Horizon {}
        self.run.outcome()
    }
}
