//! Numbering of states: the combinatorial number system.

use alba_model::{Counts, Move, Place, Transition};

/// The ways to spread `servers` servers over places, cold, initializing and warm with 0, 1, ... jobs, numbered in
/// lexicographic order: a state is a single number.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ranking {
    servers: usize,
    places: usize,
    /// `ways[servers * (places + 1) + parts]`: ways to spread so many servers over so many places.
    ways: Vec<u64>,
}

/// Places that hold no jobs: cold and initializing.
const JOBLESS: usize = 2;

/// The largest table of numbers of ways, 128 MiB.
const LARGEST_TABLE: f64 = (1 << 24) as f64;

/// The number of states of `servers` servers with 0 to `buffer` jobs each, C(servers + buffer + 2, servers); infinite
/// above the largest floating-point number.
pub(crate) fn states(servers: u64, buffer: u64) -> f64 {
    let total = servers as f64 + buffer as f64 + 2.0;
    let mut states = 1.0;
    for taken in 1..=servers.min(buffer.saturating_add(2)) {
        states *= (total - taken as f64 + 1.0) / taken as f64;
        if states == f64::INFINITY {
            break;
        }
    }
    states.round()
}

impl Ranking {
    /// For `servers` servers with 0 to `buffer` jobs each; none if their states cannot be numbered in 64 bits.
    pub(crate) fn new(servers: u64, buffer: u64) -> Option<Self> {
        let table = (servers as f64 + 1.0) * (buffer as f64 + 4.0);
        if states(servers, buffer) > (u64::MAX / 2) as f64 || table > LARGEST_TABLE {
            return None;
        }
        let (servers, places) = (servers as usize, buffer as usize + 1 + JOBLESS);
        let width = places + 1;
        let mut ways = vec![0; (servers + 1) * width];
        ways[..width].fill(1);
        for row in 1..=servers {
            for parts in 1..width {
                // The first place is empty, or it loses one server.
                ways[row * width + parts] = ways[row * width + parts - 1] + ways[(row - 1) * width + parts];
            }
        }
        Some(Self { servers, places, ways })
    }

    fn ways(&self, servers: usize, parts: usize) -> u64 {
        self.ways[servers * (self.places + 1) + parts]
    }

    /// The number of states.
    pub(crate) fn states(&self) -> u64 {
        self.ways(self.servers, self.places)
    }

    /// The number of `state`, below [`Ranking::states`].
    pub(crate) fn rank(&self, state: &Counts) -> u64 {
        let counts = [state.cold, state.initializing].into_iter().chain(state.warm.iter().copied());
        let (mut rank, mut left) = (0, self.servers);
        for (place, count) in counts.enumerate() {
            if count == 0 {
                continue;
            }
            let parts = self.places - place;
            let rest = left - count as usize;
            rank += self.ways(left, parts) - self.ways(rest, parts);
            left = rest;
            if left == 0 {
                break;
            }
        }
        rank
    }

    /// The state of number `rank` into `state`, whose `warm` gets a count for every number of jobs.
    pub(crate) fn unrank(&self, mut rank: u64, state: &mut Counts) {
        state.warm.clear();
        state.warm.resize(self.places - JOBLESS, 0);
        let mut left = self.servers;
        for place in 0..self.places {
            let parts = self.places - place;
            let all = self.ways(left, parts);
            // Servers in this place: the most whose predecessors do not outnumber the rank.
            let (mut low, mut high) = (0, left);
            while low < high {
                let middle = low + (high - low).div_ceil(2);
                if all - self.ways(left - middle, parts) <= rank {
                    low = middle;
                } else {
                    high = middle - 1;
                }
            }
            rank -= all - self.ways(left - low, parts);
            left -= low;
            match place {
                0 => state.cold = low as u64,
                1 => state.initializing = low as u64,
                _ => state.warm[place - JOBLESS] = low as u64,
            }
        }
    }

    /// Servers of `state` at each place or a later one.
    pub(crate) fn tails(&self, state: &Counts, tails: &mut Vec<usize>) {
        let mut left = self.servers;
        let counts = [state.cold, state.initializing].into_iter().chain(state.warm.iter().copied());
        tails.clear();
        tails.extend(counts.map(|count| {
            let tail = left;
            left -= count as usize;
            tail
        }));
    }

    /// By how much the number of the state with these `tails` changes by `transition`.
    pub(crate) fn change(&self, transition: &Transition, tails: &mut [usize]) -> i64 {
        let moves = || transition.moves.iter().flatten();
        let change = moves().map(|&Move { from, to }| self.shift(number(from), number(to), tails)).sum();
        moves().for_each(|&Move { from, to }| {
            self.shift(number(to), number(from), tails);
        });
        change
    }

    /// Moves a server. One that goes on from the place before `place` makes `tail` there `tail + 1`; in [`Ranking::rank`]
    /// `ways(tail, places - place)` is all that does not cancel, by the recursion of [`Ranking::new`].
    fn shift(&self, from: usize, to: usize, tails: &mut [usize]) -> i64 {
        let mut change = 0;
        for (place, tail) in tails.iter_mut().enumerate().take(to + 1).skip(from + 1) {
            change -= self.ways(*tail, self.places - place) as i64;
            *tail += 1;
        }
        for (place, tail) in tails.iter_mut().enumerate().take(from + 1).skip(to + 1) {
            *tail -= 1;
            change += self.ways(*tail, self.places - place) as i64;
        }
        change
    }
}

fn number(place: Place) -> usize {
    match place {
        Place::Cold => 0,
        Place::Initializing => 1,
        Place::Warm(level) => JOBLESS + level,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_by_formula() {
        assert_eq!(states(10, 3), 3003.0);
        assert_eq!(states(20, 5), 888_030.0);
        assert_eq!(states(1, 5), 8.0);
        assert_eq!(states(1_000_000_000, 4_000_000_000), f64::INFINITY);
        assert!(states(1000, 100) > 1e140);
        assert_eq!(Ranking::new(20, 5).unwrap().states(), 888_030);
    }

    #[test]
    fn what_cannot_be_numbered_is_refused() {
        assert_eq!(Ranking::new(1000, 100), None);
        assert_eq!(Ranking::new(1, 4_000_000_000), None);
        assert_eq!(Ranking::new(999_999_999, 4_000_000_000), None);
    }

    #[test]
    fn every_state_has_its_number() {
        for (servers, buffer) in [(1, 1), (4, 3), (7, 2), (2, 9)] {
            let ranking = Ranking::new(servers, buffer).unwrap();
            let mut state = Counts::default();
            let mut previous: Option<Counts> = None;
            for rank in 0..ranking.states() {
                ranking.unrank(rank, &mut state);
                assert_eq!(state.servers(), servers);
                assert_eq!(ranking.rank(&state), rank);
                let key = |state: &Counts| (state.cold, state.initializing, state.warm.clone());
                assert!(previous.is_none_or(|previous| key(&previous) < key(&state)));
                previous = Some(state.clone());
            }
        }
    }
}
