//! How large a chain, and how large an error.

use crate::ExactError;

/// How many states a chain may have, and how large an error is allowed.
///
/// ```
/// use alba_exact::Limits;
///
/// assert_eq!(Limits::default().error(), 1e-10);
/// assert!(Limits::new(1000, 0.0).is_err());
/// # Ok::<(), alba_exact::ExactError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    states: usize,
    error: f64,
}

impl Limits {
    /// About 300 bytes a state: 5 million take 1.5 GB, two to three while they are built.
    const STATES: usize = 5_000_000;
    /// Numbers held for all states together, 2 GiB: with many places or measures, fewer states are allowed.
    const NUMBERS: usize = 1 << 28;

    /// At most `states >= 1` states; an error of a value of at most `error`, above 0 and below 1, from leaving things
    /// out (rounding comes on top, and is part of what is reported).
    ///
    /// # Errors
    /// [`ExactError::Limits`] for either.
    pub fn new(states: usize, error: f64) -> Result<Self, ExactError> {
        if states == 0 || !(error > 0.0 && error < 1.0) {
            return Err(ExactError::Limits { states, error });
        }
        Ok(Self { states, error })
    }

    /// The most states.
    pub fn states(&self) -> usize {
        self.states
    }

    /// The largest error of a value.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// The most states if each takes `numbers` numbers.
    pub(crate) fn states_of(&self, numbers: usize) -> usize {
        self.states.min(Self::NUMBERS / numbers.max(1)).max(1)
    }

    /// The same with room for `numbers` numbers a state.
    pub(crate) fn with_room_for(&self, numbers: usize) -> Self {
        Self { states: self.states_of(numbers), ..*self }
    }
}

impl Default for Limits {
    /// 5 million states, an error of 1e-10.
    fn default() -> Self {
        Self { states: Self::STATES, error: 1e-10 }
    }
}
