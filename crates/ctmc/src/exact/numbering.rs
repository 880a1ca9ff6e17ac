//! Numbers for states.

use alba_model::{Counts, Scheme};

use super::ranking::{self, Ranking};

/// How the states of a scheme are numbered: a state is a single number.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Numbering {
    /// Every server has a place, with jobs of its own.
    Places(Ranking),
    /// A central queue: the numbers of warm servers and of jobs are the whole state.
    Pooled {
        /// N.
        servers: u64,
        /// The most jobs.
        room: u64,
    },
}

/// The number of states of `servers` servers with room for `buffer` jobs each, or for as many in all.
pub(super) fn states(scheme: Scheme, servers: u64, buffer: u64) -> f64 {
    match scheme {
        Scheme::Asynchronous { .. } | Scheme::Tabs(_) => ranking::states(servers, buffer),
        Scheme::CentralQueue => (servers as f64 + 1.0) * (servers as f64 * buffer as f64 + 1.0),
    }
}

impl Numbering {
    /// None if the states cannot be numbered in 64 bits.
    pub(super) fn new(scheme: Scheme, servers: u64, buffer: u64) -> Option<Self> {
        match scheme {
            Scheme::Asynchronous { .. } | Scheme::Tabs(_) => Ranking::new(servers, buffer).map(Self::Places),
            Scheme::CentralQueue => {
                let fits = states(scheme, servers, buffer) < (u64::MAX / 2) as f64;
                fits.then(|| Self::Pooled { servers, room: servers * buffer })
            }
        }
    }

    /// The number of states.
    pub(super) fn states(&self) -> u64 {
        match self {
            Self::Places(ranking) => ranking.states(),
            Self::Pooled { servers, room } => (servers + 1) * (room + 1),
        }
    }

    /// The number of `state`, below [`Numbering::states`].
    pub(super) fn rank(&self, state: &Counts) -> u64 {
        match self {
            Self::Places(ranking) => ranking.rank(state),
            Self::Pooled { room, .. } => state.warm() * (room + 1) + state.jobs(),
        }
    }

    /// The state of number `rank` into `state`.
    pub(super) fn unrank(&self, rank: u64, state: &mut Counts) {
        match self {
            Self::Places(ranking) => ranking.unrank(rank, state),
            Self::Pooled { servers, room } => {
                *state = Counts::pooled(*servers, rank / (room + 1), rank % (room + 1));
            }
        }
    }
}
