//! Measures of a distribution over states.

use alba_model::{Account, Counts, Formula, Measure, Model, Parts, PowerDraw, Snapshot};
use rayon::prelude::*;

use crate::ExactError;
use crate::generator::ALONE;
use crate::rows::BLOCK;
use crate::{Bounded, StateSpace};

/// What is measured, and in which system: jobs arrive at `arrival_rate`.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    /// Its buffer may be infinite where that of the chain is cut.
    pub(crate) model: &'a Model,
    pub(crate) measures: &'a [Measure],
    pub(crate) power: &'a PowerDraw,
    pub(crate) arrival_rate: f64,
}

impl Reading<'_> {
    pub(crate) fn snapshot(&self, state: &Counts) -> Result<Snapshot, ExactError> {
        let state = state.occupancy()?;
        let inflow = self.model.inflow(&state, self.arrival_rate);
        Ok(Snapshot { time: 0.0, arrival_rate: self.arrival_rate, inflow, state })
    }

    /// Numerator and denominator of every measure.
    fn parts(&self, state: &Counts) -> Result<impl Iterator<Item = f64>, ExactError> {
        let snapshot = self.snapshot(state)?;
        Ok(self.measures.iter().flat_map(move |measure| {
            let Parts { numerator, denominator } = measure.parts(&snapshot.with(self.power));
            [numerator, denominator]
        }))
    }

    /// The largest that numerators and denominators can be in any state with at most `level` jobs in a server.
    pub(crate) fn largest(model: &Model, power: &PowerDraw, level: u32) -> f64 {
        let jobs = (f64::from(level) + 1.0) * model.arrivals().peak().max(1.0);
        power.each().into_iter().fold(jobs, f64::max)
    }
}

/// Numerators and denominators in every state, each function once.
pub(crate) struct Readout {
    /// For every measure, its numerator and its denominator.
    parts: Vec<[Part; 2]>,
    /// Block by block of states, column by column.
    values: Vec<f64>,
    columns: usize,
    /// Of every column.
    largest: Vec<f64>,
}

/// A function of the state, >= 0.
#[derive(Clone, Copy)]
enum Part {
    Constant(f64),
    Column(usize),
}

/// What stands between computed expectations and the truth.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Errors {
    /// Probability that is at a wrong place, at most.
    pub(crate) mass: f64,
    /// Relative error of every probability.
    pub(crate) relative: f64,
    /// Probability that the chain left its states.
    pub(crate) escaped: f64,
    /// Jobs per server expected where it did.
    pub(crate) escaped_jobs: f64,
}

impl Readout {
    pub(crate) fn new(space: &StateSpace, reading: &Reading<'_>) -> Result<Self, ExactError> {
        let width = 2 * reading.measures.len();
        let blocks: Vec<usize> = (0..space.len()).step_by(BLOCK).collect();
        let blocks = blocks.into_par_iter().map(|begin| {
            let mut state = Counts::default();
            let mut numbers = Vec::with_capacity(width * BLOCK);
            for index in begin..(begin + BLOCK).min(space.len()) {
                space.read(index, &mut state);
                numbers.extend(reading.parts(&state)?);
            }
            Ok(numbers)
        });
        let blocks = blocks.collect::<Result<Vec<Vec<f64>>, ExactError>>()?;
        let first: Vec<f64> = blocks[0][..width].to_vec();
        let constant: Vec<bool> =
            (0..width).map(|part| same(&blocks, width, part, |_| first[part])).collect();
        let (mut kept, mut parts): (Vec<usize>, Vec<Part>) = (vec![], vec![]);
        for part in 0..width {
            if constant[part] {
                parts.push(Part::Constant(first[part]));
                continue;
            }
            let twin = kept.iter().position(|&other| same(&blocks, width, part, |row| row[other]));
            parts.push(Part::Column(twin.unwrap_or(kept.len())));
            if twin.is_none() {
                kept.push(part);
            }
        }
        let column = |block, part: usize| <[f64]>::chunks_exact(block, width).map(move |row| row[part]);
        let values =
            blocks.iter().flat_map(|block| kept.iter().flat_map(|&part| column(block, part))).collect();
        let largest = |&part| blocks.iter().flat_map(|block| column(block, part)).fold(0.0, f64::max);
        let largest = kept.iter().map(largest).collect();
        let parts = parts.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
        Ok(Self { parts, values, columns: kept.len(), largest })
    }

