//! Requests of every second.

use crate::ClusterError;
use crate::error::checked;
use rand_distr::{Distribution, Poisson};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Where the published series passes: half seconds, and requests until then; straight lines between.
///
/// The paper prints no series, only when servers are switched on and which capacities are used up when. Request 1051 comes in second
/// 43, 1401 in second 57, 2101 in second 84, 2451 in second 97; 4050 have come after 160 seconds, and the last ones after 180.
pub const PUBLISHED_KNOTS: [(u32, u32); 7] =
    [(0, 0), (85, 1050), (113, 1400), (167, 2100), (193, 2450), (320, 4050), (360, 4550)];

/// Requests in each of 180 seconds, reconstructed from what the paper says of its own.
///
/// Requests until each full second are rounded, half up, not those of each second: or the switch-on times would be missed.
pub fn published_arrivals() -> Vec<u32> {
    let until: Vec<u32> = (0..=180).map(published_until).collect();
    until.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// Requests until the end of `second`, rounded half up.
fn published_until(second: u32) -> u32 {
    let half_seconds = 2 * second;
    let leg = PUBLISHED_KNOTS.windows(2).find(|leg| half_seconds <= leg[1].0);
    leg.map_or(0, |leg| {
        let ((from, before), (to, after)) = (leg[0], leg[1]);
        let length = to - from;
        before + (2 * (after - before) * (half_seconds - from) + length) / (2 * length)
    })
}

/// Poisson numbers of requests in each of `seconds` seconds, `mean` on average.
///
/// # Errors
/// [`ClusterError::OutOfRange`] unless `mean` is above 0 and at most a million.
pub fn random_arrivals(
    mean: f64,
    seconds: usize,
    random: &mut Xoshiro256PlusPlus,
) -> Result<Vec<u32>, ClusterError> {
    let (name, allowed) = ("mean requests per second", "a number > 0, at most 1e6");
    let mean = checked(name, mean, allowed, |mean| mean > 0.0 && mean <= 1e6)?;
    let law = Poisson::new(mean).map_err(|_| ClusterError::OutOfRange { name, value: mean, allowed })?;
    Ok((0..seconds).map(|_| law.sample(random) as u32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream;

    /// The second in which request number `number` comes.
    fn second_of(number: u32) -> usize {
        let mut until = 0;
        let later = |arrivals: &u32| {
            until += arrivals;
            until >= number
        };
        published_arrivals().iter().position(later).unwrap() + 1
    }

    #[test]
    fn the_published_series_passes_where_the_paper_says() {
        assert_eq!([1051, 1401, 2101, 2451].map(second_of), [43, 57, 84, 97]);
        let arrivals = published_arrivals();
        assert_eq!(arrivals.len(), 180);
        assert_eq!(arrivals[..160].iter().sum::<u32>(), 4050);
        assert_eq!(arrivals.iter().sum::<u32>(), 4550);
        assert!(arrivals.iter().all(|arrivals| (24..=27).contains(arrivals)), "{arrivals:?}");
    }

    /// Seed 1, 200 series of 180 seconds: mean and variance of 36,000 Poisson numbers with mean 25 have standard errors 0.026
    /// and 0.19 (fourth central moment 3 * 25^2 + 25).
    #[test]
    fn random_series_are_poisson() {
        let draws: Vec<f64> = (0..200)
            .flat_map(|replication| random_arrivals(25.0, 180, &mut stream(1, replication)).unwrap())
            .map(f64::from)
            .collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / draws.len() as f64;
        assert!((mean - 25.0).abs() < 4.0 * 0.0264, "{mean}");
        assert!((variance - 25.0).abs() < 4.0 * 0.189, "{variance}");
    }

    #[test]
    fn nonsense_is_refused() {
        for mean in [0.0, -1.0, f64::NAN, 1e7] {
            assert!(random_arrivals(mean, 3, &mut stream(1, 0)).is_err(), "{mean}");
        }
    }
}
