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
    /// Stamps, and their length: a request came at any time within it.
    Stamps(Arc<[f64]>, f64),
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
        Ok(Self(Kind::Times(ordered(times)?)))
    }

    /// At times whose stamps, >= 0 and in order, are cut to whole numbers of `length > 0`: each request comes
    /// uniformly within that time after its stamp, independently of the others, and anew in each replication. Stamps that
    /// differ do so by at least `length`, so that their order is kept.
    ///
    /// # Errors
    /// [`ClusterError::UnorderedTimes`], [`ClusterError::OutOfRange`] otherwise.
    pub fn stamps(stamps: Vec<f64>, length: f64) -> Result<Self, ClusterError> {
        let length = checked("resolution of stamps", length, "a finite number > 0", |v| v > 0.0)?;
        Ok(Self(Kind::Stamps(ordered(stamps)?, length)))
    }

    /// Whether replications have different ones.
    pub(crate) fn are_random(&self) -> bool {
        match &self.0 {
            Kind::Poisson(_) | Kind::Stamps(..) => true,
            Kind::Renewal(law) => !law.is_constant(),
            Kind::Times(_) => false,
        }
    }

    /// The law of the times between requests, where they are independent.
    pub(crate) fn gaps(&self) -> Option<&Law> {
        match &self.0 {
            Kind::Renewal(law) => Some(law),
            Kind::Poisson(_) | Kind::Times(_) | Kind::Stamps(..) => None,
        }
    }

    /// Requests in a unit of time on average, from `from` to `to > from`, at so many servers.
    pub(crate) fn mean_rate(&self, from: f64, to: f64, servers: f64) -> f64 {
        match &self.0 {
            Kind::Poisson(profile) => profile.mean_rate(from, to) * servers,
            Kind::Renewal(law) => 1.0 / law.mean(),
            Kind::Times(times) | Kind::Stamps(times, _) => {
                let until = |time: f64| times.partition_point(|arrival| *arrival <= time);
                (until(to) - until(from)) as f64 / (to - from)
            }
        }
    }

    /// Of times between requests; recorded ones are taken for Poisson's: how they cluster shows in every run.
    pub(crate) fn squared_variation(&self) -> f64 {
        match &self.0 {
            Kind::Renewal(law) => law.squared_variation(),
            Kind::Poisson(_) | Kind::Times(_) | Kind::Stamps(..) => 1.0,
        }
    }

    /// Whether [`Self::demand`] never changes.
    pub(crate) fn demand_is_constant(&self) -> bool {
        match &self.0 {
            Kind::Poisson(profile) => profile.constant_rate().is_some(),
            Kind::Renewal(_) | Kind::Times(_) | Kind::Stamps(..) => true,
        }
    }

    /// What a scaler believes about the arrivals per server at `time`: the true rate; of times between requests and of
    /// recorded times the mean rate over the run.
    pub(crate) fn demand(&self, time: f64, servers: f64, horizon: f64) -> f64 {
        match &self.0 {
            Kind::Poisson(profile) => profile.rate_at(time),
            Kind::Renewal(law) => 1.0 / (law.mean() * servers),
            Kind::Times(times) | Kind::Stamps(times, _) => {
                times.partition_point(|arrival| *arrival <= horizon) as f64 / (horizon * servers)
            }
        }
    }
}

/// The times, if they are >= 0, finite and in order.
fn ordered(times: Vec<f64>) -> Result<Arc<[f64]>, ClusterError> {
    let mut before = 0.0;
    for (index, &time) in times.iter().enumerate() {
        if !(time >= before && time.is_finite()) {
            return Err(ClusterError::UnorderedTimes { index, time });
        }
        before = time;
    }
    Ok(times.into())
}

/// The next arrival of one replication, drawn when the one before has come.
pub(crate) struct ArrivalClock<'p> {
    arrivals: &'p Arrivals,
    servers: f64,
    rng: Stream,
    /// What is left of the profile, and the stretch that the last arrival was in.
    segments: Box<dyn Iterator<Item = Segment> + 'p>,
    segment: Option<Segment>,
    spread: Spread,
    /// Arrivals drawn.
    count: u64,
    next: f64,
}

/// Requests of one stamp that are still to come, and the share of its length that has passed.
#[derive(Default)]
struct Spread {
    left: usize,
    passed: f64,
}

impl Spread {
    /// The next of the requests at `stamps[index..]`: the smallest of as many uniform shares of what is left of the
    /// stamp's length as there are requests left, so that nothing need be sorted.
    fn next(&mut self, stamps: &[f64], length: f64, index: usize, rng: &mut Stream) -> f64 {
        let Some(&stamp) = stamps.get(index) else { return f64::INFINITY };
        if self.left == 0 {
            let left = stamps[index..].iter().take_while(|other| **other == stamp).count();
            *self = Self { left, passed: 0.0 };
        }
        let largest = rng.random::<f64>().powf(1.0 / self.left as f64);
        self.passed += (1.0 - self.passed) * (1.0 - largest);
        self.left -= 1;
        stamp + length * self.passed
    }
}

impl<'p> ArrivalClock<'p> {
    pub(crate) fn new(arrivals: &'p Arrivals, servers: f64, rng: Stream) -> Self {
        let mut segments: Box<dyn Iterator<Item = Segment> + 'p> = match &arrivals.0 {
            Kind::Poisson(profile) => Box::new(profile.segments(f64::INFINITY)),
            Kind::Renewal(_) | Kind::Times(_) | Kind::Stamps(..) => Box::new(std::iter::empty()),
        };
        let segment = segments.next();
        let spread = Spread::default();
        let mut clock = Self { arrivals, servers, rng, segments, segment, spread, count: 0, next: 0.0 };
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
            // Rounding may put the end of one stamp's length an ulp behind the next stamp.
            Kind::Stamps(stamps, length) => {
                let index = self.count as usize - 1;
                self.spread.next(stamps, *length, index, &mut self.rng).max(self.next)
            }
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

    /// Seed 3, replication 0: 20,000 requests at each of 0 and 3 with length 2, and one alone. Uniform on [0, 2): mean 1 (standard
    /// error 0.0041), mean square 4/3 (0.0084), both within 4.5 of them; in order; none outside.
    #[test]
    fn stamps_are_spread_uniformly_within_their_length() {
        let stamps: Vec<f64> = [vec![0.0; 20_000], vec![3.0; 20_000], vec![5.5]].concat();
        let times = drawn(&Arrivals::stamps(stamps.clone(), 2.0).unwrap(), 1.0, 1e9);
        assert_eq!(times.len(), stamps.len());
        assert!(times.is_sorted());
        let offsets: Vec<f64> = times.iter().zip(&stamps).map(|(time, stamp)| time - stamp).collect();
        assert!(offsets.iter().all(|offset| (0.0..=2.0).contains(offset)));
        for group in [&offsets[..20_000], &offsets[20_000..40_000]] {
            let mean = group.iter().sum::<f64>() / 20_000.0;
            let square = group.iter().map(|offset| offset * offset).sum::<f64>() / 20_000.0;
            assert!((mean - 1.0).abs() < 4.5 * 0.0041, "{mean}");
            assert!((square - 4.0 / 3.0).abs() < 4.5 * 0.0084, "{square}");
        }
        assert!(offsets[40_000] > 0.0);
        for length in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Arrivals::stamps(vec![1.0], length).is_err(), "{length}");
        }
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
