//! The generator of a chain, sparse, by the state that is entered.

use rayon::prelude::*;

use crate::ExactError;
use crate::StateSpace;
use crate::numbering::Numbered;
use crate::rows::{BLOCK, Block, Rows};

/// The rates between the states of a [`StateSpace`] at one arrival rate.
///
/// Held by columns of the generator, that is, by the state that is entered, since a distribution (a row vector) is
/// multiplied from the left: every entry of the product is a sum of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Generator {
    /// Where the flows into each state begin in `sources` and `rates`; one more than there are states.
    first: Vec<usize>,
    sources: Vec<u32>,
    rates: Vec<f64>,
    /// Rate out of each state.
    exit: Vec<f64>,
}

/// Up to so many states one thread is faster: others take longer to wake up than a product takes.
pub(crate) const ALONE: usize = 16 * BLOCK;

impl Generator {
    pub(crate) fn of_space(space: &StateSpace, arrival_rate: f64) -> Result<Self, ExactError> {
        let begins: Vec<usize> = (0..space.len()).step_by(BLOCK).collect();
        let blocks = begins.into_par_iter().map(|begin| {
            let end = (begin + BLOCK).min(space.len());
            jumps(space, begin..end, arrival_rate)
        });
        Ok(Self::new(&Rows::new(blocks.collect::<Result<_, _>>()?), 0..space.len()))
    }

    /// Of states whose jumps are in `rows`, in this `order`.
    pub(crate) fn new(rows: &Rows, order: impl ExactSizeIterator<Item = usize>) -> Self {
        let states = order.len();
        // Where the flows into a state begin is where the next flow into the state before it goes, when all are there.
        let mut first = vec![0; states + 2];
        for target in rows.targets() {
            first[target as usize + 2] += 1;
        }
        for state in 0..states {
            first[state + 2] += first[state + 1];
        }
        let mut sources = vec![0; first[states + 1]];
        let mut rates = vec![0.0; sources.len()];
        let mut exit = Vec::with_capacity(states);
        for (source, row) in (0..).zip(order) {
            let (targets, row) = rows.row(row);
            for (&target, &rate) in targets.iter().zip(row) {
                let slot = &mut first[target as usize + 1];
                sources[*slot] = source;
                rates[*slot] = rate;
                *slot += 1;
            }
            exit.push(compensated_sum(row));
        }
        first.pop();
        Self { first, sources, rates, exit }
    }

    /// The number of states.
    pub fn states(&self) -> usize {
        self.exit.len()
    }

    /// The number of jumps between different states.
    pub fn jumps(&self) -> usize {
        self.rates.len()
    }

    /// The rate out of `state`, >= 0, per mean service time.
    pub fn exit_rate(&self, state: usize) -> f64 {
        self.exit[state]
    }

    /// The largest rate out of a state.
    pub fn largest_exit_rate(&self) -> f64 {
        self.exit.iter().copied().fold(0.0, f64::max)
    }

    /// The states from which `state` is entered, each with its rate > 0, per mean service time.
    pub fn inflows(&self, state: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.first[state]..self.first[state + 1];
        let sources = self.sources[range.clone()].iter().map(|&source| source as usize);
        sources.zip(self.rates[range].iter().copied())
    }

    /// The state of the inflow number `index` into `state`, if there are as many.
    pub(crate) fn source(&self, state: usize, index: usize) -> Option<usize> {
        self.sources[self.first[state]..self.first[state + 1]].get(index).map(|&source| source as usize)
    }

    /// The most states from which one is entered.
    pub(crate) fn most_inflows(&self) -> usize {
        self.first.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
    }

    /// The rate at which `state` is entered under `weights`.
    #[inline(always)]
    pub(crate) fn inflow(&self, state: usize, weights: &[f64]) -> f64 {
        let range = self.first[state]..self.first[state + 1];
        // Two sums: additions of one wait for each other.
        let (sources, last_source) = self.sources[range.clone()].as_chunks::<2>();
        let (rates, last_rate) = self.rates[range].as_chunks::<2>();
        let mut sums = [0.0; 2];
        for (source, rate) in sources.iter().zip(rates) {
            sums[0] += weights[source[0] as usize] * rate[0];
            sums[1] += weights[source[1] as usize] * rate[1];
        }
        if let (Some(&source), Some(rate)) = (last_source.first(), last_rate.first()) {
            sums[0] += weights[source as usize] * rate;
        }
        sums[0] + sums[1]
    }

    /// One step of the chain in which every state jumps at rate `uniform`, some to themselves:
    /// `next = now (I + Q / uniform)`. Returns `|next - now|`, summed.
    pub(crate) fn step(&self, uniform: f64, now: &[f64], next: &mut [f64]) -> f64 {
        let scale = uniform.recip();
        let block = |(index, block): (usize, &mut [f64])| {
            let mut change = 0.0;
            for (state, next) in (index * BLOCK..).zip(block) {
                let stay = 1.0 - self.exit[state] * scale;
                *next = now[state] * stay + self.inflow(state, now) * scale;
                change += (*next - now[state]).abs();
            }
            change
        };
        if next.len() <= ALONE {
            return next.chunks_mut(BLOCK).enumerate().map(block).sum();
        }
        let changes: Vec<f64> = next.par_chunks_mut(BLOCK).enumerate().map(block).collect();
        changes.iter().sum()
    }

