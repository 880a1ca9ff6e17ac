//! Finite N from theory: the refined mean field and the linear noise around a fixed point.
//!
//! `E[X^N] = x* + V/N + O(1/N^2)` and `Cov[X^N] = W/N + O(1/N^2)`, where with the drift's derivatives `A = DF(x*)`,
//! `B = D^2F(x*)` and `Q = sum over transitions of rate times move move^T`
//!
//! ```text
//! A W + W A^T + Q = 0,    V = -A^-1 (B : W) / 2
//! ```
//!
//! in independent coordinates: `x01` and the tails `y_i`, which are linear in the fractions. Derivatives are exact.

use super::stability::dense;
use super::{FixedPoint, coordinates_of};
use crate::field::{Field, INITIALIZING, WARM, tail, tails};
use crate::rule::rule_of;
use crate::{Pool, Stability};
use alba_model::{Model, PowerDraw, ScalingRule, Scheme};
use nalgebra::{Complex, DMatrix, DVector};

/// What finite N adds to a fixed point: `V` and `W` of this module, ready for any number of servers.
#[derive(Debug, Clone, PartialEq)]
pub struct Refinement {
    /// `x*` in tails.
    z: Vec<f64>,
    /// `V`, zero in coordinates that do not move.
    bias: DVector<f64>,
    /// `W`.
    covariance: DMatrix<f64>,
    /// Of the dispatching rule.
    threshold: Option<usize>,
}

/// A mean and a standard deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Refined {
    /// `E`, to `O(1/N^2)`.
    pub mean: f64,
    /// Standard deviation of the stationary law, to leading order.
    pub standard_deviation: f64,
}

/// A boundary of the states that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Edge {
    /// `x00 = 0`.
    #[error("cold near 0")]
    NoneCold,
    /// `x01 = 0`.
    #[error("initializing near 0")]
    NoneInitializing,
    /// `x02 = 0`.
    #[error("idle near 0")]
    NoneIdle,
    /// No warm server at or below the threshold of a rule that has one.
    #[error("servers at or below the threshold near 0")]
    NoneBelowThreshold,
    /// `y1 = 0`.
    #[error("busy near 0")]
    NoneBusy,
    /// `y1 = 1`.
    #[error("busy above 1")]
    AllBusy,
    /// `sum_i i x[i,2] = 0`.
    #[error("jobs per server near 0")]
    NoJobs,
}

impl Edge {
    /// Whether the drift has a kink there, so that the expansion does not hold where it is met. At the others rates vanish smoothly,
    /// and only the normal law of the band is wrong.
    pub fn is_kink(self) -> bool {
        match self {
            Self::NoneCold | Self::NoneBelowThreshold | Self::AllBusy => true,
            Self::NoneInitializing | Self::NoneIdle | Self::NoneBusy | Self::NoJobs => false,
        }
    }
}

impl Refined {
    /// The 97.5 % quantile of a normal law: between it and its opposite 95 % of the time is spent.
    const QUANTILE: f64 = 1.959964;

    /// The band in which 95 % of the time is spent, if the law is normal: it may reach beyond what is possible.
    pub fn band(self) -> (f64, f64) {
        let width = Self::QUANTILE * self.standard_deviation;
        (self.mean - width, self.mean + width)
    }
}

/// Why there is no refinement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoRefinement {
    /// No cold server is left.
    #[error("the fixed point is saturated: no cold server is left, and fluctuations meet that boundary")]
    Saturated,
    /// No warm server is at or below the threshold.
    #[error("no warm server is at or below the threshold, and fluctuations meet that boundary")]
    NoneBelowThreshold,
    /// No server is warm.
    #[error("no server is warm")]
    NoWarmServer,
    /// Servers start at arrivals, not by a rule that is smooth in the state.
    #[error("servers start at arrivals that find no idle server, and fluctuations meet that boundary")]
    StartsAtArrivals,
    /// The scaling rule has a kink there.
    #[error("the scaling rule is not smooth at the fixed point")]
    Kink,
    /// It does not attract.
    #[error("the fixed point is not known to be stable")]
    NotStable,
}

