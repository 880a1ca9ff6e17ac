//! Numbers for states.

use alba_model::{Counts, Model, Move, Place, Scheme, Transition};

use crate::ExactError;
use crate::ranking::{self, Ranking};

/// How the states of a scheme are numbered: a state is a single number.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Numbering {
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

/// A state, and what makes the numbers of its neighbours cheap.
#[derive(Default)]
pub(crate) struct Numbered {
    state: Counts,
    rank: u64,
    /// Servers at each place or a later one, where servers have places.
    tails: Vec<usize>,
}

/// The number of states of `servers` servers with room for `buffer` jobs each, or for as many in all.
pub(crate) fn states(scheme: Scheme, servers: u64, buffer: u64) -> f64 {
    match scheme {
        Scheme::Asynchronous { .. } | Scheme::Tabs(_) => ranking::states(servers, buffer),
        Scheme::CentralQueue => (servers as f64 + 1.0) * (servers as f64 * buffer as f64 + 1.0),
    }
}

impl Numbering {
    /// None if the states cannot be numbered in 64 bits.
    pub(crate) fn new(scheme: Scheme, servers: u64, buffer: u64) -> Option<Self> {
        match scheme {
            Scheme::Asynchronous { .. } | Scheme::Tabs(_) => Ranking::new(servers, buffer).map(Self::Places),
            Scheme::CentralQueue => {
                let fits = states(scheme, servers, buffer) < (u64::MAX / 2) as f64;
                fits.then(|| Self::Pooled { servers, room: servers * buffer })
            }
        }
    }

    /// The number of states.
    pub(crate) fn states(&self) -> u64 {
        match self {
            Self::Places(ranking) => ranking.states(),
            Self::Pooled { servers, room } => (servers + 1) * (room + 1),
        }
    }

    /// The number of `state`, below [`Numbering::states`].
    pub(crate) fn rank(&self, state: &Counts) -> u64 {
        match self {
            Self::Places(ranking) => ranking.rank(state),
            Self::Pooled { room, .. } => state.warm() * (room + 1) + state.jobs(),
        }
    }

    /// The state of number `rank` into `state`.
    pub(crate) fn unrank(&self, rank: u64, state: &mut Counts) {
        match self {
            Self::Places(ranking) => ranking.unrank(rank, state),
            Self::Pooled { servers, room } => {
                *state = Counts::pooled(*servers, rank / (room + 1), rank % (room + 1));
            }
        }
    }

    /// The state of number `rank` into `numbered`.
    pub(crate) fn read(&self, rank: u64, numbered: &mut Numbered) {
        numbered.rank = rank;
        self.unrank(rank, &mut numbered.state);
        if let Self::Places(ranking) = self {
            ranking.tails(&numbered.state, &mut numbered.tails);
        }
    }

    /// Visits what can happen in a state and changes it, where jobs arrive at `arrival_rate` per server: the number of the
    /// state it leads to, and the rate. `here` is left as it was.
    pub(crate) fn for_each_jump(
        &self,
        model: &Model,
        Numbered { state, rank, tails }: &mut Numbered,
        arrival_rate: f64,
        visit: &mut impl FnMut(u64, f64),
    ) -> Result<(), ExactError> {
        let servers = state.servers() as f64;
        model.for_each_transition(&state.occupancy()?, arrival_rate, &mut |transition| {
            if transition.moves != [None; 2] || transition.waiting != 0 {
                let change = match self {
                    Self::Places(ranking) => ranking.change(&transition, tails),
                    Self::Pooled { room, .. } => pooled_change(&transition, room + 1),
                };
                visit(rank.wrapping_add_signed(change), transition.rate * servers);
            }
        });
        Ok(())
    }
}

/// By how much the number of a state of pooled jobs changes, if one more warm server counts `per_warm`.
fn pooled_change(transition: &Transition, per_warm: u64) -> i64 {
    let number = |place: Place| match place {
        Place::Cold | Place::Initializing => 0,
        Place::Warm(jobs) => per_warm as i64 + jobs as i64,
    };
    let moves = transition.moves.iter().flatten();
    i64::from(transition.waiting) + moves.map(|&Move { from, to }| number(to) - number(from)).sum::<i64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alba_model::{ArrivalProfile, Buffer, Rates};

    /// The state that `transition` leads to, server by server.
    fn moved(mut state: Counts, transition: &Transition) -> Counts {
        for moved in transition.moves.iter().flatten() {
            for (place, change) in [(moved.from, -1), (moved.to, 1)] {
                let count = match place {
                    Place::Cold => &mut state.cold,
                    Place::Initializing => &mut state.initializing,
                    Place::Warm(level) => &mut state.warm[level],
                };
                *count = count.checked_add_signed(change).unwrap();
            }
        }
        state.waiting = state.waiting.checked_add_signed(transition.waiting.into()).unwrap();
        state
    }

    #[test]
    fn a_jump_changes_the_number_as_it_changes_the_state() {
        for scheme in Scheme::catalogue().unwrap().into_iter().chain([Scheme::CentralQueue]) {
            let rates = Rates::new(0.5, 0.1, 0.025).unwrap();
            let buffer = Buffer::finite(4).unwrap();
            let model = Model::new(ArrivalProfile::constant(0.7).unwrap(), rates, buffer, scheme).unwrap();
            let numbering = Numbering::new(scheme, 3, 4).unwrap();
            let mut here = Numbered::default();
            for rank in 0..numbering.states() {
                numbering.read(rank, &mut here);
                let state = here.state.clone();
                let mut expected = vec![];
                model.for_each_transition(&state.occupancy().unwrap(), 0.7, &mut |transition| {
                    let after = moved(state.clone(), &transition);
                    if after != state {
                        expected.push((numbering.rank(&after), transition.rate * 3.0));
                    }
                });
                let mut jumps = vec![];
                // Twice: it is left as it was.
                for _ in 0..2 {
                    jumps.clear();
                    let visit = &mut |rank, rate| jumps.push((rank, rate));
                    numbering.for_each_jump(&model, &mut here, 0.7, visit).unwrap();
                }
                assert_eq!(jumps, expected, "{scheme} {state:?}");
            }
        }
    }
}