    /// The same rates among `states` only, which are increasing and closed: nothing leaves them.
    pub(crate) fn restricted(&self, states: &[u32]) -> Self {
        let mut number = vec![u32::MAX; self.states()];
        for (index, &state) in (0..).zip(states) {
            number[state as usize] = index;
        }
        let (mut first, mut sources, mut rates) = (vec![0], vec![], vec![]);
        for &state in states {
            for (source, rate) in self.inflows(state as usize) {
                if number[source] != u32::MAX {
                    sources.push(number[source]);
                    rates.push(rate);
                }
            }
            first.push(sources.len());
        }
        let exit = states.iter().map(|&state| self.exit[state as usize]).collect();
        Self { first, sources, rates, exit }
    }
}

fn jumps(space: &StateSpace, states: std::ops::Range<usize>, arrival_rate: f64) -> Result<Block, ExactError> {
    let mut jumps = Block::default();
    let mut state = Numbered::default();
    let mut outside = false;
    for index in states {
        space.for_each_jump(index, arrival_rate, &mut state, &mut |target, rate| match target {
            Some(target) => jumps.push(target as u32, rate),
            None => outside = true,
        })?;
        jumps.end();
    }
    if outside { Err(ExactError::UnreachedState { arrival_rate }) } else { Ok(jumps) }
}

/// Neumaier's sum: `1 - exit / uniform` would multiply its rounding error.
fn compensated_sum(terms: &[f64]) -> f64 {
    let (mut sum, mut lost) = (0.0f64, 0.0);
    for &term in terms {
        let next = sum + term;
        lost += if sum.abs() >= term.abs() { (sum - next) + term } else { (term - next) + sum };
        sum = next;
    }
    sum + lost
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use alba_model::{ArrivalProfile, Buffer, Counts, Model, Place, Rates, Scheme};
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn space(scheme: Scheme, lambda: f64, buffer: u32, start: &Counts) -> StateSpace {
        let rates = Rates::new(0.5, 0.1, 0.025).unwrap();
        let buffer = Buffer::finite(buffer).unwrap();
        let model = Model::new(ArrivalProfile::constant(lambda).unwrap(), rates, buffer, scheme).unwrap();
        StateSpace::new(&model, start, &Limits::default()).unwrap()
    }

    /// Rates out of `state` by the state entered, straight from the model's list.
    fn jumps_of(model: &Model, state: &Counts, lambda: f64) -> HashMap<Counts, f64> {
        let mut jumps = HashMap::new();
        let servers = state.servers() as f64;
        model.for_each_transition(&state.occupancy().unwrap(), lambda, &mut |transition| {
            let mut after = state.clone();
            for moved in transition.moves.iter().flatten() {
                for (place, change) in [(moved.from, -1), (moved.to, 1)] {
                    let count = match place {
                        Place::Cold => &mut after.cold,
                        Place::Initializing => &mut after.initializing,
                        Place::Warm(level) => &mut after.warm[level],
                    };
                    *count = count.checked_add_signed(change).unwrap();
                }
            }
            if after != *state {
                *jumps.entry(after).or_insert(0.0) += transition.rate * servers;
            }
        });
        jumps
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(6))]
        #[test]
        fn rates_are_those_of_the_model(
            lambda in prop_oneof![Just(0.0), 0.1f64..1.5],
            buffer in 3u32..5,
            counts in (0u64..3, 0u64..2, 1u64..3),
        ) {
            let (cold, initializing, full) = counts;
            let mut warm = vec![0; buffer as usize];
            warm.push(full);
            let start = Counts { cold, initializing, warm, waiting: 0 };
            for scheme in Scheme::catalogue().unwrap() {
                let space = space(scheme, lambda, buffer, &start);
                let generator = space.generator(lambda).unwrap();
                let mut out = vec![0.0; space.len()];
                let mut rates = HashMap::new();
                for target in 0..space.len() {
                    for (source, rate) in generator.inflows(target) {
                        prop_assert!(rate > 0.0 && source != target);
                        out[source] += rate;
                        prop_assert_eq!(rates.insert((source, target), rate), None);
                    }
                }
                for (state, out) in out.iter().enumerate() {
                    // Rows of the generator sum to zero.
                    prop_assert!((out - generator.exit_rate(state)).abs() < 1e-13);
                    let expected = jumps_of(space.model(), &space.state(state), lambda);
                    for (after, rate) in &expected {
                        let target = space.find(after).unwrap();
                        prop_assert!((rates[&(state, target)] - rate).abs() < 1e-14, "{}", scheme);
                    }
                    let jumps = rates.keys().filter(|(source, _)| *source == state).count();
                    prop_assert_eq!(jumps, expected.len());
                }
                // Every state but the start is entered: none was listed in vain.
                prop_assert!((0..space.len()).all(|state| state == space.start() || generator.inflows(state).next().is_some()));
            }
        }
    }

    #[test]
    fn a_step_keeps_the_sum() {
        let start = Counts { cold: 2, initializing: 0, warm: vec![2], waiting: 0 };
        let space = space(Scheme::catalogue().unwrap()[0], 0.7, 4, &start);
        let generator = space.generator(0.7).unwrap();
        let mut now = vec![0.0; space.len()];
        let mut next = now.clone();
        now[space.start()] = 1.0;
        for _ in 0..100 {
            let change = generator.step(generator.largest_exit_rate(), &now, &mut next);
            assert!(change > 0.0 && next.iter().all(|&p| p >= 0.0));
            std::mem::swap(&mut now, &mut next);
            assert!((now.iter().sum::<f64>() - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn other_arrival_rates_may_lead_elsewhere() {
        let start = Counts { cold: 0, initializing: 0, warm: vec![1], waiting: 0 };
        let space = space(Scheme::catalogue().unwrap()[0], 0.0, 4, &start);
        assert_eq!(space.generator(0.5), Err(ExactError::UnreachedState { arrival_rate: 0.5 }));
    }
}
