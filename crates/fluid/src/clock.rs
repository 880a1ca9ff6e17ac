//! Time as an error-free sum: after 10^4 service times a step of 10^-13 must not be lost in rounding.

/// The time since the start, in two parts.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Clock {
    time: f64,
    /// What is left over, less than the rounding of the first part.
    rest: f64,
}

impl Clock {
    /// To the nearest number.
    pub(crate) fn time(&self) -> f64 {
        self.time
    }

    /// From now to `time`; exact to the rounding of the result where that is close.
    pub(crate) fn left(&self, time: f64) -> f64 {
        (time - self.time) - self.rest
    }

    /// Goes on by `length`.
    pub(crate) fn pass(&mut self, length: f64) {
        let step = self.rest + length;
        let time = self.time + step;
        self.rest = step - (time - self.time);
        self.time = time;
    }

    /// Sets it to exactly `time`.
    pub(crate) fn set(&mut self, time: f64) {
        *self = Self { time, rest: 0.0 };
    }
}

#[cfg(test)]
mod tests {
    use super::Clock;

    #[test]
    fn steps_below_rounding_add_up() {
        let mut clock = Clock::default();
        clock.set(1e4);
        for _ in 0..1000 {
            clock.pass(1e-16);
        }
        assert!((clock.left(1e4) + 1e-13).abs() < 1e-20, "{:e}", clock.left(1e4));
    }
}
