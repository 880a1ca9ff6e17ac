//! Scaling times of a Poisson process.

use alba_model::{Kind, ScalingRule};
use alba_replicate::Stream;
use rand::RngExt;
use rand_distr::Exp1;

use super::{Chance, Facts, Scaler, Scaling, Seen};
use crate::ClusterError;
use crate::clock::Clock;
use crate::error::checked;

/// With more scaling times for a server in a mean service time, those that cannot start one are skipped: they would be nearly
/// all that happens.
const MANY_SCALINGS: f64 = 5.0;

/// As the scheme says.
pub(super) const KIND: Kind<Option<Scaling>> = Kind::bare("asynchronous", |_| Ok(None));

/// A scaling rule and how often it is asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Asynchronous {
    rate: f64,
    rule: ScalingRule,
}

impl Asynchronous {
    pub(super) fn new(rate: f64, rule: ScalingRule) -> Result<Self, ClusterError> {
        let rate = checked("scaling_rate", rate, "a finite number >= 0", |v| v >= 0.0)?;
        Ok(Self { rate, rule })
    }

    /// alpha, per server.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// g.
    pub fn rule(&self) -> &ScalingRule {
        &self.rule
    }

    pub(super) fn facts(&self) -> Facts {
        let starts = self.rate > 0.0 && self.rule != ScalingRule::None;
        Facts { starts, any_server: false, to_cold: false, chance: Chance::Times }
    }

    pub(super) fn scaler(&self, servers: usize, clock: Clock, random: &mut Stream) -> Box<dyn Scaler> {
        let rate = self.rate * servers as f64;
        let mut times = Times { scaling: *self, rate, next: 0.0 };
        times.draw(clock, random);
        Box::new(times)
    }
}

/// The scaling times of a run.
struct Times {
    scaling: Asynchronous,
    /// Of all servers.
    rate: f64,
    next: f64,
}

impl Times {
    fn draw(&mut self, clock: Clock, random: &mut Stream) {
        self.next += clock.duration(random.sample::<f64, _>(Exp1) / self.rate);
    }

    /// Until something else happens no scaling time starts a server; those after it do not depend on those before.
    fn skip(&mut self, seen: &Seen<'_>, random: &mut Stream) {
        if self.next < seen.quiet_until {
            self.next = seen.quiet_until;
            self.draw(seen.clock, random);
        }
    }
}

impl Scaler for Times {
    fn next_tick(&self) -> f64 {
        self.next
    }

    fn on_tick(&mut self, seen: &Seen<'_>, random: &mut Stream) -> usize {
        self.draw(seen.clock, random);
        let uniform = random.random::<f64>();
        let none_cold = seen.cold == 0;
        let probability = if none_cold { 0.0 } else { self.scaling.rule.probability(&seen.observation()) };
        let stays = none_cold || seen.arrivals.demand_is_constant();
        if probability == 0.0 && self.scaling.rate > MANY_SCALINGS && stays {
            self.skip(seen, random);
        }
        usize::from(uniform < probability)
    }
}
