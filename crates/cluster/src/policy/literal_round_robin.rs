use super::{Policy, ServerLoad};
use crate::sets::IndexSet;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The paper's round robin: the next server by number after the last one that took a request, in a circle, skipping those that are
/// full or not available; the first pick looks from server 0 on.
///
/// # Source
/// Algorithm A1, which the paper names and does not print: this is the reading used here.
#[derive(Debug, Clone)]
pub struct LiteralRoundRobin {
    free: IndexSet,
    next: usize,
}

impl LiteralRoundRobin {
    /// For `servers` servers, of which none is known to be available yet.
    pub fn new(servers: usize) -> Self {
        Self { free: IndexSet::new(servers), next: 0 }
    }
}

impl Policy for LiteralRoundRobin {
    fn notify(&mut self, server: usize, load: ServerLoad) {
        self.free.set(server, load.takes_one_more());
    }

    fn pick(&mut self, _random: &mut Xoshiro256PlusPlus) -> Option<usize> {
        let server = self.free.from(self.next).or_else(|| self.free.first())?;
        self.next = server + 1;
        Some(server)
    }
}
