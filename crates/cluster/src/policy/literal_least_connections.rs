use super::{Policy, ServerLoad};
use crate::sets::Tournament;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The paper's least connections: the available server that is not full and has the fewest requests; ties go to the lowest number.
///
/// # Source
/// Algorithm A2, which the paper names and does not print: this is the reading used here.
#[derive(Debug, Clone)]
pub struct LiteralLeastConnections {
    by_connections: Tournament,
}

impl LiteralLeastConnections {
    /// For `servers` servers, of which none is known to be available yet.
    pub fn new(servers: usize) -> Self {
        Self { by_connections: Tournament::new(servers) }
    }
}

impl Policy for LiteralLeastConnections {
    fn notify(&mut self, server: usize, load: ServerLoad) {
        self.by_connections.set(server, load.takes_one_more().then_some(load.connections.into()));
    }

    fn pick(&mut self, _random: &mut Xoshiro256PlusPlus) -> Option<usize> {
        self.by_connections.winner()
    }
}
