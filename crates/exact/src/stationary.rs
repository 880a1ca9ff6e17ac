//! Expectations in equilibrium.

use alba_ctmc::CtmcError;
use alba_model::{Counts, ErlangMixture, Measure, Model, Parts, PowerDraw, Scheme};
use rayon::prelude::*;
use std::collections::HashMap;

use crate::ExactError;
use crate::elimination::Rates;
use crate::iteration::{self, Groups};
use crate::readout::Reading;
use crate::rows::BLOCK;
use crate::{Cut, Generator, Limits, Method, StateSpace, Stationary, classes, cut};

/// Up to here elimination is faster, and it is more accurate.
const MOST_ELIMINATED: usize = 2000;

/// Groups of an aggregation: their elimination takes no longer than a sweep.
const MOST_GROUPS: usize = 400;

/// Expectations of `measures` in equilibrium, each of them a ratio of expectations, and the response times. Where states
/// are left for ever, those that are not. Values are in the order of `measures`. An infinite buffer is cut, see [`Cut`];
/// what is beyond is estimated from the highest levels, as if it went on geometrically.
///
/// # Errors
/// [`CtmcError::NoStationaryLaw`] if the arrival rate changes with time, [`ExactError::SeveralClosedClasses`] if
/// equilibrium depends on chance, [`ExactError::TooManyStates`] above the limit, [`ExactError::NoCut`] for queues too long
/// for any cut that fits, [`ExactError::NotConverged`].
///
/// ```
/// use alba_exact::{Limits, stationary};
/// use alba_model::*;
///
/// let scheme = Scheme::asynchronous(Dispatch::JOIN_IDLE_QUEUE, ScalingRule::blind(0.4)?);
/// let rates = Rates::new(0.5, 0.1, 0.025)?;
/// let model = Model::new(ArrivalProfile::constant(0.7)?, rates, Buffer::finite(5)?, scheme)?;
/// let start = Counts { cold: 1, initializing: 0, warm: vec![], waiting: 0 };
/// let limits = Limits::default();
/// let outcome = stationary(&model, &start, &[Measure::Idle], &PowerDraw::default(), &limits)?;
/// let levels: f64 = (0..=5).map(|jobs| 0.7f64.powi(jobs)).sum();
/// let idle = 1.0 / (0.025 / 0.2 + 0.025 / 0.1 + levels); // one server, in closed form
/// assert!((outcome.values[0].unwrap() - idle).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn stationary(
    model: &Model,
    initial: &Counts,
    measures: &[Measure],
    power: &PowerDraw,
    limits: &Limits,
) -> Result<Stationary, ExactError> {
    match model.buffer().limit() {
        Some(_) => solve(model, model, initial, measures, power, limits),
        None => cut::double(
            (model, initial),
            limits,
            |cut_model| solve(model, cut_model, initial, measures, power, limits),
            |outcome| outcome.cut,
        ),
    }
}

/// The same where the chain is that of `cut`, which may cut the buffer of `model`.
pub(crate) fn solve(
    model: &Model,
    cut: &Model,
    initial: &Counts,
    measures: &[Measure],
    power: &PowerDraw,
    limits: &Limits,
) -> Result<Stationary, ExactError> {
    let arrival_rate = only_rate(model)?;
    let (space, generator) = StateSpace::with_generator(cut, initial, limits)?;
    let (class, law) = law(&space, &generator)?;
    let reading = Reading { model, measures, power, arrival_rate };
    let sums = Sums::new(&space, &class, &law.probabilities, &reading)?;
    let is_cut = cut.buffer() != model.buffer();
    Ok(Stationary {
        arrival_rate,
        values: sums.parts.iter().map(|parts| parts.value()).collect(),
        response_time: ErlangMixture::new(&sums.found).filter(|_| model.scheme() != Scheme::CentralQueue),
        states: space.len(),
        recurrent_states: class.len(),
        residual: law.residual,
        method: law.method,
        cut: is_cut.then(|| estimate_beyond(&sums.levels)),
    })
}

