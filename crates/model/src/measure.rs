//! What a person asks of a system.

use crate::{Account, Delay, Ledger, Parts, Per};

/// A quantity: an account of a [`Ledger`] per something, or a percentile.
///
/// One more is a variant, its name and its formula, and a place in a list of columns; units, limits, what is known of it before
/// anything is simulated, and how it scales follow from the formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(strum::EnumCount))]
pub enum Measure {
    /// `x00`.
    Cold,
    /// `x01`.
    Initializing,
    /// `x02`.
    Idle,
    /// `y1`.
    Busy,
    /// Initializing and warm servers, a number.
    ServersOn,
    /// `sum_i i x[i,2]`, and what waits in a central queue.
    JobsPerServer,
    /// The same per warm server.
    JobsPerWarm,
    /// Of jobs accepted; at a time `sum_i h_i (i+1) / sum_i h_i`. Under a central queue it depends on what comes later, and is not
    /// defined at a time. Of requests followed one by one, of those that arrived after the warm-up; under processor sharing, that were
    /// done in time.
    MeanResponseTime,
    /// Response time without the job's own service.
    MeanWaitingTime,
    /// What a share of jobs takes at most.
    Percentile(Delay, Percentile),
    /// Jobs that wait, as a fraction of those accepted.
    WaitingProbability,
    /// Jobs that find no warm server, as a fraction of arrivals.
    LostFraction,
    /// Jobs sent to a full server, as a fraction of arrivals.
    RejectedFraction,
    /// Jobs given to a server that is not warm, as a fraction of those accepted.
    ColdStartFraction,
    /// Power per server.
    Energy,
    /// Share of time in which some server is full; at a time, the probability.
    OverloadFraction,
    /// `x[i,2]`: warm servers with `i` jobs.
    Warm(usize),
    /// 1 if some server has at least `i >= 1` jobs, else 0; with `i` the buffer: overload. Of use for finite numbers of
    /// servers; its expectation is a probability.
    SomeWith(usize),
}

/// Which share of jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(strum::EnumCount))]
pub enum Percentile {
    /// One half.
    P50,
    /// 95 %.
    P95,
    /// 99 %.
    P99,
    /// 99.9 %.
    P99_9,
}

impl Percentile {
    /// Those of every table.
    pub const ALL: [Self; 4] = [Self::P50, Self::P95, Self::P99, Self::P99_9];

    /// Its name, of response times.
    pub fn name(self) -> &'static str {
        match self {
            Self::P50 => "p50",
            Self::P95 => "p95",
            Self::P99 => "p99",
            Self::P99_9 => "p99_9",
        }
    }

    fn waiting_name(self) -> &'static str {
        match self {
            Self::P50 => "waiting_p50",
            Self::P95 => "waiting_p95",
            Self::P99 => "waiting_p99",
            Self::P99_9 => "waiting_p99_9",
        }
    }

    /// The share.
    pub fn probability(self) -> f64 {
        match self {
            Self::P50 => 0.5,
            Self::P95 => 0.95,
            Self::P99 => 0.99,
            Self::P99_9 => 0.999,
        }
    }
}

/// What the name of a level begins with.
const LEVEL: &str = "warm_";

/// What a measure is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Formula {
    /// An account over what it is counted by.
    Ratio(Account, Per),
    /// A percentile of times.
    Quantile(Delay, Percentile),
}

/// What a measure is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A share of servers, of time or of jobs; a probability.
    Share,
    /// Mean service times.
    Time,
    /// A number of jobs or servers.
    Number,
    /// That of the power that servers draw.
    Power,
}

const fn response(percentile: Percentile) -> Measure {
    Measure::Percentile(Delay::Response, percentile)
}

const fn waiting(percentile: Percentile) -> Measure {
    Measure::Percentile(Delay::Waiting, percentile)
}

