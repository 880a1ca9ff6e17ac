//! The states that a chain can reach.

use alba_ctmc::{CtmcError, Problem};
use alba_model::{Counts, Model, Scheme};

use crate::ExactError;
use crate::numbering::{self, Numbered, Numbering};
use crate::reach::Reach;
use crate::{Generator, Limits};

/// The states that the chain of N servers reaches from its start, at any of the arrival rates of its model's profile;
/// numbered from 0, lexicographically in (cold, initializing, warm with 0, 1, ... jobs), under a central queue in (warm, jobs).
///
/// ```
/// use alba_exact::{Limits, StateSpace};
/// use alba_model::*;
///
/// let scheme = Scheme::asynchronous(Dispatch::power_of_d(2)?, ScalingRule::blind(0.4)?);
/// let rates = Rates::new(0.5, 0.1, 0.025)?;
/// let model = Model::new(ArrivalProfile::constant(0.7)?, rates, Buffer::finite(3)?, scheme)?;
/// let start = Counts { cold: 0, initializing: 0, warm: vec![10], waiting: 0 };
/// let space = StateSpace::new(&model, &start, &Limits::default())?;
/// assert_eq!(space.len(), 3003); // C(N + B + 2, N): all that there are
/// assert_eq!(space.state(space.start()).warm, [10, 0, 0, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct StateSpace {
    model: Model,
    servers: u64,
    numbering: Numbering,
    /// Increasing.
    ranks: Vec<u64>,
    start: usize,
}

impl StateSpace {
    /// All states that `initial` leads to; the buffer is finite.
    ///
    /// # Errors
    /// [`CtmcError::Servers`] for no server, [`ExactError::Model`] for an initial state above the buffer,
    /// [`ExactError::InfiniteBuffer`], [`ExactError::TooManyStates`] above the limit.
    pub fn new(model: &Model, initial: &Counts, limits: &Limits) -> Result<Self, ExactError> {
        Self::search(model, initial, limits).map(|(space, _)| space)
    }

    /// The same with the rates between the states while jobs arrive at the first rate of the profile, in no more time.
    ///
    /// # Errors
    /// Those of [`StateSpace::new`].
    pub fn with_generator(
        model: &Model,
        initial: &Counts,
        limits: &Limits,
    ) -> Result<(Self, Generator), ExactError> {
        let (space, Reach { rows, order, .. }) = Self::search(model, initial, limits)?;
        let generator = Generator::new(&rows, order.iter().map(|&row| row as usize));
        Ok((space, generator))
    }

    fn search(model: &Model, initial: &Counts, limits: &Limits) -> Result<(Self, Reach), ExactError> {
        let servers = initial.servers();
        if servers == 0 {
            return Err(CtmcError::Servers { servers, most: Problem::MOST_SERVERS }.into());
        }
        model.admits(&initial.occupancy()?)?;
        let Some(buffer) = model.buffer().limit() else { return Err(ExactError::InfiniteBuffer) };
        let most = limits.states_of(buffer as usize);
        let too_many = |explored| ExactError::TooManyStates {
            servers,
            buffer,
            states: numbering::states(model.scheme(), servers, buffer.into()),
            explored,
            most,
            servers_that_fit: servers_that_fit(model.scheme(), buffer, most),
        };
        let numbering = Numbering::new(model.scheme(), servers, buffer.into()).ok_or_else(|| too_many(0))?;
        let mut rates: Vec<f64> =
            model.arrivals().segments(f64::INFINITY).map(|segment| segment.rate).collect();
        rates[1..].sort_by(f64::total_cmp);
        rates.dedup();
        let first = numbering.rank(&model.at_once(initial.clone()));
        let mut reach = Reach::new(model, first, &rates, &numbering, most)?.ok_or_else(|| too_many(most))?;
        let ranks = std::mem::take(&mut reach.ranks);
        let mut space = Self { model: model.clone(), servers, numbering, ranks, start: 0 };
        space.start = space.index_of(first).unwrap_or(0);
        Ok((space, reach))
    }

    /// The number of states, at least one.
    #[allow(clippy::len_without_is_empty, reason = "never empty: the start is in it")]
    pub fn len(&self) -> usize {
        self.ranks.len()
    }

    /// N.
    pub fn servers(&self) -> u64 {
        self.servers
    }

    /// The system.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The number of the initial state.
    pub fn start(&self) -> usize {
        self.start
    }

    /// The state of number `index < len()`, with a count for every number of jobs up to the buffer.
    pub fn state(&self, index: usize) -> Counts {
        let mut state = Counts::default();
        self.read(index, &mut state);
        state
    }

    /// The state of number `index` into `state`.
    pub(crate) fn read(&self, index: usize, state: &mut Counts) {
        self.numbering.unrank(self.ranks[index], state);
    }

    /// The number of `state`; none if it is not reached.
    pub fn find(&self, state: &Counts) -> Option<usize> {
        let fits = state.servers() == self.servers
            && self.model.buffer().limit().is_some_and(|limit| {
                state.warm.iter().rposition(|&count| count > 0).unwrap_or(0) <= limit as usize
                    && state.jobs() <= u64::from(limit) * self.servers
            })
            && self.model.at_once(state.clone()) == *state;
        if fits { self.index_of(self.numbering.rank(state)) } else { None }
    }

    fn index_of(&self, rank: u64) -> Option<usize> {
        if self.ranks.len() as u64 == self.numbering.states() {
            return Some(rank as usize);
        }
        self.ranks.binary_search(&rank).ok()
    }

    /// The rates between the states while jobs arrive at `arrival_rate >= 0` per server, one of the profile's.
    ///
    /// # Errors
    /// [`ExactError::Model`], [`ExactError::UnreachedState`] for an arrival rate that leads elsewhere.
    pub fn generator(&self, arrival_rate: f64) -> Result<Generator, ExactError> {
        Generator::of_space(self, arrival_rate)
    }

    /// Visits what can happen in the state of number `index`, which is read into `state`: the number of the state it leads
    /// to, if it is reached, and the rate.
    pub(crate) fn for_each_jump(
        &self,
        index: usize,
        arrival_rate: f64,
        state: &mut Numbered,
        visit: &mut impl FnMut(Option<usize>, f64),
    ) -> Result<(), ExactError> {
        self.numbering.read(self.ranks[index], state);
        self.numbering.for_each_jump(&self.model, state, arrival_rate, &mut |rank, rate| {
            visit(self.index_of(rank), rate);
        })
    }
}

/// The most servers whose states, with the given buffer, are at most `most`.
fn servers_that_fit(scheme: Scheme, buffer: u32, most: usize) -> u64 {
    let (mut low, mut high) = (0, most as u64);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if numbering::states(scheme, middle, buffer.into()) <= most as f64 {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_that_fit_are_the_most() {
        let tabs = Scheme::tabs(1).unwrap();
        assert_eq!(servers_that_fit(tabs, 5, 888_030), 20);
        assert_eq!(servers_that_fit(tabs, 5, 888_029), 19);
        assert_eq!(servers_that_fit(tabs, 5, 7), 0);
        assert_eq!(servers_that_fit(Scheme::CentralQueue, 5, 66), 3); // 4 * 16 <= 66 < 5 * 21
    }
}
