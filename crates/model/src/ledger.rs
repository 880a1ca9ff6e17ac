//! What is kept of a system, so that every measure can be taken from it.

/// A sum that is kept. What is meant by it depends on the ledger: at a time it is a number, along a stretch of time an
/// integral or a count, under a distribution an expectation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Account {
    /// Cold servers.
    Cold,
    /// Initializing servers.
    Initializing,
    /// Idle warm servers.
    Idle,
    /// Warm servers with at least one job.
    Busy,
    /// Idle and busy servers.
    Warm,
    /// Initializing, idle and busy servers, as a number.
    On,
    /// Warm servers with so many jobs.
    WarmWith(usize),
    /// Jobs in the system, those that wait for a server included.
    Jobs,
    /// Those that a measure per warm server counts: under a central queue all of them, among numbered servers those at warm ones.
    JobsOfWarm,
    /// Power of all servers.
    Energy,
    /// 1 while some server has at least so many jobs, else 0.
    SomeWith(usize),
    /// 1 while some server is full, else 0.
    Overload,
    /// Jobs that arrive; at a time, their rate.
    Arrivals,
    /// Those that are neither lost nor rejected.
    Accepted,
    /// Those that find no warm server and are turned away.
    Lost,
    /// Those that are turned away by a full server.
    Rejected,
    /// Those that are given to a server that is not warm.
    ColdStarts,
    /// Those whose response time is known.
    Responses,
    /// The sum of their response times, in mean service times.
    ResponseTimes,
    /// Those whose waiting time is known.
    Waits,
    /// The sum of their waiting times: response times without the jobs' own service.
    WaitingTimes,
    /// Those of them that wait at all.
    Waited,
}

impl Account {
    /// Whether it is a part of what it is divided by, so that the ratio is at most 1.
    pub fn is_part(self) -> bool {
        match self {
            Self::Cold
            | Self::Initializing
            | Self::Idle
            | Self::Busy
            | Self::Warm
            | Self::WarmWith(_)
            | Self::SomeWith(_)
            | Self::Overload
            | Self::Arrivals
            | Self::Accepted
            | Self::Lost
            | Self::Rejected
            | Self::ColdStarts
            | Self::Responses
            | Self::Waits
            | Self::Waited => true,
            Self::On
            | Self::Jobs
            | Self::JobsOfWarm
            | Self::Energy
            | Self::ResponseTimes
            | Self::WaitingTimes => false,
        }
    }
}

/// What an account is divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Per {
    /// All servers, and time.
    Server,
    /// Warm servers.
    WarmServer,
    /// Time alone.
    Time,
    /// Jobs that arrive.
    Arrival,
    /// Jobs accepted.
    Accepted,
    /// Jobs whose response time is known.
    Response,
    /// Jobs whose waiting time is known.
    Wait,
}

/// Which times of jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delay {
    /// From arrival to the end of service.
    Response,
    /// The same without the job's own service.
    Waiting,
}

/// What is kept of a state, of a stretch of a path, of a whole run, or of a distribution.
///
/// An implementation says of every account what it is, or that it is not kept; then it has every measure that is made of
/// those it keeps.
pub trait Ledger {
    /// How many servers its accounts of servers, jobs and power are about: 1 where those are fractions of all servers.
    fn servers(&self) -> f64;

    /// How long a time they are about, in mean service times: 1 for a state.
    fn duration(&self) -> f64;

    /// An account; none if it is not kept.
    fn get(&self, account: Account) -> Option<f64>;

    /// The time that a share `probability` in [0, 1) of all jobs does not exceed; none where that is not known.
    fn quantile(&self, delay: Delay, probability: f64) -> Option<f64>;
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
    /// Of what is not known.
    pub const UNDEFINED: Self = Self { numerator: 0.0, denominator: 0.0 };

    /// Of what is no ratio.
    pub const fn plain(numerator: f64) -> Self {
        Self { numerator, denominator: 1.0 }
    }

    /// The ratio, if it is defined.
    pub fn value(self) -> Option<f64> {
        (self.denominator > 0.0).then(|| self.numerator / self.denominator)
    }
}

impl Per {
    /// Whether it counts jobs that arrive, and not servers or time.
    pub fn counts_jobs(self) -> bool {
        match self {
            Self::Server | Self::WarmServer | Self::Time => false,
            Self::Arrival | Self::Accepted | Self::Response | Self::Wait => true,
        }
    }

    /// `account` over it; none if one of them is not kept.
    pub(crate) fn parts(self, account: Account, ledger: &impl Ledger) -> Option<Parts> {
        let numerator = ledger.get(account)?;
        let over = |jobs| Some(Parts { numerator, denominator: ledger.get(jobs)? });
        match self {
            Self::Server => {
                Some(Parts { numerator: numerator / ledger.servers(), denominator: ledger.duration() })
            }
            Self::WarmServer => {
                let denominator = ledger.get(Account::Warm)? / ledger.servers();
                Some(Parts { numerator: numerator / ledger.servers(), denominator })
            }
            Self::Time => Some(Parts { numerator, denominator: ledger.duration() }),
            Self::Arrival => over(Account::Arrivals),
            Self::Accepted => over(Account::Accepted),
            Self::Response => over(Account::Responses),
            Self::Wait => over(Account::Waits),
        }
    }
}
