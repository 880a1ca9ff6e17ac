//! How near finite numbers of servers come to the optimum, by simulation, and the rate at which they do.

use crate::Error;
use alba_compare::{PowerLaw, Progress, with_half_width};
use alba_ctmc::{CtmcError, Estimate, Experiment, Problem, simulate};
use alba_model::{Counts, Grid, Measure, Occupancy, PowerDraw};
use alba_scenario::Scenario;
use alba_table::{Column, Schema, Table};

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

/// A distance from the optimum, over numbers of servers.
pub(super) struct Approach {
    /// Its column.
    name: &'static str,
    unit: &'static str,
    /// In the legend.
    pub(super) label: &'static str,
    /// Of each number of servers.
    pub(super) estimates: Vec<Estimate>,
    pub(super) fit: Option<PowerLaw>,
}

/// Numbers of servers, and how near each comes: mean response time less one, and power where only initializing and idle
/// servers draw some, over `lambda`.
pub(super) struct Crowd {
    pub(super) sizes: Vec<Size>,
    pub(super) approaches: [Approach; 2],
}

impl Crowd {
    pub(super) fn new(
        scenario: &Scenario,
        lambda: f64,
        sizes: &[Size],
        progress: &dyn Progress,
    ) -> Result<Self, Error> {
        progress.begin("finite N", sizes.iter().map(|size| size.replications).sum());
        let found = sizes.iter().map(|size| estimates(scenario, lambda, size, progress));
        let found: Result<Vec<_>, _> = found.collect();
        progress.end();
        let found = found
            .map_err(|source| alba_compare::Error::Chain { scenario: scenario.name().to_owned(), source })?;
        let approach = |name, unit, label, of: fn(&[Estimate; 2]) -> Estimate| {
            let estimates: Vec<Estimate> = found.iter().map(of).collect();
            let law = sizes.iter().map(|size| size.servers as f64).zip(estimates.iter().copied());
            Approach { name, unit, label, fit: PowerLaw::fit(law), estimates }
        };
        let waste = "energy waste (idle + starting) / λ";
        Ok(Self {
            sizes: sizes.to_vec(),
            approaches: [
                approach("mean_waiting_time", "service times", "mean waiting time", |of| of[0]),
                approach("energy_waste", "", waste, |of| of[1]),
            ],
        })
    }

    /// A row a number of servers.
    pub(super) fn table(&self) -> Table {
        let measured = self.approaches.iter().flat_map(|approach| {
            let Approach { name, unit, estimates, fit, .. } = approach;
            let estimate = |(index, _): &(usize, &Size)| estimates[*index];
            let fitted = |(_, size): &(usize, &Size)| fit.as_ref().map(|fit| fit.at(size.servers as f64));
            let law = Column::new(format!("{name}_fitted"), unit, "of the power of N", fitted);
            with_half_width(*name, unit, "mean over replications", estimate).into_iter().chain([law])
        });
        let schema = Schema::new()
            .column("servers", "", "N", |(_, size): &(usize, &Size)| size.servers)
            .column("warm_up", "service times", "left out", |(_, size)| size.warm_up)
            .column("measured", "service times", "after the warm-up", |(_, size)| size.measured)
            .column("replications", "", "how many", |(_, size)| size.replications)
            .columns(measured);
        schema.table(self.sizes.iter().enumerate())
    }
}

/// A row a measure: the fitted power of N.
pub(super) fn rate_columns() -> Schema<'static, Approach> {
    let law = |name, meaning, of: fn(&PowerLaw) -> f64| {
        Column::new(name, "", meaning, move |row: &Approach| row.fit.as_ref().map(of))
    };
    Schema::new().column("measure", "", "what approaches zero", |row: &Approach| row.name).columns([
        law("exponent", "of N", |fit| fit.slope),
        law("exponent_half_width", "half of its 95 % interval", |fit| fit.half_width),
        law("factor", "the law at N = 1", |fit| fit.intercept.exp()),
        law("chi_squared", "per degree of freedom", |fit| fit.chi_squared),
    ])
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
