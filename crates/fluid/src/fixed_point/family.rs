//! Continua of fixed points.

use alba_model::Occupancy;

/// A continuum of fixed points without idle servers under JBT-d: one for every `x[d+1,2]` in a range.
///
/// # Source
/// (15) with `x02 = 0`; (20) under JIQ.
#[derive(Debug, Clone, PartialEq)]
pub struct Family {
    /// `d + 1`: all warm servers hold at least so many jobs.
    pub lowest_level: usize,
    /// The range of `x[d+1,2]`, open at the lower end where that is 0.
    pub range: (f64, f64),
    /// The member in the middle of the range.
    pub example: Occupancy,
}
