//! JBT-d: a warm server with at most `d` jobs if there is one, else any, uniformly.

use super::PowerOfD;
use crate::Dispatch;
use crate::named::{Kind, Parameter, Values};

/// Join below threshold `d >= 0`: a warm server with at most `d` jobs if there is one, else any warm server, in
/// both cases uniformly at random. With `d = 0` this is join-the-idle-queue.
///
/// # Source
/// Equation (3): `f_i = x[i,2]/W` for `i <= d` when `W = sum_{k<=d} x[k,2] > 0`, else `x[i,2]/y_0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JoinBelowThreshold {
    d: u32,
    /// What decides where no server is at or below the threshold: Power-of-1, any server, but under TABS-d.
    otherwise: PowerOfD,
}

impl JoinBelowThreshold {
    pub(super) const KIND: Kind<Dispatch> = Kind {
        name: "join-below-threshold",
        parameters: &[Parameter {
            name: "d",
            values: Values::Whole { least: 0, most: 1_000_000 },
            default: None,
        }],
        build: |values| Ok(Dispatch::join_below_threshold(values[0] as u32)),
    };

    /// With threshold 0.
    pub(super) const IDLE: Kind<Dispatch> = Kind::bare("join-idle-queue", |_| Ok(Dispatch::JOIN_IDLE_QUEUE));

    /// The rule with threshold `d`.
    pub const fn new(d: u32) -> Self {
        Self { d, otherwise: PowerOfD::ANY }
    }

    /// An idle server if there is one, else one by `otherwise`: what TABS-d does.
    pub(crate) const fn idle_or(otherwise: PowerOfD) -> Self {
        Self { d: 0, otherwise }
    }

    /// The threshold: the most jobs that a server below it holds.
    pub const fn d(self) -> u32 {
        self.d
    }

    /// Which warm server a job joins where none is at or below the threshold; Power-of-1 is any.
    pub const fn otherwise(self) -> PowerOfD {
        self.otherwise
    }

    pub(super) fn kind(self) -> &'static Kind<Dispatch> {
        if self.d > 0 { &Self::KIND } else { &Self::IDLE }
    }

    pub(super) fn values(self) -> Vec<f64> {
        if self.d > 0 { vec![f64::from(self.d)] } else { vec![] }
    }

    pub(super) fn shares(self, warm: &[f64], shares: &mut Vec<f64>) {
        let below = warm.len().min(self.d as usize + 1);
        let pool: f64 = warm[..below].iter().sum();
        if pool <= 0.0 {
            return self.otherwise.shares(warm, shares);
        }
        shares.clear();
        shares.resize(warm.len(), 0.0);
        shares.iter_mut().zip(&warm[..below]).for_each(|(share, level)| *share = level / pool);
    }
}

impl std::fmt::Display for JoinBelowThreshold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.d, self.otherwise.d()) {
            (0, 1) => f.write_str("JIQ"),
            (0, choices) => write!(f, "JIQ-{choices}"),
            (d, _) => write!(f, "JBT-{d}"),
        }
    }
}
