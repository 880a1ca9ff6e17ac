//! Fluid trajectories of JIQ + Rate-Idle and of schemes that do not meet the condition.

use super::out_of_place;
use crate::Error;
use alba_compare::Progress;
use alba_fluid::{FluidError, Problem, Tolerances, fixed_points, solve};
use alba_model::{Buffer, Dispatch, Measure, Model, ModelError, Occupancy, ScalingRule, Scheme, Snapshot};
use alba_scenario::Scenario;
use alba_table::{Column, Schema, Table};

/// A trajectory to draw.
#[derive(Debug)]
pub(super) struct Curve {
    /// The panel that it is in.
    pub(super) panel: Place,
    /// The scheme, with the parameters that tell it from others.
    pub(super) label: String,
    dispatch: Dispatch,
    scaling: ScalingRule,
    buffer: Buffer,
    start: Occupancy,
}

/// A panel of the figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// JIQ + Rate-Idle from the scenario's start, exponent by exponent, gain by gain.
    FromQueues,
    /// The same from all servers cold.
    FromZero,
    /// Other schemes.
    Rivals,
}

impl Place {
    fn name(self) -> &'static str {
        match self {
            Self::FromQueues => "long queues",
            Self::FromZero => "scale from zero",
            Self::Rivals => "others",
        }
    }
}

