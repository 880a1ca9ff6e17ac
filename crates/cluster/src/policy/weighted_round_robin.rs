//! Weighted round robin: turns in proportion to weights.

use alba_model::Kind;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Arbitrator, Policy, ServerLoad};
use crate::sets::{Shuffle, Tournament};

pub(super) const KIND: Kind<Arbitrator> =
    Kind::bare("weighted-round-robin", |_| Ok(Arbitrator::WeightedRoundRobin));

/// Every server has a next turn, `1 / weight` after its last one; of the available servers that are not full the one
/// whose turn is earliest. Turns at the same time go by an order that is drawn once: between servers of equal weight they go in a
/// circle. One that comes back does not catch up on turns that it missed.
///
/// # Source
/// Stride scheduling, Waldspurger and Weihl 1995.
#[derive(Debug, Clone)]
pub struct WeightedRoundRobin {
    weights: Vec<f64>,
    turns: Vec<f64>,
    has_room: Vec<bool>,
    order: Shuffle,
    /// Of places in that order.
    by_turn: Tournament,
    /// The last turn taken.
    now: f64,
}

impl WeightedRoundRobin {
    /// For servers of these weights, > 0.
    pub fn new(weights: Vec<f64>, random: &mut Xoshiro256PlusPlus) -> Self {
        let turns = weights.iter().map(|weight| 1.0 / weight).collect();
        let (has_room, by_turn) = (vec![false; weights.len()], Tournament::new(weights.len()));
        let order = Shuffle::new(weights.len(), random);
        Self { weights, turns, has_room, order, by_turn, now: 0.0 }
    }
}

impl Policy for WeightedRoundRobin {
    fn notify(&mut self, server: usize, load: ServerLoad) {
        let has_room = load.takes_one_more();
        if has_room != self.has_room[server] {
            self.has_room[server] = has_room;
            self.turns[server] = self.turns[server].max(self.now);
            self.by_turn.set(self.order.place(server), has_room.then_some(self.turns[server]));
        }
    }

    fn pick(&mut self, _random: &mut Xoshiro256PlusPlus) -> Option<usize> {
        let place = self.by_turn.winner()?;
        let server = self.order.member(place);
        self.now = self.turns[server];
        self.turns[server] += 1.0 / self.weights[server];
        self.by_turn.set(place, Some(self.turns[server]));
        Some(server)
    }
}
