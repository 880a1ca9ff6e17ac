//! Numbered servers, described in groups of equal ones.

use crate::ClusterError;
use crate::draw::Draw;
use crate::error::checked;

/// Equal servers.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    count: u32,
    capacity: u32,
    workers: u32,
    speed: f64,
    weight: f64,
    draw: Draw,
}

impl Group {
    /// `count >= 1` servers of one worker, speed and weight 1, without a limit on requests, and with the default power.
    ///
    /// # Errors
    /// [`ClusterError::Servers`] for none.
    pub fn new(count: u32) -> Result<Self, ClusterError> {
        Servers::check(count.into())?;
        Ok(Self { count, capacity: u32::MAX, workers: 1, speed: 1.0, weight: 1.0, draw: Draw::default() })
    }

    /// At most `capacity >= 1` requests present, in service or waiting.
    ///
    /// # Errors
    /// [`ClusterError::OutOfRange`] for 0.
    pub fn with_capacity(self, capacity: u32) -> Result<Self, ClusterError> {
        Ok(Self { capacity: at_least_one("capacity", capacity)?, ..self })
    }

    /// `workers >= 1` that each serve one request at a time, under first come, first served.
    ///
    /// # Errors
    /// [`ClusterError::OutOfRange`] for 0.
    pub fn with_workers(self, workers: u32) -> Result<Self, ClusterError> {
        Ok(Self { workers: at_least_one("workers", workers)?, ..self })
    }

    /// A request takes its service demand over `speed > 0`.
    ///
    /// # Errors
    /// [`ClusterError::OutOfRange`] otherwise.
    pub fn with_speed(self, speed: f64) -> Result<Self, ClusterError> {
        Ok(Self { speed: positive("speed", speed)?, ..self })
    }

    /// What weighted policies go by, > 0.
    ///
    /// # Errors
    /// [`ClusterError::OutOfRange`] otherwise.
    pub fn with_weight(self, weight: f64) -> Result<Self, ClusterError> {
        Ok(Self { weight: positive("weight", weight)?, ..self })
    }

    /// What each of them draws.
    pub fn with_draw(self, draw: Draw) -> Self {
        Self { draw, ..self }
    }

    /// How many.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The most requests present; none: no limit.
    pub fn capacity(&self) -> Option<u32> {
        (self.capacity < u32::MAX).then_some(self.capacity)
    }

    /// The same as a number that no server reaches if there is no limit.
    pub(crate) fn room(&self) -> u32 {
        self.capacity
    }

    /// Workers of each.
    pub fn workers(&self) -> u32 {
        self.workers
    }

    /// Service demand done in a unit of time.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// For weighted policies.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// What each draws.
    pub fn draw(&self) -> &Draw {
        &self.draw
    }
}

/// All servers, group by group; a server's number is its place in that order, from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Servers {
    groups: Vec<Group>,
    total: u32,
}

impl Servers {
    /// The most servers.
    pub const MOST: u64 = 100_000_000;

    /// At least one group.
    ///
    /// # Errors
    /// [`ClusterError::Servers`] unless 1 to [`Self::MOST`] servers.
    pub fn new(groups: Vec<Group>) -> Result<Self, ClusterError> {
        let total = groups.iter().map(|group| u64::from(group.count)).sum();
        Self::check(total)?;
        Ok(Self { groups, total: total as u32 })
    }

    fn check(servers: u64) -> Result<(), ClusterError> {
        if (1..=Self::MOST).contains(&servers) {
            Ok(())
        } else {
            Err(ClusterError::Servers { servers, most: Self::MOST })
        }
    }

    /// The groups.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// All servers.
    pub fn count(&self) -> usize {
        self.total as usize
    }

    /// The index of its group and the group, for every server in order.
    pub(crate) fn each(&self) -> impl Iterator<Item = (u32, &Group)> {
        let groups = (0..).zip(&self.groups);
        groups.flat_map(|(index, group)| std::iter::repeat_n((index, group), group.count as usize))
    }

    /// The weight of every server.
    pub(crate) fn weights(&self) -> Vec<f64> {
        self.each().map(|(_, group)| group.weight).collect()
    }
}

fn at_least_one(name: &'static str, value: u32) -> Result<u32, ClusterError> {
    checked(name, value.into(), "a whole number >= 1", |v| v >= 1.0).map(|_| value)
}

fn positive(name: &'static str, value: f64) -> Result<f64, ClusterError> {
    checked(name, value, "a finite number > 0", |v| v > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_numbered_group_by_group() {
        let group = |count, weight| Group::new(count).unwrap().with_weight(weight).unwrap();
        let servers = Servers::new(vec![group(2, 1.0), group(1, 3.0)]).unwrap();
        assert_eq!(servers.weights(), [1.0, 1.0, 3.0]);
        assert_eq!(servers.count(), 3);
    }

    #[test]
    fn impossible_servers_are_refused() {
        let one = || Group::new(1).unwrap();
        assert!(Group::new(0).is_err());
        assert!(one().with_capacity(0).is_err());
        assert!(one().with_workers(0).is_err());
        assert!(one().with_speed(0.0).is_err());
        assert!(one().with_weight(f64::INFINITY).is_err());
        assert!(matches!(Servers::new(vec![]), Err(ClusterError::Servers { servers: 0, .. })));
    }
}
