//! The right-hand side of (4) in one regime.
//!
//! Coordinates `z = [x01, x02, y_1, ..., y_K]`, with `y_i` the fraction of servers that are warm with at least `i`
//! jobs: the drift of a tail needs its two neighbours and a few scalars, so an evaluation and a linear solve cost
//! a few operations a level. Idle servers have a coordinate of their own: as `y_0 - y_1` they would be known to the
//! rounding of `y_0` only, and a fast expiration or an empty pool asks for far smaller ones. `y_0 = x02 + y_1` and
//! `x00 = 1 - x01 - y_0`: mass is conserved by construction. Levels above `K` are empty or negligible.
//!
//! Each regime's field is continued smoothly past its boundary: trial stages of a step may leave the regime a
//! little, and an integrator that saw the discontinuity there would grind to a halt.

use crate::FluidError;
use crate::matrix::Jacobian;
use crate::{Pool, Regime};
use alba_model::{
    Dispatch, Inflow, JoinBelowThreshold, Model, Observation, Occupancy, Piece, PowerOfD, Rates, ScalingRule,
    Scheme,
};

/// Index of `x01` in the coordinates.
pub(crate) const INITIALIZING: usize = 0;
/// Index of `x02` in the coordinates.
pub(crate) const IDLE: usize = 1;
/// `y_i` has index `WARM + i` in the coordinates for `i >= 1`; in those of a [`Jacobian`], which are the tails, also
/// for `i = 0`.
pub(crate) const WARM: usize = 1;

/// Fewer warm servers than this have tails of their own accuracy.
const FEW: f64 = 1e-6;

/// Of a difference of tails, in units of these.
const ROUNDING: f64 = 1e-15;

/// By so much the stages of an implicit step enlarge the rounding of a drift.
const AMPLIFIED: f64 = 10.0;

/// The accuracy asked of a coordinate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Worth {
    /// Of the absolute tolerance.
    pub(crate) part: f64,
    /// What the relative tolerance is relative to, at the least.
    pub(crate) least: f64,
    /// What rounding makes of it, whatever the tolerances.
    pub(crate) rounding: f64,
}

/// A rate and its name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FastRate {
    pub(crate) name: &'static str,
    pub(crate) value: f64,
}

impl From<(f64, &'static str, f64)> for FastRate {
    fn from((_, name, value): (f64, &'static str, f64)) -> Self {
        Self { name, value }
    }
}

/// How a scheme starts cold servers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Starts {
    /// At rate `alpha g`, by a scaling rule.
    AtScalingTimes(ScalingRule),
    /// One at every arrival that finds no idle server: at rate 0 while there are idle ones, else at rate
    /// `lambda - x[1,2] - beta x01`, what is beyond the arrivals that take every server as it becomes idle (TABS).
    AtArrivals,
}

/// The vector field of one regime at one arrival rate.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) rates: Rates,
    pub(crate) dispatch: Dispatch,
    pub(crate) starts: Starts,
    /// The most levels there can be.
    pub(crate) limit: Option<usize>,
    pub(crate) arrival_rate: f64,
    pub(crate) regime: Regime,
    /// Of the scaling rule's probability: that by which it is continued; none: it is as it is, with its kinks.
    pub(crate) piece: Option<Piece>,
}

impl Field {
    pub(crate) fn new(model: &Model) -> Result<Self, FluidError> {
        let starts = match model.scheme() {
            Scheme::Asynchronous { scaling, .. } => Starts::AtScalingTimes(scaling),
            Scheme::Tabs(_) => Starts::AtArrivals,
            Scheme::CentralQueue => return Err(FluidError::CentralQueue),
        };
        Ok(Self {
            rates: model.rates(),
            dispatch: model.scheme().dispatch().ok_or(FluidError::CentralQueue)?,
            starts,
            limit: model.buffer().limit().map(|limit| limit as usize),
            arrival_rate: model.arrivals().rate_at(0.0),
            regime: Regime::INTERIOR,
            piece: None,
        })
    }

    /// `d` of JBT-d; none under Power-of-d.
    pub(crate) fn threshold(&self) -> Option<usize> {
        match self.dispatch {
            Dispatch::JoinBelowThreshold(rule) => Some(rule.d() as usize),
            Dispatch::PowerOfD(_) => None,
        }
    }

