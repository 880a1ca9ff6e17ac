use super::{Policy, ServerLoad};
use crate::sets::Tournament;
use crate::{ClusterError, PartitionTable};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The phase-partition arbitrator where requests leave: the lowest phase in which some server has room, in it the lowest-numbered
/// such available server. Where picking a cold server is how it is switched on, cold ones are available.
///
/// This is this project's extension. The paper's algorithms ([`super::LiteralPartition`]) never go back to a lower phase: when
/// requests leave, they climb to the last phase and stop for ever. Without departures both pick the same servers.
///
/// First phase 1 is the normal mode (Algorithm 1), first phase l the power-saving mode (Algorithm 2): each server is first
/// filled to `L[k,l]`.
#[derive(Debug, Clone)]
pub struct PhasePartition {
    table: PartitionTable,
    first_phase: usize,
    /// By the lowest phase with room.
    phases: Tournament,
}

impl PhasePartition {
    /// With no request present.
    ///
    /// # Errors
    /// [`ClusterError::NoSuchPhase`] if the table has no such phase.
    pub fn new(table: PartitionTable, first_phase: usize) -> Result<Self, ClusterError> {
        check(&table, first_phase)?;
        let phases = Tournament::new(table.servers());
        Ok(Self { table, first_phase, phases })
    }
}

impl Policy for PhasePartition {
    fn notify(&mut self, server: usize, load: ServerLoad) {
        let phase = self.table.phase_with_room(server, load.connections, self.first_phase);
        self.phases.set(server, phase.filter(|_| load.available).map(|phase| phase as f64));
    }

    fn pick(&mut self, _random: &mut Xoshiro256PlusPlus) -> Option<usize> {
        self.phases.winner()
    }
}

/// Whether the table has such a phase.
pub(super) fn check(table: &PartitionTable, first_phase: usize) -> Result<(), ClusterError> {
    let phases = table.phases();
    if (1..=phases).contains(&first_phase) {
        Ok(())
    } else {
        Err(ClusterError::NoSuchPhase { phase: first_phase, phases })
    }
}
