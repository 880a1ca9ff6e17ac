//! The paper's experiment: requests come every second and nobody leaves.

use crate::policy::{Policy, ServerLoad};
use crate::{ClusterError, PowerModel};
use rand_xoshiro::Xoshiro256PlusPlus;

/// When a policy hears of the requests that it placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assignment {
    /// After each request.
    OneByOne,
    /// After each second: all its requests go to the server picked for the first of them, and, where that is full, to the next
    /// one picked.
    BySecond,
}

/// Servers that requests come to, every second some; nobody leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct PaperExperiment {
    servers: Vec<(u32, PowerModel)>,
    assignment: Assignment,
}

/// What one second brought.
#[derive(Debug, Clone, PartialEq)]
pub struct Second {
    /// Requests that came.
    pub requests: u32,
    /// Those of them that no server took.
    pub refused: u32,
    /// Of each server, at the second's end.
    pub connections: Vec<u32>,
    /// Of each server during the second, in watts, by its connections at the second's end; 0 for one that has never had any: it is off.
    pub power_w: Vec<f64>,
}

/// What an experiment brought.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// Second 1, 2, ...
    pub seconds: Vec<Second>,
}

impl PaperExperiment {
    /// With servers that take `capacities` connections and draw power in proportion: `power` is that of a server of
    /// [`PowerModel::PUBLISHED_CAPACITY`].
    ///
    /// # Errors
    /// [`ClusterError::NoServers`], [`ClusterError::NoCapacity`]; [`ClusterError::OutOfRange`] if power gets too large.
    pub fn new(capacities: &[u32], power: PowerModel, assignment: Assignment) -> Result<Self, ClusterError> {
        if capacities.is_empty() {
            return Err(ClusterError::NoServers);
        }
        let server = |(index, &capacity): (usize, &u32)| match capacity {
            0 => Err(ClusterError::NoCapacity { server: index + 1 }),
            _ => {
                let size = f64::from(capacity) / f64::from(PowerModel::PUBLISHED_CAPACITY);
                Ok((capacity, power.scaled(size)?))
            }
        };
        Ok(Self { servers: capacities.iter().enumerate().map(server).collect::<Result<_, _>>()?, assignment })
    }

    /// What happens if in second t, from 1, `arrivals[t - 1]` requests come. The policy is told of all servers, empty and available,
    /// at the start.
    ///
    /// # Errors
    /// [`ClusterError::NoSuchServer`], [`ClusterError::Overload`] if the policy picks a server that there is not, or that is full.
    pub fn run(
        &self,
        arrivals: &[u32],
        policy: &mut dyn Policy,
        random: &mut Xoshiro256PlusPlus,
    ) -> Result<Course, ClusterError> {
        let mut connections = vec![0; self.servers.len()];
        (0..self.servers.len()).for_each(|server| policy.notify(server, self.load(server, 0)));
        let mut seconds = Vec::with_capacity(arrivals.len());
        for &requests in arrivals {
            let refused = self.place(requests, &mut connections, policy, random)?;
            let power_w =
                self.servers.iter().zip(&connections).map(|(server, &taken)| power_w(*server, taken));
            let power_w = power_w.collect();
            seconds.push(Second { requests, refused, connections: connections.clone(), power_w });
        }
        Ok(Course { seconds })
    }

    /// Places one second's requests; how many were refused.
    fn place(
        &self,
        requests: u32,
        connections: &mut [u32],
        policy: &mut dyn Policy,
        random: &mut Xoshiro256PlusPlus,
    ) -> Result<u32, ClusterError> {
        let mut left = requests;
        while left > 0 {
            // Nobody leaves: what is refused now would be refused until the second's end.
            let Some(server) = policy.pick(random) else { break };
            let known = self.servers.get(server).zip(connections.get_mut(server));
            let (&(capacity, _), taken) = known
                .ok_or(ClusterError::NoSuchServer { server: server + 1, servers: self.servers.len() })?;
            let room = capacity - *taken;
            if room == 0 {
                return Err(ClusterError::Overload { server: server + 1, capacity });
            }
            let placed = match self.assignment {
                Assignment::OneByOne => 1,
                Assignment::BySecond => left.min(room),
            };
            *taken += placed;
            left -= placed;
            policy.notify(server, self.load(server, *taken));
        }
        Ok(left)
    }

    fn load(&self, server: usize, connections: u32) -> ServerLoad {
        let capacity = self.servers[server].0;
        ServerLoad { connections, capacity, available: true, ..ServerLoad::default() }
    }
}

fn power_w((capacity, power): (u32, PowerModel), connections: u32) -> f64 {
    match connections {
        0 => 0.0,
        _ => power.power_w(f64::from(connections) / f64::from(capacity)),
    }
}

impl Course {
    /// The second in which `server`, from 0, got its first connection and was switched on.
    pub fn started_s(&self, server: usize) -> Option<usize> {
        let on = |second: &Second| second.connections.get(server).is_some_and(|taken| *taken > 0);
        self.seconds.iter().position(on).map(|index| index + 1)
    }

    /// Energy of all servers until the end of each second, in joules.
    pub fn energy_j(&self) -> Vec<f64> {
        let add = |sum: &mut f64, second: &Second| {
            *sum += second.power_w.iter().sum::<f64>();
            Some(*sum)
        };
        self.seconds.iter().scan(0.0, add).collect()
    }

    /// Requests refused in the first `seconds` seconds.
    pub fn refused(&self, seconds: usize) -> u64 {
        self.seconds.iter().take(seconds).map(|second| u64::from(second.refused)).sum()
    }
}

#[cfg(test)]
mod tests;