    /// `x00`.
    pub(crate) fn cold(&self, z: &[f64]) -> f64 {
        1.0 - z[INITIALIZING] - tail(z, 0)
    }

    /// `W`: warm servers at or below the threshold.
    pub(crate) fn below_threshold(&self, z: &[f64], d: usize) -> f64 {
        z[IDLE] + (tail(z, 1) - tail(z, d + 1))
    }

    /// `beta x01`.
    pub(crate) fn warming(&self, z: &[f64]) -> f64 {
        self.rates.initialization() * z[INITIALIZING]
    }

    /// `x[d+1,2] + (d+1) beta x01`: the rate at which jobs are needed to keep all warm servers above the threshold.
    pub(crate) fn need(&self, z: &[f64], d: usize) -> f64 {
        tail(z, d + 1) - tail(z, d + 2) + (d as f64 + 1.0) * self.warming(z)
    }

    pub(crate) fn observe(&self, z: &[f64]) -> Observation {
        Observation {
            demand: self.arrival_rate,
            initializing: z[INITIALIZING],
            warming: self.warming(z),
            one_job: tail(z, 1) - tail(z, 2),
            warm: tail(z, 0),
        }
    }

    /// `gamma x02`.
    pub(crate) fn expiring(&self, z: &[f64]) -> f64 {
        self.rates.expiration() * z[IDLE]
    }

    /// The rate at which servers start: with an empty cold pool, as fast as idle ones expire.
    pub(crate) fn started(&self, z: &[f64]) -> f64 {
        match self.regime.cold {
            Pool::Open => self.starting(z),
            Pool::Empty => self.expiring(z),
        }
    }

    /// `dz/dt` into `drift`.
    ///
    /// # Source
    /// (4) and (5), summed over levels.
    pub(crate) fn drift(&self, z: &[f64], drift: &mut [f64]) {
        if self.regime.warm == Pool::Empty {
            drift.fill(0.0);
            return;
        }
        let warming = self.warming(z);
        drift[INITIALIZING] = self.started(z) - warming;
        drift[IDLE] = warming - self.expiring(z);
        match (self.dispatch, self.regime.below_threshold) {
            (Dispatch::PowerOfD(rule), _) => self.drift_by_choices(rule, z, drift),
            (Dispatch::JoinBelowThreshold(rule), Pool::Open) => {
                self.drift_with_pool(rule.d() as usize, z, drift);
            }
            (Dispatch::JoinBelowThreshold(rule), Pool::Empty) => self.drift_without_pool(rule, z, drift),
        }
    }

    fn drift_by_choices(&self, rule: PowerOfD, z: &[f64], drift: &mut [f64]) {
        let to_idle = self.arrival_rate * self.meets_idle(rule, z);
        let released = completions(z, 1);
        drift[IDLE] += released - to_idle;
        drift[WARM + 1] = to_idle - released;
        self.drift_above(self.arrival_rate, rule, 2, z, drift);
    }

    /// Tails from `first` on, where jobs go to each tail at rate `rate (p(y_{i-1}/y_0) - p(y_i/y_0))`.
    fn drift_above(&self, rate: f64, rule: PowerOfD, first: usize, z: &[f64], drift: &mut [f64]) {
        let warm = tail(z, 0);
        let within = |i: usize| if rate == 0.0 { 0.0 } else { rule.all_within(tail(z, i) / warm) };
        // With a threshold the tails up to the first are equal: all within.
        let mut at_least = if self.threshold().is_some() { 1.0 } else { within(first - 1) };
        for i in first..z.len() - WARM {
            let above = within(i);
            drift[WARM + i] = rate * (at_least - above) - completions(z, i);
            at_least = above;
        }
    }

    /// The probability that one of the servers drawn is idle, `1 - (1 - x02/y_0)^d`, also where it is tiny.
    fn meets_idle(&self, rule: PowerOfD, z: &[f64]) -> f64 {
        if self.arrival_rate == 0.0 {
            return 0.0;
        }
        let idle = z[IDLE] / tail(z, 0);
        match rule.d() {
            1 => idle,
            2 => idle * (2.0 - idle),
            d if idle.abs() < 0.1 => -(f64::from(d) * (-idle).ln_1p()).exp_m1(),
            _ => 1.0 - rule.all_within(1.0 - idle),
        }
    }