impl Refinement {
    /// The refinement of a fixed point of `model` at `arrival_rate`.
    ///
    /// # Errors
    /// [`NoRefinement`]: why the expansion does not hold there.
    ///
    /// # Source
    /// N. Gast, B. Van Houdt, *A refined mean field approximation*, SIGMETRICS 2018.
    pub fn new(model: &Model, arrival_rate: f64, point: &FixedPoint) -> Result<Self, NoRefinement> {
        let Scheme::Asynchronous { scaling, .. } = model.scheme() else {
            return Err(NoRefinement::StartsAtArrivals);
        };
        let field = Field::new(model).map_err(|_| NoRefinement::StartsAtArrivals)?;
        let field = Field { arrival_rate, regime: point.regime, ..field };
        let z = coordinates_of(&field, &point.state);
        check(&field, &scaling, &z, point)?;
        let moving = field.moving(z.len());
        let derivative = dense(&field, &z).select_rows(&moving).select_columns(&moving);
        let noise = noise(&field, &z).select_rows(&moving).select_columns(&moving);
        let moving_covariance = lyapunov(&derivative, &noise).ok_or(NoRefinement::NotStable)?;
        let mut covariance = DMatrix::zeros(z.len(), z.len());
        for (row, &at) in moving.iter().enumerate() {
            for (column, &to) in moving.iter().enumerate() {
                covariance[(at, to)] = moving_covariance[(row, column)];
            }
        }
        let pull = DVector::from_vec(contraction(&field, &scaling, &z, &covariance)).select_rows(&moving);
        let moving_bias = derivative.lu().solve(&pull).ok_or(NoRefinement::NotStable)? * -0.5;
        let mut bias = DVector::zeros(z.len());
        for (row, &at) in moving.iter().enumerate() {
            bias[at] = moving_bias[row];
        }
        Ok(Self { z: tails(&z), bias, covariance, threshold: field.threshold() })
    }

    /// A linear function of the state: `constant + of_initializing x01 + sum_i of_tails(i) y_i`.
    fn linear(&self, servers: u64, constant: f64, weights: impl Fn(usize) -> f64) -> Refined {
        let weights = DVector::from_fn(self.z.len(), |row, _| weights(row));
        let n = servers as f64;
        let limit: f64 = self.z.iter().zip(&weights).map(|(z, weight)| z * weight).sum();
        let variance = (&self.covariance * &weights).dot(&weights) / n;
        Refined {
            mean: constant + limit + self.bias.dot(&weights) / n,
            standard_deviation: variance.max(0.0).sqrt(),
        }
    }

    /// `x00`.
    pub fn cold(&self, servers: u64) -> Refined {
        self.linear(servers, 1.0, |row| if row <= WARM { -1.0 } else { 0.0 })
    }

    /// `x01`.
    pub fn initializing(&self, servers: u64) -> Refined {
        self.linear(servers, 0.0, |row| if row == INITIALIZING { 1.0 } else { 0.0 })
    }

    /// `x02`.
    pub fn idle(&self, servers: u64) -> Refined {
        self.warm_with(servers, 0)
    }

    /// Warm servers at or below the dispatching rule's threshold, if it has one.
    pub fn below_threshold(&self, servers: u64) -> Option<Refined> {
        let above = WARM + self.threshold? + 1;
        let weight = |row| f64::from(u8::from(row == WARM)) - f64::from(u8::from(row == above));
        Some(self.linear(servers, 0.0, weight))
    }

    /// `y1`.
    pub fn busy(&self, servers: u64) -> Refined {
        self.linear(servers, 0.0, |row| if row == WARM + 1 { 1.0 } else { 0.0 })
    }

    /// `y0`.
    pub fn warm(&self, servers: u64) -> Refined {
        self.linear(servers, 0.0, |row| if row == WARM { 1.0 } else { 0.0 })
    }

    /// `x[level,2]`.
    pub fn warm_with(&self, servers: u64, level: usize) -> Refined {
        let sign = |row| if row == WARM + level { 1.0 } else { -1.0 };
        self.linear(servers, 0.0, |row| {
            if row == WARM + level || row == WARM + level + 1 { sign(row) } else { 0.0 }
        })
    }

    /// Power per server.
    pub fn energy(&self, servers: u64, power: &PowerDraw) -> Refined {
        let [off, initializing, idle, busy] = [
            power.of(1.0, 0.0, 0.0, 0.0),
            power.of(0.0, 1.0, 0.0, 0.0),
            power.of(0.0, 0.0, 1.0, 0.0),
            power.of(0.0, 0.0, 0.0, 1.0),
        ];
        self.linear(servers, off, |row| match row {
            INITIALIZING => initializing - off,
            WARM => idle - off,
            row if row == WARM + 1 => busy - idle,
            _ => 0.0,
        })
    }

    /// Mean response time of an accepted job, by Little's law: jobs per busy server, since what is accepted is served.
    pub fn mean_response_time(&self, servers: u64) -> f64 {
        self.jobs_per_server(servers).mean / self.busy(servers).mean
    }

