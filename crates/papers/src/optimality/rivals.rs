//! Fluid trajectories of JIQ + Rate-Idle and of schemes that do not meet the condition.

use super::out_of_place;
use crate::Error;
use alba_compare::Progress;
use alba_fluid::{FluidError, Problem, Tolerances, fixed_points, solve};
use alba_model::{Buffer, Dispatch, Measure, Model, ModelError, Occupancy, ScalingRule, Scheme, Snapshot};
use alba_scenario::Scenario;
use alba_table::{Cell, Table};

/// A trajectory to draw.
#[derive(Debug)]
pub(super) struct Curve {
    /// The panel that it is in.
    pub(super) panel: &'static str,
    /// The scheme, with the parameters that tell it from others.
    pub(super) label: String,
    dispatch: Dispatch,
    scaling: ScalingRule,
    buffer: Buffer,
    start: Occupancy,
}

/// JIQ + Rate-Idle from the scenario's start.
pub(super) const FROM_QUEUES: &str = "long queues";
/// JIQ + Rate-Idle from all servers cold.
pub(super) const FROM_ZERO: &str = "scale from zero";
/// Other schemes.
pub(super) const RIVALS: &str = "others";

/// The gains of Rate-Idle, with their labels.
pub(super) fn gains(lambda: f64) -> [(&'static str, f64); 3] {
    [("0.3", 0.3), ("1", 1.0), ("1/λ", 1.0 / lambda)]
}

/// What Rate-Idle's shortage is raised to.
pub(super) const EXPONENTS: [f64; 2] = [1.0, 2.0];

/// The label of a curve of Rate-Idle.
pub(super) fn rate_idle_label(gain: &str, exponent: f64) -> String {
    format!("gain {gain}, exponent {exponent}")
}

/// Every trajectory, in the order of the tables.
pub(super) fn curves(scenario: &Scenario) -> Result<Vec<Curve>, ModelError> {
    let lambda = scenario.model().arrivals().rate_at(0.0);
    let (buffer, queues) = (scenario.model().buffer(), scenario.initial());
    let nobody = Occupancy::new(0.0, vec![])?;
    let mut curves = vec![];
    for (panel, start) in [(FROM_QUEUES, queues), (FROM_ZERO, &nobody)] {
        for exponent in EXPONENTS {
            for (gain, value) in gains(lambda) {
                let scaling = ScalingRule::rate_idle(value, exponent)?;
                let (label, start) = (rate_idle_label(gain, exponent), start.clone());
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
        curves.push(Curve { panel: RIVALS, label, dispatch, scaling, buffer, start });
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
        let scheme = Scheme::asynchronous(self.dispatch, self.scaling);
        Model::new(model.arrivals().clone(), model.rates(), self.buffer, scheme)
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

const ENDS: [&str; 17] = [
    "start",
    "scheme",
    "gain",
    "exponent",
    "buffer",
    "horizon",
    "out_of_place",
    "from_fixed_point",
    "cold",
    "initializing",
    "idle",
    "busy",
    "one_job",
    "jobs_per_server",
    "jobs_by_proposition_1",
    "mean_waiting_time",
    "energy_waste",
];

/// Distances over time, and where every trajectory ends.
pub(super) fn tables(
    scenario: &Scenario,
    lambda: f64,
    progress: &dyn Progress,
) -> Result<(Table, Table), Error> {
    let failed = |source| alba_compare::Error::Fluid { scenario: scenario.name().to_owned(), source };
    let curves = curves(scenario).map_err(FluidError::from).map_err(failed)?;
    let mut trajectories = Table::new(["panel", "curve", "time", "out_of_place"]);
    let mut ends = Table::new(["panel", "curve"].into_iter().chain(ENDS));
    progress.begin("fluid model", curves.len() as u64);
    for curve in &curves {
        let snapshots = curve.solved(scenario).map_err(failed)?;
        for at in &snapshots {
            let distance = out_of_place(&at.state, lambda);
            trajectories.push(vec![
                curve.panel.into(),
                curve.label.clone().into(),
                at.time.into(),
                distance.into(),
            ]);
        }
        if let Some(last) = snapshots.last() {
            let rest = curve.distance_to_rest(scenario, lambda, &last.state).map_err(failed)?;
            ends.push(end(scenario, curve, last, lambda, rest));
        }
        progress.advance(1);
    }
    progress.end();
    Ok((trajectories, ends))
}

fn end(
    scenario: &Scenario,
    curve: &Curve,
    last: &Snapshot,
    lambda: f64,
    from_fixed_point: Option<f64>,
) -> Vec<Cell> {
    let state = &last.state;
    let (gain, exponent) = match curve.scaling {
        ScalingRule::RateIdle(rule) => (Some(rule.gain()), Some(rule.exponent())),
        ScalingRule::WarmShortage(rule) => (Some(rule.gain()), None),
        ScalingRule::CapacityShortage(rule) => (Some(rule.gain()), None),
        ScalingRule::Blind(_) | ScalingRule::None => (None, None),
    };
    let start = &curve.start;
    let described = match start.highest_level() {
        0 => format!("{} idle", start.idle()),
        jobs => format!("{} with {jobs}", start.warm_with(jobs)),
    };
    let waiting = Measure::MeanResponseTime.value(&last.with(scenario.power())).map(|time| time - 1.0);
    vec![
        curve.panel.into(),
        curve.label.clone().into(),
        described.into(),
        Scheme::asynchronous(curve.dispatch, curve.scaling).to_string().into(),
        gain.into(),
        exponent.into(),
        curve.buffer.limit().map_or_else(|| "infinite".to_owned(), |jobs| jobs.to_string()).into(),
        last.time.into(),
        out_of_place(state, lambda).into(),
        from_fixed_point.into(),
        state.cold().into(),
        state.initializing().into(),
        state.idle().into(),
        state.busy().into(),
        state.warm_with(1).into(),
        state.jobs().into(),
        curve.backlog(scenario, lambda).into(),
        waiting.into(),
        ((state.initializing() + state.idle()) / lambda).into(),
    ]
}
