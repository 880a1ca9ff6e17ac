//! What a person asks of a state.

use crate::error::nonnegative;
use crate::{Inflow, ModelError, Occupancy};

/// A state at a time, with what happens to arrivals in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// In mean service times.
    pub time: f64,
    /// lambda at that time.
    pub arrival_rate: f64,
    /// Fractions of servers.
    pub state: Occupancy,
    /// Where arrivals go.
    pub inflow: Inflow,
}

/// Power drawn by a server in each condition, >= 0, in any unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerDraw {
    off: f64,
    initializing: f64,
    idle: f64,
    busy: f64,
}

impl PowerDraw {
    /// Power of a cold, an initializing, an idle warm and a busy server.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] for a negative or non-finite power.
    pub fn new(off: f64, initializing: f64, idle: f64, busy: f64) -> Result<Self, ModelError> {
        Ok(Self {
            off: nonnegative("off", off)?,
            initializing: nonnegative("initializing", initializing)?,
            idle: nonnegative("idle", idle)?,
            busy: nonnegative("busy", busy)?,
        })
    }

    /// Power per server of a system with these fractions of servers.
    pub fn of(&self, cold: f64, initializing: f64, idle: f64, busy: f64) -> f64 {
        self.off * cold + self.initializing * initializing + self.idle * idle + self.busy * busy
    }
}

impl Default for PowerDraw {
    /// What clouds bill: every server that is not cold counts one.
    fn default() -> Self {
        Self { off: 0.0, initializing: 1.0, idle: 1.0, busy: 1.0 }
    }
}

/// A quantity that every engine reports, a function of the state at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// `x00`.
    Cold,
    /// `x01`.
    Initializing,
    /// `x02`.
    Idle,
    /// `y1`.
    Busy,
    /// `sum_i i x[i,2]`, and what waits in a central queue.
    JobsPerServer,
    /// The same per warm server.
    JobsPerWarm,
    /// `sum_i h_i (i+1) / sum_i h_i`: mean response time of a job accepted at that time. Under a central queue it depends on
    /// what comes later, and is not defined at a time.
    MeanResponseTime,
    /// Jobs that find no warm server, as a fraction of arrivals.
    LostFraction,
    /// Jobs sent to a full server, as a fraction of arrivals.
    RejectedFraction,
    /// Power per server.
    Energy,
    /// `x[i,2]`: warm servers with `i` jobs.
    Warm(usize),
    /// 1 if some server has at least `i >= 1` jobs, else 0; with `i` the buffer: overload. Of use for finite numbers of
    /// servers; its expectation is a probability.
    SomeWith(usize),
}

/// A measure as a ratio of two functions of the state; its expectation is the ratio of their expectations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parts {
    /// Above the line.
    pub numerator: f64,
    /// Below the line: 1 for a measure that is no ratio.
    pub denominator: f64,
}

impl Parts {
    /// The ratio, if it is defined.
    pub fn value(self) -> Option<f64> {
        (self.denominator > 0.0).then(|| self.numerator / self.denominator)
    }
}

impl Measure {
    /// The measures of every table, in the order of its columns.
    pub const ALL: [Self; 10] = [
        Self::Cold,
        Self::Initializing,
        Self::Idle,
        Self::Busy,
        Self::JobsPerServer,
        Self::JobsPerWarm,
        Self::MeanResponseTime,
        Self::LostFraction,
        Self::RejectedFraction,
        Self::Energy,
    ];

    /// The column's name.
    pub fn name(self) -> String {
        match self {
            Self::Cold => "cold".into(),
            Self::Initializing => "initializing".into(),
            Self::Idle => "idle".into(),
            Self::Busy => "busy".into(),
            Self::JobsPerServer => "jobs_per_server".into(),
            Self::JobsPerWarm => "jobs_per_warm".into(),
            Self::MeanResponseTime => "mean_response_time".into(),
            Self::LostFraction => "lost_fraction".into(),
            Self::RejectedFraction => "rejected_fraction".into(),
            Self::Energy => "energy".into(),
            Self::Warm(level) => format!("warm_{level}"),
            Self::SomeWith(level) => format!("some_with_{level}"),
        }
    }