    /// Which boundaries the bands of so many servers touch: there the expansion says little, since it knows of none. A number that
    /// never changes, like that of cold servers where none starts or expires, touches nothing.
    pub fn edges(&self, servers: u64) -> Vec<Edge> {
        let low = |refined: Refined| refined.standard_deviation > 0.0 && refined.band().0 <= 0.0;
        let high = |refined: Refined| refined.standard_deviation > 0.0 && refined.band().1 >= 1.0;
        let busy = self.busy(servers);
        let found = [
            (Edge::NoneCold, low(self.cold(servers))),
            (Edge::NoneInitializing, low(self.initializing(servers))),
            (Edge::NoneIdle, low(self.idle(servers))),
            (Edge::NoneBelowThreshold, self.below_threshold(servers).is_some_and(low)),
            (Edge::NoneBusy, low(busy)),
            (Edge::AllBusy, high(busy)),
            (Edge::NoJobs, low(self.jobs_per_server(servers))),
        ];
        found.into_iter().filter(|(_, touched)| *touched).map(|(edge, _)| edge).collect()
    }

    /// How many servers it takes for the fluid model's jobs per server and mean response time to be within `share` of
    /// the refined ones.
    pub fn servers_needed(&self, share: f64) -> u64 {
        let (jobs, busy) = (self.jobs_per_server(1), self.busy(1));
        let limit = |row: usize| self.z[row..].iter().sum::<f64>();
        let (jobs_limit, busy_limit) = (limit(WARM + 1), self.z[WARM + 1]);
        let (jobs, busy) = ((jobs.mean - jobs_limit) / jobs_limit, (busy.mean - busy_limit) / busy_limit);
        (jobs.abs().max((jobs - busy).abs()) / share).ceil() as u64
    }

    /// `sum_i i x[i,2]`.
    pub fn jobs_per_server(&self, servers: u64) -> Refined {
        self.linear(servers, 0.0, |row| if row > WARM { 1.0 } else { 0.0 })
    }
}

impl Field {
    /// The coordinates that fluctuate: all, but the number of warm servers where none starts or expires.
    fn moving(&self, n: usize) -> Vec<usize> {
        let kept = self.never_starts() && self.rates.expiration() == 0.0;
        (0..n).filter(|&row| !kept || row > WARM).collect()
    }
}

fn check(field: &Field, scaling: &ScalingRule, z: &[f64], point: &FixedPoint) -> Result<(), NoRefinement> {
    let kept = field.never_starts() && field.rates.expiration() == 0.0;
    let seen = field.observe(z);
    let g = scaling.probability(&seen);
    let always_smooth = !scaling.goes_by_shortage() || field.never_starts();
    match point.regime {
        regime if regime.warm == Pool::Empty => Err(NoRefinement::NoWarmServer),
        regime if regime.below_threshold == Pool::Empty => Err(NoRefinement::NoneBelowThreshold),
        regime if regime.cold == Pool::Empty && !kept => Err(NoRefinement::Saturated),
        _ if !(always_smooth || g > 0.0 && g < 1.0) => Err(NoRefinement::Kink),
        _ if !matches!(point.stability, Stability::Linear { leading_eigenvalue } if leading_eigenvalue < 0.0) => {
            Err(NoRefinement::NotStable)
        }
        _ => Ok(()),
    }
}

/// `Q`: arrivals and completions move one tail each, and each has its own.
fn noise(field: &Field, z: &[f64]) -> DMatrix<f64> {
    let mut noise = DMatrix::zeros(z.len(), z.len());
    let (starting, warming, expiring) = (field.starting(z), field.warming(z), field.expiring(z));
    noise[(INITIALIZING, INITIALIZING)] = starting + warming;
    noise[(INITIALIZING, WARM)] = -warming;
    noise[(WARM, INITIALIZING)] = -warming;
    noise[(WARM, WARM)] = warming + expiring;
    let joining = field.inflow(z).levels;
    for i in 1..z.len() - WARM {
        let finishing = tail(z, i) - tail(z, i + 1);
        noise[(WARM + i, WARM + i)] = joining.get(i - 1).copied().unwrap_or(0.0) + finishing;
    }
    noise
}

/// `B : W`, component by component.
fn contraction(field: &Field, scaling: &ScalingRule, z: &[f64], covariance: &DMatrix<f64>) -> Vec<f64> {
    let w = |a: usize, b: usize| covariance[(a, b)];
    let mut pull = vec![0.0; z.len()];
    pull[INITIALIZING] = field.rates.scaling() * scaling_contraction(field, scaling, z, covariance);
    rule_of(&field.dispatch).curvature(field, z, &w, &mut pull);
    pull
}

/// The second derivatives of `g` contracted with the covariance.
fn scaling_contraction(field: &Field, scaling: &ScalingRule, z: &[f64], covariance: &DMatrix<f64>) -> f64 {
    let seen = field.observe(z);
    let slope = scaling.gradient(&seen);
    let mut gradient = DVector::zeros(z.len());
    gradient[INITIALIZING] = slope.initializing + field.rates.initialization() * slope.warming;
    gradient[WARM] = slope.warm;
    gradient[WARM + 1] = slope.one_job;
    if z.len() > WARM + 2 {
        gradient[WARM + 2] = -slope.one_job;
    }
    scaling.relative_curvature(&seen) * (covariance * &gradient).dot(&gradient)
}

