//! Until when a simulation may take.

use std::time::{Duration, Instant};

/// A time on the clock after which a simulation is given up. It changes no number, only whether there are any.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Deadline(Option<Instant>);

/// Time is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("time is up")]
pub struct OutOfTime;

impl Deadline {
    /// None at all.
    pub const NONE: Self = Self(None);

    /// So much later than now; none where the clock does not go so far.
    pub fn after(time: Duration) -> Self {
        Self(Instant::now().checked_add(time))
    }

    /// Whether there is one.
    pub fn is_some(self) -> bool {
        self.0.is_some()
    }

    /// # Errors
    /// [`OutOfTime`] from then on.
    pub fn check(self) -> Result<(), OutOfTime> {
        match self.0 {
            Some(end) if Instant::now() >= end => Err(OutOfTime),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_up_afterwards() {
        assert_eq!(Deadline::after(Duration::ZERO).check(), Err(OutOfTime));
        assert_eq!(Deadline::after(Duration::from_secs(1 << 20)).check(), Ok(()));
        assert_eq!(Deadline::after(Duration::MAX), Deadline::NONE);
        assert_eq!(Deadline::NONE.check(), Ok(()));
    }
}
