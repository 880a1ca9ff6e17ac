use super::{Arbitrator, LiteralRoundRobin, Policy, ServerLoad};
use crate::sets::Shuffle;
use alba_model::Kind;
use rand_xoshiro::Xoshiro256PlusPlus;

pub(super) const KIND: Kind<Arbitrator> = Kind::bare("round-robin", |_| Ok(Arbitrator::RoundRobin));

/// Round robin: the next server after the last one that took a request, in a circle whose order is drawn once, skipping those that are
/// full or not available.
///
/// Who follows a full server takes its turns: which server that is should not depend on how servers are numbered.
#[derive(Debug, Clone)]
pub struct RoundRobin {
    order: Shuffle,
    /// Of places in that order.
    circle: LiteralRoundRobin,
}

impl RoundRobin {
    /// For `servers` servers, of which none is known to be available yet.
    pub fn new(servers: usize, random: &mut Xoshiro256PlusPlus) -> Self {
        Self { order: Shuffle::new(servers, random), circle: LiteralRoundRobin::new(servers) }
    }
}

impl Policy for RoundRobin {
    fn notify(&mut self, server: usize, load: ServerLoad) {
        self.circle.notify(self.order.place(server), load);
    }

    fn pick(&mut self, random: &mut Xoshiro256PlusPlus) -> Option<usize> {
        self.circle.pick(random).map(|place| self.order.member(place))
    }
}
