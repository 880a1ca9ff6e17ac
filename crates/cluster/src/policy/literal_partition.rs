use super::phase_partition::check;
use super::{Policy, ServerLoad};
use crate::{ClusterError, PartitionTable};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The phase-partition arbitrator as the paper has it, step by step: Algorithm 1 (normal mode) with first phase 1, Algorithm 2
/// (power-saving mode) with first phase l.
///
/// Server after server is filled to its limit of the phase; then servers that have room again are filled, lowest number first; when none
/// has, the next phase begins. After phase n* every request is refused, for ever. Algorithm 2 is the same with phases below l
/// left out: its steps 3 to 8 and 17 are steps 2 to 7 and 11 of Algorithm 1 in phase l, its steps 10 to 16, 18 and 19 those in later phases.
///
/// A request that finds a server to be filled costs no search; the search of step 7 looks at all servers.
///
/// # Source
/// Algorithms 1 and 2.
#[derive(Debug, Clone)]
pub struct LiteralPartition {
    table: PartitionTable,
    connections: Vec<u32>,
    /// j.
    phase: usize,
    /// k, from 0; m when all have been polled once in this phase and step 7 is next.
    server: usize,
}

impl LiteralPartition {
    /// With no request present.
    ///
    /// # Errors
    /// [`ClusterError::NoSuchPhase`] if the table has no such phase.
    pub fn new(table: PartitionTable, first_phase: usize) -> Result<Self, ClusterError> {
        check(&table, first_phase)?;
        let connections = vec![0; table.servers()];
        Ok(Self { table, connections, phase: first_phase, server: 0 })
    }

    fn has_room(&self, server: usize) -> bool {
        self.connections[server] < self.table.limit(server, self.phase)
    }
}

impl Policy for LiteralPartition {
    fn notify(&mut self, server: usize, load: ServerLoad) {
        self.connections[server] = load.connections;
    }

    fn pick(&mut self, _random: &mut Xoshiro256PlusPlus) -> Option<usize> {
        let servers = self.table.servers();
        while self.phase <= self.table.phases() {
            // Steps 4 to 6.
            while self.server < servers {
                if self.has_room(self.server) {
                    return Some(self.server);
                }
                self.server += 1;
            }
            // Step 7.
            if let Some(server) = (0..servers).find(|&server| self.has_room(server)) {
                return Some(server);
            }
            // Steps 8 to 10.
            self.phase += 1;
            self.server = 0;
        }
        None
    }
}