    fn drift_with_pool(&self, d: usize, z: &[f64], drift: &mut [f64]) {
        let each = self.rate_per_server_below(z, d);
        let to_idle = if d == 0 { self.arrival_rate } else { each * z[IDLE] };
        let released = completions(z, 1);
        drift[IDLE] += released - to_idle;
        drift[WARM + 1] = to_idle - released;
        for i in 2..z.len() - WARM {
            let joined = if i <= d + 1 { each * (tail(z, i - 1) - tail(z, i)) } else { 0.0 };
            drift[WARM + i] = joined - completions(z, i);
        }
    }

    fn drift_without_pool(&self, rule: JoinBelowThreshold, z: &[f64], drift: &mut [f64]) {
        let d = rule.d() as usize;
        drift[IDLE] = -self.expiring(z); // none: what becomes idle gets a job at once
        drift[WARM + 1..WARM + d + 2].fill(self.warming(z));
        self.drift_above(self.arrival_rate - self.need(z, d), rule.otherwise(), d + 2, z, drift);
    }

    /// Arrivals at each server at or below the threshold: `lambda / W`.
    fn rate_per_server_below(&self, z: &[f64], d: usize) -> f64 {
        if self.arrival_rate == 0.0 { 0.0 } else { self.arrival_rate / self.below_threshold(z, d) }
    }

    /// Arrivals at each server above the threshold while none is at or below it: `(lambda - need) / y_0`.
    fn excess(&self, z: &[f64], d: usize) -> f64 {
        (self.arrival_rate - self.need(z, d)) / tail(z, 0)
    }

    /// The largest rate at which each server of the kind that jobs go to gets one.
    pub(crate) fn stiffness(&self, z: &[f64]) -> f64 {
        if self.regime.warm == Pool::Empty || self.arrival_rate == 0.0 {
            return 0.0;
        }
        match (self.dispatch, self.regime.below_threshold) {
            (Dispatch::PowerOfD(rule), _) => {
                self.arrival_rate * rule.all_within_slope(tail(z, 1) / tail(z, 0)).max(1.0) / tail(z, 0)
            }
            (Dispatch::JoinBelowThreshold(rule), Pool::Open) if rule.d() == 0 => 0.0,
            (Dispatch::JoinBelowThreshold(rule), Pool::Open) => {
                self.arrival_rate / self.below_threshold(z, rule.d() as usize)
            }
            (Dispatch::JoinBelowThreshold(rule), Pool::Empty) => {
                let d = rule.d() as usize;
                let slope = rule.otherwise().all_within_slope(tail(z, d + 2) / tail(z, 0)).max(1.0);
                self.excess(z, d).abs() * slope
            }
        }
    }

    /// The largest rates of the servers' own changes, by the row sum of `x01`.
    pub(crate) fn own_rate(&self, z: &[f64]) -> f64 {
        let slope = self.starting_slope(z);
        self.rates.initialization() * (1.0 + slope.warming.abs())
            + self.rates.expiration()
            + slope.initializing.abs()
            + slope.warm.abs()
            + 2.0 * slope.one_job.abs()
    }

    /// About the spectral radius of the Jacobian: of a birth-death chain with birth rate `p` and death rate 1 it is
    /// `(1 + sqrt p)^2`, and idle servers have both reasons to change.
    pub(crate) fn fastest_rate(&self, z: &[f64]) -> f64 {
        (1.0 + self.stiffness(z).sqrt()).powi(2) + self.own_rate(z)
    }

    /// Of the system's rates the one that makes it fast at `z`.
    pub(crate) fn culprit(&self, z: &[f64]) -> FastRate {
        let rates = self.rates;
        let slope = self.starting_slope(z);
        let scaling = rates.initialization() * slope.warming.abs() + slope.warm.abs() + slope.one_job.abs();
        [
            (scaling, "scaling_rate", rates.scaling()),
            (rates.initialization(), "initialization_rate", rates.initialization()),
            (rates.expiration(), "expiration_rate", rates.expiration()),
        ]
        .into_iter()
        .fold((self.stiffness(z), "arrival_rate", self.arrival_rate), |a, b| if b.0 > a.0 { b } else { a })
        .into()
    }

