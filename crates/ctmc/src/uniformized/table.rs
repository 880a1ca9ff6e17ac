//! The state: counts of servers, and the number of jobs at every server by its rank.

use alba_model::Counts;

use crate::uniformized::lanes::BLOCK;

/// The most jobs at a server that a byte holds.
pub(crate) const HIGHEST: usize = 255;

/// What happened at a step, as a number that tells how to undo it.
///
/// Below [`Step::JOBS`]: a warm server with `n` jobs got one more, `2 n + 1`, or finished one, `2 n`; 0 for a null step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step(pub(crate) u32);

impl Step {
    /// Numbers of steps that move jobs, and of null steps.
    pub(crate) const JOBS: usize = 2 * (HIGHEST + 1);
    pub(crate) const REJECTED: Self = Self(1024);
    pub(crate) const LOST: Self = Self(1025);
    pub(crate) const SCALE_UP: Self = Self(1026);
    pub(crate) const IDLE_SCALING: Self = Self(1027);
    pub(crate) const INITIALIZATION: Self = Self(1028);
    pub(crate) const EXPIRATION: Self = Self(1029);
    /// Set where the job that arrived started a cold server, too.
    const STARTED: u32 = 1 << 16;

    pub(crate) const NULL: Self = Self(0);

    /// A server with `level` jobs got one more.
    pub(crate) fn accepted(level: u8) -> Self {
        Self(2 * u32::from(level) + 1)
    }

    /// A server with `level >= 1` jobs finished one.
    pub(crate) fn completion(level: u8) -> Self {
        Self(2 * u32::from(level))
    }

    pub(crate) fn with_start(self) -> Self {
        Self(self.0 | Self::STARTED)
    }

    pub(crate) fn started(self) -> bool {
        self.0 & Self::STARTED != 0
    }

    /// Without the start.
    pub(crate) fn plain(self) -> Self {
        Self(self.0 & !Self::STARTED)
    }

    /// The tail that changed, and whether it grew, if jobs were moved.
    pub(crate) fn job(self) -> Option<(usize, bool)> {
        let plain = self.plain().0 as usize;
        (plain > 0 && plain < Self::JOBS).then_some((plain.div_ceil(2), plain % 2 == 1))
    }

    /// Events that it counts as.
    pub(crate) fn events(self) -> u64 {
        u64::from(self.plain() != Self::NULL) + u64::from(self.started())
    }

    /// Those of them that are counted at once, not with the whole burst.
    pub(crate) fn counted(self) -> u64 {
        self.events() - u64::from(self.job().is_some())
    }
}

/// All servers, as counts.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) cold: u32,
    pub(crate) initializing: u32,
    pub(crate) warm: u32,
    /// `tails[i]`: warm servers with at least `i >= 1` jobs; the last is 0. The first is the table's.
    pub(crate) tails: [u32; HIGHEST + 2],
}

impl State {
    /// None if a server holds more than [`HIGHEST`] jobs. Fewer than 2^32 servers.
    pub(crate) fn new(counts: &Counts) -> Option<Self> {
        let occupied = counts.warm.iter().rposition(|&count| count > 0).map_or(0, |level| level + 1);
        let mut tails = [0; HIGHEST + 2];
        let mut tail = 0;
        for level in (0..occupied).rev() {
            tail += counts.warm[level] as u32;
            *tails.get_mut(level).filter(|_| level <= HIGHEST)? = tail;
        }
        let warm = std::mem::take(&mut tails[0]);
        Some(Self { cold: counts.cold as u32, initializing: counts.initializing as u32, warm, tails })
    }

    pub(crate) fn busy(&self) -> u32 {
        self.tails[1]
    }

    pub(crate) fn idle(&self) -> u32 {
        self.warm - self.tails[1]
    }

    pub(crate) fn counts(&self) -> Counts {
        let tails = || std::iter::once(self.warm).chain(self.tails[1..].iter().copied());
        let levels = tails().zip(tails().skip(1)).take_while(|level| level.0 > 0);
        let warm = levels.map(|(tail, next)| u64::from(tail - next)).collect();
        Counts { cold: self.cold.into(), initializing: self.initializing.into(), warm, waiting: 0 }
    }

    /// Moves the servers that `step` moves between cold, initializing and warm. Whether the number of warm ones changed.
    pub(crate) fn apply(&mut self, step: Step) -> bool {
        let warm = self.warm;
        self.shift(step, 1);
        self.warm != warm
    }

