//! When requests arrive.

use std::sync::Arc;

use alba_model::{ArrivalProfile, Segment};
use alba_replicate::Stream;
use rand::RngExt;
use rand_distr::Exp1;

use crate::error::checked;
use crate::{ClusterError, Law};

/// When requests arrive, in mean service times.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrivals(Kind);

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Poisson(ArrivalProfile),
    Renewal(Law),
    Times(Arc<[f64]>),
}

impl Arrivals {
    /// Poisson, at the profile's rate per server: of `N` servers together, `N` times as many.
    pub fn poisson(profile: ArrivalProfile) -> Self {
        Self(Kind::Poisson(profile))
    }

    /// Times between requests, the one before the first included, are independent and follow `law`, mean > 0. Of equal
    /// times request `k` comes at `k` times that, never summed up.
    ///
    /// # Errors
    /// [`ClusterError::OutOfRange`] for a mean of 0.
    pub fn renewal(law: Law) -> Result<Self, ClusterError> {
        checked("mean", law.mean(), "a finite number > 0", |v| v > 0.0)?;
        Ok(Self(Kind::Renewal(law)))
    }

    /// At these times, >= 0, in order.
    ///
    /// # Errors
    /// [`ClusterError::UnorderedTimes`] otherwise.
    pub fn times(times: Vec<f64>) -> Result<Self, ClusterError> {
        let mut before = 0.0;
        for (index, &time) in times.iter().enumerate() {
            if !(time >= before && time.is_finite()) {
                return Err(ClusterError::UnorderedTimes { index, time });
            }
            before = time;
        }
        Ok(Self(Kind::Times(times.into())))
    }

    /// The law of the times between requests, where they are independent.
    pub(crate) fn gaps(&self) -> Option<&Law> {
        match &self.0 {
            Kind::Renewal(law) => Some(law),
            Kind::Poisson(_) | Kind::Times(_) => None,
        }
    }

    /// What a scaler believes about the arrivals per server at `time`: the true rate; of times between requests and of
    /// recorded times the mean rate over the run.
    pub(crate) fn demand(&self, time: f64, servers: f64, horizon: f64) -> f64 {
        match &self.0 {
            Kind::Poisson(profile) => profile.rate_at(time),
            Kind::Renewal(law) => 1.0 / (law.mean() * servers),
            Kind::Times(times) => {
                times.partition_point(|arrival| *arrival <= horizon) as f64 / (horizon * servers)
            }
        }
    }
}

/// The next arrival of one replication, drawn when the one before has come.
pub(crate) struct ArrivalClock<'p> {
    arrivals: &'p Arrivals,
    servers: f64,
    rng: Stream,
    /// What is left of the profile, and the stretch that the last arrival was in.
    segments: Box<dyn Iterator<Item = Segment> + 'p>,
    segment: Option<Segment>,
    /// Arrivals drawn.
    count: u64,
    next: f64,
}

impl<'p> ArrivalClock<'p> {
    pub(crate) fn new(arrivals: &'p Arrivals, servers: f64, rng: Stream) -> Self {
        let mut segments: Box<dyn Iterator<Item = Segment> + 'p> = match &arrivals.0 {
            Kind::Poisson(profile) => Box::new(profile.segments(f64::INFINITY)),
            Kind::Renewal(_) | Kind::Times(_) => Box::new(std::iter::empty()),
        };
        let segment = segments.next();
        let mut clock = Self { arrivals, servers, rng, segments, segment, count: 0, next: 0.0 };
        clock.draw();
        clock
    }

    /// When the next request arrives; infinite if none does.
    #[inline]
    pub(crate) fn next(&self) -> f64 {
        self.next
    }

    /// The request has arrived: draws the next one.
    #[inline]
    pub(crate) fn draw(&mut self) {
        self.count += 1;
        self.next = match &self.arrivals.0 {
            Kind::Poisson(_) => self.poisson(),
            Kind::Renewal(law) if law.is_constant() => self.count as f64 * law.mean(),
            Kind::Renewal(law) => self.next + law.sample(&mut self.rng),
            Kind::Times(times) => times.get(self.count as usize - 1).copied().unwrap_or(f64::INFINITY),
        };
    }

    /// A unit-rate Poisson process run at the speed of the rate.
    #[inline]
    fn poisson(&mut self) -> f64 {
        let mut need = self.rng.sample::<f64, _>(Exp1);
        let mut time = self.next;
        while let Some(segment) = self.segment {
            let rate = segment.rate * self.servers;
            let arrival = time + need / rate;
            if arrival < segment.end {
                return arrival;
            }
            if segment.end == f64::INFINITY {
                break;
            }
            need -= rate * (segment.end - time);
            time = segment.end;
            self.segment = self.segments.next();
        }
        f64::INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alba_replicate::stream;

    fn drawn(arrivals: &Arrivals, servers: f64, until: f64) -> Vec<f64> {
        let mut clock = ArrivalClock::new(arrivals, servers, stream(3, 0));
        let mut times = vec![];
        while clock.next() <= until {
            times.push(clock.next());
            clock.draw();
        }
        times
    }

    #[test]
    fn equal_times_are_not_summed_up() {
        let tenth = Arrivals::renewal(Law::deterministic(0.1).unwrap()).unwrap();
        assert_eq!(drawn(&tenth, 1.0, 100_000.0).len(), 1_000_000);
        assert_eq!(drawn(&tenth, 1.0, 1.0), (1..=10).map(|k| f64::from(k) * 0.1).collect::<Vec<_>>());
    }

    #[test]
    fn recorded_times_are_replayed() {
        let times = vec![0.0, 0.0, 2.5, 7.0];
        assert_eq!(drawn(&Arrivals::times(times.clone()).unwrap(), 5.0, 7.0), times);
        for bad in [vec![1.0, 0.5], vec![-1.0], vec![f64::NAN]] {
            assert!(matches!(Arrivals::times(bad), Err(ClusterError::UnorderedTimes { .. })));
        }
        assert!(Arrivals::renewal(Law::deterministic(0.0).unwrap()).is_err());
    }

    /// Ten servers, rates 2, 0, 5 for 1000 each (seed 3): counts within 4.5 standard deviations.
    #[test]
    fn poisson_arrivals_follow_the_profile() {
        let profile = ArrivalProfile::steps(vec![(0.0, 2.0), (1000.0, 0.0), (2000.0, 5.0), (3000.0, 0.0)]);
        let times = drawn(&Arrivals::poisson(profile.unwrap()), 10.0, 1e9);
        for (index, expected) in [(0, 20_000.0), (1, 0.0), (2, 50_000.0), (3, 0.0)] {
            let within = |time: &&f64| (**time / 1000.0) as usize == index;
            let count = times.iter().filter(within).count() as f64;
            assert!((count - expected).abs() <= 4.5 * f64::sqrt(expected), "{index}: {count}");
        }
    }
}
