//! Figure 1's fluid model the way it is usually coded: one component a level, all levels of the buffer.

/// B.
pub const BUFFER: usize = 100;
/// Cold, initializing, and warm with 0 to B jobs.
pub const COMPONENTS: usize = BUFFER + 3;

const LAMBDA: f64 = 0.7;
const ALPHA: f64 = 0.05;
const BETA: f64 = 0.1;
const GAMMA: f64 = 0.025;
const THETA: f64 = 0.06;

/// Figure 1's start: 30 % cold, the rest idle.
pub fn start() -> Vec<f64> {
    let mut x = vec![0.0; COMPONENTS];
    (x[0], x[2]) = (0.3, 0.7);
    x
}

/// (4) under Power-of-2 and Blind, away from the boundaries.
pub fn drift(x: &[f64], dx: &mut [f64]) {
    let warm = &x[2..];
    let y0: f64 = warm.iter().sum();
    dx[0] = GAMMA * warm[0] - ALPHA * THETA;
    dx[1] = ALPHA * THETA - BETA * x[1];
    let mut tail = y0;
    let mut joining = 0.0; // h_{i-1}
    for i in 0..=BUFFER {
        let next = tail - warm[i];
        let leaving = if i < BUFFER { LAMBDA * (tail * tail - next * next) / (y0 * y0) } else { 0.0 };
        let finishing = if i < BUFFER { warm[i + 1] } else { 0.0 };
        let own = if i > 0 { warm[i] } else { 0.0 };
        dx[2 + i] = finishing - own + joining - leaving;
        joining = leaving;
        tail = next;
    }
    dx[2] += BETA * x[1] - GAMMA * warm[0];
}