    /// How accurate `x01`, `x02` and each tail are to be: the flow `beta x01` as accurate as a tail, `gamma x02` likewise;
    /// and where few servers are warm and jobs arrive, their composition all the same.
    pub(crate) fn worth(&self, z: &[f64]) -> [Worth; 3] {
        let warm = tail(z, 0);
        let few = if self.arrival_rate > 0.0 { (warm / FEW).clamp(1e-30, 1.0) } else { 1.0 };
        let (starting, expiring) = (self.rates.initialization().max(1.0), self.rates.expiration().max(1.0));
        [
            Worth { part: 1.0 / starting, least: 0.0, rounding: self.rounding(z) },
            Worth { part: few / expiring, least: warm / expiring, rounding: self.rounding_of_idle(z) },
            Worth { part: few, least: 0.0, rounding: 0.0 },
        ]
    }

    /// What it makes of `x02` in a tiny pool: servers with one job, from which it is fed, are a difference of tails.
    fn rounding_of_idle(&self, z: &[f64]) -> f64 {
        match (self.threshold(), self.regime.below_threshold) {
            (Some(d), Pool::Open) if d > 0 && self.arrival_rate > 0.0 => {
                let feeding = level(z, 1).max(f64::MIN_POSITIVE);
                z[IDLE].abs() * (ROUNDING * tail(z, 0) / feeding).min(1e-3)
            }
            (_, Pool::Open | Pool::Empty) => 0.0,
        }
    }

    /// What rounding makes of `x01` over a long implicit step: a fast rule sees the last digits of what it looks at, and
    /// starts servers at once that become warm, in turn, as fast as they can.
    fn rounding(&self, z: &[f64]) -> f64 {
        if self.regime.cold == Pool::Empty {
            return 0.0;
        }
        let (beta, slope) = (self.rates.initialization(), self.starting_slope(z));
        let seen = self.observe(z);
        let noise = slope.initializing.abs() * seen.initializing
            + slope.warming.abs() * seen.warming
            + slope.one_job.abs() * tail(z, 1)
            + slope.warm.abs() * seen.warm;
        let back = beta * (slope.one_job.abs() + slope.warm.abs());
        let answer = slope.initializing.abs() + beta * (1.0 + slope.warming.abs()) + back.sqrt();
        AMPLIFIED * f64::EPSILON * noise / answer
    }

    /// The derivative of the drift of the tails `[x01, y_0, y_1, ..., y_K]` by the tails, with `y_0` in the place of
    /// `x02`: in these coordinates its tridiagonal part is diagonally dominant.
    pub(crate) fn jacobian(&self, z: &[f64], jacobian: &mut Jacobian) {
        jacobian.clear(z.len());
        if self.regime.warm == Pool::Empty {
            return;
        }
        let (beta, gamma) = (self.rates.initialization(), self.rates.expiration());
        self.jacobian_of_initializing(z, jacobian);
        jacobian.set(WARM, INITIALIZING, beta);
        jacobian.set(WARM, WARM, -gamma);
        jacobian.set(WARM, WARM + 1, gamma);
        let frozen = match (self.threshold(), self.regime.below_threshold) {
            (Some(d), Pool::Empty) => d + 2,
            _ => 1,
        };
        for i in frozen..z.len() - WARM {
            jacobian.set(WARM + i, WARM + i, -1.0);
            if WARM + i + 1 < z.len() {
                jacobian.set(WARM + i, WARM + i + 1, 1.0);
            }
        }
        match self.dispatch {
            Dispatch::PowerOfD(_) if self.arrival_rate == 0.0 => {}
            Dispatch::PowerOfD(rule) => {
                let warm = tail(z, 0);
                let ratio = |i: usize| tail(z, i) / warm;
                let slope = |i: usize| self.arrival_rate * rule.all_within_slope(ratio(i)) / warm;
                for i in 1..z.len() - WARM {
                    if i > 1 {
                        jacobian.add(WARM + i, WARM + i - 1, slope(i - 1));
                    }
                    jacobian.add(WARM + i, WARM + i, -slope(i));
                }
                let coupling = jacobian.couple();
                coupling.by[WARM] = 1.0;
                for i in 1..z.len() - WARM {
                    let before = if i > 1 { slope(i - 1) * ratio(i - 1) } else { 0.0 };
                    coupling.of[WARM + i] = slope(i) * ratio(i) - before;
                }
            }
            Dispatch::JoinBelowThreshold(rule) => match self.regime.below_threshold {
                Pool::Open if rule.d() == 0 => {}
                Pool::Open => self.jacobian_with_pool(z, rule.d() as usize, jacobian),
                Pool::Empty => self.jacobian_without_pool(z, rule, jacobian),
            },
        }
    }

