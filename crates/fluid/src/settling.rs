//! Whether a trajectory has arrived.

/// How much slower than estimated the approach may become.
const SAFETY: f64 = 10.0;

/// Watches the speed of a trajectory: from its decay over a window of several of the system's slowest known time
/// constants follows how far there is still to go, exponential or algebraic.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settling {
    window: f64,
    since: Option<(f64, f64)>,
}

impl Settling {
    /// `slowest`: the smallest positive rate of the system.
    pub(crate) fn new(slowest: f64) -> Self {
        Self { window: (2.0 / slowest).clamp(10.0, 1e6), since: None }
    }

    /// Starts anew: the system has changed.
    pub(crate) fn restart(&mut self) {
        self.since = None;
    }

    /// Whether less than `tolerance` is left to go, for a trajectory of this speed at `time` that ends at `end`.
    pub(crate) fn arrived(&mut self, time: f64, speed: f64, end: f64, tolerance: f64) -> bool {
        let Some((start, then)) = self.since else {
            self.since = Some((time, speed));
            return false;
        };
        if time - start < self.window {
            return false;
        }
        self.since = Some((time, speed));
        let decay = (then / speed).ln() / (time - start);
        let ahead = if decay > 0.0 { (end - time).min(1.0 / decay) } else { end - time };
        speed == 0.0 || SAFETY * speed * ahead < tolerance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrival(speed: impl Fn(f64) -> f64) -> Option<f64> {
        let mut settling = Settling::new(0.1);
        (0..100_000).map(f64::from).find(|&time| settling.arrived(time, speed(time), 1e9, 1e-9))
    }

    #[test]
    fn exponential_approach_ends_when_little_is_left() {
        let time = arrival(|t| (-0.5 * t).exp()).unwrap();
        let left = 2.0 * (-0.5 * time).exp();
        assert!(left < 1e-9 && left > 1e-16, "{left}");
    }

    #[test]
    fn slow_progress_is_not_arrival() {
        assert_eq!(arrival(|_| 1e-12), None); // 1e-3 until the end
        assert_eq!(arrival(|t| 1.0 / (1.0 + t).powi(2)), None); // 1/t is left
    }

    #[test]
    fn rest_is_arrival() {
        assert!(arrival(|_| 0.0).is_some());
    }
}