impl Measure {
    /// The median of response times.
    pub const P50: Self = response(Percentile::P50);
    /// The 95th percentile of response times.
    pub const P95: Self = response(Percentile::P95);
    /// The 99th percentile of response times.
    pub const P99: Self = response(Percentile::P99);
    /// The 99.9th percentile of response times.
    pub const P99_9: Self = response(Percentile::P99_9);
    /// The median of waiting times.
    pub const WAITING_P50: Self = waiting(Percentile::P50);
    /// The 95th percentile of waiting times.
    pub const WAITING_P95: Self = waiting(Percentile::P95);
    /// The 99th percentile of waiting times.
    pub const WAITING_P99: Self = waiting(Percentile::P99);
    /// The 99.9th percentile of waiting times.
    pub const WAITING_P99_9: Self = waiting(Percentile::P99_9);

    /// The measures of every table about states, in the order of its columns.
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

    /// Those of every table about requests followed one by one, in the order of its columns.
    pub const OF_REQUESTS: [Self; 22] = [
        Self::MeanResponseTime,
        Self::P50,
        Self::P95,
        Self::P99,
        Self::P99_9,
        Self::MeanWaitingTime,
        Self::WAITING_P50,
        Self::WAITING_P95,
        Self::WAITING_P99,
        Self::WAITING_P99_9,
        Self::WaitingProbability,
        Self::RejectedFraction,
        Self::LostFraction,
        Self::ColdStartFraction,
        Self::Cold,
        Self::Initializing,
        Self::Idle,
        Self::Busy,
        Self::ServersOn,
        Self::JobsPerServer,
        Self::Energy,
        Self::OverloadFraction,
    ];

