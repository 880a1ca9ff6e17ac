//! The fluid model over time.

use super::{Engine, EngineError, Found, at_end, exactly, is_about_rest, load};
use crate::quantity::{at_rest, measures, of_response};
use crate::{Error, Quantity};
use alba_fluid::{Problem, Tolerances, solve};
use alba_model::{ErlangMixture, Grid, Measure, Parts, Snapshot};
use alba_scenario::{Reader, Scenario};

/// Averages along the run after the warm-up, and values at the horizon.
pub(super) struct Fluid;

/// An average is taken from so many parts of the run at least, and at most.
const PARTS: std::ops::RangeInclusive<usize> = 1 << 10..=1 << 14;
/// Parts twice as long change a good average by less than this, relatively; one that changes by more than the second is
/// none.
const GOOD: f64 = 1e-6;
const POOR: f64 = 1e-3;
/// What is this small, in fractions of servers or service times, is not known relatively.
const SMALL: f64 = 1e-4;

impl Engine for Fluid {
    fn name(&self) -> &'static str {
        "fluid"
    }

    fn reader(&self) -> Option<Reader> {
        Some(Reader::FluidAverages)
    }

    /// Every step of the arrival rate starts anew.
    fn cost(&self, scenario: &Scenario) -> f64 {
        3e-3 * (1.0 + load(scenario).1 as f64)
    }

    fn run(&self, scenario: &Scenario, wanted: &[Quantity]) -> Result<Vec<Found>, EngineError> {
        let measures = measures(wanted);
        let averaged = is_about_rest(wanted);
        let mut parts = if averaged { first_parts(scenario) } else { 1 };
        let (average, end) = loop {
            // Two intervals a part: each part's middle is a report time, and so are those of longer parts.
            let snapshots = trajectory(scenario, 2 * parts)?;
            let of_parts = |stride: usize| Average::new(scenario, &measures, &snapshots, stride);
            let (short, medium) = (of_parts(2), of_parts(4));
            let fine = short.extrapolated(&medium);
            let error = if averaged { fine.error(&medium.extrapolated(&of_parts(8))) } else { 0.0 };
            if error < GOOD || parts >= *PARTS.end() {
                if error > POOR {
                    return Err(EngineError::RoughAverage { relative_error: error });
                }
                break (fine, snapshots.into_iter().next_back());
            }
            parts *= 2;
        };
        let response = ErlangMixture::new(&average.inflow);
        let at_rest = at_rest(wanted).into_iter().map(|measure| {
            let value = of_response(measure, response.as_ref());
            exactly(Quantity::AtRest(measure), value.unwrap_or_else(|| average.value(&measures, measure)))
        });
        let at_end = at_end(wanted).into_iter().map(|measure| {
            let value = end.as_ref().and_then(|end| measure.value(&end.with(scenario.power())));
            exactly(Quantity::AtEnd(measure), value)
        });
        Ok(at_rest.chain(at_end).collect())
    }
}

/// A multiple of the scenario's report intervals, so that the steps of a trace that they follow end where parts do.
fn first_parts(scenario: &Scenario) -> usize {
    let samples = scenario.run().grid.points() - 1;
    // Parts are joined twice.
    let doublings = (2..=10).map(|doublings| samples << doublings);
    doublings.into_iter().find(|parts| PARTS.contains(parts)).unwrap_or(*PARTS.start())
}

fn trajectory(scenario: &Scenario, intervals: usize) -> Result<Vec<Snapshot>, EngineError> {
    let failed = |source| Error::Fluid { scenario: scenario.name().to_owned(), source };
    let grid = Grid::new(scenario.run().grid.horizon(), intervals).map_err(|error| failed(error.into()))?;
    let (model, initial) = (scenario.model().clone(), scenario.initial().clone());
    let problem = Problem::new(model, initial, grid, Tolerances::default()).map_err(failed)?;
    Ok(solve(&problem).map_err(failed)?.snapshots)
}

/// Integrals over time after the warm-up by the midpoint rule: it does not look at times at which rates jump.
struct Average {
    /// One for every measure.
    parts: Vec<Parts>,
    /// Rates at which jobs find so many at their server.
    inflow: Vec<f64>,
}

impl Average {
    /// Parts of the run are `stride` report intervals long.
    fn new(scenario: &Scenario, measures: &[Measure], snapshots: &[Snapshot], stride: usize) -> Self {
        let run = scenario.run();
        let length = run.grid.horizon() * stride as f64 / (snapshots.len() - 1) as f64;
        let mut sum = Self { parts: vec![Parts::UNDEFINED; measures.len()], inflow: vec![] };
        for at in snapshots.iter().skip(stride / 2).step_by(stride) {
            let weight = (at.time + 0.5 * length - run.warm_up).clamp(0.0, length);
            for (sum, measure) in sum.parts.iter_mut().zip(measures) {
                let parts = measure.parts(&at.with(scenario.power()));
                sum.numerator += weight * parts.numerator;
                sum.denominator += weight * parts.denominator;
            }
            let levels = &at.inflow.levels;
            sum.inflow.resize(levels.len().max(sum.inflow.len()), 0.0);
            sum.inflow.iter_mut().zip(levels).for_each(|(sum, level)| *sum += weight * level);
        }
        sum
    }

    /// Richardson's extrapolation, given the same for parts twice as long: what the rule lacks is quadratic in their
    /// length, where rates do not jump within a part.
    fn extrapolated(&self, coarse: &Self) -> Self {
        let better = |fine: f64, coarse: f64| fine + (fine - coarse) / 3.0;
        let parts = self.parts.iter().zip(&coarse.parts).map(|(fine, coarse)| Parts {
            numerator: better(fine.numerator, coarse.numerator),
            denominator: better(fine.denominator, coarse.denominator),
        });
        let levels = coarse.inflow.iter().copied().chain(std::iter::repeat(0.0));
        let inflow = self.inflow.iter().zip(levels).map(|(fine, coarse)| better(*fine, coarse).max(0.0));
        Self { parts: parts.collect(), inflow: inflow.collect() }
    }

    fn value(&self, measures: &[Measure], measure: Measure) -> Option<f64> {
        measures.iter().position(|other| *other == measure).and_then(|index| self.parts[index].value())
    }

    /// The largest difference of a value, relative to it.
    fn error(&self, coarse: &Self) -> f64 {
        let pairs = self.parts.iter().zip(&coarse.parts);
        let difference = |(fine, coarse): (&Parts, &Parts)| {
            let (fine, coarse) = fine.value().zip(coarse.value())?;
            Some((fine - coarse).abs() / fine.abs().max(SMALL))
        };
        pairs.filter_map(difference).fold(0.0, f64::max)
    }
}
