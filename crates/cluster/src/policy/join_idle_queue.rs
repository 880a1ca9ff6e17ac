//! JIQ: an idle server if there is one, else as Power-of-d says.

use alba_model::PowerOfD as Rule;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Policy, PowerOfD, ServerLoad};
use crate::sets::RandomSet;

/// An idle available server, each as likely as the others, if there is one; else the shortest of `d` busy ones drawn
/// with replacement (`d = 1`: any); a full one refuses.
///
/// # Source
/// Lu et al. 2011; with `d` choices as TABS-d dispatches, Mukherjee et al. 2017.
#[derive(Debug, Clone)]
pub struct JoinIdleQueue {
    idle: RandomSet,
    otherwise: PowerOfD,
}

impl JoinIdleQueue {
    /// For `servers` servers.
    pub fn new(otherwise: Rule, servers: usize) -> Self {
        Self { idle: RandomSet::new(servers), otherwise: PowerOfD::new(otherwise, servers) }
    }
}

impl Policy for JoinIdleQueue {
    fn notify(&mut self, server: usize, load: ServerLoad) {
        self.idle.set(server, load.available && load.connections == 0);
        self.otherwise.notify(server, load);
    }

    fn pick(&mut self, random: &mut Xoshiro256PlusPlus) -> Option<usize> {
        self.idle.draw(random).or_else(|| self.otherwise.pick(random))
    }
}
