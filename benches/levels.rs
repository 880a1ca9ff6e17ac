//! Figure 1's fluid model the way it is usually coded: one component a level, all levels of the buffer, and what happens
//! where the idle servers run out left to an `if`.

/// B.
pub const BUFFER: usize = 100;
/// Cold, initializing, and warm with 0 to B jobs.
pub const COMPONENTS: usize = BUFFER + 3;

const LAMBDA: f64 = 0.7;
const ALPHA: f64 = 0.05;
const BETA: f64 = 0.1;
const GAMMA: f64 = 0.025;
const THETA: f64 = 0.06;

type PerLevel = [f64; BUFFER + 1];

/// Figure 1's start: 30 % cold, the rest idle.
pub fn start() -> Vec<f64> {
    let mut x = vec![0.0; COMPONENTS];
    (x[0], x[2]) = (0.3, 0.7);
    x
}

/// Jobs per server.
pub fn jobs(x: &[f64]) -> f64 {
    x[2..].iter().zip(0u32..).map(|(share, level)| share * f64::from(level)).sum()
}

/// Dispatching rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Power-of-2, away from the boundaries.
    PowerOf2,
    /// Join the idle queue: an `if`.
    JoinIdleQueue,
}

impl Rule {
    /// Both.
    pub const ALL: [Self; 2] = [Self::PowerOf2, Self::JoinIdleQueue];

    /// In the names of benches.
    pub fn name(self) -> &'static str {
        match self {
            Self::PowerOf2 => "power_of_2",
            Self::JoinIdleQueue => "jiq",
        }
    }

    /// (4) with Blind.
    pub fn drift(self, x: &[f64], dx: &mut [f64]) {
        balance(ALPHA * THETA, x, &self.joining(&x[2..]), dx);
    }

    /// The derivative of the drift at `x` times `v`.
    pub fn jacobian_product(self, x: &[f64], v: &[f64], dv: &mut [f64]) {
        balance(0.0, v, &self.joining_derivative(&x[2..], &v[2..]), dv);
    }

    /// Jobs sent to servers with so many.
    fn joining(self, warm: &[f64]) -> PerLevel {
        let mut joining = [0.0; BUFFER + 1];
        let all: f64 = warm.iter().sum();
        match self {
            Self::PowerOf2 => {
                let scale = LAMBDA / (all * all);
                let mut tail = all;
                for (joining, share) in joining.iter_mut().zip(warm) {
                    let next = tail - share;
                    *joining = scale * (tail * tail - next * next);
                    tail = next;
                }
            }
            Self::JoinIdleQueue if warm[0] > 0.0 => joining[0] = LAMBDA,
            Self::JoinIdleQueue => {
                joining.iter_mut().zip(warm).for_each(|(joining, share)| *joining = LAMBDA * share / all);
            }
        }
        joining
    }

    /// How that changes as `warm` changes by `by`.
    fn joining_derivative(self, warm: &[f64], by: &[f64]) -> PerLevel {
        let mut change = [0.0; BUFFER + 1];
        let (all, all_by): (f64, f64) = (warm.iter().sum(), by.iter().sum());
        match self {
            Self::PowerOf2 => {
                let joining = self.joining(warm);
                let (mut tail, mut tail_by) = (all, all_by);
                for (level, change) in change.iter_mut().enumerate() {
                    let (next, next_by) = (tail - warm[level], tail_by - by[level]);
                    *change = 2.0 * LAMBDA * (tail * tail_by - next * next_by) / (all * all)
                        - 2.0 * joining[level] * all_by / all;
                    (tail, tail_by) = (next, next_by);
                }
            }
            Self::JoinIdleQueue if warm[0] > 0.0 => {}
            Self::JoinIdleQueue => {
                for (level, change) in change.iter_mut().enumerate() {
                    *change = LAMBDA * (by[level] - warm[level] * all_by / all) / all;
                }
            }
        }
        change
    }
}

/// The drift, where servers start at rate `starting` and jobs join servers with `i` jobs at rate `joining[i]`; those sent
/// to full servers are turned away.
fn balance(starting: f64, x: &[f64], joining: &PerLevel, dx: &mut [f64]) {
    let warm = &x[2..];
    dx[0] = GAMMA * warm[0] - starting;
    dx[1] = starting - BETA * x[1];
    dx[2] = warm[1] - joining[0] + BETA * x[1] - GAMMA * warm[0];
    for level in 1..BUFFER {
        dx[2 + level] = warm[level + 1] - warm[level] + joining[level - 1] - joining[level];
    }
    dx[2 + BUFFER] = joining[BUFFER - 1] - warm[BUFFER];
}
