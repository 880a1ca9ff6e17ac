//! One load and number of servers.

use super::standing::Standing;

/// One system and how all contenders stand there.
pub(super) struct Round {
    /// As it is called in tables.
    pub(super) name: String,
    pub(super) servers: u64,
    /// None where it changes.
    pub(super) arrival_rate: Option<f64>,
    pub(super) standings: Vec<Standing>,
}