    /// The measure at a snapshot, as a ratio.
    ///
    /// # Source
    /// Sections III and VI.
    pub fn parts(self, at: &Snapshot, power: &PowerDraw) -> Parts {
        let state = &at.state;
        let plain = |numerator| Parts { numerator, denominator: 1.0 };
        match self {
            Self::Cold => plain(state.cold()),
            Self::Initializing => plain(state.initializing()),
            Self::Idle => plain(state.idle()),
            Self::Busy => plain(state.busy()),
            Self::JobsPerServer => plain(state.jobs()),
            Self::JobsPerWarm => Parts { numerator: state.jobs(), denominator: state.warm() },
            Self::MeanResponseTime if at.inflow.queued.is_some() => {
                Parts { numerator: 0.0, denominator: 0.0 }
            }
            Self::MeanResponseTime => Parts {
                numerator: at.inflow.levels.iter().zip(1..).map(|(rate, jobs)| rate * f64::from(jobs)).sum(),
                denominator: at.inflow.accepted(),
            },
            Self::LostFraction => Parts { numerator: at.inflow.lost, denominator: at.arrival_rate },
            Self::RejectedFraction => Parts { numerator: at.inflow.rejected, denominator: at.arrival_rate },
            Self::Energy => plain(power.of(state.cold(), state.initializing(), state.idle(), state.busy())),
            Self::Warm(level) => plain(state.warm_with(level)),
            Self::SomeWith(level) => plain(f64::from(u8::from(state.highest_level() >= level))),
        }
    }

    /// The same for expectations in equilibrium, where a mean response time is jobs over accepted jobs (Little's law) also
    /// under a central queue.
    pub fn parts_in_equilibrium(self, at: &Snapshot, power: &PowerDraw) -> Parts {
        match self {
            Self::MeanResponseTime if at.inflow.queued.is_some() => {
                Parts { numerator: at.state.jobs(), denominator: at.inflow.accepted() }
            }
            _ => self.parts(at, power),
        }
    }

    /// The measure's value at a snapshot; none where it is undefined.
    pub fn value(self, at: &Snapshot, power: &PowerDraw) -> Option<f64> {
        self.parts(at, power).value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_by_hand() {
        let state = Occupancy::new(0.1, vec![0.2, 0.2, 0.1]).unwrap();
        let inflow = Inflow { levels: vec![0.3, 0.1], rejected: 0.1, ..Inflow::default() };
        let at = Snapshot { time: 0.0, arrival_rate: 0.5, state, inflow };
        let power = PowerDraw::new(1.0, 2.0, 3.0, 4.0).unwrap();
        let expected = [0.4, 0.1, 0.2, 0.3, 0.4, 0.8, 1.25, 0.0, 0.2, 2.4];
        for (measure, expected) in Measure::ALL.into_iter().zip(expected) {
            let value = measure.value(&at, &power).unwrap();
            assert!((value - expected).abs() < 1e-14, "{}: {value}", measure.name());
        }
        assert_eq!(Measure::Warm(2).value(&at, &power), Some(0.1));
        assert_eq!([2, 3].map(|level| Measure::SomeWith(level).value(&at, &power)), [Some(1.0), Some(0.0)]);
    }

    #[test]
    fn undefined_without_warm_servers_or_arrivals() {
        let state = Occupancy::new(0.0, vec![]).unwrap();
        let at = Snapshot { time: 0.0, arrival_rate: 0.0, state, inflow: Inflow::default() };
        for measure in [Measure::JobsPerWarm, Measure::MeanResponseTime, Measure::LostFraction] {
            assert_eq!(measure.value(&at, &PowerDraw::default()), None);
        }
    }
}
