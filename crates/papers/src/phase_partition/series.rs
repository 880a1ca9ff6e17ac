//! The random series of arrivals beside the published one.

use crate::Error;
use alba_cluster::{ClusterError, published_arrivals, random_arrivals, stream};
use alba_scenario::Override;
use alba_scenario::Problem;
use alba_scenario::ScenarioError;
use serde::Serialize;

/// Seconds of a series.
pub(super) const SECONDS: usize = 180;
/// Seconds that energies are summed over.
pub(super) const ENERGY_SECONDS: usize = 160;
/// Requests a second.
const MEAN: f64 = 25.0;

const SEED: &str = "run.seed";
const REPLICATIONS: &str = "run.replications";
/// All of them are held at once, for their quantiles.
const MOST: u64 = 10_000;

/// How many random series, and from which seed. The paper says that its own is random with about this mean, not by which law: Poisson
/// is this project's choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Series {
    pub(super) seed: u64,
    pub(super) count: u64,
}

/// The published series and the random ones.
#[derive(Debug)]
pub(super) struct Arrivals {
    pub(super) published: Vec<u32>,
    pub(super) random: Vec<Vec<u32>>,
}

impl Series {
    /// 200 from seed 1, but for what `overrides` say of `run.seed` and `run.replications`.
    ///
    /// # Errors
    /// [`InputError::Faults`] for other keys and for values that are not allowed.
    pub(crate) fn new(overrides: &[Override]) -> Result<Self, Error> {
        let mut series = Self { seed: 1, count: 200 };
        let mut faults = vec![];
        for set in overrides {
            let number = |lowest: u64, highest: u64| {
                let found = set.value().parse().ok().filter(|number| (lowest..=highest).contains(number));
                found.ok_or_else(|| {
                    let allowed = format!("a whole number from {lowest} to {highest}");
                    set.fault(Problem::Value { key: set.key(), value: set.value().to_owned(), allowed })
                })
            };
            let result = match set.key().as_str() {
                SEED => number(0, i64::MAX as u64).map(|seed| series.seed = seed),
                REPLICATIONS => number(2, MOST).map(|count| series.count = count),
                _ => {
                    Err(set.fault(Problem::UnknownKey { key: set.key(), allowed: vec![SEED, REPLICATIONS] }))
                }
            };
            faults.extend(result.err());
        }
        if faults.is_empty() { Ok(series) } else { Err(ScenarioError::Faults { faults }.into()) }
    }

    /// The same, passing over keys that are meant for other figures.
    ///
    /// # Errors
    /// [`InputError::Faults`] for values that are not allowed.
    pub(crate) fn among(overrides: &[Override]) -> Result<Self, Error> {
        let ours = overrides.iter().filter(|set| [SEED, REPLICATIONS].contains(&set.key().as_str()));
        Self::new(&ours.cloned().collect::<Vec<_>>())
    }

    pub(super) fn arrivals(self) -> Result<Arrivals, ClusterError> {
        let random = |replication| random_arrivals(MEAN, SECONDS, &mut stream(self.seed, replication));
        Ok(Arrivals {
            published: published_arrivals(),
            random: (0..self.count).map(random).collect::<Result<_, _>>()?,
        })
    }

    pub(super) fn manifest(self) -> impl Serialize {
        #[derive(Serialize)]
        struct Manifest {
            random_arrivals: Random,
        }
        #[derive(Serialize)]
        struct Random {
            law: &'static str,
            mean_per_second: f64,
            seconds: u64,
            energy_seconds: u64,
            seed: u64,
            replications: u64,
        }
        Manifest {
            random_arrivals: Random {
                law: "Poisson",
                mean_per_second: MEAN,
                seconds: SECONDS as u64,
                energy_seconds: ENERGY_SECONDS as u64,
                seed: self.seed,
                replications: self.count,
            },
        }
    }

    /// For captions.
    pub(super) fn described(self) -> String {
        format!("{} random series (Poisson, {MEAN} a second, seed {})", self.count, self.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(sets: &[&str]) -> Result<Series, Error> {
        Series::new(&sets.iter().map(|set| Override::parse(set).unwrap()).collect::<Vec<_>>())
    }

    #[test]
    fn seed_and_number_can_be_set() {
        assert_eq!(series(&[]).unwrap(), Series { seed: 1, count: 200 });
        assert_eq!(series(&["run.seed=7", "run.replications=3"]).unwrap(), Series { seed: 7, count: 3 });
        for (set, expected) in [
            (
                "run.seed=-1",
                "--set run.seed=-1: run.seed = -1 is not allowed: a whole number from 0 to 9223372036854775807",
            ),
            (
                "run.replications=1",
                "--set run.replications=1: run.replications = 1 is not allowed: a whole number from 2 to 10000",
            ),
            (
                "run.horizon=3",
                "--set run.horizon=3: unknown key run.horizon: one of run.seed, run.replications",
            ),
        ] {
            assert_eq!(series(&[set]).unwrap_err().to_string(), expected);
        }
        let overrides = ["run.horizon=3", "run.seed=9"].map(|set| Override::parse(set).unwrap());
        assert_eq!(Series::among(&overrides).unwrap(), Series { seed: 9, count: 200 });
    }
}
