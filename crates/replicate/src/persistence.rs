//! How long values resemble each other.

/// How many consecutive values of a run make one independent value, as far as large ones are concerned: known from the
/// model, not from a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Persistence(f64);

/// Times the load and the sum of both squared variations, over the square of the capacity to spare. By experiment, with values beyond the
/// 95th to 99.9th percentile: M/M/1 at loads of 0.1 to 0.9, M/M/2 and M/D/1 at 0.7 differ from it by 30 % at most; under
/// processor sharing it is up to four times too large.
const OF_QUEUES: f64 = 1.75;

impl Default for Persistence {
    fn default() -> Self {
        Self::NONE
    }
}

impl Persistence {
    /// All are independent.
    pub const NONE: Self = Self(1.0);

    /// Of delays in a queue: `load`, the work that comes over what can be done; `variation`, the squared coefficients of variation of
    /// times between requests and of service demands, summed up; `room`, the most requests at a server, if there is a limit.
    /// Without a limit a load of 1 or more makes a run of one piece.
    ///
    /// # Source
    /// The relaxation time of a queue in heavy traffic, `variation / (1 - load)^2`: J. Abate and W. Whitt, *Transient behavior of
    /// regulated Brownian motion*, Advances in Applied Probability 19, 1987. A full buffer of `room` places is the longest
    /// way down.
    pub fn of_queue(load: f64, variation: f64, room: Option<u32>) -> Self {
        let shortest = room.map_or(0.0, |room| 1.0 / (f64::from(room) + 1.0));
        let spare = (1.0 - load).max(shortest);
        Self(1.0 + OF_QUEUES * variation * load / (spare * spare))
    }

    /// About how many independent values are on the `rare` side of a quantile of `count` values in so many sections; values in
    /// the middle are less dependent than large ones.
    pub(crate) fn independent(self, rare: f64, count: f64, sections: usize) -> f64 {
        let each = self.0.min(count / sections as f64).max(1.0);
        let common = 1.0 - rare;
        count * rare / (common * (1.0 + common * (each - 1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Means of 200 experiments of ten runs of 5000 requests: 1 over the squared relative error of the share beyond a percentile.
    #[test]
    fn as_measured() {
        let poisson = |load, variation| Persistence::of_queue(load, variation, None);
        for (persistence, rare, measured) in [
            (poisson(0.1, 2.0), 0.05, 1.41),
            (poisson(0.3, 2.0), 0.05, 3.09),
            (poisson(0.5, 2.0), 0.01, 8.18),
            (poisson(0.7, 2.0), 0.01, 30.9),
            (poisson(0.9, 2.0), 0.05, 279.0),
            (poisson(0.3, 1.0), 0.01, 2.25),
            (poisson(0.7, 1.0), 0.05, 13.6),
        ] {
            let each = 50_000.0 * rare / persistence.independent(rare, 50_000.0, 10);
            assert!((each / measured - 1.0).abs() < 0.3, "{persistence:?}: {each}, {measured}");
        }
    }

    #[test]
    fn a_run_is_independent_of_the_others() {
        let endless = Persistence::of_queue(1.0, 2.0, None);
        // 50 values beyond the quantile, a thousand to a run: 50 / (.99 (1 + .99 999)).
        assert!((endless.independent(0.01, 5000.0, 5) - 0.0510146).abs() < 1e-6);
        assert_eq!(Persistence::of_queue(0.0, 2.0, None), Persistence::NONE);
        let full = Persistence::of_queue(1.5, 2.0, Some(4)).0;
        assert!((full - (1.0 + 1.75 * 2.0 * 1.5 * 25.0)).abs() < 1e-9, "{full}");
    }
}