    /// Those of [`Self::ALL`] that the numbers of servers and jobs at a time tell, whatever happens to arrivals.
    pub fn of_state() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|measure| !measure.is_about_jobs())
    }

    /// Every one that has a column in some table, each once; levels have columns besides.
    pub fn known() -> impl Iterator<Item = Self> {
        let others = Self::OF_REQUESTS.into_iter().filter(|measure| !Self::ALL.contains(measure));
        Self::ALL.into_iter().chain(others)
    }

    /// The column's name.
    pub fn name(self) -> String {
        match self {
            Self::Warm(level) => format!("{LEVEL}{level}"),
            Self::SomeWith(level) => format!("some_with_{level}"),
            other => other.fixed_name().unwrap_or_default().into(),
        }
    }

    /// The same but for levels, whose names have numbers in them.
    pub fn fixed_name(self) -> Option<&'static str> {
        Some(match self {
            Self::Cold => "cold",
            Self::Initializing => "initializing",
            Self::Idle => "idle",
            Self::Busy => "busy",
            Self::ServersOn => "servers_on",
            Self::JobsPerServer => "jobs_per_server",
            Self::JobsPerWarm => "jobs_per_warm",
            Self::MeanResponseTime => "mean_response_time",
            Self::MeanWaitingTime => "mean_waiting_time",
            Self::Percentile(Delay::Response, percentile) => percentile.name(),
            Self::Percentile(Delay::Waiting, percentile) => percentile.waiting_name(),
            Self::WaitingProbability => "waiting_probability",
            Self::LostFraction => "lost_fraction",
            Self::RejectedFraction => "rejected_fraction",
            Self::ColdStartFraction => "cold_start_fraction",
            Self::Energy => "energy",
            Self::OverloadFraction => "overload_fraction",
            Self::Warm(_) | Self::SomeWith(_) => return None,
        })
    }

    /// The measure of that name; `warm_3` is a level.
    pub fn named(name: &str) -> Option<Self> {
        let level = || name.strip_prefix(LEVEL)?.parse().ok().map(Self::Warm);
        Self::known().find(|measure| measure.name() == name).or_else(level)
    }

    /// What it is made of.
    ///
    /// # Source
    /// Sections III and VI of the paper.
    pub fn formula(self) -> Formula {
        use Account as Of;
        let (account, per) = match self {
            Self::Cold => (Of::Cold, Per::Server),
            Self::Initializing => (Of::Initializing, Per::Server),
            Self::Idle => (Of::Idle, Per::Server),
            Self::Busy => (Of::Busy, Per::Server),
            Self::ServersOn => (Of::On, Per::Time),
            Self::JobsPerServer => (Of::Jobs, Per::Server),
            Self::JobsPerWarm => (Of::JobsOfWarm, Per::WarmServer),
            Self::MeanResponseTime => (Of::ResponseTimes, Per::Response),
            Self::MeanWaitingTime => (Of::WaitingTimes, Per::Wait),
            Self::WaitingProbability => (Of::Waited, Per::Wait),
            Self::LostFraction => (Of::Lost, Per::Arrival),
            Self::RejectedFraction => (Of::Rejected, Per::Arrival),
            Self::ColdStartFraction => (Of::ColdStarts, Per::Accepted),
            Self::Energy => (Of::Energy, Per::Server),
            Self::OverloadFraction => (Of::Overload, Per::Time),
            Self::Warm(level) => (Of::WarmWith(level), Per::Server),
            Self::SomeWith(level) => (Of::SomeWith(level), Per::Time),
            Self::Percentile(delay, percentile) => return Formula::Quantile(delay, percentile),
        };
        Formula::Ratio(account, per)
    }

    /// The measure in a ledger, as a ratio; undefined if it is a percentile, which is no ratio of expectations, or if the ledger
    /// does not keep what it takes.
    #[inline]
    pub fn parts(self, ledger: &impl Ledger) -> Parts {
        self.parts_if_kept(ledger).unwrap_or(Parts::UNDEFINED)
    }

    /// The same; none instead of undefined.
    #[inline]
    pub fn parts_if_kept(self, ledger: &impl Ledger) -> Option<Parts> {
        match self.formula() {
            Formula::Ratio(account, per) => per.parts(account, ledger),
            Formula::Quantile(..) => None,
        }
    }

    /// The measure's value in a ledger, percentiles too; none where it is undefined.
    pub fn value(self, ledger: &impl Ledger) -> Option<f64> {
        match self.formula() {
            Formula::Ratio(account, per) => per.parts(account, ledger)?.value(),
            Formula::Quantile(delay, percentile) => ledger.quantile(delay, percentile.probability()),
        }
    }

    /// Whether it is about jobs that arrive, of which it is a mean, a share or a percentile.
    pub fn is_about_jobs(self) -> bool {
        match self.formula() {
            Formula::Ratio(_, per) => per.counts_jobs(),
            Formula::Quantile(..) => true,
        }
    }

    /// Of which times it is a percentile, and which.
    pub fn percentile(self) -> Option<(Delay, Percentile)> {
        match self.formula() {
            Formula::Ratio(..) => None,
            Formula::Quantile(delay, percentile) => Some((delay, percentile)),
        }
    }

    /// What it is measured in.
    pub fn unit(self) -> Unit {
        match self.formula() {
            Formula::Quantile(..) | Formula::Ratio(Account::ResponseTimes | Account::WaitingTimes, _) => {
                Unit::Time
            }
            Formula::Ratio(Account::Energy, _) => Unit::Power,
            Formula::Ratio(account, _) if account.is_part() => Unit::Share,
            Formula::Ratio(..) => Unit::Number,
        }
    }

    /// The least and the most that it can be in any system.
    pub fn limits(self) -> [f64; 2] {
        match self.unit() {
            Unit::Share => [0.0, 1.0],
            Unit::Time | Unit::Number | Unit::Power => [0.0, f64::INFINITY],
        }
    }

    /// Whether it counts servers or their power, per server: times the number of servers it is that of all of them.
    pub fn scales_with_servers(self) -> bool {
        let of_servers = matches!(self.formula(), Formula::Ratio(_, Per::Server));
        of_servers && matches!(self.unit(), Unit::Share | Unit::Power)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ErlangMixture, Inflow, Occupancy, PowerDraw, Snapshot};
    use std::collections::HashSet;
    use strum::EnumCount;

    fn snapshot() -> Snapshot {
        let state = Occupancy::new(0.1, vec![0.2, 0.2, 0.1]).unwrap();
        let inflow = Inflow { levels: vec![0.3, 0.1], rejected: 0.1, ..Inflow::default() };
        Snapshot { time: 0.0, arrival_rate: 0.5, state, inflow }
    }

    /// Levels have columns where they are asked for.
    #[test]
    fn every_measure_has_a_column() {
        let levels = [Measure::Warm(1), Measure::SomeWith(1)];
        let kinds: HashSet<_> = Measure::known().chain(levels).map(|m| std::mem::discriminant(&m)).collect();
        assert_eq!(kinds.len(), Measure::COUNT, "a measure is in no list of columns");
        let percentiles = Measure::known().filter(|measure| measure.percentile().is_some()).count();
        assert_eq!(percentiles, 2 * Percentile::COUNT, "a percentile is in no list of columns");
    }

    #[test]
    fn measures_by_hand() {
        let (at, power) = (snapshot(), PowerDraw::new(1.0, 2.0, 3.0, 4.0).unwrap());
        let ledger = at.with(&power);
        let expected = [0.4, 0.1, 0.2, 0.3, 0.4, 0.8, 1.25, 0.0, 0.2, 2.4];
        for (measure, expected) in Measure::ALL.into_iter().zip(expected) {
            let value = measure.value(&ledger).unwrap();
            assert!((value - expected).abs() < 1e-14, "{}: {value}", measure.name());
        }
        assert_eq!(Measure::Warm(2).value(&ledger), Some(0.1));
        assert_eq!([2, 3].map(|level| Measure::SomeWith(level).value(&ledger)), [Some(1.0), Some(0.0)]);
        let waits =
            [Measure::MeanWaitingTime, Measure::WaitingProbability].map(|m| m.value(&ledger).unwrap());
        assert!(waits.iter().all(|value| (value - 0.25).abs() < 1e-15), "{waits:?}");
        let mixture = ErlangMixture::new(&[0.3, 0.1]).unwrap();
        assert_eq!(Measure::P99.value(&ledger), Some(mixture.quantile(0.99)));
        for unknown in [Measure::ServersOn, Measure::OverloadFraction, Measure::P99] {
            assert_eq!(unknown.parts_if_kept(&ledger), None, "{unknown:?}");
        }
    }

    #[test]
    fn undefined_without_warm_servers_or_arrivals() {
        let state = Occupancy::new(0.0, vec![]).unwrap();
        let at = Snapshot { time: 0.0, arrival_rate: 0.0, state, inflow: Inflow::default() };
        for measure in [Measure::JobsPerWarm, Measure::MeanResponseTime, Measure::LostFraction, Measure::P50]
        {
            assert_eq!(measure.value(&at.with(&PowerDraw::default())), None);
        }
    }

    #[test]
    fn a_central_queue_knows_response_times_in_equilibrium_only() {
        let mut at = snapshot();
        at.inflow = Inflow { levels: vec![0.3], queued: Some(0.2), ..Inflow::default() };
        let power = PowerDraw::default();
        for measure in [Measure::MeanResponseTime, Measure::WaitingProbability, Measure::P99] {
            assert_eq!(measure.value(&at.with(&power)), None, "{measure:?}");
        }
        let little = Measure::MeanResponseTime.value(&at.in_equilibrium_with(&power)).unwrap();
        assert!((little - 0.4 / 0.5).abs() < 1e-15, "{little}");
    }

    #[test]
    fn names_are_read_back_and_differ() {
        let all: Vec<Measure> = Measure::known().chain([Measure::Warm(0), Measure::Warm(12)]).collect();
        assert_eq!(all.len(), 23 + 2);
        for measure in all {
            assert_eq!(Measure::named(&measure.name()), Some(measure));
        }
        for name in ["", "warm", "warm_", "warm_x", "cold_", "p90"] {
            assert_eq!(Measure::named(name), None, "{name}");
        }
    }

    #[test]
    fn units_limits_and_scales() {
        let units = |unit| Measure::known().filter(move |measure| measure.unit() == unit).count();
        assert_eq!([Unit::Share, Unit::Time, Unit::Number, Unit::Power].map(units), [9, 10, 3, 1]);
        assert_eq!(Measure::WaitingProbability.limits(), [0.0, 1.0]);
        let scaled: Vec<_> =
            Measure::ALL.into_iter().filter(|measure| measure.scales_with_servers()).collect();
        assert_eq!(
            scaled,
            [Measure::Cold, Measure::Initializing, Measure::Idle, Measure::Busy, Measure::Energy]
        );
        let state: Vec<String> = Measure::of_state().map(Measure::name).collect();
        assert_eq!(state.join(" "), "cold initializing idle busy jobs_per_server jobs_per_warm energy");
    }
}