/// The gains of Rate-Idle, with their labels.
pub(super) fn gains(lambda: f64) -> [(&'static str, f64); 3] {
    [("0.3", 0.3), ("1", 1.0), ("1/λ", 1.0 / lambda)]
}

/// What Rate-Idle's shortage is raised to.
pub(super) const EXPONENTS: [f64; 2] = [1.0, 2.0];

/// Every trajectory, in the order of the tables.
pub(super) fn curves(scenario: &Scenario) -> Result<Vec<Curve>, ModelError> {
    let lambda = scenario.model().arrivals().rate_at(0.0);
    let (buffer, queues) = (scenario.model().buffer(), scenario.initial());
    let nobody = Occupancy::new(0.0, vec![])?;
    let mut curves = vec![];
    for (panel, start) in [(Place::FromQueues, queues), (Place::FromZero, &nobody)] {
        for exponent in EXPONENTS {
            for (gain, value) in gains(lambda) {
                let scaling = ScalingRule::rate_idle(value, exponent)?;
                let (label, start) = (format!("gain {gain}, exponent {exponent}"), start.clone());
                curves.push(Curve {
                    panel,
                    label,
                    dispatch: Dispatch::JOIN_IDLE_QUEUE,
                    scaling,
                    buffer,
                    start,
                });
            }
        }
    }
    let mut rival = |label: &str, dispatch, scaling, buffer, start: &Occupancy| {
        let (label, start) = (label.to_owned(), start.clone());
        curves.push(Curve { panel: Place::Rivals, label, dispatch, scaling, buffer, start });
    };
    let (idle, two, one) =
        (Dispatch::JOIN_IDLE_QUEUE, Dispatch::power_of_d(2)?, Dispatch::join_below_threshold(1));
    let (rate_idle, blind) = (ScalingRule::rate_idle(1.0, 1.0)?, ScalingRule::blind(0.06)?);
    // Proposition 1 (A); a finite buffer would in the end destroy what it says.
    let shortage = ScalingRule::warm_shortage(0.4)?;
    rival("Power-of-2 + Rate-Idle", two, rate_idle, buffer, queues);
    rival("JBT-1 + Rate-Idle", one, rate_idle, buffer, queues);
    rival("JIQ + Blind-0.06", idle, blind, buffer, queues);
    rival("JIQ + warm shortage", idle, shortage, Buffer::Infinite, queues);
    let near = Occupancy::new(0.0, vec![0.0, 6.0 / 7.0 * lambda])?;
    rival("JIQ + warm shortage, from near x*", idle, shortage, Buffer::Infinite, &near);
    Ok(curves)
}

impl Curve {
    fn model(&self, scenario: &Scenario) -> Result<Model, ModelError> {
        let model = scenario.model();
        Model::new(model.arrivals().clone(), model.rates(), self.buffer, self.scheme())
    }

    fn scheme(&self) -> Scheme {
        Scheme::asynchronous(self.dispatch, self.scaling)
    }

    /// Where it starts.
    fn described(&self) -> String {
        match self.start.highest_level() {
            0 => format!("{} idle", self.start.idle()),
            jobs => format!("{} with {jobs}", self.start.warm_with(jobs)),
        }
    }

    fn solved(&self, scenario: &Scenario) -> Result<Vec<Snapshot>, FluidError> {
        let (model, grid) = (self.model(scenario)?, scenario.run().grid);
        Ok(solve(&Problem::new(model, self.start.clone(), grid, Tolerances::default())?)?.snapshots)
    }

    /// Share of servers that `state` has elsewhere than the nearest isolated fixed point.
    fn distance_to_rest(
        &self,
        scenario: &Scenario,
        lambda: f64,
        state: &Occupancy,
    ) -> Result<Option<f64>, FluidError> {
        let found = fixed_points(&self.model(scenario)?, lambda, 1.0)?;
        let distances = found.points.iter().map(|point| moved(&point.state, state));
        Ok(distances.min_by(f64::total_cmp))
    }
}

/// Half the sum of differences: the share of servers to move to get from one state to the other.
fn moved(from: &Occupancy, to: &Occupancy) -> f64 {
    let levels = from.levels().len().max(to.levels().len());
    let warm: f64 = (0..levels).map(|level| (from.warm_with(level) - to.warm_with(level)).abs()).sum();
    0.5 * ((from.cold() - to.cold()).abs() + (from.initializing() - to.initializing()).abs() + warm)
}

impl Curve {
    /// Jobs per server at the end by Proposition 1 (A), where its conditions hold.
    fn backlog(&self, scenario: &Scenario, lambda: f64) -> Option<f64> {
        let (rates, start) = (scenario.model().rates(), &self.start);
        let ScalingRule::WarmShortage(rule) = self.scaling else { return None };
        let missing = lambda - start.warm();
        let speed = rates.scaling() * rule.gain();
        let within = self.dispatch == Dispatch::JOIN_IDLE_QUEUE
            && self.buffer == Buffer::Infinite
            && start.idle() == 0.0
            && missing > 0.0
            && start.initializing() <= missing / 2.0
            && rule.gain() * missing <= 1.0
            && (4.0 * speed..=2.0).contains(&rates.initialization());
        within.then(|| start.jobs() + (missing - start.initializing()) / speed)
    }
}

/// A curve, solved.
pub(super) struct Trajectory {
    pub(super) curve: Curve,
    /// Times, and the share of servers out of place then.
    pub(super) distances: Vec<(f64, f64)>,
    end: Snapshot,
    /// Share of servers elsewhere than at the nearest isolated fixed point, at the end.
    from_fixed_point: Option<f64>,
}

impl Trajectory {
    /// Mean waiting time at the end.
    pub(super) fn waiting(&self, scenario: &Scenario) -> Option<f64> {
        Some(Measure::MeanResponseTime.value(&self.end.with(scenario.power()))? - 1.0)
    }

    /// Energy spent on servers that serve nobody, over the arrival rate, at the end.
    pub(super) fn waste(&self, lambda: f64) -> f64 {
        (self.end.state.initializing() + self.end.state.idle()) / lambda
    }
}

/// All curves, in their order.
pub(super) fn trajectories(
    scenario: &Scenario,
    lambda: f64,
    progress: &dyn Progress,
) -> Result<Vec<Trajectory>, Error> {
    let failed = |source| alba_compare::Error::Fluid { scenario: scenario.name().to_owned(), source };
    let curves = curves(scenario).map_err(FluidError::from).map_err(failed)?;
    progress.begin("fluid model", curves.len() as u64);
    let mut trajectories = vec![];
    for curve in curves {
        let snapshots = curve.solved(scenario).map_err(failed)?;
        let distances = snapshots.iter().map(|at| (at.time, out_of_place(&at.state, lambda))).collect();
        if let Some(end) = snapshots.into_iter().next_back() {
            let from_fixed_point = curve.distance_to_rest(scenario, lambda, &end.state).map_err(failed)?;
            trajectories.push(Trajectory { curve, distances, end, from_fixed_point });
        }
        progress.advance(1);
    }
    progress.end();
    Ok(trajectories)
}

/// Distances over time.
pub(super) fn over_time(trajectories: &[Trajectory]) -> Table {
    type Point<'t> = (&'t Curve, &'t (f64, f64));
    let schema = Schema::new()
        .column("panel", "", "of the figure", |row: &Point<'_>| row.0.panel.name())
        .column("curve", "", "in the panel", |row| row.0.label.clone())
        .column("time", "service times", "when", |row| row.1.0)
        .column("out_of_place", "", "share of servers that are not where x* has them", |row| row.1.1);
    schema.table(trajectories.iter().flat_map(|of| of.distances.iter().map(|distance| (&of.curve, distance))))
}

/// Where every trajectory ends.
pub(super) fn end_columns<'c>(scenario: &'c Scenario, lambda: f64) -> Schema<'c, Trajectory> {
    let state = |name, meaning, of: fn(&Occupancy) -> f64| {
        Column::new(name, "", meaning, move |row: &Trajectory| of(&row.end.state))
    };
    Schema::new()
        .column("panel", "", "of the figure", |row: &Trajectory| row.curve.panel.name())
        .column("curve", "", "in the panel", |row| row.curve.label.clone())
        .column("start", "", "share of warm servers, and with how many jobs each", |row| {
            row.curve.described()
        })
        .column("scheme", "", "dispatching and scaling", |row| row.curve.scheme().to_string())
        .column("gain", "", "of the scaling rule", |row| row.curve.scaling.gain())
        .column("exponent", "", "of Rate-Idle", |row| {
            let ScalingRule::RateIdle(rule) = row.curve.scaling else { return None };
            Some(rule.exponent())
        })
        .column("buffer", "jobs", "of a server", |row| {
            row.curve.buffer.limit().map_or_else(|| "infinite".to_owned(), |jobs| jobs.to_string())
        })
        .column("horizon", "service times", "when the trajectory ends", |row| row.end.time)
        .column("out_of_place", "", "share of servers that are not where x* has them", move |row| {
            out_of_place(&row.end.state, lambda)
        })
        .column("from_fixed_point", "", "share of servers elsewhere than at rest", |row| row.from_fixed_point)
        .columns([
            state("cold", "share of servers", Occupancy::cold),
            state("initializing", "share of servers", Occupancy::initializing),
            state("idle", "share of servers", Occupancy::idle),
            state("busy", "share of servers", Occupancy::busy),
            state("one_job", "share of servers", |state| state.warm_with(1)),
            state("jobs_per_server", "jobs in the system over N", Occupancy::jobs),
        ])
        .column("jobs_by_proposition_1", "", "jobs per server, where it applies", move |row| {
            row.curve.backlog(scenario, lambda)
        })
        .column("mean_waiting_time", "service times", "of an arrival then", |row| row.waiting(scenario))
        .column("energy_waste", "", "initializing and idle servers over lambda", move |row| row.waste(lambda))
}
