use super::ranking::Ranking;
use super::{Policy, ServerLoad};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Least connections: the available server that is not full and has the fewest requests; ties go to the lowest number.
///
/// # Source
/// The paper's Algorithm A2, which it names and does not print: this is the reading used here.
#[derive(Debug, Clone)]
pub struct LeastConnections {
    connections: Ranking,
}

impl LeastConnections {
    /// For `servers` servers, of which none is known to be available yet.
    pub fn new(servers: usize) -> Self {
        Self { connections: Ranking::new(servers) }
    }
}

impl Policy for LeastConnections {
    fn notify(&mut self, server: usize, load: ServerLoad) {
        let key = if load.takes_one_more() { load.connections.into() } else { Ranking::OUT };
        self.connections.set(server, key);
    }

    fn pick(&mut self, _random: &mut Xoshiro256PlusPlus) -> Option<usize> {
        self.connections.lowest()
    }
}