    fn jacobian_of_initializing(&self, z: &[f64], jacobian: &mut Jacobian) {
        let (beta, gamma) = (self.rates.initialization(), self.rates.expiration());
        jacobian.set(INITIALIZING, INITIALIZING, -beta);
        let coupling = jacobian.couple();
        coupling.of[INITIALIZING] = 1.0;
        match self.regime.cold {
            Pool::Open => {
                let slope = self.starting_slope(z);
                coupling.by[INITIALIZING] = slope.initializing + beta * slope.warming;
                coupling.by[WARM] = slope.warm;
                coupling.by[WARM + 1] = slope.one_job;
                if let Some(by) = coupling.by.get_mut(WARM + 2) {
                    *by = -slope.one_job;
                }
            }
            Pool::Empty => {
                coupling.by[WARM] = gamma;
                coupling.by[WARM + 1] = -gamma;
            }
        }
    }

    fn jacobian_with_pool(&self, z: &[f64], d: usize, jacobian: &mut Jacobian) {
        let each = self.rate_per_server_below(z, d);
        let per_pool = if each == 0.0 { 0.0 } else { -each / self.below_threshold(z, d) };
        for i in 1..d + 2 {
            jacobian.add(WARM + i, WARM + i - 1, each);
            jacobian.add(WARM + i, WARM + i, -each);
        }
        let coupling = jacobian.couple();
        coupling.by[WARM] = 1.0;
        coupling.by[WARM + d + 1] = -1.0;
        for i in 1..d + 2 {
            let level = if i == 1 { z[IDLE] } else { tail(z, i - 1) - tail(z, i) };
            coupling.of[WARM + i] = per_pool * level;
        }
    }

    fn jacobian_without_pool(&self, z: &[f64], rule: JoinBelowThreshold, jacobian: &mut Jacobian) {
        let (warm, levels, beta) = (tail(z, 0), z.len() - WARM, self.rates.initialization());
        let (d, rule) = (rule.d() as usize, rule.otherwise());
        // What is beyond the need goes to tail i at rate excess (p(y_{i-1}/y_0) - p(y_i/y_0)), with p(1) = 1 at i = d + 2.
        let excess = self.arrival_rate - self.need(z, d);
        let ratio = |i: usize| if i < d + 2 { 1.0 } else { tail(z, i) / warm };
        let slope = |i: usize| if i < d + 2 { 0.0 } else { excess * rule.all_within_slope(ratio(i)) / warm };
        for i in d + 2..levels {
            jacobian.add(WARM + i, WARM + i - 1, slope(i - 1));
            jacobian.add(WARM + i, WARM + i, -slope(i));
        }
        let filled = jacobian.couple();
        filled.of[WARM + 1..WARM + d + 2].fill(beta);
        filled.by[INITIALIZING] = 1.0;
        let by_need = jacobian.couple();
        for i in d + 2..levels {
            by_need.of[WARM + i] = rule.all_within(ratio(i - 1)) - rule.all_within(ratio(i));
        }
        by_need.by[INITIALIZING] = -(d as f64 + 1.0) * beta;
        by_need.by[WARM + d + 1] = -1.0;
        if let Some(by) = by_need.by.get_mut(WARM + d + 2) {
            *by = 1.0;
        }
        let by_warm = jacobian.couple();
        for i in d + 2..levels {
            by_warm.of[WARM + i] = slope(i) * ratio(i) - slope(i - 1) * ratio(i - 1);
        }
        by_warm.by[WARM] = 1.0;
    }

    /// Takes the solution `u` of `(shift - J) u = b` from tails back to coordinates, `b` being in coordinates. `x02` is
    /// solved for by its own row, since as a difference it would be lost in the rounding of `y_0`; so is `x01` where it
    /// is replaced as fast as `x02` expires.
    pub(crate) fn own_rows(&self, z: &[f64], shift: f64, b: [f64; 2], u: &mut [f64]) {
        let (beta, gamma) = (self.rates.initialization(), self.rates.expiration());
        let pull = self.pull_on_idle(z);
        let sliding = self.threshold().is_some() && self.regime.below_threshold == Pool::Empty;
        let warmed = if sliding { 0.0 } else { beta };
        let others = if sliding {
            b[1]
        } else {
            let at = |i: usize| u.get(WARM + i).copied().unwrap_or(0.0);
            b[1] + at(1) - at(2) - pull.by_busy * at(1) - pull.by_edge * at(self.threshold().unwrap_or(0) + 1)
        };
        match self.regime.cold {
            Pool::Open => u[IDLE] = (others + warmed * u[INITIALIZING]) / (shift + gamma + pull.own),
            Pool::Empty => {
                let determinant =
                    shift * (shift + beta + gamma + pull.own) + beta * pull.own + (beta - warmed) * gamma;
                u[IDLE] = ((shift + beta) * others + warmed * b[0]) / determinant;
                u[INITIALIZING] = (b[0] + gamma * u[IDLE]) / (shift + beta);
            }
        }
    }

