//! The bias of means: `E[X^N(t)] - x(t)`.

use super::measured::{Biases, biases};
use super::plan::Plan;
use super::{Approach, Law, Quantity, Size};
use crate::power_law::PowerLaw;
use crate::{Error, Progress};
use alba_ctmc::Estimate;

/// The biases of a plan, and the powers of N fitted to them.
pub(super) fn approaches<'s>(plan: &Plan<'s>, progress: &dyn Progress) -> Result<Vec<Approach<'s>>, Error> {
    let name = plan.scenario.name();
    progress.begin(&format!("{name}: means"), plan.bias.iter().map(|(n, count)| n * count).sum());
    let found = plan.bias.iter().map(|&(servers, replications)| {
        biases(plan.scenario, plan.convergence, servers, replications, progress)
    });
    let found = found.collect::<Result<Vec<_>, _>>()?;
    progress.end();
    let times = found.first().and_then(|biases| biases.estimates.first()).map_or(0, Vec::len);
    let places =
        (0..plan.convergence.measures.len()).flat_map(|index| (0..times).map(move |time| (index, time)));
    Ok(places.map(|(index, time)| approach(plan, &found, index, time)).collect())
}

/// Of a measure at a report time.
fn approach<'s>(plan: &Plan<'s>, found: &[Biases], index: usize, time: usize) -> Approach<'s> {
    let along: Vec<_> = found.iter().map(|biases| biases.estimates[index][time]).collect();
    let sizes = plan.bias.iter().zip(&along).map(|(&(servers, replications), at)| Size {
        servers,
        replications,
        simulated: at.simulated,
        fluid: at.fluid,
        found: at.bias,
    });
    let sizes: Vec<Size> = sizes.collect();
    let clear = clear(&sizes);
    Approach {
        scenario: plan.scenario.name(),
        quantity: Quantity::Bias { measure: plan.convergence.measures[index], time: along[0].time },
        clear: clear.len(),
        law: law(&clear),
        sizes,
    }
}

/// The law of biases of one sign; none where fewer than three are told from 0, or where they differ in sign.
fn law(clear: &[(f64, Estimate)]) -> Option<Law> {
    let sign = clear.first()?.1.value?.signum();
    let same = clear.iter().all(|(_, bias)| bias.value.is_some_and(|value| value * sign > 0.0));
    let sizes = clear
        .iter()
        .map(|(n, bias)| (*n, Estimate { value: bias.value.map(f64::abs), half_width: bias.half_width }));
    let power = PowerLaw::fit(sizes).filter(|_| same)?;
    Some(Law { sign, power })
}

/// The biases whose interval excludes 0.
fn clear(sizes: &[Size]) -> Vec<(f64, Estimate)> {
    let clear = |bias: &Estimate| {
        bias.value.zip(bias.half_width).is_some_and(|(value, half_width)| value.abs() > half_width)
    };
    sizes.iter().map(|size| (size.servers as f64, size.found)).filter(|(_, bias)| clear(bias)).collect()
}
