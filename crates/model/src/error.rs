//! What can be wrong with a model.

/// A parameter, state or rule outside its range.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// A number outside its allowed range.
    #[error("{name} = {value} is not allowed: {allowed}")]
    OutOfRange {
        /// The parameter, by its name in scenario files.
        name: &'static str,
        /// The value given.
        value: f64,
        /// The allowed range, in words.
        allowed: &'static str,
    },
    /// Fractions of servers that sum to more than one.
    #[error("the fractions of initializing and warm servers sum to {sum}, which is more than 1")]
    TooManyServers {
        /// Their sum.
        sum: f64,
    },
    /// Fractions of servers that do not sum to one.
    #[error("the fractions of servers sum to {sum}, not to 1")]
    MassNotOne {
        /// Their sum.
        sum: f64,
    },
    /// Steps of an arrival profile whose times do not increase, or do not begin at 0.
    #[error("step {index} of the arrival rate begins at time {time}: times begin at 0 and increase strictly")]
    UnorderedSteps {
        /// Index of the offending step, from 0.
        index: usize,
        /// Its time.
        time: f64,
    },
    /// A join-below-threshold rule whose threshold does not fit into the buffer.
    #[error("join-below-threshold with d = {d} needs a buffer above d, but the buffer is {buffer}")]
    ThresholdAboveBuffer {
        /// The rule's threshold.
        d: u32,
        /// The buffer.
        buffer: u32,
    },
    /// An initial state with more jobs in a server than the buffer holds.
    #[error("servers with {level} jobs, but the buffer is {buffer}")]
    LevelAboveBuffer {
        /// Jobs in the fullest server.
        level: usize,
        /// The buffer.
        buffer: u32,
    },
}

/// `value` if `allows` says so, or an error naming it.
pub(crate) fn checked(
    name: &'static str,
    value: f64,
    allowed: &'static str,
    allows: impl Fn(f64) -> bool,
) -> Result<f64, ModelError> {
    if value.is_finite() && allows(value) {
        Ok(value)
    } else {
        Err(ModelError::OutOfRange { name, value, allowed })
    }
}

/// `value` if finite and not negative, or an error naming it.
pub(crate) fn nonnegative(name: &'static str, value: f64) -> Result<f64, ModelError> {
    checked(name, value, "a finite number >= 0", |v| v >= 0.0)
}
