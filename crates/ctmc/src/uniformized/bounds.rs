//! A bound on the rate of everything, and the odds of the classes of steps under it.

use rand::RngExt;

use crate::odds::ClassRates;
use crate::pick::Pick;
use crate::system::System;
use crate::uniformized::table::State;
use alba_replicate::Stream;

/// While no number of servers is beyond its bound, steps come at the rate `1 / mean_holding`, and each is of a class by
/// these odds, whatever the state: a step that the state does not bear out is a null step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Of 32 random bits: below is a completion at one of `busy` servers.
    pub(crate) completion_below: u32,
    /// From there on and below this: a scaling time that starts nothing, whatever the state.
    pub(crate) quiet_below: u32,
    /// From there on and below this: an arrival that finds a warm server. Beyond, [`Self::rare`] decides.
    pub(crate) frequent_below: u32,
    /// Mean time to the next step; infinite if nothing can happen.
    pub(crate) mean_holding: f64,
    /// The most busy servers.
    pub(crate) busy: u32,
    /// The most idle servers.
    pub(crate) idle: u32,
    /// The most initializing servers.
    pub(crate) initializing: u32,
    /// Whether some server is warm.
    any_warm: bool,
    /// With fewer busy, idle or initializing servers the bounds are wasteful.
    low: [u32; 3],
    /// Rates, to tell how many null steps there are for every event.
    rates: ClassRates,
    /// With more of them for every event new bounds are cheaper.
    most_null: f64,
    /// Odds of the classes of [`Class::ALL`] beyond `frequent_below`, in units of `2^-32`, each with those before it.
    sums: [f64; 7],
}

/// Classes of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// What rounding to 32 bits has left of the completions.
    Completion,
    /// Of the scaling times that start nothing.
    Quiet,
    /// And of the arrivals.
    Arrival,
    /// A job that finds no warm server.
    Lost,
    /// Another scaling time.
    Scaling,
    /// One of `initializing` servers becomes warm, if there are so many.
    Initialization,
    /// One of `idle` servers goes cold, if there are so many.
    Expiration,
}

impl Class {
    /// Whether a job joins or leaves a server.
    pub(crate) fn moves_jobs(self) -> bool {
        matches!(self, Self::Completion | Self::Arrival)
    }

    const ALL: [Self; 7] = [
        Self::Completion,
        Self::Quiet,
        Self::Arrival,
        Self::Lost,
        Self::Scaling,
        Self::Initialization,
        Self::Expiration,
    ];
}

impl Bounds {
    /// Bounds about the present state; new ones are worth as much as `patience` null steps.
    pub(crate) fn new<P: Pick>(system: &System<P>, state: &State, patience: f64) -> Self {
        let rates = &system.rates;
        let servers = state.places().iter().sum();
        let events = rates.in_state(state.places(), state.busy());
        let room = |count: u32, changes: f64, rate: f64| {
            // Three of these together make half as many null steps as are borne until there are new bounds.
            let most = (patience / 6.0 * events / rate) as u32;
            count.saturating_add(slack(patience, changes, rate).min(most)).min(servers)
        };
        let changes = rates.arrivals + f64::from(state.busy());
        let warming = rates.initialization * f64::from(state.initializing);
        let busy = room(state.busy(), changes, 1.0);
        let idle = room(state.idle(), changes + warming, RARE * rates.expiration);
        let starts = system.most_starts();
        let initializing = room(state.initializing, starts + warming, RARE * rates.initialization);
        let scale_ups = rates.scaling * system.most_scale_ups();
        let any_warm = state.warm > 0;
        let frequent = [busy.into(), rates.scaling - scale_ups, if any_warm { rates.arrivals } else { 0.0 }];
        let rare = [
            if any_warm { 0.0 } else { rates.arrivals },
            scale_ups,
            rates.initialization * f64::from(initializing),
            rates.expiration * f64::from(idle),
        ];
        let total = frequent.iter().chain(&rare).sum::<f64>();
        let odds = |rate: f64| rate / total * 2f64.powi(32);
        // Casts round down and saturate; what they leave goes to the weights, so that nothing is lost.
        let mut below = 0;
        let [completions, quiet, arrivals] = frequent.map(odds);
        let thresholds = [completions, quiet, arrivals].map(|odds| {
            let share = (odds as u32).min(u32::MAX - below);
            below += share;
            (below, odds - f64::from(share))
        });
        let [lost, scaling, initialization, expiration] = rare.map(odds);
        let [completion, quiet, arrival] = thresholds.map(|threshold| threshold.1);
        let mut sum = 0.0;
        let sums = [completion, quiet, arrival, lost, scaling, initialization, expiration].map(|weight| {
            sum += weight;
            sum
        });
        let low = |count: u32, bound: u32| (2 * count).saturating_sub(bound);
        let bounds = Self {
            completion_below: thresholds[0].0,
            quiet_below: thresholds[1].0,
            frequent_below: thresholds[2].0,
            mean_holding: total.recip(),
            busy,
            idle,
            initializing,
            any_warm,
            low: [low(state.busy(), busy), low(state.idle(), idle), low(state.initializing, initializing)],
            rates: *rates,
            most_null: patience,
            sums,
        };
        // Rounding must not refuse them where they are made: there would never be a step.
        if bounds.hold(state) { bounds } else { Self { most_null: f64::INFINITY, ..bounds } }
    }

