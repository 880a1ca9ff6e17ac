use super::{Policy, ServerLoad};
use crate::sets::IndexSet;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Round robin: the next server after the last one that took a request, in a circle, skipping those that are full or not available;
/// the first pick looks from server 0 on.
///
/// # Source
/// The paper's Algorithm A1, which it names and does not print: this is the reading used here.
#[derive(Debug, Clone)]
pub struct RoundRobin {
    free: IndexSet,
    next: usize,
}

impl RoundRobin {
    /// For `servers` servers, of which none is known to be available yet.
    pub fn new(servers: usize) -> Self {
        Self { free: IndexSet::new(servers), next: 0 }
    }
}

impl Policy for RoundRobin {
    fn notify(&mut self, server: usize, load: ServerLoad) {
        self.free.set(server, load.takes_one_more());
    }

    fn pick(&mut self, _random: &mut Xoshiro256PlusPlus) -> Option<usize> {
        let server = self.free.from(self.next).or_else(|| self.free.first())?;
        self.next = server + 1;
        Some(server)
    }
}
