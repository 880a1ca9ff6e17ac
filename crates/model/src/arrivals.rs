//! The arrival rate over time.

use crate::ModelError;
use crate::error::nonnegative;

/// lambda(t): jobs per server and mean service time, piecewise constant; the last rate lasts for ever.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrivalProfile {
    steps: Vec<(f64, f64)>,
}

/// A stretch of constant arrival rate, `start <= t < end`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// Where it starts.
    pub start: f64,
    /// Where it ends.
    pub end: f64,
    /// Jobs per server and mean service time in it.
    pub rate: f64,
}

impl ArrivalProfile {
    /// The same rate at all times, >= 0.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] for a negative or non-finite rate.
    pub fn constant(rate: f64) -> Result<Self, ModelError> {
        Self::steps(vec![(0.0, rate)])
    }

    /// Pairs (time, rate from that time on); the first time is 0 and times increase strictly.
    ///
    /// # Errors
    /// [`ModelError::UnorderedSteps`] for times out of order, also for an empty list;
    /// [`ModelError::OutOfRange`] for a negative or non-finite rate.
    pub fn steps(steps: Vec<(f64, f64)>) -> Result<Self, ModelError> {
        let mut previous = None;
        for (index, &(time, rate)) in steps.iter().enumerate() {
            let in_order = previous.map_or(time == 0.0, |earlier: f64| time > earlier) && time.is_finite();
            if !in_order {
                return Err(ModelError::UnorderedSteps { index, time });
            }
            nonnegative("arrival_rate", rate)?;
            previous = Some(time);
        }
        match previous {
            Some(_) => Ok(Self { steps }),
            None => Err(ModelError::UnorderedSteps { index: 0, time: f64::INFINITY }),
        }
    }

    /// The rate at `time >= 0`; at a step, the new rate.
    pub fn rate_at(&self, time: f64) -> f64 {
        let after = self.steps.partition_point(|step| step.0 <= time);
        self.steps[after.saturating_sub(1)].1
    }

    /// The stretches of constant rate from 0 to `horizon`, in order.
    pub fn segments(&self, horizon: f64) -> impl Iterator<Item = Segment> + '_ {
        let ends = self.steps.iter().skip(1).map(|step| step.0).chain([f64::INFINITY]);
        self.steps
            .iter()
            .zip(ends)
            .take_while(move |(step, _)| step.0 < horizon)
            .map(move |(step, end)| Segment { start: step.0, end: end.min(horizon), rate: step.1 })
    }

    /// The rate, if it never changes.
    pub fn constant_rate(&self) -> Option<f64> {
        match self.steps[..] {
            [(_, rate)] => Some(rate),
            _ => None,
        }
    }

    /// The mean rate from `from` to `to > from`.
    pub fn mean_rate(&self, from: f64, to: f64) -> f64 {
        let jobs = |segment: Segment| segment.rate * (segment.end - segment.start.max(from)).max(0.0);
        self.segments(to).map(jobs).sum::<f64>() / (to - from)
    }

    /// The largest rate.
    pub fn peak(&self) -> f64 {
        self.steps.iter().map(|step| step.1).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_takes_effect_at_its_time() {
        let profile = ArrivalProfile::steps(vec![(0.0, 0.5), (15.0, 0.9), (40.0, 0.2)]).unwrap();
        assert_eq!(profile.rate_at(0.0), 0.5);
        assert_eq!(profile.rate_at(14.999), 0.5);
        assert_eq!(profile.rate_at(15.0), 0.9);
        assert_eq!(profile.rate_at(1e9), 0.2);
        assert_eq!(profile.peak(), 0.9);
    }

    #[test]
    fn segments_tile_the_horizon() {
        let profile = ArrivalProfile::steps(vec![(0.0, 0.5), (15.0, 0.9), (40.0, 0.2)]).unwrap();
        let segments: Vec<_> = profile.segments(20.0).collect();
        assert_eq!(
            segments,
            [Segment { start: 0.0, end: 15.0, rate: 0.5 }, Segment { start: 15.0, end: 20.0, rate: 0.9 }]
        );
        assert_eq!(profile.segments(15.0).count(), 1);
    }

    #[test]
    fn means_by_hand() {
        let profile = ArrivalProfile::steps(vec![(0.0, 0.5), (15.0, 1.0), (40.0, 0.25)]).unwrap();
        assert_eq!(profile.mean_rate(0.0, 30.0), 0.75);
        assert_eq!(profile.mean_rate(20.0, 60.0), 0.625);
        assert_eq!(profile.mean_rate(50.0, 60.0), 0.25);
    }

    #[test]
    fn steps_out_of_order_are_refused() {
        for steps in
            [vec![], vec![(1.0, 0.5)], vec![(0.0, 0.5), (0.0, 0.6)], vec![(0.0, 0.1), (f64::NAN, 0.1)]]
        {
            assert!(matches!(ArrivalProfile::steps(steps), Err(ModelError::UnorderedSteps { .. })));
        }
        assert!(matches!(ArrivalProfile::constant(-0.1), Err(ModelError::OutOfRange { .. })));
    }
}
