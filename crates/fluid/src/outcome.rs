//! What came back.

use crate::Regime;
use alba_model::Snapshot;

/// A trajectory and how it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The state at every time of the problem's grid.
    pub snapshots: Vec<Snapshot>,
    /// Changes of regime, in order of time.
    pub switches: Vec<Switch>,
    /// What it took.
    pub statistics: Statistics,
    /// Why it ended.
    pub stop: Stop,
}

/// The trajectory passes from one regime to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Switch {
    /// When, in mean service times.
    pub time: f64,
    /// Before.
    pub from: Regime,
    /// After.
    pub to: Regime,
    /// What gave rise to it.
    pub guard: Guard,
}

/// A condition whose change ends a regime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// The last cold server starts: `x00` reaches 0.
    ColdPoolEmpties,
    /// More servers expire than the scaling rule restarts: `gamma x02 > alpha g`.
    ColdPoolRefills,
    /// The last warm server at or below the threshold is taken: `W` reaches 0.
    BelowThresholdEmpties,
    /// Servers come below the threshold faster than jobs arrive: `x[d+1,2] + (d+1) beta x01 > lambda`.
    BelowThresholdRefills,
    /// The scaling rule's probability leaves 0 or 1, or reaches it: a kink, which ends no regime.
    ScalingKink,
    /// The arrival rate steps.
    ArrivalRateStep,
}

impl std::fmt::Display for Guard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::ColdPoolEmpties => "cold-pool-empties",
            Self::ColdPoolRefills => "cold-pool-refills",
            Self::BelowThresholdEmpties => "below-threshold-empties",
            Self::BelowThresholdRefills => "below-threshold-refills",
            Self::ScalingKink => "scaling-kink",
            Self::ArrivalRateStep => "arrival-rate-step",
        })
    }
}

/// What a run took.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Statistics {
    /// Accepted steps.
    pub steps: usize,
    /// Rejected steps.
    pub rejected_steps: usize,
    /// Evaluations of the drift.
    pub evaluations: usize,
    /// What all tried steps cost: of one the coordinates, and fifty for what it takes beside them; five times as much where it is implicit.
    pub work: u64,
    /// Largest change made to the sum of all fractions when a state was put right.
    pub mass_correction: f64,
    /// Largest negative fraction that was set to zero.
    pub negativity_correction: f64,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stop {
    /// The horizon was reached.
    Horizon,
    /// From this time on nothing moves by more than the tolerance; later states repeat this one.
    Settled {
        /// When.
        time: f64,
    },
}
