//! A state at a time, and what servers draw in it.

use crate::error::nonnegative;
use crate::{Account, Delay, ErlangMixture, Inflow, Ledger, ModelError, Occupancy};

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

    /// Of a cold, an initializing, an idle and a busy server.
    pub fn each(&self) -> [f64; 4] {
        [
            self.of(1.0, 0.0, 0.0, 0.0),
            self.of(0.0, 1.0, 0.0, 0.0),
            self.of(0.0, 0.0, 1.0, 0.0),
            self.of(0.0, 0.0, 0.0, 1.0),
        ]
    }
}

impl Default for PowerDraw {
    /// What clouds bill: every server that is not cold counts one.
    fn default() -> Self {
        Self { off: 0.0, initializing: 1.0, idle: 1.0, busy: 1.0 }
    }
}

impl Snapshot {
    /// Its ledger, where servers draw this power.
    pub fn with<'s>(&'s self, power: &'s PowerDraw) -> impl Ledger + 's {
        AtTime { at: self, power }
    }

    /// The same of what is expected in equilibrium, where response times add up to the jobs that there are (Little's law), also
    /// under a central queue.
    pub fn in_equilibrium_with<'s>(&'s self, power: &'s PowerDraw) -> impl Ledger + 's {
        InEquilibrium(AtTime { at: self, power })
    }
}

/// In fractions of servers. Under a central queue a response time depends on what comes later, and is not known.
struct AtTime<'s> {
    at: &'s Snapshot,
    power: &'s PowerDraw,
}

impl AtTime<'_> {
    /// Jobs that find at least so many others, the rarest added first; none under a central queue.
    fn finding(&self, others: usize) -> Option<f64> {
        let levels = || self.at.inflow.levels.iter().skip(others).rev();
        self.at.inflow.queued.is_none().then(|| levels().fold(0.0, |sum, rate| rate + sum))
    }

    /// Rates at which jobs find so many others, times what `of` says of that number.
    fn over_levels(&self, of: impl Fn(u32) -> u32) -> Option<f64> {
        let levels = || self.at.inflow.levels.iter().zip(1..);
        self.at.inflow.queued.is_none().then(|| levels().map(|(rate, jobs)| rate * f64::from(of(jobs))).sum())
    }
}

impl Ledger for AtTime<'_> {
    fn servers(&self) -> f64 {
        1.0
    }

    fn duration(&self) -> f64 {
        1.0
    }

    fn get(&self, account: Account) -> Option<f64> {
        let (state, inflow) = (&self.at.state, &self.at.inflow);
        Some(match account {
            Account::Cold => state.cold(),
            Account::Initializing => state.initializing(),
            Account::Idle => state.idle(),
            Account::Busy => state.busy(),
            Account::Warm => state.warm(),
            Account::WarmWith(level) => state.warm_with(level),
            Account::Jobs | Account::JobsOfWarm => state.jobs(),
            Account::Energy => self.power.of(state.cold(), state.initializing(), state.idle(), state.busy()),
            Account::SomeWith(level) => f64::from(u8::from(state.highest_level() >= level)),
            Account::Arrivals => self.at.arrival_rate,
            Account::Accepted => inflow.accepted(),
            Account::Lost => inflow.lost,
            Account::Rejected => inflow.rejected,
            Account::Responses => inflow.queued.is_none().then(|| inflow.accepted())?,
            Account::Waits => self.finding(0)?,
            Account::Waited => self.finding(1)?,
            Account::ResponseTimes => self.over_levels(|jobs| jobs)?,
            Account::WaitingTimes => self.over_levels(|jobs| jobs - 1)?,
            // Fractions do not say how many, nor how many jobs fill a server; jobs go to warm servers only.
            Account::On | Account::Overload | Account::ColdStarts => None?,
        })
    }

    /// Under first come, first served.
    fn quantile(&self, delay: Delay, probability: f64) -> Option<f64> {
        let known = delay == Delay::Response && self.at.inflow.queued.is_none();
        let response = known.then(|| ErlangMixture::new(&self.at.inflow.levels)).flatten();
        response.map(|response| response.quantile(probability))
    }
}

struct InEquilibrium<'s>(AtTime<'s>);

impl Ledger for InEquilibrium<'_> {
    fn servers(&self) -> f64 {
        self.0.servers()
    }

    fn duration(&self) -> f64 {
        self.0.duration()
    }

    fn get(&self, account: Account) -> Option<f64> {
        let Some(inflow) = Some(&self.0.at.inflow).filter(|inflow| inflow.queued.is_some()) else {
            return self.0.get(account);
        };
        match account {
            Account::ResponseTimes => self.0.get(Account::Jobs),
            Account::Responses => Some(inflow.accepted()),
            other => self.0.get(other),
        }
    }

    fn quantile(&self, delay: Delay, probability: f64) -> Option<f64> {
        self.0.quantile(delay, probability)
    }
}
