//! The exact chain as a textbook has it: states in a hash map, the generator as a list of triplets, uniformization term by
//! term, equilibrium by powers of the uniformized chain. The exact engine's yardstick.

use std::collections::HashMap;

const LAMBDA: f64 = 0.7;
const ALPHA: f64 = 0.05;
const BETA: f64 = 0.1;
const GAMMA: f64 = 0.025;
const THETA: f64 = 0.06;

/// Cold, initializing, warm with 0, 1, ... jobs.
type State = Vec<u32>;

/// Figure 1's chain, Power-of-2 and Blind, of few servers.
pub struct Textbook {
    /// In the order in which they are found; the start is the first.
    pub states: Vec<State>,
    /// From, to, rate.
    pub triplets: Vec<(usize, usize, f64)>,
    /// No state is left faster.
    pub fastest: f64,
}

impl Textbook {
    /// Everything that `cold` cold and `idle` idle servers lead to, `buffer` jobs a server at most.
    pub fn new(cold: u32, idle: u32, buffer: usize) -> Self {
        let mut start = vec![0; buffer + 3];
        (start[0], start[2]) = (cold, idle);
        let mut index = HashMap::from([(start.clone(), 0)]);
        let (mut states, mut triplets, mut fastest, mut from) = (vec![start], vec![], 0.0f64, 0);
        while from < states.len() {
            let mut exit = 0.0;
            for (state, rate) in jumps(&states[from]) {
                let next = index.len();
                let to = *index.entry(state.clone()).or_insert(next);
                if to == next {
                    states.push(state);
                }
                triplets.push((from, to, rate));
                exit += rate;
            }
            fastest = fastest.max(exit);
            from += 1;
        }
        Self { states, triplets, fastest }
    }

    /// Probabilities one step of the chain, uniformized at `rate`, later.
    fn step(&self, now: &[f64], rate: f64) -> Vec<f64> {
        let mut next = now.to_vec();
        for &(from, to, jump) in &self.triplets {
            let flow = now[from] * jump / rate;
            next[from] -= flow;
            next[to] += flow;
        }
        next
    }

    /// Probabilities at `time`, to about 1e-10.
    pub fn transient(&self, time: f64) -> Vec<f64> {
        let mean = self.fastest * time;
        let mut now = vec![0.0; self.states.len()];
        now[0] = 1.0;
        let mut sum = vec![0.0; self.states.len()];
        let (mut steps, mut logarithm, mut left) = (0u32, -mean, 1.0);
        loop {
            let weight = logarithm.exp();
            sum.iter_mut().zip(&now).for_each(|(sum, now)| *sum += weight * now);
            left -= weight;
            if left < 1e-11 {
                return sum;
            }
            now = self.step(&now, self.fastest);
            steps += 1;
            logarithm += (mean / f64::from(steps)).ln();
        }
    }

    /// Probabilities in equilibrium: steps until `change` is all that one changes, in sum.
    pub fn stationary(&self, change: f64) -> Vec<f64> {
        let rate = self.fastest * 1.01; // no cycles
        let mut now = vec![1.0 / self.states.len() as f64; self.states.len()];
        loop {
            let next = self.step(&now, rate);
            let changed: f64 = next.iter().zip(&now).map(|(next, now)| (next - now).abs()).sum();
            now = next;
            if changed < change {
                return now;
            }
        }
    }

    /// Expected jobs per server.
    pub fn jobs(&self, probabilities: &[f64]) -> f64 {
        let servers = f64::from(self.states[0].iter().sum::<u32>());
        let jobs = |state: &State| -> f64 {
            state[2..].iter().zip(0u32..).map(|(&count, level)| f64::from(count * level)).sum()
        };
        self.states.iter().zip(probabilities).map(|(state, p)| p * jobs(state)).sum::<f64>() / servers
    }
}

/// Where `state` goes, and how fast.
fn jumps(state: &State) -> Vec<(State, f64)> {
    let servers = f64::from(state.iter().sum::<u32>());
    let warm = f64::from(state[2..].iter().sum::<u32>());
    let mut found = vec![];
    let mut jump = |from: usize, to: usize, rate: f64| {
        if rate > 0.0 {
            let mut next = state.clone();
            next[from] -= 1;
            next[to] += 1;
            found.push((next, rate));
        }
    };
    let mut tail = warm;
    for place in 2..state.len() {
        let count = f64::from(state[place]);
        let next = tail - count;
        if place + 1 < state.len() && warm > 0.0 {
            jump(place, place + 1, LAMBDA * servers * (tail * tail - next * next) / (warm * warm));
        }
        if place > 2 {
            jump(place, place - 1, count);
        }
        tail = next;
    }
    let start = if state[0] > 0 { ALPHA * THETA * servers } else { 0.0 };
    jump(0, 1, start);
    jump(1, 2, BETA * f64::from(state[1]));
    jump(2, 0, GAMMA * f64::from(state[2]));
    found
}