fn only_rate(model: &Model) -> Result<f64, ExactError> {
    let mut rates: Vec<f64> = model.arrivals().segments(f64::INFINITY).map(|segment| segment.rate).collect();
    rates.dedup();
    match rates[..] {
        [rate] => Ok(rate),
        _ => Err(CtmcError::NoStationaryLaw { steps: rates.len().saturating_sub(1) }.into()),
    }
}

/// The probabilities of recurrent states.
struct Law {
    probabilities: Vec<f64>,
    residual: f64,
    method: Method,
}

/// The recurrent states and their law.
fn law(space: &StateSpace, generator: &Generator) -> Result<(Vec<u32>, Law), ExactError> {
    let mut classes = classes::closed(generator);
    let class = match classes.len() {
        1 => classes.swap_remove(0),
        count => return Err(ExactError::SeveralClosedClasses { classes: count }),
    };
    let restricted;
    let generator = if class.len() == generator.states() {
        generator
    } else {
        restricted = generator.restricted(&class);
        &restricted
    };
    let law =
        if class.len() <= MOST_ELIMINATED { eliminate(generator) } else { iterate(space, &class, generator) };
    law.map(|law| (class, law))
}

fn eliminate(generator: &Generator) -> Result<Law, ExactError> {
    let probabilities = Rates::of(generator).stationary().ok_or(ExactError::Unbalanced)?;
    let residual = iteration::residual(generator, &probabilities);
    Ok(Law { probabilities, residual, method: Method::Elimination })
}

fn iterate(space: &StateSpace, class: &[u32], generator: &Generator) -> Result<Law, ExactError> {
    let law = iteration::stationary(generator, &by_servers(space, class))?;
    let method = Method::Iteration { cycles: law.cycles };
    Ok(Law { probabilities: law.probabilities, residual: law.residual, method })
}

/// By what changes slowly, servers started and starting, while jobs come and go; coarser where that makes too many
/// groups.
fn by_servers(space: &StateSpace, class: &[u32]) -> Groups {
    let mut coarse = 1;
    loop {
        let groups = grouped(space, class, |state| (state.cold / coarse, state.initializing / coarse));
        if groups.count <= MOST_GROUPS {
            return groups;
        }
        coarse *= 2;
    }
}

fn grouped(space: &StateSpace, class: &[u32], key: impl Fn(&Counts) -> (u64, u64)) -> Groups {
    let mut numbers = HashMap::new();
    let mut state = Counts::default();
    let mut of = Vec::with_capacity(class.len());
    for &index in class {
        space.read(index as usize, &mut state);
        let next = numbers.len() as u32;
        of.push(*numbers.entry(key(&state)).or_insert(next));
    }
    Groups { of, count: numbers.len() }
}

/// Expectations.
#[derive(Clone)]
struct Sums {
    parts: Vec<Parts>,
    /// Rate of accepted jobs that find so many jobs.
    found: Vec<f64>,
    /// Fraction of servers that are warm with so many jobs; under a central queue, the probability of so many jobs per server.
    levels: Vec<f64>,
}

impl Sums {
    fn new(
        space: &StateSpace,
        class: &[u32],
        probabilities: &[f64],
        reading: &Reading<'_>,
    ) -> Result<Self, ExactError> {
        let levels = space.model().buffer().limit().unwrap_or(0) as usize + 1;
        let parts = vec![Parts { numerator: 0.0, denominator: 0.0 }; reading.measures.len()];
        let none = Self { parts, found: vec![0.0; levels], levels: vec![0.0; levels] };
        let blocks = class.par_chunks(BLOCK).zip(probabilities.par_chunks(BLOCK));
        let blocks = blocks.map(|(states, weights)| {
            let mut sums = none.clone();
            let mut state = Counts::default();
            for (&index, &weight) in states.iter().zip(weights) {
                space.read(index as usize, &mut state);
                sums.add_state(&state, weight, reading)?;
            }
            Ok(sums)
        });
        let mut total = none.clone();
        for block in blocks.collect::<Result<Vec<_>, ExactError>>()? {
            total.add(&block);
        }
        Ok(total)
    }

