//! The state: how many servers are where, and for how long they were.

use alba_model::Counts;

/// The most levels that an infinite buffer grows to: 2^20 levels are about 30 MB a replication.
pub(crate) const MOST_LEVELS: usize = 1 << 20;

/// Levels that are looked at without a branch when a server is picked.
const HEAD: usize = 8;

/// The integral of a count over time, kept as the sum of (change * its time): one number is touched at a change, and
/// it stays as small as count times time, so nothing is lost by cancellation.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Moment(f64);

impl Moment {
    /// The integral of a count that was `count` all the time begins at `time`.
    fn begin(count: f64, time: f64) -> Self {
        Self(count * time)
    }

    #[inline(always)]
    pub(crate) fn change(&mut self, by: f64, time: f64) {
        self.0 += by * time;
    }

    /// The integral until `time`, when the count is `count`.
    fn integral(self, count: f64, time: f64) -> f64 {
        count * time - self.0
    }
}

/// All servers, as counts.
#[derive(Debug, Clone)]
pub(crate) struct Servers {
    pub(crate) cold: u32,
    pub(crate) initializing: u32,
    /// `tails[i]`: warm servers with at least `i` jobs, so that an arrival or a completion changes one number, and
    /// the warm server of rank `r`, fullest first, holds as many jobs as there are `i >= 1` with `tails[i] > r`.
    /// At least one level beyond the highest, and `HEAD + 1` in all.
    pub(crate) tails: Vec<u32>,
    /// Jobs in the central queue.
    pub(crate) waiting: u64,
    waiting_moment: Moment,
    cold_moment: Moment,
    initializing_moment: Moment,
    /// Of `tails`, same length.
    pub(crate) tail_moments: Vec<Moment>,
}

/// Integrals over time of counts of servers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Integrals {
    pub(crate) cold: f64,
    pub(crate) initializing: f64,
    /// Of `tails`.
    pub(crate) tails: Vec<f64>,
    /// Of the number of jobs in the central queue.
    pub(crate) waiting: f64,
}

impl Integrals {
    /// Over no time, for so many levels.
    pub(crate) fn none(levels: usize) -> Self {
        Self { cold: 0.0, initializing: 0.0, tails: vec![0.0; levels], waiting: 0.0 }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.cold += other.cold;
        self.initializing += other.initializing;
        self.waiting += other.waiting;
        self.tails.resize(other.tails.len().max(self.tails.len()), 0.0);
        self.tails.iter_mut().zip(&other.tails).for_each(|(sum, tail)| *sum += tail);
    }
}

impl Servers {
    /// `counts` at time 0; fewer than 2^32 servers.
    pub(crate) fn new(counts: &Counts) -> Self {
        let occupied = counts.warm.iter().rposition(|&count| count > 0).map_or(0, |level| level + 1);
        let mut tails = vec![0; (occupied + 1).max(HEAD + 1)];
        let mut tail = 0;
        for level in (0..occupied).rev() {
            tail += counts.warm[level] as u32;
            tails[level] = tail;
        }
        Self {
            cold: counts.cold as u32,
            initializing: counts.initializing as u32,
            waiting: counts.waiting,
            waiting_moment: Moment::default(),
            cold_moment: Moment::default(),
            initializing_moment: Moment::default(),
            tail_moments: vec![Moment::default(); tails.len()],
            tails,
        }
    }

    pub(crate) fn warm(&self) -> u32 {
        self.tails[0]
    }

    pub(crate) fn busy(&self) -> u32 {
        self.tails[1]
    }

    pub(crate) fn idle(&self) -> u32 {
        self.tails[0] - self.tails[1]
    }

    pub(crate) fn counts(&self) -> Counts {
        let levels = self.tails.iter().position(|&tail| tail == 0).unwrap_or(self.tails.len());
        let warm = (0..levels).map(|level| u64::from(self.tails[level] - self.tails[level + 1])).collect();
        Counts { cold: self.cold.into(), initializing: self.initializing.into(), warm, waiting: self.waiting }
    }

    /// Cold to initializing.
    pub(crate) fn start(&mut self, time: f64) {
        self.cold_moment.change(-1.0, time);
        self.initializing_moment.change(1.0, time);
        self.cold -= 1;
        self.initializing += 1;
    }

    /// Initializing to idle.
    pub(crate) fn warm_up(&mut self, time: f64) {
        self.initializing_moment.change(-1.0, time);
        self.tail_moments[0].change(1.0, time);
        self.initializing -= 1;
        self.tails[0] += 1;
    }

