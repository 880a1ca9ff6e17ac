//! The most recently used idle server, else any.

use alba_model::Kind;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Arbitrator, Policy, ServerLoad};
use crate::sets::{RandomSet, RandomTournament};

pub(super) const KIND: Kind<Arbitrator> =
    Kind::bare("most-recently-used-idle", |_| Ok(Arbitrator::MostRecentlyUsedIdle));

/// Of the idle available servers the one that became idle last, of several, as of those never used, each as likely as
/// the others; without an idle one any available server, likewise; a full one refuses.
///
/// # Source
/// What function platforms do: old instances are left to expire (Mahmoudi and Khazaei 2020).
#[derive(Debug, Clone)]
pub struct MostRecentlyUsedIdle {
    by_idle_time: RandomTournament,
    available: RandomSet,
}

impl MostRecentlyUsedIdle {
    /// For `servers` servers.
    pub fn new(servers: usize) -> Self {
        Self { by_idle_time: RandomTournament::new(servers), available: RandomSet::new(servers) }
    }
}

impl Policy for MostRecentlyUsedIdle {
    fn notify(&mut self, server: usize, load: ServerLoad) {
        let idle = load.available && load.connections == 0;
        self.by_idle_time.set(server, idle.then_some(-load.idle_since));
        self.available.set(server, load.available);
    }

    fn pick(&mut self, random: &mut Xoshiro256PlusPlus) -> Option<usize> {
        self.by_idle_time.draw(random).or_else(|| self.available.draw(random))
    }
}
