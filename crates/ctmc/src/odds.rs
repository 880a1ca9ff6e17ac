//! Which class of step comes next, and when.
//!
//! Completions are drawn at a rate that bounds them, one per *possibly* busy server; a draw that finds an idle one
//! changes nothing (a null step). Arrivals and completions then leave all rates as they are, and the next step's
//! class and time do not wait for the last one's outcome. The bound is local: it follows the number of busy servers
//! and may change at any step, since holding times have no memory.

use crate::random::weighted;

/// Rates of the whole system that the state does not change; expiration and initialization per server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClassRates {
    /// lambda N.
    pub(crate) arrivals: f64,
    /// alpha N.
    pub(crate) scaling: f64,
    /// beta.
    pub(crate) initialization: f64,
    /// gamma.
    pub(crate) expiration: f64,
}

impl ClassRates {
    /// Of all events, with so many cold, initializing and warm servers, `busy` of them.
    pub(crate) fn in_state(&self, [_, initializing, warm]: [u32; 3], busy: u32) -> f64 {
        self.arrivals
            + self.scaling
            + f64::from(busy)
            + self.initialization * f64::from(initializing)
            + self.expiration * f64::from(warm - busy)
    }
}

/// Probabilities of the classes of steps, as thresholds for 64 random bits, while `low <= busy <= high`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Odds {
    /// Below: a completion, or a null step.
    pub(crate) completion_below: u64,
    /// From there on and below this: an arrival that finds a warm server. Beyond: the rare classes.
    pub(crate) frequent_below: u64,
    /// Mean time to the next step; infinite if nothing can happen.
    pub(crate) mean_holding: f64,
    /// Rates of the rare classes, in the order of [`Rare::ALL`].
    rare: [f64; 4],
    /// The fewest busy servers for which this holds.
    pub(crate) low: u32,
    /// The most.
    pub(crate) high: u32,
    /// The most idle servers that there may be.
    pub(crate) idle_bound: u32,
}

/// Classes of steps that are worked out one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rare {
    /// A job that finds no warm server.
    Lost,
    /// A scaling time.
    Scaling,
    /// A server becomes warm.
    Initialization,
    /// One of `idle_bound` servers expires, if it is idle.
    Expiration,
}

impl Rare {
    const ALL: [Self; 4] = [Self::Lost, Self::Scaling, Self::Initialization, Self::Expiration];
}

impl Odds {
    /// The odds for a state with these numbers of servers.
    pub(crate) fn new(rates: &ClassRates, initializing: u32, warm: u32, busy: u32) -> Self {
        let (low, high) = busy_range(busy, rates.arrivals, rates.expiration);
        let idle_bound = warm.saturating_sub(low);
        let (joining, lost) = if warm > 0 { (rates.arrivals, 0.0) } else { (0.0, rates.arrivals) };
        let rare = [
            lost,
            rates.scaling,
            rates.initialization * f64::from(initializing),
            rates.expiration * f64::from(idle_bound),
        ];
        let frequent = f64::from(high) + joining;
        let total = frequent + rare.iter().sum::<f64>();
        // Casts saturate: a class of probability one gets all 64-bit numbers but the last, which finds no rare
        // class and is a null step.
        let threshold = |rate: f64| (rate / total * 2f64.powi(64)) as u64;
        Self {
            completion_below: threshold(high.into()),
            frequent_below: threshold(frequent),
            mean_holding: total.recip(),
            rare,
            low,
            high,
            idle_bound,
        }
    }

    /// The rare class that `uniform` in [0, 1) falls into; none if none can happen.
    pub(crate) fn rare(&self, uniform: f64) -> Option<Rare> {
        weighted(&self.rare, uniform).map(|class| Rare::ALL[class])
    }
}

/// How far the number of busy servers may go before the bounds are drawn anew: about as far as it wanders in one
/// mean service time, and never so far that null steps outnumber events: neither completions of idle servers nor expirations of
/// busy ones.
fn busy_range(busy: u32, arrivals: f64, expiration: f64) -> (u32, u32) {
    let wander = 8 + busy.isqrt();
    let changes = 0.5 * (arrivals + f64::from(busy));
    let expiring = (changes / expiration) as u32; // 0 / 0 is 0, as are changes then
    let up = ((0.5 * arrivals) as u32).min(expiring);
    let down = (changes as u32).min(expiring);
    (busy.saturating_sub(wander.min(down)), busy + wander.min(up))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: ClassRates =
        ClassRates { arrivals: 2.0, scaling: 0.5, initialization: 0.1, expiration: 0.25 };

    #[test]
    fn probabilities_by_hand() {
        let odds = Odds::new(&RATES, 5, 4, 1);
        assert_eq!((odds.low, odds.high, odds.idle_bound), (0, 2, 4));
        // 2 completions + 2 arrivals + 0.5 + 0.5 + 1
        assert!((odds.mean_holding - 1.0 / 6.0).abs() < 1e-15);
        assert!((odds.completion_below as f64 / 2f64.powi(64) - 1.0 / 3.0).abs() < 1e-15);
        assert!((odds.frequent_below as f64 / 2f64.powi(64) - 2.0 / 3.0).abs() < 1e-15);
        assert_eq!(odds.rare(0.0), Some(Rare::Scaling));
        assert_eq!(odds.rare(0.3), Some(Rare::Initialization));
        assert_eq!(odds.rare(0.6), Some(Rare::Expiration));
        assert_eq!(odds.rare(1.0), Some(Rare::Expiration));
    }

    #[test]
    fn expirations_are_thinned_to_the_idle_servers() {
        let odds = Odds::new(&ClassRates { arrivals: 700.0, ..RATES }, 0, 820, 700);
        assert!(odds.low > 0 && odds.idle_bound > 120);
        let accepted = 120.0 / f64::from(odds.idle_bound);
        assert!((odds.rare[3] * accepted - 0.25 * 120.0).abs() < 1e-12);
    }

    #[test]
    fn jobs_are_lost_if_no_server_is_warm() {
        let odds = Odds::new(&RATES, 0, 0, 0);
        assert_eq!(odds.frequent_below, odds.completion_below);
        assert_eq!(odds.rare(0.1), Some(Rare::Lost));
    }

    #[test]
    fn nothing_can_happen() {
        let still = ClassRates { arrivals: 0.0, scaling: 0.0, ..RATES };
        let odds = Odds::new(&still, 0, 0, 0);
        assert_eq!(odds.mean_holding, f64::INFINITY);
        assert_eq!(odds.rare(0.5), None);
    }

    #[test]
    fn bounds_do_not_drown_events_in_null_steps() {
        for (busy, arrivals) in [(0, 1e-9), (1, 0.0), (1, 0.7), (700, 700.0), (1_000_000_000, 1e9)] {
            for expiration in [0.0, 0.025, 1.0, 30.0, 1e9] {
                let (low, high) = busy_range(busy, arrivals, expiration);
                assert!(low <= busy && busy <= high);
                assert!(f64::from(high - busy) <= 0.5 * arrivals);
                assert!(expiration * f64::from(high - low) <= arrivals + f64::from(busy));
            }
        }
        assert_eq!(busy_range(0, 1e-9, 0.025), (0, 0));
    }
}