    /// Whether the bounds, and the odds, hold in `state`, and null steps do not dominate there.
    pub(crate) fn hold(&self, state: &State) -> bool {
        let (least, most) = self.busy_range(state);
        (least..=most).contains(&state.busy())
            && state.initializing <= self.initializing
            && (state.warm > 0) == self.any_warm
    }

    /// The fewest and the most busy servers with which the bounds hold, with as many warm and initializing ones as in `state`.
    ///
    /// With `b` of `w` warm servers busy, events come at the rate `r = r_0 + b + gamma (w - b)`, and null steps, each of a rare class
    /// worth [`RARE`] of them, at `n = n_0 + (busy - b) + RARE gamma (idle - w + b)`: `n <= most_null r` is linear in `b`.
    /// Without this one server that has become warm at a rate of 10^6 would leave null steps at that rate until the block's end.
    pub(crate) fn busy_range(&self, state: &State) -> (u32, u32) {
        let Self { rates, most_null, .. } = self;
        let [cold, initializing, warm] = state.places();
        let expiration = (RARE + most_null) * rates.expiration;
        let left_over = f64::from(self.initializing.saturating_sub(initializing)) * rates.initialization;
        let others = most_null * rates.in_state([cold, initializing, 0], 0) - RARE * left_over;
        let limit = others - f64::from(self.busy) + expiration * f64::from(warm)
            - RARE * rates.expiration * f64::from(self.idle);
        let slope = expiration - (1.0 + most_null);
        // Not a number, or infinite, where there is no limit: then it is none of these.
        let (least, most) = if slope < 0.0 {
            ((limit / slope).ceil().max(0.0) as u32, u32::MAX)
        } else {
            (0, (limit / slope).floor().min(u32::MAX.into()) as u32)
        };
        (least.max(warm.saturating_sub(self.idle)), most.min(self.busy))
    }

    /// Whether the bounds are much above `state`.
    pub(crate) fn are_wide(&self, state: &State) -> bool {
        let [busy, idle, initializing] = self.low;
        state.busy() < busy || state.idle() < idle || state.initializing < initializing
    }

    /// The class of a step beyond `frequent_below`.
    pub(crate) fn rare(&self, rng: &mut Stream) -> Class {
        let [.., total] = self.sums;
        let at = rng.random::<f64>() * total;
        let class = self.sums.iter().filter(|&&sum| sum <= at).count();
        // Rounding may have left the total, and a class without weight.
        let last = self.sums.iter().filter(|&&sum| sum < total).count();
        Class::ALL[class.min(last)]
    }
}

/// How many null steps of a frequent class one of a rare class is worth.
const RARE: f64 = 10.0;

/// How far a count that changes at rate `changes` may rise where each unit of its bound costs null steps at `rate`.
///
/// With slack `s`, null steps are `s rate` per time unit; a count that goes up and down at random passes its bound every
/// `s^2 / changes`, and new bounds cost `patience` null steps: the sum is least at `s^3 = 2 patience changes / rate`.
fn slack(patience: f64, changes: f64, rate: f64) -> u32 {
    (2.0 * patience * changes / rate).cbrt() as u32 // 0 / 0 is 0
}
