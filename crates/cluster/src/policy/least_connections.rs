use super::{Arbitrator, Policy, ServerLoad};
use crate::sets::Levels;
use alba_model::Kind;
use rand_xoshiro::Xoshiro256PlusPlus;

pub(super) const KIND: Kind<Arbitrator> =
    Kind::bare("least-connections", |_| Ok(Arbitrator::LeastConnections));

/// Least connections: the available server that is not full and has the fewest requests; of several each is as likely as the others.
///
/// The paper's reading, which prefers low numbers, is [`super::LiteralLeastConnections`].
#[derive(Debug, Clone)]
pub struct LeastConnections {
    by_connections: Levels,
}

impl LeastConnections {
    /// For `servers` servers, of which none is known to be available yet.
    pub fn new(servers: usize) -> Self {
        Self { by_connections: Levels::new(servers) }
    }
}

impl Policy for LeastConnections {
    fn notify(&mut self, server: usize, load: ServerLoad) {
        self.by_connections.set(server, load.takes_one_more().then_some(load.connections.into()));
    }

    fn pick(&mut self, random: &mut Xoshiro256PlusPlus) -> Option<usize> {
        self.by_connections.draw(random)
    }
}
