//! JBT-d: a warm server with at most `d` jobs if there is one, else any, uniformly.

/// Join below threshold `d >= 0`: a warm server with at most `d` jobs if there is one, else any warm server, in
/// both cases uniformly at random. With `d = 0` this is join-the-idle-queue.
///
/// # Source
/// Equation (3): `f_i = x[i,2]/W` for `i <= d` when `W = sum_{k<=d} x[k,2] > 0`, else `x[i,2]/y_0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JoinBelowThreshold {
    d: u32,
}

impl JoinBelowThreshold {
    /// The rule with threshold `d`.
    pub const fn new(d: u32) -> Self {
        Self { d }
    }

    /// The threshold: the most jobs that a server below it holds.
    pub const fn d(self) -> u32 {
        self.d
    }

    pub(super) fn shares(self, warm: &[f64], shares: &mut Vec<f64>) {
        let below = warm.len().min(self.d as usize + 1);
        let candidates = if warm[..below].iter().any(|&level| level > 0.0) { below } else { warm.len() };
        let total: f64 = warm[..candidates].iter().sum();
        shares.clear();
        shares.resize(warm.len(), 0.0);
        if total > 0.0 {
            shares.iter_mut().zip(&warm[..candidates]).for_each(|(share, level)| *share = level / total);
        }
    }
}
