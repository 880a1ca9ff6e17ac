//! How far the fluid model is from the chain, and what the refined mean field makes of that.

use super::agreement::Chain;
use super::contender::{Contender, Setting};
use alba_ctmc::Estimate;
use alba_fluid::{FluidError, Problem, Refinement, Tolerances, fixed_points, solve};
use alba_model::{Measure, Snapshot};
use alba_table::{Cell, Table};

/// What is compared.
const MEASURES: [Measure; 5] =
    [Measure::Cold, Measure::Initializing, Measure::Idle, Measure::Busy, Measure::JobsPerServer];

pub(super) fn empty() -> Table {
    Table::new([
        "contender",
        "quantity",
        "time",
        "chain",
        "chain_half_width",
        "fluid",
        "gap",
        "refined",
        "refined_gap",
    ])
}

/// A row a measure: where the gap is largest over the report times; and, where the arrival rate is constant, in equilibrium,
/// with the refined mean field where it is valid.
pub(super) fn add(
    table: &mut Table,
    contender: &Contender,
    setting: &Setting,
    chain: &Chain,
) -> Result<(), FluidError> {
    let Some((model, initial)) = contender.model(setting)? else { return Ok(()) };
    let fluid = solve(&Problem::new(model.clone(), initial, setting.grid, Tolerances::default())?)?;
    for measure in MEASURES {
        let gaps = fluid.snapshots.iter().enumerate().filter_map(|(point, snapshot)| {
            let (simulated, value) =
                (chain.at(point, measure), measure.value(&snapshot.with(&setting.power))?);
            Some((point, simulated, value, simulated.value? - value))
        });
        let largest = gaps.max_by(|a, b| a.3.abs().total_cmp(&b.3.abs()));
        if let Some((point, simulated, value, _)) = largest {
            let time = Some(setting.grid.time(point));
            table.push(row(contender, measure, time, simulated, value, None));
        }
    }
    let Some(arrival_rate) = model.arrivals().constant_rate() else { return Ok(()) };
    let Ok(found) = fixed_points(&model, arrival_rate, 1.0) else { return Ok(()) };
    let Some(point) = found.points.first() else { return Ok(()) };
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
        table.push(row(contender, measure, None, chain.average(measure), value, refined));
    }
    Ok(())
}

fn row(
    contender: &Contender,
    measure: Measure,
    time: Option<f64>,
    chain: Estimate,
    fluid: f64,
    refined: Option<f64>,
) -> Vec<Cell> {
    let gap = |from: Option<f64>| chain.value.zip(from).map(|(value, from)| value - from);
    vec![
        contender.name.clone().into(),
        measure.name().into(),
        time.into(),
        chain.value.into(),
        chain.half_width.into(),
        fluid.into(),
        gap(Some(fluid)).into(),
        refined.into(),
        gap(refined).into(),
    ]
}
