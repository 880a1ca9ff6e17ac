//! How far the fluid model is from the chain, and what the refined mean field makes of that.

use super::agreement::Chain;
use super::contender::{Contender, Setting};
use alba_compare::with_half_width;
use alba_ctmc::Estimate;
use alba_fluid::{FluidError, Problem, Refinement, Tolerances, fixed_points, solve};
use alba_model::{Measure, Snapshot};
use alba_table::Schema;

/// What is compared.
const MEASURES: [Measure; 5] =
    [Measure::Cold, Measure::Initializing, Measure::Idle, Measure::Busy, Measure::JobsPerServer];

/// A number of the fluid model beside the chain's.
pub(super) struct Limit {
    contender: String,
    measure: Measure,
    /// None: in equilibrium, beside the average along the run.
    time: Option<f64>,
    chain: Estimate,
    fluid: f64,
    /// The refined mean field's.
    refined: Option<f64>,
}

impl Limit {
    fn gap(&self, from: f64) -> Option<f64> {
        Some(self.chain.value? - from)
    }
}

pub(super) fn columns() -> Schema<'static, Limit> {
    Schema::new()
        .column("contender", "", "its name", |row: &Limit| row.contender.clone())
        .column("quantity", "", "what is compared", |row| row.measure.name())
        .column("time", "service times", "when; empty: in equilibrium", |row| row.time)
        .columns(with_half_width("chain", "", "mean over replications", |row: &Limit| row.chain))
        .column("fluid", "", "the fluid model's", |row| row.fluid)
        .column("gap", "", "chain less fluid", |row| row.gap(row.fluid))
        .column("refined", "", "the refined mean field's", |row| row.refined)
        .column("refined_gap", "", "chain less refined", |row| row.gap(row.refined?))
}

/// For each measure, where the gap is largest over the report times; and, where the arrival rate is constant, in equilibrium,
/// with the refined mean field where it is valid.
pub(super) fn limits(
    contender: &Contender,
    setting: &Setting,
    chain: &Chain,
) -> Result<Vec<Limit>, FluidError> {
    let mut limits = vec![];
    let Some((model, initial)) = contender.model(setting)? else { return Ok(limits) };
    let mut add = |measure, time, chain, fluid, refined| {
        limits.push(Limit { contender: contender.name.clone(), measure, time, chain, fluid, refined });
    };
    let fluid = solve(&Problem::new(model.clone(), initial, setting.grid, Tolerances::default())?)?;
    for measure in MEASURES {
        let gaps = fluid.snapshots.iter().enumerate().filter_map(|(point, snapshot)| {
            let (simulated, value) =
                (chain.at(point, measure), measure.value(&snapshot.with(&setting.power))?);
            Some((point, simulated, value, simulated.value? - value))
        });
        let largest = gaps.max_by(|a, b| a.3.abs().total_cmp(&b.3.abs()));
        if let Some((point, simulated, value, _)) = largest {
            add(measure, Some(setting.grid.time(point)), simulated, value, None);
        }
    }
    let Some(arrival_rate) = model.arrivals().constant_rate() else { return Ok(limits) };
    let Ok(found) = fixed_points(&model, arrival_rate, 1.0) else { return Ok(limits) };
    let Some(point) = found.points.first() else { return Ok(limits) };
    let (state, inflow) = (point.state.clone(), point.inflow.clone());
    let at = Snapshot { time: 0.0, arrival_rate, state, inflow };
    let refinement = Refinement::new(&model, arrival_rate, point).ok();
    for measure in MEASURES {
        let Some(value) = measure.value(&at.with(&setting.power)) else { continue };
        let refined = refinement.as_ref().map(|refinement| {
            let of = match measure {
                Measure::Cold => refinement.cold(setting.servers),
                Measure::Initializing => refinement.initializing(setting.servers),
                Measure::Idle => refinement.idle(setting.servers),
                Measure::Busy => refinement.busy(setting.servers),
                _ => refinement.jobs_per_server(setting.servers),
            };
            of.mean
        });
        add(measure, None, chain.average(measure), value, refined);
    }
    Ok(limits)
}
