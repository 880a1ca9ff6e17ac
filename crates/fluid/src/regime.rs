//! Regimes of the hybrid system.

use std::fmt;

/// Which right-hand side of (4) holds: the drift is discontinuous where the cold pool, the warm servers at or
/// below the threshold (JBT), or all warm servers are empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Regime {
    /// Cold servers.
    pub cold: Pool,
    /// Warm servers at or below the threshold; always [`Pool::Open`] under Power-of-d.
    pub below_threshold: Pool,
    /// Warm servers.
    pub warm: Pool,
}

/// Whether a pool of servers has any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pool {
    /// It has, or is about to.
    Open,
    /// It is empty and stays so: what comes in leaves at once.
    Empty,
}

impl Regime {
    /// All pools have servers.
    pub const INTERIOR: Self = Self { cold: Pool::Open, below_threshold: Pool::Open, warm: Pool::Open };
}

impl fmt::Display for Regime {
    /// The empty pools: `interior`, `no-cold`, `none-below-threshold`, `no-cold+none-below-threshold`, `no-warm`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named =
            [(self.cold, "no-cold"), (self.below_threshold, "none-below-threshold"), (self.warm, "no-warm")];
        let empty: Vec<&str> =
            named.iter().filter(|(pool, _)| *pool == Pool::Empty).map(|(_, name)| *name).collect();
        f.write_str(&if empty.is_empty() { "interior".to_owned() } else { empty.join("+") })
    }
}
