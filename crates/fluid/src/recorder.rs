//! Snapshots at the grid's times, and the largest corrections made.

use crate::field::{Field, INITIALIZING, WARM};
use crate::outcome::Statistics;
use crate::{FluidError, Pool};
use alba_model::{Grid, Inflow, Snapshot};

#[derive(Debug)]
pub(crate) struct Recorder {
    grid: Grid,
    pub(crate) snapshots: Vec<Snapshot>,
}

impl Recorder {
    pub(crate) fn new(grid: Grid) -> Self {
        Self { grid, snapshots: Vec::with_capacity(grid.points()) }
    }

    /// The next time to record, if any is left.
    pub(crate) fn next(&self) -> Option<f64> {
        (self.snapshots.len() < self.grid.points()).then(|| self.grid.time(self.snapshots.len()))
    }

    /// Records `z` for the next time.
    pub(crate) fn record(
        &mut self,
        field: &Field,
        z: &mut [f64],
        inflow: Option<Inflow>,
        statistics: &mut Statistics,
    ) -> Result<(), FluidError> {
        if let Some(time) = self.next() {
            put_right(field, z, statistics);
            let inflow = inflow.unwrap_or_else(|| field.inflow(z));
            let state = field.occupancy(z)?;
            self.snapshots.push(Snapshot { time, arrival_rate: field.arrival_rate, state, inflow });
        }
        Ok(())
    }
}

/// Puts right what rounding and integration errors within the tolerance have done to `z`: empty pools exactly
/// empty, tails not increasing, nothing negative. The sum of all fractions stays one.
pub(crate) fn put_right(field: &Field, z: &mut [f64], statistics: &mut Statistics) {
    let warm = z[WARM].clamp(0.0, 1.0);
    let initializing = match field.regime.cold {
        Pool::Empty => 1.0 - warm,
        Pool::Open => z[INITIALIZING].clamp(0.0, 1.0 - warm),
    };
    let moved = (initializing - z[INITIALIZING]).abs().max((warm - z[WARM]).abs());
    statistics.mass_correction = statistics.mass_correction.max(moved);
    (z[INITIALIZING], z[WARM]) = (initializing, warm);
    let joined = match (field.threshold(), field.regime.below_threshold) {
        (Some(d), Pool::Empty) => d + 1,
        _ => 0,
    };
    for i in 1..z.len() - WARM {
        let (least, most) = (if i <= joined { z[WARM] } else { 0.0 }, z[WARM + i - 1]);
        let right = z[WARM + i].max(least).min(most);
        statistics.negativity_correction = statistics.negativity_correction.max((right - z[WARM + i]).abs());
        z[WARM + i] = right;
    }
}
