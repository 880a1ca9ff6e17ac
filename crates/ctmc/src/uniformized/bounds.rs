//! A bound on the rate of everything, and the odds of the classes of steps under it.

use rand::RngExt;

use crate::odds::ClassRates;
use crate::random::Stream;
use crate::uniformized::table::State;

/// While no number of servers is beyond its bound, steps come at the rate `1 / mean_holding`, and each is of a class by
/// these odds, whatever the state: a step that the state does not bear out is a null step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Of 32 random bits: below is a completion at one of `busy` servers.
    pub(crate) completion_below: u32,
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
    /// Odds of the classes of [`Class::ALL`] beyond `frequent_below`, in units of `2^-32`.
    weights: [f64; 6],
}

/// Classes of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// What rounding to 32 bits has left of the completions.
    Completion,
    /// And of the arrivals.
    Arrival,
    /// A job that finds no warm server.
    Lost,
    /// A scaling time.
    Scaling,
    /// One of `initializing` servers becomes warm, if there are so many.
    Initialization,
    /// One of `idle` servers goes cold, if there are so many.
    Expiration,
}

impl Class {
    const ALL: [Self; 6] = [
        Self::Completion,
        Self::Arrival,
        Self::Lost,
        Self::Scaling,
        Self::Initialization,
        Self::Expiration,
    ];
}

impl Bounds {
    /// Bounds about `state`; servers are started at a rate of at most `starts`.
    pub(crate) fn new(rates: &ClassRates, starts: f64, state: &State) -> Self {
        let servers = state.cold + state.initializing + state.warm();
        let room = |count: u32, changes: f64, rate: f64| count.saturating_add(slack(changes, rate)).min(servers);
        let frequent = rates.arrivals + f64::from(state.busy());
        let warming = rates.initialization * f64::from(state.initializing);
        let busy = room(state.busy(), frequent, 1.0);
        let idle = room(state.idle(), frequent + warming, rates.expiration);
        let initializing = room(state.initializing, starts + warming, rates.initialization);
        let rare = [
            rates.scaling,
            rates.initialization * f64::from(initializing),
            rates.expiration * f64::from(idle),
        ];
        let total = f64::from(busy) + rates.arrivals + rare.iter().sum::<f64>();
        let odds = |rate: f64| rate / total * 2f64.powi(32);
        // Casts round down and saturate; what they leave goes to the weights, so that nothing is lost.
        let completion_below = odds(busy.into()) as u32;
        let (joining, lost) = if state.warm() > 0 { (odds(rates.arrivals), 0.0) } else { (0.0, odds(rates.arrivals)) };
        let arrivals = (joining as u32).min(u32::MAX - completion_below);
        Self {
            completion_below,
            frequent_below: completion_below + arrivals,
            mean_holding: total.recip(),
            busy,
            idle,
            initializing,
            any_warm: state.warm() > 0,
            low: [
                (2 * state.busy()).saturating_sub(busy),
                (2 * state.idle()).saturating_sub(idle),
                (2 * state.initializing).saturating_sub(initializing),
            ],
            weights: [
                odds(busy.into()) - f64::from(completion_below),
                joining - f64::from(arrivals),
                lost,
                odds(rare[0]),
                odds(rare[1]),
                odds(rare[2]),
            ],
        }
    }

    /// Whether the bounds, and the odds, hold in `state`.
    pub(crate) fn hold(&self, state: &State) -> bool {
        state.busy() <= self.busy
            && state.idle() <= self.idle
            && state.initializing <= self.initializing
            && (state.warm() > 0) == self.any_warm
    }

    /// Whether the bounds are much above `state`.
    pub(crate) fn are_wide(&self, state: &State) -> bool {
        let [busy, idle, initializing] = self.low;
        state.busy() < busy || state.idle() < idle || state.initializing < initializing
    }

    /// The class of a step beyond `frequent_below`.
    pub(crate) fn rare(&self, rng: &mut Stream) -> Class {
        let mut left = rng.random::<f64>() * self.weights.iter().sum::<f64>();
        let mut last = Class::Completion;
        for (class, &weight) in Class::ALL.into_iter().zip(&self.weights) {
            if weight > 0.0 {
                last = class; // where rounding leaves something at the end
                if left < weight {
                    break;
                }
            }
            left -= weight;
        }
        last
    }
}

/// How far a count that changes at rate `changes` may rise where each unit of its bound costs null steps at `rate`.
///
/// With slack `s`, null steps are `s rate` per time unit; a count that goes up and down at random passes its bound every
/// `s^2 / changes`, and new bounds cost as much as about twenty null steps: the sum is least at `s^3 = 40 changes / rate`.
fn slack(changes: f64, rate: f64) -> u32 {
    (40.0 * changes / rate).cbrt() as u32 // 0 / 0 is 0
}