/// The solution `W` of `A W + W A^T + Q = 0`, by the Schur form `A = U T U^H`; none if the form is not found or an
/// eigenvalue is on the imaginary axis.
///
/// # Source
/// R. H. Bartels, G. W. Stewart, *Solution of the matrix equation AX + XB = C*, 1972.
fn lyapunov(a: &DMatrix<f64>, q: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let n = a.nrows();
    let complex = |matrix: &DMatrix<f64>| matrix.map(|entry| Complex::new(entry, 0.0));
    let (u, t) = complex(a).try_schur(1e-15, 100 * n)?.unpack();
    let right = -(u.adjoint() * complex(q) * &u);
    let mut y = DMatrix::<Complex<f64>>::zeros(n, n);
    for k in (0..n).rev() {
        let mut column = right.column(k).into_owned();
        for j in k + 1..n {
            column -= y.column(j) * t[(k, j)].conj();
        }
        let mut shifted = t.clone();
        for row in 0..n {
            shifted[(row, row)] += t[(k, k)].conj();
        }
        if !shifted.solve_upper_triangular_mut(&mut column) {
            return None;
        }
        y.set_column(k, &column);
    }
    let w = (&u * y * u.adjoint()).map(|entry| entry.re);
    Some((&w + w.transpose()) * 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed_points;
    use alba_model::{ArrivalProfile, Buffer, Dispatch, Rates, Scheme};

    fn refined(
        dispatch: Dispatch,
        scaling: ScalingRule,
        buffer: Option<u32>,
        rates: [f64; 3],
        kept: f64,
    ) -> Refinement {
        let scheme = Scheme::asynchronous(dispatch, scaling);
        let rates = Rates::new(rates[0], rates[1], rates[2]).unwrap();
        let buffer = buffer.map_or(Buffer::Infinite, |b| Buffer::finite(b).unwrap());
        let model = Model::new(ArrivalProfile::constant(0.7).unwrap(), rates, buffer, scheme).unwrap();
        let found = fixed_points(&model, 0.7, kept).unwrap();
        Refinement::new(&model, 0.7, &found.points[0]).unwrap()
    }

    fn bias_of_jobs(refinement: &Refinement) -> f64 {
        refinement.bias.iter().skip(WARM + 1).sum()
    }

    #[test]
    fn published_and_independent_values() {
        let two = Dispatch::power_of_d(2).unwrap();
        let blind = ScalingRule::blind(0.06).unwrap();
        let still = refined(two, ScalingRule::None, None, [0.0, 1.0, 0.0], 1.0);
        assert!((bias_of_jobs(&still) - 0.8491).abs() < 5e-5, "{}", bias_of_jobs(&still));
        assert!((still.jobs_per_server(100).mean - 1.13861).abs() < 5e-6);
        let figure_1 = refined(two, blind, Some(100), [0.05, 0.1, 0.025], 0.7);
        assert!((bias_of_jobs(&figure_1) - 5.33602).abs() < 5e-6, "{}", bias_of_jobs(&figure_1));
        let below = refined(Dispatch::join_below_threshold(1), blind, None, [0.05, 0.1, 0.025], 0.7);
        let one_job = below.bias[WARM + 1] - below.bias[WARM + 2];
        // Eight simulations of 4 10^5 service times with N = 1000 give -0.76, with 0.10 as half-width.
        assert!((one_job + 0.7303).abs() < 5e-5, "{one_job}");
    }

    #[test]
    fn the_covariance_solves_its_equation() {
        let a = DMatrix::from_row_slice(3, 3, &[-2.0, 0.5, 0.0, 1.0, -3.0, 0.2, -0.4, 0.1, -1.0]);
        let q = DMatrix::from_row_slice(3, 3, &[2.0, 0.1, 0.0, 0.1, 1.0, 0.3, 0.0, 0.3, 0.5]);
        let w = lyapunov(&a, &q).unwrap();
        assert!((&a * &w + &w * a.transpose() + q).amax() < 1e-13);
    }

    #[test]
    fn poisson_limits() {
        // JIQ + Blind: cold servers are neither lost nor gained but through independent stages; initializing ones are
        // an M/M/inf queue fed at rate alpha theta: variance = mean.
        let blind = ScalingRule::blind(0.06).unwrap();
        let refinement = refined(Dispatch::JOIN_IDLE_QUEUE, blind, None, [0.05, 0.1, 0.025], 0.7);
        let initializing = refinement.initializing(1000);
        assert!((initializing.mean - 0.03).abs() < 1e-12);
        assert!((initializing.standard_deviation.powi(2) * 1000.0 - 0.03).abs() < 1e-10);
    }
}