    /// The derivatives of the rate at which idle servers get jobs.
    fn pull_on_idle(&self, z: &[f64]) -> IdlePull {
        if self.arrival_rate == 0.0 {
            return IdlePull::default();
        }
        match (self.dispatch, self.regime.below_threshold) {
            (Dispatch::PowerOfD(rule), _) => {
                let warm = tail(z, 0);
                let slope = self.arrival_rate * rule.all_within_slope(tail(z, 1) / warm) / warm;
                IdlePull { own: slope * tail(z, 1) / warm, by_busy: -slope * z[IDLE] / warm, by_edge: 0.0 }
            }
            (Dispatch::JoinBelowThreshold(rule), Pool::Open) if rule.d() > 0 => {
                let pool = self.below_threshold(z, rule.d() as usize);
                let (each, share) = (self.arrival_rate / pool, z[IDLE] / pool);
                IdlePull { own: each * (1.0 - share), by_busy: -each * share, by_edge: each * share }
            }
            (Dispatch::JoinBelowThreshold(_), _) => IdlePull::default(),
        }
    }

    /// Where arrivals go in state `z` of this regime: `h_i`, and what is turned away.
    pub(crate) fn inflow(&self, z: &[f64]) -> Inflow {
        let lambda = self.arrival_rate;
        if self.regime.warm == Pool::Empty || tail(z, 0) <= 0.0 {
            return Inflow { lost: lambda, ..Inflow::default() };
        }
        let sliding = self.threshold().filter(|_| self.regime.below_threshold == Pool::Empty);
        let mut levels: Vec<f64> = (0..z.len() - WARM).map(|i| level(z, i)).collect();
        let mut shares = Vec::new();
        if let Some(d) = sliding {
            let (warming, excess) = (self.warming(z), lambda - self.need(z, d));
            levels[..=d].fill(0.0);
            self.dispatch.shares(&levels, &mut shares);
            levels = shares.into_iter().map(|share| excess * share).collect();
            levels[..d].fill(warming);
            levels[d] = warming + tail(z, d + 1) - tail(z, d + 2);
        } else {
            self.dispatch.shares(&levels, &mut shares);
            levels = shares.into_iter().map(|share| lambda * share).collect();
        }
        levels.iter_mut().for_each(|level| *level = level.max(0.0));
        let room = self.limit.map_or(levels.len(), |limit| levels.len().min(limit));
        let rejected = levels.drain(room..).fold(0.0, |sum, level| sum + level);
        Inflow { levels, rejected, ..Inflow::default() }
    }

    /// The state as fractions of servers; small negative fractions, within the tolerance, become zero.
    pub(crate) fn occupancy(&self, z: &[f64]) -> Result<Occupancy, alba_model::ModelError> {
        let levels = (0..z.len() - WARM).map(|i| level(z, i).max(0.0)).collect();
        Occupancy::from_fractions(self.cold(z).max(0.0), z[INITIALIZING].max(0.0), levels)
    }
}

/// The derivatives of the rate at which idle servers get jobs, by `x02`, `y_1` and `y_{d+1}`.
#[derive(Debug, Clone, Copy, Default)]
struct IdlePull {
    own: f64,
    by_busy: f64,
    by_edge: f64,
}

/// `y_i`, 0 beyond the levels held.
pub(crate) fn tail(z: &[f64], i: usize) -> f64 {
    match i {
        0 => z[IDLE] + z[WARM + 1],
        _ => z.get(WARM + i).copied().unwrap_or(0.0),
    }
}

/// `x[i,2]`.
pub(crate) fn level(z: &[f64], i: usize) -> f64 {
    if i == 0 { z[IDLE] } else { tail(z, i) - tail(z, i + 1) }
}

