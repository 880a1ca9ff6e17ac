//! Random: any available server.

use alba_model::Kind;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Arbitrator, Policy, ServerLoad};
use crate::sets::RandomSet;

pub(super) const KIND: Kind<Arbitrator> = Kind::bare("random", |_| Ok(Arbitrator::Random));

/// Any available server, each as likely as the others; a full one refuses.
#[derive(Debug, Clone)]
pub struct Random {
    available: RandomSet,
}

impl Random {
    /// For `servers` servers.
    pub fn new(servers: usize) -> Self {
        Self { available: RandomSet::new(servers) }
    }
}

impl Policy for Random {
    fn notify(&mut self, server: usize, load: ServerLoad) {
        self.available.set(server, load.available);
    }

    fn pick(&mut self, random: &mut Xoshiro256PlusPlus) -> Option<usize> {
        self.available.draw(random)
    }
}
