//! How near finite numbers of servers come to the optimum, by simulation, and the rate at which they do.

use crate::Error;
use alba_compare::PowerLaw;
use alba_compare::Progress;
use alba_ctmc::{CtmcError, Estimate, Experiment, Problem, simulate};
use alba_model::{Counts, Grid, Measure, Occupancy, PowerDraw};
use alba_scenario::Scenario;
use alba_table::{Cell, Table};

/// A number of servers and how long it is watched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub(super) servers: u64,
    /// From `x*`: several times the slowest of the times of scaling, initialization and expiration.
    pub(super) warm_up: f64,
    /// After the warm-up, in mean service times: the fewer servers, the longer, for the same number of events.
    pub(super) measured: f64,
    pub(super) replications: u64,
}

/// Some fifteen seconds on two cores, half of it for the largest.
pub(super) const SIZES: [Size; 5] = [
    Size { servers: 100, warm_up: 200.0, measured: 40_000.0, replications: 10 },
    Size { servers: 1_000, warm_up: 200.0, measured: 8_000.0, replications: 10 },
    Size { servers: 10_000, warm_up: 200.0, measured: 1_500.0, replications: 10 },
    Size { servers: 100_000, warm_up: 150.0, measured: 350.0, replications: 8 },
    Size { servers: 1_000_000, warm_up: 100.0, measured: 140.0, replications: 4 },
];

/// What is measured, and the columns' names: mean response time less one, and power where only initializing and idle
/// servers draw some, over `lambda`.
pub(super) const MEASURED: [&str; 2] = ["mean_waiting_time", "energy_waste"];

/// A row a number of servers, and the fitted rates.
pub(super) fn tables(
    scenario: &Scenario,
    lambda: f64,
    sizes: &[Size],
    progress: &dyn Progress,
) -> Result<(Table, Table), Error> {
    let failed = |source| alba_compare::Error::Chain { scenario: scenario.name().to_owned(), source };
    progress.begin("finite N", sizes.iter().map(|size| size.replications).sum());
    let estimates = sizes
        .iter()
        .map(|size| estimates(scenario, lambda, size, progress))
        .collect::<Result<Vec<_>, _>>()
        .map_err(failed)?;
    progress.end();
    let fits: Vec<Option<PowerLaw>> = (0..MEASURED.len())
        .map(|measure| {
            PowerLaw::fit(sizes.iter().zip(&estimates).map(|(size, of)| (size.servers as f64, of[measure])))
        })
        .collect();

    let run = ["servers", "warm_up", "measured", "replications"].map(str::to_owned);
    let columns = MEASURED
        .iter()
        .flat_map(|name| ["", "_half_width", "_fitted"].map(|suffix| format!("{name}{suffix}")));
    let mut finite = Table::new(run.into_iter().chain(columns));
    for (size, estimates) in sizes.iter().zip(&estimates) {
        let mut row: Vec<Cell> =
            vec![size.servers.into(), size.warm_up.into(), size.measured.into(), size.replications.into()];
        for (estimate, fit) in estimates.iter().zip(&fits) {
            let fitted = fit.as_ref().map(|fit| fit.at(size.servers as f64));
            row.extend([estimate.value, estimate.half_width, fitted].map(Cell::from));
        }
        finite.push(row);
    }
    let mut rates = Table::new(["measure", "exponent", "exponent_half_width", "factor", "chi_squared"]);
    for (name, fit) in MEASURED.iter().zip(&fits) {
        let number = |of: fn(&PowerLaw) -> f64| Cell::from(fit.as_ref().map(of));
        rates.push(vec![
            (*name).into(),
            number(|fit| fit.slope),
            number(|fit| fit.half_width),
            number(|fit| fit.intercept.exp()),
            number(|fit| fit.chi_squared),
        ]);
    }
    Ok((finite, rates))
}

/// Waiting time and waste of one number of servers that starts at `x*`.
fn estimates(
    scenario: &Scenario,
    lambda: f64,
    size: &Size,
    progress: &dyn Progress,
) -> Result<[Estimate; 2], CtmcError> {
    let start = Counts::apportion(&Occupancy::new(0.0, vec![0.0, lambda])?, size.servers);
    let grid = Grid::new(size.warm_up + size.measured, 1)?;
    let problem = Problem::new(scenario.model().clone(), start, grid, size.warm_up, None)?;
    let measures = vec![Measure::MeanResponseTime, Measure::Energy];
    let wasted = PowerDraw::new(0.0, 1.0, 1.0, 0.0)?;
    let experiment = Experiment::new(size.replications, scenario.run().seed, measures, wasted)?;
    let averages = simulate(&problem, &experiment, &|_| progress.advance(1))?.summary.time_averages;
    let (response, waste) = (averages[0], averages[1]);
    Ok([
        Estimate { value: response.value.map(|time| time - 1.0), ..response },
        Estimate {
            value: waste.value.map(|waste| waste / lambda),
            half_width: waste.half_width.map(|half_width| half_width / lambda),
        },
    ])
}
