//! How many servers are where, and for how long.

use alba_model::Counts;

use crate::clock::Clock;
use crate::servers::{Group, Servers};
use crate::{Discipline, Draw};

/// A number that changes, and its integral over ticks.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Gauge {
    value: i64,
    since: f64,
    area: f64,
}

impl Gauge {
    #[inline]
    fn change(&mut self, by: i64, now: f64) {
        self.area += self.value as f64 * (now - self.since);
        self.since = now;
        self.value += by;
    }

    /// The integral counts from `now` on.
    fn begin(&mut self, now: f64) {
        self.area = 0.0;
        self.since = now;
    }

    fn area(&self, now: f64) -> f64 {
        self.area + self.value as f64 * (now - self.since)
    }
}

/// Equal servers.
#[derive(Debug, Clone, Default)]
struct GroupCensus {
    cold: Gauge,
    initializing: Gauge,
    /// `tails[i]`: warm servers with at least `i` requests; a request changes one of them only.
    tails: Vec<Gauge>,
}

/// All servers.
#[derive(Debug, Clone)]
pub(crate) struct Census {
    groups: Vec<GroupCensus>,
    /// Requests present, those that wait for an initialization included.
    jobs: Gauge,
    /// Requests that wait for an initialization.
    waiting: Gauge,
    /// Servers that are full.
    full: i64,
    /// One while some server is full.
    overloaded: Gauge,
}

/// Times spent, or numbers of servers at one time, all groups together.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Totals {
    pub(crate) cold: f64,
    pub(crate) initializing: f64,
    pub(crate) idle: f64,
    pub(crate) busy: f64,
    /// Requests present.
    pub(crate) jobs: f64,
    /// Requests at warm servers.
    pub(crate) warm_jobs: f64,
    pub(crate) energy: f64,
    pub(crate) overload: f64,
    /// Warm servers with 0, 1, ... requests.
    pub(crate) levels: Vec<f64>,
}

impl Census {
    /// All servers cold.
    pub(crate) fn new(servers: &Servers) -> Self {
        let cold = |group: &Group| Gauge { value: group.count().into(), ..Gauge::default() };
        let group = |group| GroupCensus {
            cold: cold(group),
            tails: vec![Gauge::default()],
            ..GroupCensus::default()
        };
        let none = Gauge::default();
        let groups = servers.groups().iter().map(group).collect();
        Self { groups, jobs: none, waiting: none, full: 0, overloaded: none }
    }

    /// Integrals count from `now` on.
    pub(crate) fn begin(&mut self, now: f64) {
        for group in &mut self.groups {
            group.cold.begin(now);
            group.initializing.begin(now);
            group.tails.iter_mut().for_each(|tail| tail.begin(now));
        }
        self.jobs.begin(now);
        self.waiting.begin(now);
        self.overloaded.begin(now);
    }

    pub(crate) fn start(&mut self, group: u32, now: f64) {
        let group = &mut self.groups[group as usize];
        group.cold.change(-1, now);
        group.initializing.change(1, now);
    }

    /// It is warm now, with `waiting` requests.
    pub(crate) fn warm_up(&mut self, group: u32, waiting: u32, now: f64) {
        let group = &mut self.groups[group as usize];
        group.initializing.change(-1, now);
        group.grow(waiting, now);
        group.tails[..=waiting as usize].iter_mut().for_each(|tail| tail.change(1, now));
        self.waiting.change(-i64::from(waiting), now);
    }

    pub(crate) fn expire(&mut self, group: u32, now: f64) {
        let group = &mut self.groups[group as usize];
        group.tails[0].change(-1, now);
        group.cold.change(1, now);
    }

    /// A request joins a server that had `before`.
    #[inline]
    pub(crate) fn join(&mut self, group: u32, warm: bool, before: u32, now: f64) {
        self.jobs.change(1, now);
        if warm {
            let group = &mut self.groups[group as usize];
            group.grow(before + 1, now);
            group.tails[before as usize + 1].change(1, now);
        } else {
            self.waiting.change(1, now);
        }
    }

    /// A request leaves a warm server that had `before`.
    #[inline]
    pub(crate) fn leave(&mut self, group: u32, before: u32, now: f64) {
        self.jobs.change(-1, now);
        self.groups[group as usize].tails[before as usize].change(-1, now);
    }

    /// So many more servers are full.
    #[inline]
    pub(crate) fn fill(&mut self, by: i64, now: f64) {
        let before = self.full > 0;
        self.full += by;
        let after = self.full > 0;
        if before != after {
            self.overloaded.change(i64::from(after) - i64::from(before), now);
        }
    }

    /// Numbers of servers in each place.
    pub(crate) fn counts(&self) -> Counts {
        let mut counts = Counts { cold: 0, initializing: 0, warm: vec![], waiting: 0 };
        for group in &self.groups {
            counts.cold += group.cold.value as u64;
            counts.initializing += group.initializing.value as u64;
            counts.warm.resize(group.tails.len().max(counts.warm.len()), 0);
            for (level, tail) in group.tails.iter().enumerate() {
                let next = group.tails.get(level + 1).map_or(0, |tail| tail.value);
                counts.warm[level] += (tail.value - next) as u64;
            }
        }
        counts
    }

    /// Requests present.
    pub(crate) fn jobs(&self) -> u64 {
        self.jobs.value as u64
    }

    /// Integrals since [`Census::begin`].
    pub(crate) fn areas(&self, servers: &Servers, discipline: Discipline, now: f64, clock: Clock) -> Totals {
        self.totals(servers, discipline, |gauge| clock.time(gauge.area(now)))
    }

    /// Numbers at the last event.
    pub(crate) fn now(&self, servers: &Servers, discipline: Discipline) -> Totals {
        self.totals(servers, discipline, |gauge| gauge.value as f64)
    }

    fn totals(&self, servers: &Servers, discipline: Discipline, of: impl Fn(&Gauge) -> f64) -> Totals {
        let mut totals = Totals { jobs: of(&self.jobs), overload: of(&self.overloaded), ..Totals::default() };
        totals.warm_jobs = totals.jobs - of(&self.waiting);
        for (group, census) in servers.groups().iter().zip(&self.groups) {
            let (cold, initializing) = (of(&census.cold), of(&census.initializing));
            totals.cold += cold;
            totals.initializing += initializing;
            let draw = group.draw();
            totals.energy += cold * draw.off() + initializing * draw.initializing();
            let tails: Vec<f64> = census.tails.iter().map(&of).collect();
            totals.levels.resize(tails.len().max(totals.levels.len()), 0.0);
            for (level, tail) in tails.iter().enumerate() {
                let here = tail - tails.get(level + 1).unwrap_or(&0.0);
                totals.levels[level] += here;
                totals.energy += here * power(draw, group, discipline, level);
            }
        }
        totals.idle = totals.levels.first().copied().unwrap_or_default();
        totals.busy = totals.levels.iter().skip(1).fold(0.0, |sum, level| sum + level);
        totals
    }
}

impl GroupCensus {
    /// Room for servers with `level` requests; what is new has been empty.
    #[inline]
    fn grow(&mut self, level: u32, now: f64) {
        if self.tails.len() <= level as usize {
            self.tails.resize(level as usize + 1, Gauge { since: now, ..Gauge::default() });
        }
    }
}

/// Of a warm server with `level` requests, by the share of its working capacity that is in use.
fn power(draw: &Draw, group: &Group, discipline: Discipline, level: usize) -> f64 {
    let places = discipline.places(group).unwrap_or(1.0);
    draw.warm().power_w((level as f64 / places).min(1.0))
}
