//! Weighted least connections: the fewest connections per weight.

use alba_model::Kind;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Arbitrator, Policy, ServerLoad};
use crate::sets::Levels;

pub(super) const KIND: Kind<Arbitrator> =
    Kind::bare("weighted-least-connections", |_| Ok(Arbitrator::WeightedLeastConnections));

/// Of the available servers that are not full the one with the fewest connections per weight; of several each
/// is as likely as the others.
///
/// # Source
/// As in Linux Virtual Server's `wlc`.
#[derive(Debug, Clone)]
pub struct WeightedLeastConnections {
    weights: Vec<f64>,
    by_share: Levels,
}

impl WeightedLeastConnections {
    /// For servers of these weights, > 0.
    pub fn new(weights: Vec<f64>) -> Self {
        Self { by_share: Levels::new(weights.len()), weights }
    }
}

impl Policy for WeightedLeastConnections {
    fn notify(&mut self, server: usize, load: ServerLoad) {
        let share = f64::from(load.connections) / self.weights[server];
        self.by_share.set(server, load.takes_one_more().then_some(share));
    }

    fn pick(&mut self, random: &mut Xoshiro256PlusPlus) -> Option<usize> {
        self.by_share.draw(random)
    }
}
