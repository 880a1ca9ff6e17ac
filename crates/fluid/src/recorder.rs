//! Snapshots at the grid's times, and the largest corrections made.

use crate::field::{Field, IDLE, INITIALIZING, WARM, tail};
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

    /// Between report times.
    pub(crate) fn spacing(&self) -> f64 {
        self.grid.horizon() / (self.grid.points() - 1).max(1) as f64
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
    for i in INITIALIZING..z.len() {
        let most = if i > WARM + 1 { z[i - 1] } else { 1.0 };
        let right = z[i].max(0.0).min(most);
        statistics.negativity_correction = statistics.negativity_correction.max((right - z[i]).abs());
        z[i] = right;
    }
    keep_empty(field, z, statistics);
}

/// Keeps the pools that are empty in this regime exactly empty, against rounding. No pool is what is left of the
/// others: a small one would get the rounding of the large ones.
pub(crate) fn keep_empty(field: &Field, z: &mut [f64], statistics: &mut Statistics) {
    if let (Some(d), Pool::Empty) = (field.threshold(), field.regime.below_threshold) {
        let warm = tail(z, 0);
        for joined in &mut z[WARM + 1..WARM + d + 2] {
            statistics.mass_correction = statistics.mass_correction.max((warm - *joined).abs());
            *joined = warm;
        }
        z[IDLE] = 0.0;
    }
    let total = z[INITIALIZING] + tail(z, 0);
    if field.regime.cold == Pool::Empty || total > 1.0 {
        statistics.mass_correction = statistics.mass_correction.max((total - 1.0).abs());
        z.iter_mut().for_each(|z| *z /= total);
    }
}
