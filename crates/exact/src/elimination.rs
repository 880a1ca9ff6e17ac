//! Stationary laws by elimination without subtractions.

use crate::Generator;

/// A square matrix of rates, row by row; its diagonal is not looked at.
pub(crate) struct Rates {
    states: usize,
    rates: Vec<f64>,
}

impl Rates {
    pub(crate) fn zero(states: usize) -> Self {
        Self { states, rates: vec![0.0; states * states] }
    }

    pub(crate) fn of(generator: &Generator) -> Self {
        let mut rates = Self::zero(generator.states());
        for state in 0..generator.states() {
            generator.inflows(state).for_each(|(source, rate)| rates.add(source, state, rate));
        }
        rates
    }

    pub(crate) fn add(&mut self, from: usize, to: usize, rate: f64) {
        self.rates[from * self.states + to] += rate;
    }

    /// The stationary law of an irreducible chain with these rates; none if a state turns out to have no way back.
    ///
    /// # Source
    /// W. K. Grassmann, M. I. Taksar and D. P. Heyman, *Regenerative analysis and steady state distributions for Markov
    /// chains*, Operations Research, 1985: the last state is cut out, its flows go on to where it leads, and so on; the
    /// pivot is the sum of the rates out, never a difference.
    pub(crate) fn stationary(mut self) -> Option<Vec<f64>> {
        let states = self.states;
        let mut targets = Vec::with_capacity(states);
        for last in (1..states).rev() {
            let (above, row) = self.rates.split_at_mut(last * states);
            targets.clear();
            targets.extend((0..last).filter(|&to| row[to] > 0.0));
            let out: f64 = targets.iter().map(|&to| row[to]).sum();
            if out <= 0.0 {
                return None;
            }
            for (from, rates) in above.chunks_exact_mut(states).enumerate() {
                if rates[last] > 0.0 {
                    rates[last] /= out;
                    let visits = rates[last];
                    targets.iter().filter(|&&to| to != from).for_each(|&to| rates[to] += visits * row[to]);
                }
            }
        }
        let mut law = vec![0.0; states];
        law[0] = 1.0;
        let mut total = 1.0;
        for state in 1..states {
            law[state] = (0..state).map(|from| law[from] * self.rates[from * states + state]).sum();
            total += law[state];
        }
        law.iter_mut().for_each(|probability| *probability /= total);
        total.is_finite().then_some(law)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_states_by_hand() {
        // 0 -> 1 at 1, 1 -> 2 at 2, 2 -> 0 at 4: pi proportional to 1, 1/2, 1/4.
        let mut rates = Rates::zero(3);
        rates.add(0, 1, 1.0);
        rates.add(1, 2, 2.0);
        rates.add(2, 0, 4.0);
        let law = rates.stationary().unwrap();
        for (got, expected) in law.iter().zip([4.0 / 7.0, 2.0 / 7.0, 1.0 / 7.0]) {
            assert!((got - expected).abs() < 1e-16, "{law:?}");
        }
    }

    #[test]
    fn tiny_probabilities_are_accurate() {
        // A birth-death chain: pi_i proportional to 1e-20^i; a difference would have lost it.
        let mut rates = Rates::zero(4);
        for state in 0..3 {
            rates.add(state, state + 1, 1e-20);
            rates.add(state + 1, state, 1.0);
        }
        let law = rates.stationary().unwrap();
        assert!((law[3] / 1e-60 - 1.0).abs() < 1e-14, "{law:?}");
    }

    #[test]
    fn no_way_back_no_law() {
        let mut rates = Rates::zero(2);
        rates.add(0, 1, 1.0);
        assert_eq!(rates.stationary(), None);
        assert_eq!(Rates::zero(1).stationary(), Some(vec![1.0]));
    }
}
