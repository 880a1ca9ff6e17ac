//! The simulator's view of a scenario: the section, and what follows from the others.

use super::super::arrivals::CutStamps;
use super::scaling::ScalingSource;
use super::{ArrivalSource, Lifetime};
use crate::Scenario;
use alba_cluster::{
    Arbitrator, Arrivals, ClusterError, Discipline, Draw, Group, Law, PowerModel, Problem, ProblemParts,
    Scaling, Servers, Times,
};
use alba_model::{Buffer, Counts, PowerDraw};

/// Servers of one kind, with the buffer as capacity.
pub fn equal_servers(count: u64, buffer: Buffer, power: &PowerDraw) -> Result<Servers, ClusterError> {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    let group = Group::new(count)?.with_draw(draw(power)?);
    let group = match buffer.limit() {
        Some(limit) => group.with_capacity(limit)?,
        None => group,
    };
    Servers::new(vec![group])
}

/// What `[energy]` says a server draws.
pub(super) fn draw(power: &PowerDraw) -> Result<Draw, ClusterError> {
    let power = |place: [f64; 4]| power.of(place[0], place[1], place[2], place[3]);
    let (idle, busy) = (power([0.0, 0.0, 1.0, 0.0]), power([0.0, 0.0, 0.0, 1.0]));
    let warm = PowerModel::linear(idle, busy)?;
    Draw::new(power([1.0, 0.0, 0.0, 0.0]), power([0.0, 1.0, 0.0, 0.0]), warm)
}

impl Scenario {
    /// The servers: those of the section, or equal ones with the buffer as capacity and the power of `[energy]`.
    pub(crate) fn numbered_servers(&self) -> Result<Servers, ClusterError> {
        if let Some(groups) = &self.cluster.groups {
            return Servers::new(groups.clone());
        }
        equal_servers(self.servers, self.model.buffer(), &self.power)
    }

    /// How coarse the stamps of recorded arrivals are, where they are spread.
    pub fn cut_stamps(&self) -> Option<CutStamps> {
        match self.cluster.arrivals {
            ArrivalSource::Recorded(_, cut) => cut,
            ArrivalSource::Poisson | ArrivalSource::Renewal(..) => None,
        }
    }

    /// How servers work on their requests.
    pub fn discipline(&self) -> Discipline {
        self.cluster.discipline
    }

    /// The policies of the section, or what the scheme does.
    pub fn policies(&self) -> Vec<Arbitrator> {
        let of_scheme = || self.model.scheme().dispatch().map(Arbitrator::from).into_iter().collect();
        self.cluster.policies.clone().unwrap_or_else(of_scheme)
    }

    /// The problem that `alba cluster` simulates.
    pub fn numbered_problem(&self) -> Result<Problem, ClusterError> {
        let problem = Problem::new(ProblemParts {
            servers: self.numbered_servers()?,
            discipline: self.cluster.discipline,
            arrivals: match &self.cluster.arrivals {
                ArrivalSource::Poisson => Arrivals::poisson(self.model.arrivals().clone()),
                ArrivalSource::Recorded(arrivals, _) | ArrivalSource::Renewal(arrivals, _) => {
                    arrivals.clone()
                }
            },
            times: self.times()?,
            scaling: self.numbered_scaling()?,
            initial: Counts::apportion(&self.initial, self.servers),
            grid: self.run.grid,
            warm_up: self.run.warm_up,
        })?;
        match self.mean_service_time_s {
            Some(seconds) => problem.with_unit_s(seconds),
            None => Ok(problem),
        }
    }

    fn times(&self) -> Result<Times, ClusterError> {
        let rates = self.model.rates();
        let exponential = |rate: f64| Law::exponential(1.0 / rate);
        let initialization = match &self.cluster.initialization {
            Some(source) => source.law.clone(),
            None => exponential(rates.initialization())?,
        };
        let expiration = match &self.cluster.expiration {
            Some(Lifetime::Never) => None,
            Some(Lifetime::Law(source)) => Some(source.law.clone()),
            None if rates.expiration() > 0.0 => Some(exponential(rates.expiration())?),
            None => None,
        };
        Ok(Times { service: self.cluster.service.law.clone(), initialization, expiration })
    }

    /// What the section says, or the scheme.
    ///
    /// # Errors
    /// What is wrong with the scheme's.
    pub fn numbered_scaling(&self) -> Result<Scaling, ClusterError> {
        let of_scheme = Scaling::of(self.model.scheme(), self.model.rates())?;
        Ok(match self.cluster.scaling {
            Some(ScalingSource::Own(scaling)) => scaling,
            Some(ScalingSource::OfScheme) | None => of_scheme,
        })
    }
}