/// `[x01, y_0, y_1, ...]`: the coordinates of a [`Jacobian`].
pub(crate) fn tails(z: &[f64]) -> Vec<f64> {
    let mut tails = z.to_vec();
    tails[WARM] = tail(z, 0);
    tails
}

/// `y_i - y_{i+1}`, `i >= 1`: services completed by servers with `i` jobs.
fn completions(z: &[f64], i: usize) -> f64 {
    z[WARM + i] - z.get(WARM + i + 1).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alba_model::{ArrivalProfile, Buffer, Place};
    use proptest::prelude::*;

    fn field(scheme: Scheme, regime: Regime) -> (Model, Field) {
        let rates = Rates::new(0.5, 0.1, 0.025).unwrap();
        let arrivals = ArrivalProfile::constant(0.7).unwrap();
        let model = Model::new(arrivals, rates, Buffer::finite(6).unwrap(), scheme).unwrap();
        let field = Field { regime, ..Field::new(&model).unwrap() };
        (model, field)
    }

    fn coordinates(weights: &[f64]) -> Vec<f64> {
        let total: f64 = weights.iter().sum();
        let mut z: Vec<f64> = weights[1..].iter().map(|weight| weight / total).collect();
        for i in (WARM + 1..z.len() - 1).rev() {
            z[i] += z[i + 1];
        }
        z
    }

    fn from_tails(tails: &[f64]) -> Vec<f64> {
        let mut z = tails.to_vec();
        z[IDLE] -= z[WARM + 1];
        z
    }

    fn regimes() -> Vec<Regime> {
        let pools = [Pool::Open, Pool::Empty];
        let pair = |cold| pools.map(|below_threshold| Regime { cold, below_threshold, warm: Pool::Open });
        pools.into_iter().flat_map(pair).collect()
    }

    proptest! {
        /// In the interior, the drift is the sum over the model's transitions of rate times move.
        #[test]
        fn drift_is_the_sum_of_transitions(weights in prop::collection::vec(0.01f64..1.0, 9)) {
            let z = coordinates(&weights);
            for scheme in Scheme::catalogue().unwrap() {
                let (model, field) = field(scheme, Regime::INTERIOR);
                let state = field.occupancy(&z).unwrap();
                let mut expected = vec![0.0; z.len()];
                model.for_each_transition(&state, 0.7, &mut |transition| {
                    for step in transition.moves.iter().flatten() {
                        for (place, sign) in [(step.from, -1.0), (step.to, 1.0)] {
                            match place {
                                Place::Cold => {}
                                Place::Initializing => expected[INITIALIZING] += sign * transition.rate,
                                Place::Warm(0) => expected[IDLE] += sign * transition.rate,
                                Place::Warm(level) => expected[WARM + 1..=WARM + level]
                                    .iter_mut()
                                    .for_each(|tail| *tail += sign * transition.rate),
                            }
                        }
                    }
                });
                let mut drift = vec![0.0; z.len()];
                field.drift(&z, &mut drift);
                for (drift, expected) in drift.iter().zip(&expected) {
                    prop_assert!((drift - expected).abs() < 1e-12, "{scheme}");
                }
            }
        }

        #[test]
        fn jacobian_is_the_difference_quotient(weights in prop::collection::vec(0.05f64..1.0, 9)) {
            let z = coordinates(&weights);
            for scheme in Scheme::catalogue().unwrap() {
                for regime in regimes() {
                    let (_, field) = field(scheme, regime);
                    let mut jacobian = Jacobian::default();
                    field.jacobian(&z, &mut jacobian);
                    for column in 0..z.len() {
                        let drift_at = |shift: f64| {
                            let mut moved = tails(&z);
                            moved[column] += shift;
                            let mut drift = vec![0.0; z.len()];
                            field.drift(&from_tails(&moved), &mut drift);
                            tails(&drift)
                        };
                        let drifts = [drift_at(1e-7), drift_at(-1e-7)];
                        for (row, (above, below)) in drifts[0].iter().zip(&drifts[1]).enumerate() {
                            let quotient = (above - below) / 2e-7;
                            let exact = jacobian.entry(row, column);
                            prop_assert!(
                                (quotient - exact).abs() < 1e-4 * (1.0 + exact.abs()),
                                "{scheme} {regime} [{row}, {column}]: {quotient} {exact}"
                            );
                        }
                    }
                }
            }
        }
    }
}
