//! What cutting a buffer does at most.

use alba_model::Event;

use crate::ExactError;
use crate::StateSpace;
use crate::poisson::Window;
use crate::readout::Errors;
use crate::rows::BLOCK;

/// Until a server would hold more jobs than the cut allows, the chain is that of the infinite buffer; the probability of
/// that is at most the expected number of such jumps. From then on there are at most the jobs that were there and all
/// that arrive.
pub(crate) struct Escape {
    /// The rate at which each state is left for one that the cut forbids.
    rates: Vec<f64>,
    most: f64,
    /// Jobs that a server may hold.
    level: f64,
    servers: f64,
}

impl Escape {
    pub(crate) fn new(space: &StateSpace, arrival_rate: f64) -> Result<Self, ExactError> {
        let servers = space.servers() as f64;
        let rate = |index| {
            let mut rate = 0.0;
            let state = space.state(index).occupancy()?;
            space.model().for_each_transition(&state, arrival_rate, &mut |transition| {
                if transition.event == Event::Rejected {
                    rate += transition.rate * servers;
                }
            });
            Ok(rate)
        };
        let rates = (0..space.len()).map(rate).collect::<Result<Vec<f64>, ExactError>>()?;
        let most = rates.iter().copied().fold(0.0, f64::max);
        let level = space.model().buffer().limit().map_or(0.0, f64::from);
        Ok(Self { rates, most, level, servers })
    }

    /// The rate of forbidden jumps.
    pub(crate) fn rate(&self, distribution: &[f64]) -> f64 {
        let blocks = distribution.chunks(BLOCK).zip(self.rates.chunks(BLOCK));
        let sum = |(weights, rates): (&[f64], &[f64])| -> f64 {
            weights.iter().zip(rates).map(|(weight, rate)| weight * rate).sum()
        };
        blocks.map(sum).sum()
    }

    /// The weight with which the rate after so many jumps counts where `above` is left of the window beyond them.
    pub(crate) fn weight(window: &Window, above: f64) -> f64 {
        let rounding = f64::EPSILON * window.weights.len() as f64;
        above.max(0.0) + window.outside + rounding
    }

    /// Adds to `errors` what may have escaped after `weighted`, a sum of rates, at a window of mean `uniform * time`;
    /// `arrived` jobs per server have come since the start.
    pub(crate) fn add(
        &self,
        errors: &mut Errors,
        (weighted, window): (f64, &Window),
        (uniform, time): (f64, f64),
        arrived: f64,
    ) {
        if uniform > 0.0 {
            let last = window.last() as f64 + 1.0;
            let beyond = self.most * window.outside * last / (last - uniform * time);
            errors.escaped += (weighted + beyond) / uniform;
        }
        errors.escaped_jobs = errors.escaped * (self.level + self.servers.recip() + arrived);
    }
}
