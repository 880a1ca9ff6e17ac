//! Least work left: the server that would be empty first.

use alba_model::Kind;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Arbitrator, Policy, ServerLoad};
use crate::sets::{RandomSet, RandomTournament};

pub(super) const KIND: Kind<Arbitrator> = Kind::bare("least-work-left", |_| Ok(Arbitrator::LeastWorkLeft));

/// Of the available servers that are not full the one that would be empty first if nothing more came; of several,
/// as of those that are empty, each is as likely as the others. It knows the service times of the requests present.
#[derive(Debug, Clone)]
pub struct LeastWorkLeft {
    empty: RandomSet,
    /// The others.
    by_end: RandomTournament,
}

impl LeastWorkLeft {
    /// For `servers` servers.
    pub fn new(servers: usize) -> Self {
        Self { empty: RandomSet::new(servers), by_end: RandomTournament::new(servers) }
    }
}

impl Policy for LeastWorkLeft {
    fn notify(&mut self, server: usize, load: ServerLoad) {
        let (room, is_empty) = (load.takes_one_more(), load.connections == 0);
        self.empty.set(server, room && is_empty);
        self.by_end.set(server, (room && !is_empty).then_some(load.empty_at));
    }

    fn pick(&mut self, random: &mut Xoshiro256PlusPlus) -> Option<usize> {
        self.empty.draw(random).or_else(|| self.by_end.draw(random))
    }
}
