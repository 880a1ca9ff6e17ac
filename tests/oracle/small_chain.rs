//! One server, a finite buffer, Blind scaling: states and generator written down by hand, solved exactly.

/// States: 0 cold, 1 initializing, 2 + i warm with i jobs.
pub(crate) struct SmallChain {
    generator: Vec<Vec<f64>>,
}

impl SmallChain {
    /// The chain with buffer `buffer`, arrival rate, `scale_up = alpha theta`, initialization and expiration rate.
    pub(crate) fn new(buffer: usize, lambda: f64, scale_up: f64, beta: f64, gamma: f64) -> Self {
        let states = buffer + 3;
        let mut generator = vec![vec![0.0; states]; states];
        let mut flow = |from: usize, to: usize, rate: f64| {
            generator[from][to] += rate;
            generator[from][from] -= rate;
        };
        flow(0, 1, scale_up);
        flow(1, 2, beta);
        flow(2, 0, gamma);
        for jobs in 0..buffer {
            flow(2 + jobs, 3 + jobs, lambda);
            flow(3 + jobs, 2 + jobs, 1.0);
        }
        Self { generator }
    }

    /// Probabilities of the states at `time` from `start`: `start exp(generator time)`.
    pub(crate) fn transient(&self, start: usize, time: f64) -> Vec<f64> {
        self.solve(start, time).0
    }

    /// The same, averaged over the times from 0 to `time`.
    pub(crate) fn average(&self, start: usize, time: f64) -> Vec<f64> {
        self.solve(start, time).1.iter().map(|integral| integral / time).collect()
    }

    /// Probabilities at `time` and their integrals up to it, by a Taylor series over steps short enough for 20 terms to
    /// reach rounding.
    fn solve(&self, start: usize, time: f64) -> (Vec<f64>, Vec<f64>) {
        let states = self.generator.len();
        let mut now = vec![0.0; states];
        now[start] = 1.0;
        let mut integral = vec![0.0; states];
        let steps = (time * 4.0).ceil().max(1.0);
        let step = time / steps;
        for _ in 0..steps as usize {
            let mut term = now.clone();
            now.fill(0.0);
            for order in 0..20 {
                for state in 0..states {
                    now[state] += term[state];
                    integral[state] += term[state] * step / f64::from(order + 1);
                }
                let through =
                    |to: usize| (0..states).map(|from| term[from] * self.generator[from][to]).sum::<f64>();
                term = (0..states).map(|to| through(to) * step / f64::from(order + 1)).collect();
            }
        }
        (now, integral)
    }
}
