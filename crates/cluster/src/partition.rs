//! Partition tables: what each server may take in each phase.

use crate::{ClusterError, Ratios};
use std::collections::HashMap;

#[cfg(test)]
mod tests;

/// Portions `P[k,j]` and limits `L[k,j]` of every server `k` in every phase `j`.
///
/// `P[k,j] = floor(C_k / (r_1 ... r_j) + 1/2)`, each from the exact quotient, and `L[k,j] = P[k,1] + ... + P[k,j]`. The phases end
/// with the last one in which some server has a portion; a server whose own portions end earlier keeps its last limit. No limit is
/// above the capacity.
///
/// # Source
/// Lemmas 1 and 2. The rounding is not stated there; this one gives every cell of Tables 1 to 5.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionTable {
    /// The row of each server: servers of the same capacity share one.
    row_of: Vec<u32>,
    rows: Vec<Row>,
    phases: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    capacity: u32,
    /// `limits[j - 1]` is that of phase j, strictly increasing.
    limits: Vec<u32>,
}

impl PartitionTable {
    /// For servers that take `capacities` connections, each at least 1.
    ///
    /// # Errors
    /// [`ClusterError::NoServers`], [`ClusterError::NoCapacity`], [`ClusterError::LimitAboveCapacity`],
    /// [`ClusterError::TooManyPhases`], [`ClusterError::NoPhases`].
    pub fn new(capacities: &[u32], ratios: &Ratios) -> Result<Self, ClusterError> {
        let largest = capacities.iter().copied().max().ok_or(ClusterError::NoServers)?;
        let mut known = HashMap::new();
        let mut rows: Vec<Row> = vec![];
        let mut row_of = Vec::with_capacity(capacities.len());
        for (server, &capacity) in capacities.iter().enumerate() {
            let row = match known.get(&capacity) {
                Some(&row) => row,
                None => {
                    rows.push(Row { capacity, limits: limits(server + 1, capacity, ratios)? });
                    let row = (rows.len() - 1) as u32;
                    known.insert(capacity, row);
                    row
                }
            };
            row_of.push(row);
        }
        let phases = rows.iter().map(|row| row.limits.len()).max().unwrap_or(0);
        if phases == 0 {
            return Err(ClusterError::NoPhases { capacity: largest, ratio: ratios.ratio(1).clone() });
        }
        Ok(Self { row_of, rows, phases })
    }

    /// Number of servers m; they are numbered from 0.
    pub fn servers(&self) -> usize {
        self.row_of.len()
    }

    /// The last phase n*; phases are numbered from 1.
    pub fn phases(&self) -> usize {
        self.phases
    }

    /// The most connections of `server`.
    ///
    /// # Panics
    /// If there is no such server, like an index.
    pub fn capacity(&self, server: usize) -> u32 {
        self.row(server).capacity
    }

    /// What `server` may take by the end of `phase`; its last limit in later phases, 0 in phase 0.
    ///
    /// # Panics
    /// If there is no such server, like an index.
    pub fn limit(&self, server: usize, phase: usize) -> u32 {
        let limits = &self.row(server).limits;
        phase.min(limits.len()).checked_sub(1).map_or(0, |index| limits[index])
    }

    /// What `server` may take in `phase` alone.
    ///
    /// # Panics
    /// If there is no such server, like an index.
    pub fn portion(&self, server: usize, phase: usize) -> u32 {
        self.limit(server, phase) - self.limit(server, phase.saturating_sub(1))
    }

    /// The lowest phase, `first` or later, in which `server` has room for one more than `connections`.
    ///
    /// # Panics
    /// If there is no such server, like an index.
    pub fn phase_with_room(&self, server: usize, connections: u32, first: usize) -> Option<usize> {
        let limits = &self.row(server).limits;
        let phase = limits.partition_point(|limit| *limit <= connections) + 1;
        // A server whose portions have ended keeps its last limit in later phases.
        (phase <= limits.len()).then_some(phase.max(first))
    }

    fn row(&self, server: usize) -> &Row {
        &self.rows[self.row_of[server] as usize]
    }
}

/// The limits of a server as long as its portions last.
fn limits(server: usize, capacity: u32, ratios: &Ratios) -> Result<Vec<u32>, ClusterError> {
    if capacity == 0 {
        return Err(ClusterError::NoCapacity { server });
    }
    let mut limits: Vec<u32> = vec![];
    for quotient in ratios.quotients() {
        let portion = quotient.portion(capacity);
        let phase = limits.len() + 1;
        if portion == 0 {
            break;
        }
        if phase > Ratios::MOST_PHASES {
            return Err(ClusterError::TooManyPhases { server, most: Ratios::MOST_PHASES });
        }
        let limit = u64::from(limits.last().copied().unwrap_or(0)) + u64::from(portion);
        match u32::try_from(limit) {
            Ok(fits) if fits <= capacity => limits.push(fits),
            _ => return Err(ClusterError::LimitAboveCapacity { server, phase, limit, capacity }),
        }
    }
    Ok(limits)
}