    /// The number of different functions that are no constants.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Expectations of all columns under `distribution`.
    pub(crate) fn means(&self, distribution: &[f64]) -> Vec<f64> {
        if self.columns == 0 {
            return vec![];
        }
        let block = |(values, weights): (&[f64], &[f64])| {
            values.chunks_exact(weights.len()).map(|column| dot(column, weights)).collect()
        };
        let (rows, states) = (BLOCK * self.columns, distribution.len());
        let blocks: Vec<Vec<f64>> = if states <= ALONE {
            self.values.chunks(rows).zip(distribution.chunks(BLOCK)).map(block).collect()
        } else {
            self.values.par_chunks(rows).zip(distribution.par_chunks(BLOCK)).map(block).collect()
        };
        let mut sums = vec![0.0; self.columns];
        for block in blocks {
            sums.iter_mut().zip(block).for_each(|(sum, part)| *sum += part);
        }
        sums
    }

    /// The measures whose columns have these `means`.
    pub(crate) fn values(
        &self,
        reading: &Reading<'_>,
        servers: f64,
        means: &[f64],
        errors: &Errors,
    ) -> Vec<Bounded> {
        let measured = reading.measures.iter().zip(&self.parts);
        let values = measured.map(|(&measure, &[numerator, denominator])| {
            let (jobs, rest) = escaping(measure, reading, servers);
            let escaped = jobs * errors.escaped_jobs + rest * errors.escaped;
            let (n, n_error) = self.bounded(numerator, means, errors, escaped);
            // Denominators are 1, lambda, the warm fraction or the accepted flow, also where the chain escaped.
            let (d, d_error) =
                self.bounded(denominator, means, errors, errors.escaped * reading.arrival_rate.max(1.0));
            ratio(n, n_error, d, d_error)
        });
        values.collect()
    }

    fn bounded(&self, part: Part, means: &[f64], errors: &Errors, escaped: f64) -> (f64, f64) {
        match part {
            Part::Constant(value) => (value, 0.0),
            Part::Column(column) => {
                let mean = means[column];
                (mean, errors.mass * self.largest[column] + errors.relative * mean + escaped)
            }
        }
    }
}

/// A measure's numerator is at most `a J + b` where servers hold `J` jobs each on average: `(a, b)`.
fn escaping(measure: Measure, reading: &Reading<'_>, servers: f64) -> (f64, f64) {
    let rate = reading.arrival_rate;
    let Formula::Ratio(account, _) = measure.formula() else { return (0.0, 0.0) };
    match account {
        Account::Jobs | Account::JobsOfWarm => (1.0, 0.0),
        Account::ResponseTimes | Account::WaitingTimes => (rate * servers, rate),
        Account::Energy => (0.0, Reading::largest(reading.model, reading.power, 0)),
        Account::Arrivals
        | Account::Accepted
        | Account::Lost
        | Account::Rejected
        | Account::ColdStarts
        | Account::Responses
        | Account::Waits
        | Account::Waited => (0.0, rate),
        Account::Cold
        | Account::Initializing
        | Account::Idle
        | Account::Busy
        | Account::Warm
        | Account::On
        | Account::WarmWith(_)
        | Account::SomeWith(_)
        | Account::Overload => (0.0, 1.0),
    }
}

/// `n / d` and how far off it may be.
fn ratio(n: f64, n_error: f64, d: f64, d_error: f64) -> Bounded {
    if d <= d_error || d <= 0.0 {
        return Bounded { value: None, error_bound: f64::INFINITY };
    }
    let value = n / d;
    Bounded { value: Some(value), error_bound: (n_error + value * d_error) / (d - d_error) }
}

/// The sum of products. Four sums: additions of one wait for each other.
fn dot(values: &[f64], weights: &[f64]) -> f64 {
    let (values, last_values) = values.as_chunks::<4>();
    let (weights, last_weights) = weights.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (values, weights) in values.iter().zip(weights) {
        for (sum, (value, weight)) in sums.iter_mut().zip(values.iter().zip(weights)) {
            *sum += value * weight;
        }
    }
    let last = last_values.iter().zip(last_weights).map(|(value, weight)| value * weight);
    last.sum::<f64>() + sums.iter().sum::<f64>()
}

/// Whether a part is the same as another in every state.
fn same(blocks: &[Vec<f64>], width: usize, part: usize, other: impl Fn(&[f64]) -> f64) -> bool {
    blocks.iter().flat_map(|block| block.chunks_exact(width)).all(|row| row[part] == other(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_bounded() {
        let bounded = ratio(1.0, 0.1, 2.0, 0.2);
        let extremes = [0.9 / 2.2, 1.1 / 1.8];
        assert_eq!(bounded.value, Some(0.5));
        assert!(extremes.iter().all(|extreme| (extreme - 0.5f64).abs() <= bounded.error_bound + 1e-15));
        assert_eq!(ratio(0.0, 0.0, 0.0, 0.0).value, None);
        assert_eq!(ratio(1e-12, 1e-11, 1e-12, 1e-11).value, None);
    }
}