    fn add_state(&mut self, state: &Counts, weight: f64, reading: &Reading<'_>) -> Result<(), ExactError> {
        let snapshot = reading.snapshot(state)?;
        let ledger = snapshot.in_equilibrium_with(reading.power);
        for (sum, measure) in self.parts.iter_mut().zip(reading.measures) {
            let parts = measure.parts(&ledger);
            sum.numerator += weight * parts.numerator;
            sum.denominator += weight * parts.denominator;
        }
        add_scaled(&mut self.found, weight, &snapshot.inflow.levels);
        match snapshot.inflow.queued {
            None => add_scaled(&mut self.levels, weight, snapshot.state.levels()),
            // Jobs per server, rounded up.
            Some(_) => self.levels[state.jobs().div_ceil(state.servers()) as usize] += weight,
        }
        Ok(())
    }

    fn add(&mut self, other: &Self) {
        for (sum, more) in self.parts.iter_mut().zip(&other.parts) {
            sum.numerator += more.numerator;
            sum.denominator += more.denominator;
        }
        add_scaled(&mut self.found, 1.0, &other.found);
        add_scaled(&mut self.levels, 1.0, &other.levels);
    }
}

fn add_scaled(sums: &mut [f64], scale: f64, terms: &[f64]) {
    sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += scale * term);
}

/// What would be beyond the highest level, had levels gone on to fall as they do on average from the middle one to the
/// last but one (over single levels, rounding shows; the last itself is where rejections do).
fn estimate_beyond(levels: &[f64]) -> Cut {
    let last = levels.len() - 1;
    let cut = |probability, jobs| Cut { levels: last as u32, probability, jobs };
    let (middle, end) = (last / 2, last.saturating_sub(1));
    if levels[last] == 0.0 || end <= middle {
        return cut(levels[last], levels[last] * last as f64);
    }
    let ratio = (levels[end] / levels[middle]).powf(((end - middle) as f64).recip());
    if ratio.is_nan() || ratio >= 1.0 {
        return cut(f64::INFINITY, f64::INFINITY);
    }
    let beyond = levels[last] * ratio / (1.0 - ratio);
    cut(beyond, beyond * (last as f64 + 1.0 / (1.0 - ratio)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alba_model::{ArrivalProfile, Buffer, Rates as LifeCycle, Scheme};

    /// Elimination and sweeps, every scheme, on the states that are never left: 286 or 1001, and without scaling one.
    #[test]
    fn both_methods_agree() {
        let mut compared = 0;
        for scheme in Scheme::catalogue().unwrap() {
            let rates = LifeCycle::new(0.5, 0.1, 0.025).unwrap();
            let arrivals = ArrivalProfile::constant(0.7).unwrap();
            let model = Model::new(arrivals, rates, Buffer::finite(8).unwrap(), scheme).unwrap();
            let start = Counts { cold: 0, initializing: 0, warm: vec![4], waiting: 0 };
            let space = StateSpace::new(&model, &start, &Limits::default()).unwrap();
            let generator = space.generator(0.7).unwrap();
            let class = classes::closed(&generator).swap_remove(0);
            if class.len() == 1 {
                continue;
            }
            assert!([286, 1001].contains(&class.len()), "{scheme}: {}", class.len());
            let generator = generator.restricted(&class);
            let eliminated = eliminate(&generator).unwrap();
            let iterated = iterate(&space, &class, &generator).unwrap();
            assert!(eliminated.residual < 1e-14 && iterated.residual <= 1e-14);
            for (a, b) in eliminated.probabilities.iter().zip(&iterated.probabilities) {
                assert!((a - b).abs() < 1e-12, "{scheme}: {a}, {b}");
            }
            compared += 1;
        }
        assert_eq!(compared, 32);
    }

    #[test]
    fn a_geometric_tail_is_estimated_exactly() {
        let levels: Vec<f64> = (0..8).map(|level| 0.5 * 0.5f64.powi(level)).collect();
        let cut = estimate_beyond(&levels);
        assert!((cut.probability - 0.5f64.powi(8)).abs() < 1e-15);
        let jobs: f64 = (8..200).map(|level| f64::from(level) * 0.5f64.powi(level + 1)).sum();
        assert!((cut.jobs - jobs).abs() < 1e-15);
        assert_eq!(estimate_beyond(&[0.1, 0.2, 0.3, 0.4]).probability, f64::INFINITY);
    }
}