    /// The state before `step`, which was the last one. The rank that a job moved at, if one did, and its level before.
    pub(crate) fn undo(&mut self, step: Step) -> Option<(usize, u8)> {
        self.shift(step, -1);
        let (changed, grew) = step.job()?;
        let tail = &mut self.tails[changed];
        if grew {
            *tail -= 1;
            Some((*tail as usize, (changed - 1) as u8))
        } else {
            *tail += 1;
            Some((*tail as usize - 1, changed as u8))
        }
    }

    /// Servers that are cold, initializing and warm.
    pub(crate) fn places(&self) -> [u32; 3] {
        [self.cold, self.initializing, self.warm]
    }

    /// They change by `sign` times this at a step that moves servers.
    pub(crate) fn moves(step: Step) -> [i32; 3] {
        let own = match step.plain() {
            Step::SCALE_UP => [-1, 1, 0],
            Step::INITIALIZATION => [0, -1, 1],
            Step::EXPIRATION => [1, 0, -1],
            _ => [0; 3],
        };
        if step.started() { [own[0] - 1, own[1] + 1, own[2]] } else { own }
    }

    fn shift(&mut self, step: Step, sign: i32) {
        let [cold, initializing, warm] = Self::moves(step).map(|change| sign * change);
        self.cold = self.cold.wrapping_add_signed(cold);
        self.initializing = self.initializing.wrapping_add_signed(initializing);
        self.warm = self.warm.wrapping_add_signed(warm);
    }
}

/// The counts, and the level of every rank, where that is kept.
///
/// A null step is a completion at a server without a job, and would need a branch or two more instructions: `tails[0]`
/// and some room at the end of `levels` are there for it to change, and mean nothing.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) state: State,
    /// `levels[r]`: jobs at the warm server of rank `r`, fullest first; 0 from the busy servers on. Empty unless kept.
    pub(crate) levels: Vec<u8>,
    /// N.
    servers: u32,
}

impl Table {
    /// Counts only.
    pub(crate) fn new(state: State) -> Self {
        let servers = state.places().iter().sum();
        Self { state, levels: Vec::new(), servers }
    }

    /// Keeps the levels of ranks from now on.
    pub(crate) fn keep_levels(&mut self) {
        if self.levels.is_empty() {
            let tails = &self.state.tails;
            self.levels.resize(self.servers as usize + 1 + BLOCK, 0);
            let highest = tails.iter().rposition(|&tail| tail > 0).unwrap_or(0);
            for level in (1..=highest).rev() {
                self.levels[tails[level + 1] as usize..tails[level] as usize].fill(level as u8);
            }
        }
    }

    /// Keeps counts only from now on.
    pub(crate) fn drop_levels(&mut self) {
        self.levels.clear();
    }

    /// Jobs at the warm server of this rank.
    pub(crate) fn level(&self, rank: u32) -> u8 {
        let level = || self.state.tails[1..].iter().take_while(|&&tail| rank < tail).count() as u8;
        self.levels.get(rank as usize).copied().unwrap_or_else(level)
    }

    /// A rank at which there never is a job.
    pub(crate) fn no_job(&self) -> u32 {
        self.servers
    }

    /// Makes room for null steps, a block of them.
    pub(crate) fn clear_null_steps(&mut self) {
        self.state.tails[0] = self.servers + 1 + BLOCK as u32;
    }

    /// One more job at a server with `level` if `more` is 1, one less if it is 0, where it has one. The tail that changed.
    #[inline(always)]
    pub(crate) fn step(tails: &mut [u32; HIGHEST + 2], levels: &mut [u8], level: u8, more: u32) -> u32 {
        let tail = &mut tails[usize::from(level) + more as usize];
        // The change is next to the last server with `level` jobs, or with one more.
        levels[tail.wrapping_add(more).wrapping_sub(1) as usize] =
            level.wrapping_add(2 * more as u8).wrapping_sub(1);
        *tail = tail.wrapping_add(2 * more).wrapping_sub(1);
        *tail
    }

    /// One more job at a server with `level`.
    pub(crate) fn accept(&mut self, level: u8) {
        let tail = &mut self.state.tails[usize::from(level) + 1];
        *tail += 1;
        if let Some(changed) = self.levels.get_mut(*tail as usize - 1) {
            *changed = level + 1;
        }
    }

    /// One job less at a server with `level >= 1`.
    pub(crate) fn complete(&mut self, level: u8) {
        let tail = &mut self.state.tails[usize::from(level)];
        *tail -= 1;
        if let Some(changed) = self.levels.get_mut(*tail as usize) {
            *changed = level - 1;
        }
    }

    /// The state before `step`, which was the last one.
    pub(crate) fn undo(&mut self, step: Step) {
        if let Some((rank, level)) = self.state.undo(step)
            && let Some(changed) = self.levels.get_mut(rank)
        {
            *changed = level;
        }
    }
}
