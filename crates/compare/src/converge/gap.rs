//! The gap along single paths: `sup_t |X^N(t) - x(t)|`.

use super::plan::Plan;
use super::{Finite, Tables};
use crate::Error;
use crate::Progress;
use crate::power_law::PowerLaw;
use alba_ctmc::{CtmcError, Estimate, Problem, for_each_path};
use alba_model::{Grid, Occupancy};
use alba_table::{Cell, Table};

/// Equidistant times at which a path is compared; between them it moves like a diffusion, whose largest value is missed by
/// the same factor for every N.
const TIMES: usize = 400;

pub(super) fn empty() -> Table {
    Table::new(["scenario", "servers", "replications", "gap", "gap_half_width", "fitted"])
}

/// The gaps of a plan, and the power of N fitted to them.
pub(super) fn add(tables: &mut Tables, plan: &Plan<'_>, progress: &dyn Progress) -> Result<(), Error> {
    let name = plan.scenario.name();
    progress.begin(&format!("{name}: paths"), plan.paths.iter().map(|(n, count)| n * count).sum());
    let gaps = plan.paths.iter().map(|&(servers, count)| mean(plan, servers, count, progress));
    let gaps = gaps.collect::<Result<Vec<_>, _>>()?;
    progress.end();
    let sizes = || plan.paths.iter().map(|&(servers, _)| servers as f64).zip(gaps.iter().copied());
    let law = PowerLaw::fit(sizes());
    let of_law = |of: fn(&PowerLaw) -> f64| Cell::from(law.as_ref().map(of));
    tables.slopes.push(vec![
        name.into(),
        "path".into(),
        Cell::Empty,
        Cell::Empty,
        (gaps.len() as u64).into(),
        of_law(|law| law.slope),
        of_law(|law| law.half_width),
        of_law(|law| law.intercept.exp()),
        of_law(|law| law.chi_squared),
        of_law(|law| law.last.0),
        of_law(|law| law.last.1),
    ]);
    for (&(servers, replications), gap) in plan.paths.iter().zip(&gaps) {
        let fitted = law.as_ref().map(|law| law.at(servers as f64));
        let mut row: Vec<Cell> = vec![name.into(), servers.into(), replications.into()];
        row.extend([gap.value, gap.half_width, fitted].map(Cell::from));
        tables.gaps.push(row);
    }
    Ok(())
}

/// The mean over replications.
fn mean(
    plan: &Plan<'_>,
    servers: u64,
    replications: u64,
    progress: &dyn Progress,
) -> Result<Estimate, Error> {
    let (scenario, horizon) = (plan.scenario, plan.scenario.run().grid.horizon());
    let failed = |source: CtmcError| Error::Chain { scenario: scenario.name().to_owned(), source };
    let grid = Grid::new(horizon, TIMES).map_err(|source| failed(source.into()))?;
    let Finite { start, fluid } = Finite::new(scenario, servers, grid)?;
    let problem = Problem::new(scenario.model().clone(), start, grid, 0.0, None).map_err(failed)?;
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