    /// Idle to cold.
    pub(crate) fn expire(&mut self, time: f64) {
        self.tail_moments[0].change(-1.0, time);
        self.cold_moment.change(1.0, time);
        self.tails[0] -= 1;
        self.cold += 1;
    }

    /// One more job at a server that held `level`; there must be room for the level.
    pub(crate) fn accept(&mut self, level: usize, time: f64) {
        self.tail_moments[level + 1].change(1.0, time);
        self.tails[level + 1] += 1;
    }

    /// One job less at a server that held `level >= 1`.
    pub(crate) fn complete(&mut self, level: usize, time: f64) {
        self.tail_moments[level].change(-1.0, time);
        self.tails[level] -= 1;
    }

    /// Initializing to cold.
    pub(crate) fn cancel(&mut self, time: f64) {
        self.initializing_moment.change(-1.0, time);
        self.cold_moment.change(1.0, time);
        self.initializing -= 1;
        self.cold += 1;
    }

    /// One more job in the central queue.
    pub(crate) fn enqueue(&mut self, time: f64) {
        self.waiting_moment.change(1.0, time);
        self.waiting += 1;
    }

    /// One job less in the central queue.
    pub(crate) fn dequeue(&mut self, time: f64) {
        self.waiting_moment.change(-1.0, time);
        self.waiting -= 1;
    }

    /// Makes room for `levels` levels at least.
    pub(crate) fn grow(&mut self, levels: usize) {
        self.tails.resize(levels.max(self.tails.len()), 0);
        self.tail_moments.resize(self.tails.len(), Moment::default());
    }

    /// Integrals begin at `time`.
    pub(crate) fn begin_integrals(&mut self, time: f64) {
        self.cold_moment = Moment::begin(self.cold.into(), time);
        self.initializing_moment = Moment::begin(self.initializing.into(), time);
        self.waiting_moment = Moment::begin(self.waiting as f64, time);
        self.tail_moments = self.tails.iter().map(|&tail| Moment::begin(tail.into(), time)).collect();
    }

    /// Integrals up to `time`.
    pub(crate) fn integrals(&self, time: f64) -> Integrals {
        let tails = self.tails.iter().zip(&self.tail_moments);
        Integrals {
            cold: self.cold_moment.integral(self.cold.into(), time),
            initializing: self.initializing_moment.integral(self.initializing.into(), time),
            tails: tails.map(|(&tail, moment)| moment.integral(tail.into(), time)).collect(),
            waiting: self.waiting_moment.integral(self.waiting as f64, time),
        }
    }
}

/// Jobs at the warm server of `rank`, fullest first. `SHALLOW` where more than one job is the exception.
#[inline(always)]
pub(crate) fn level_of<const SHALLOW: bool>(tails: &[u32], rank: u32) -> usize {
    if SHALLOW && tails[2] <= rank {
        return usize::from(tails[1] > rank);
    }
    let head = &tails[1..=HEAD];
    let mut level = 0;
    // No early exit: random queue lengths make its branch a coin toss, which costs more than eight comparisons.
    for &tail in head {
        level += usize::from(tail > rank);
    }
    if level == HEAD {
        level += tails[HEAD + 1..].partition_point(|&tail| tail > rank);
    }
    level
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_go_from_full_to_idle() {
        let mut warm = vec![0; 14];
        (warm[0], warm[2], warm[13]) = (2, 1, 3);
        let servers = Servers::new(&Counts { cold: 4, initializing: 1, warm: warm.clone(), waiting: 0 });
        let levels: Vec<usize> = (0..6).map(|rank| level_of::<false>(&servers.tails, rank)).collect();
        assert_eq!(levels, [13, 13, 13, 2, 0, 0]);
        assert_eq!((servers.warm(), servers.busy(), servers.idle()), (6, 4, 2));
        assert_eq!(servers.counts(), Counts { cold: 4, initializing: 1, warm, waiting: 0 });
    }

    #[test]
    fn integrals_by_hand() {
        let mut servers = Servers::new(&Counts { cold: 2, initializing: 0, warm: vec![1], waiting: 0 });
        servers.start(1.0);
        servers.accept(0, 1.5);
        servers.begin_integrals(2.0);
        servers.warm_up(4.0);
        servers.accept(1, 5.0);
        servers.expire(6.0);
        let integrals = servers.integrals(7.0);
        assert_eq!((integrals.cold, integrals.initializing), (4.0 + 2.0, 2.0));
        assert_eq!(integrals.tails[..4], [2.0 + 4.0 + 1.0, 5.0, 2.0, 0.0]);
    }
}
