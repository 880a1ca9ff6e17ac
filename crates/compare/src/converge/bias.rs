//! The bias of means: `E[X^N(t)] - x(t)`.

use super::Tables;
use super::measured::{Bias, biases};
use super::plan::Plan;
use crate::Error;
use crate::Progress;
use crate::power_law::PowerLaw;
use alba_ctmc::Estimate;
use alba_table::{Cell, Table};

pub(super) fn empty() -> Table {
    let measured = ["simulated", "fluid", "bias", "bias_half_width", "fitted"];
    Table::new(["scenario", "servers", "replications", "measure", "time"].into_iter().chain(measured))
}

/// The biases of a plan, and the powers of N fitted to them.
pub(super) fn add(tables: &mut Tables, plan: &Plan<'_>, progress: &dyn Progress) -> Result<(), Error> {
    let name = plan.scenario.name();
    progress.begin(&format!("{name}: means"), plan.bias.iter().map(|(n, count)| n * count).sum());
    let found = plan.bias.iter().map(|&(servers, replications)| {
        biases(plan.scenario, plan.convergence, servers, replications, progress)
    });
    let found = found.collect::<Result<Vec<_>, _>>()?;
    progress.end();
    for (index, measure) in plan.convergence.measures.iter().enumerate() {
        for time in 0..found[0].estimates[index].len() {
            let along: Vec<Bias> = found.iter().map(|biases| biases.estimates[index][time]).collect();
            let law = Law::fit(plan, &along);
            let (time, of_law) = (along[0].time, |of: fn(&Law) -> f64| Cell::from(law.as_ref().map(of)));
            tables.slopes.push(vec![
                name.into(),
                "bias".into(),
                measure.name().as_str().into(),
                time.into(),
                (clear(plan, &along).len() as u64).into(),
                of_law(|law| law.power.slope),
                of_law(|law| law.power.half_width),
                of_law(|law| law.sign * law.power.intercept.exp()),
                of_law(|law| law.power.chi_squared),
                of_law(|law| law.power.last.0),
                of_law(|law| law.power.last.1),
            ]);
            for (&(servers, replications), at) in plan.bias.iter().zip(&along) {
                let fitted = law.as_ref().map(|law| law.sign * law.power.at(servers as f64));
                let mut row: Vec<Cell> = vec![name.into(), servers.into(), replications.into()];
                row.extend([measure.name().as_str().into(), time.into()]);
                row.extend(
                    [at.simulated, at.fluid, at.bias.value, at.bias.half_width, fitted].map(Cell::from),
                );
                tables.bias.push(row);
            }
        }
    }
    Ok(())
}

/// A bias of one sign that goes like a power of N.
struct Law {
    sign: f64,
    power: PowerLaw,
}

impl Law {
    /// None where fewer than three biases are told from 0, or where they differ in sign.
    fn fit(plan: &Plan<'_>, along: &[Bias]) -> Option<Self> {
        let clear = clear(plan, along);
        let sign = clear.first()?.1.value?.signum();
        let same = clear.iter().all(|(_, bias)| bias.value.is_some_and(|value| value * sign > 0.0));
        let sizes = clear
            .into_iter()
            .map(|(n, bias)| (n, Estimate { value: bias.value.map(f64::abs), half_width: bias.half_width }));
        let power = PowerLaw::fit(sizes).filter(|_| same)?;
        Some(Self { sign, power })
    }
}

/// The biases whose interval excludes 0.
fn clear(plan: &Plan<'_>, along: &[Bias]) -> Vec<(f64, Estimate)> {
    let sizes = plan.bias.iter().zip(along).map(|(&(servers, _), at)| (servers as f64, at.bias));
    let clear = |bias: &Estimate| {
        bias.value.zip(bias.half_width).is_some_and(|(value, half_width)| value.abs() > half_width)
    };
    sizes.filter(|(_, bias)| clear(bias)).collect()
}
