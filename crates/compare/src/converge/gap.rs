//! The gap along single paths: `sup_t |X^N(t) - x(t)|`.

use super::measured::deadline;
use super::plan::Plan;
use super::{Approach, Finite, Law, Quantity, Size};
use crate::Error;
use crate::Progress;
use crate::power_law::PowerLaw;
use crate::simulate::failed;
use alba_ctmc::{CtmcError, Estimate, Problem, for_each_path};
use alba_model::{Grid, Occupancy};

/// Equidistant times at which a path is compared; between them it moves like a diffusion, whose largest value is missed by
/// the same factor for every N.
const TIMES: usize = 400;

/// The gaps of a plan, and the power of N fitted to them.
pub(super) fn approach<'s>(plan: &Plan<'s>, progress: &dyn Progress) -> Result<Approach<'s>, Error> {
    let name = plan.scenario.name();
    progress.begin(&format!("{name}: paths"), plan.paths.iter().map(|(n, count)| n * count).sum());
    let size = |&(servers, replications): &(u64, u64)| -> Result<Size, Error> {
        let found = mean(plan, servers, replications, progress)?;
        Ok(Size { servers, replications, simulated: None, fluid: None, found })
    };
    let sizes = plan.paths.iter().map(size).collect::<Result<Vec<_>, _>>()?;
    progress.end();
    let power = PowerLaw::fit(sizes.iter().map(|size| (size.servers as f64, size.found)));
    let law = power.map(|power| Law { sign: 1.0, power });
    Ok(Approach { scenario: name, quantity: Quantity::Path, clear: sizes.len(), law, sizes })
}

/// The mean over replications.
fn mean(
    plan: &Plan<'_>,
    servers: u64,
    replications: u64,
    progress: &dyn Progress,
) -> Result<Estimate, Error> {
    let (scenario, horizon) = (plan.scenario, plan.scenario.run().grid.horizon());
    let failed = |source: CtmcError| failed(scenario, source);
    let grid = Grid::new(horizon, TIMES).map_err(|source| failed(source.into()))?;
    let Finite { start, fluid } = Finite::new(scenario, servers, grid)?;
    let problem = Problem::new(scenario.model().clone(), start, grid, 0.0, None).map_err(failed)?;
    let problem = problem.with_deadline(deadline(scenario, servers, replications)?);
    let mut gaps = vec![];
    for_each_path(&problem, scenario.run().seed, 0..replications, |path| {
        let pairs = path.snapshots.iter().zip(&fluid);
        gaps.push(pairs.map(|(at, fluid)| distance(&at.state, &fluid.state)).fold(0.0, f64::max));
        progress.advance(servers);
        Ok::<(), CtmcError>(())
    })
    .map_err(failed)?;
    Ok(Estimate::of_sample(&gaps))
}

/// The largest difference of cold, initializing, and warm servers with any number of jobs.
fn distance(a: &Occupancy, b: &Occupancy) -> f64 {
    let places = (a.cold() - b.cold()).abs().max((a.initializing() - b.initializing()).abs());
    let levels = 0..a.levels().len().max(b.levels().len());
    levels.map(|level| (a.warm_with(level) - b.warm_with(level)).abs()).fold(places, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_by_hand() {
        let state = |warm: &[f64]| Occupancy::new(0.1, warm.to_vec()).unwrap();
        let gap = distance(&state(&[0.2, 0.3]), &state(&[0.2, 0.1, 0.05]));
        assert!((gap - 0.2).abs() < 1e-15);
        assert!((distance(&state(&[0.5]), &state(&[0.2])) - 0.3).abs() < 1e-15);
    }
}
