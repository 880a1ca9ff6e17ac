//! The state of a finite system, as numbers of servers.

use crate::Occupancy;

/// Numbers of servers that are cold, initializing, and warm with `i` jobs, and of jobs in a central queue.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Counts {
    /// Cold servers.
    pub cold: u64,
    /// Initializing servers.
    pub initializing: u64,
    /// `warm[i]`: warm servers with `i` jobs.
    pub warm: Vec<u64>,
    /// Jobs in the central queue; 0 under schemes without one.
    pub waiting: u64,
}

impl Counts {
    /// `servers` servers in the proportions of `state`, by largest remainder, so that they sum to `servers`;
    /// ties go to the first of cold, initializing, warm with 0, 1, ... jobs.
    pub fn apportion(state: &Occupancy, servers: u64) -> Self {
        let fractions: Vec<f64> =
            [state.cold(), state.initializing()].iter().chain(state.levels()).copied().collect();
        let quotas: Vec<f64> = fractions.iter().map(|fraction| fraction * servers as f64).collect();
        let mut counts: Vec<u64> = quotas.iter().map(|quota| quota.floor() as u64).collect();
        let mut by_remainder: Vec<usize> = (0..counts.len()).collect();
        let remainder = |index: usize| quotas[index] - quotas[index].floor();
        by_remainder.sort_by(|&a, &b| remainder(b).total_cmp(&remainder(a)));
        let given: u64 = counts.iter().sum();
        for &index in by_remainder.iter().cycle().take(servers.saturating_sub(given) as usize) {
            counts[index] += 1;
        }
        // Rounding can push a quota over a whole number (0.3 + 0.7 of 10^9 servers): take back from the largest.
        for _ in servers..given {
            if let Some(largest) = counts.iter_mut().max() {
                *largest -= 1;
            }
        }
        Self { cold: counts[0], initializing: counts[1], warm: counts.split_off(2), waiting: 0 }
    }

    /// All servers.
    pub fn servers(&self) -> u64 {
        self.cold + self.initializing + self.warm()
    }

    /// Warm servers.
    pub fn warm(&self) -> u64 {
        self.warm.iter().sum()
    }

    /// Jobs in the system.
    pub fn jobs(&self) -> u64 {
        self.waiting + self.warm.iter().zip(0..).map(|(count, level): (&u64, u64)| count * level).sum::<u64>()
    }

    /// `servers` servers under a central queue, `warm` of them warm, with `jobs` jobs in all: warm servers have a job each as
    /// long as there are jobs, what is left waits, and for every waiting job a server initializes as long as there are
    /// servers.
    pub fn pooled(servers: u64, warm: u64, jobs: u64) -> Self {
        let busy = jobs.min(warm);
        let waiting = jobs - busy;
        let initializing = waiting.min(servers - warm);
        Self { cold: servers - warm - initializing, initializing, warm: vec![warm - busy, busy], waiting }
    }

    /// The same state as fractions of all servers.
    ///
    /// # Errors
    /// [`crate::ModelError::OutOfRange`] if there is no server at all.
    pub fn occupancy(&self) -> Result<Occupancy, crate::ModelError> {
        let servers = self.servers() as f64;
        let fraction = |count: u64| count as f64 / servers;
        Occupancy::from_fractions(
            fraction(self.cold),
            fraction(self.initializing),
            self.warm.iter().map(|&count| fraction(count)).collect(),
        )?
        .with_waiting(fraction(self.waiting))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn largest_remainder() {
        let state = Occupancy::new(0.0, vec![0.25, 0.25, 0.25]).unwrap();
        let counts = Counts::apportion(&state, 10);
        assert_eq!(counts, Counts { cold: 3, initializing: 0, warm: vec![3, 2, 2], waiting: 0 });
    }

    #[test]
    fn pooled_jobs_by_hand() {
        let idle = Counts { cold: 2, initializing: 0, warm: vec![1, 2], waiting: 0 };
        assert_eq!(Counts::pooled(5, 3, 2), idle);
        let waiting = Counts { cold: 1, initializing: 1, warm: vec![0, 3], waiting: 1 };
        assert_eq!(Counts::pooled(5, 3, 4), waiting);
        let crowd = Counts { cold: 0, initializing: 2, warm: vec![0, 3], waiting: 6 };
        assert_eq!((Counts::pooled(5, 3, 9), crowd.jobs()), (crowd, 9));
    }

    proptest! {
        #[test]
        fn apportioned_counts_sum_to_all_servers(
            weights in prop::collection::vec(0.0f64..1.0, 2..12),
            servers in prop_oneof![1u64..50, 1_000_000_000u64..1_000_001_000],
        ) {
            let total: f64 = weights.iter().sum::<f64>() + 0.01;
            let shares: Vec<f64> = weights.iter().map(|w| w / total).collect();
            let state = Occupancy::new(shares[0], shares[1..].to_vec()).unwrap();
            let counts = Counts::apportion(&state, servers);
            prop_assert_eq!(counts.servers(), servers);
            for (count, share) in counts.warm.iter().zip(&shares[1..]) {
                prop_assert!((*count as f64 - share * servers as f64).abs() <= 1.0 + 1e-6);
            }
        }
    }
}
