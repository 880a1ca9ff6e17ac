//! Several chains of one system side by side. Each goes its own path, the same as alone: rare steps, bounds and stops are its
//! own affair, and only arrivals and completions are taken in common ([`super::columns`]).

use alba_model::Snapshot;

use crate::CtmcError;
use crate::pick::Pick;
use crate::replication::{Run, Walk};
use crate::uniformized::columns::{AFTER, COLUMNS, Columns};
use crate::uniformized::frequent::CHUNK;
use crate::uniformized::lanes::BLOCK;
use crate::uniformized::table::Step;
use crate::uniformized::{Means, Uniformized};

/// The most chains that go side by side on any processor.
pub(crate) const MOST_ABREAST: usize = COLUMNS;

/// The most servers of chains side by side: sums over a block fit 32 bits.
pub(crate) const MOST_SERVERS_ABREAST: u64 = (1 << 32) / BLOCK as u64 - 1;

/// Fewer are faster alone.
const FEWEST: usize = 3;

/// Blocks that a chain takes alone before the next one's turn: with each turn its table comes back to the cache.
const BLOCKS_ALONE: usize = 100;

/// Runs all `chains` to the ends of their ways; `look` gets the index of a chain with what is reported.
pub(crate) fn run_abreast<P: Pick>(
    chains: Vec<(Walk<'_>, Uniformized<P>)>,
    means: Means,
    look: &mut dyn FnMut(usize, &Snapshot),
) -> Vec<Result<Run, CtmcError>> {
    let count = chains.len();
    let groups = count.div_ceil(Columns::width(means.arch)).max(1);
    let mut chains = chains.into_iter();
    let mut runs = Vec::with_capacity(count);
    while chains.len() > 0 {
        let first = runs.len();
        let lanes = chains.by_ref().take(count.div_ceil(groups)).map(Lane::new).collect();
        let look = &mut |lane, snapshot: &Snapshot| look(first + lane, snapshot);
        runs.extend(Group { lanes, columns: Columns::new(), means, look }.run());
    }
    runs
}

/// Chains that go side by side.
struct Group<'a, 'b, P> {
    lanes: Vec<Lane<'a, P>>,
    columns: Box<Columns>,
    means: Means,
    look: &'b mut dyn FnMut(usize, &Snapshot),
}

/// One of them. Its column holds nothing but counts, and what has happened to them.
struct Lane<'a, P> {
    walk: Walk<'a>,
    engine: Uniformized<P>,
    /// From which place of the block on the column sums up what happens; its end if it does not.
    since: usize,
    /// Once it is over.
    run: Option<Result<Run, CtmcError>>,
}

impl<'a, P> Lane<'a, P> {
    fn new((walk, engine): (Walk<'a>, Uniformized<P>)) -> Self {
        Self { walk, engine, since: BLOCK, run: None }
    }
}

impl<P: Pick> Group<'_, '_, P> {
    fn run(mut self) -> impl Iterator<Item = Result<Run, CtmcError>> {
        (0..self.lanes.len()).for_each(|lane| self.settle(lane));
        loop {
            let active: Vec<usize> =
                (0..self.lanes.len()).filter(|&lane| self.lanes[lane].run.is_none()).collect();
            if active.is_empty() {
                break;
            }
            if active.len() >= FEWEST && self.make_room(&active) {
                self.take_block(&active);
            } else {
                active.into_iter().for_each(|lane| self.take_blocks_alone(lane, BLOCKS_ALONE));
            }
        }
        self.lanes.into_iter().filter_map(|lane| lane.run)
    }

    /// Does what is due at the stops that are reached, and begins the next burst, or ends the replication.
    fn settle(&mut self, index: usize) {
        let lane = &mut self.lanes[index];
        let mut look = |snapshot: &Snapshot| (self.look)(index, snapshot);
        while lane.run.is_none() {
            lane.run = lane.walk.go_on(&mut lane.engine, Uniformized::reached, &mut look).transpose();
            if lane.run.is_none() && lane.engine.begin() {
                break;
            }
        }
    }

    /// To the end of so many blocks of the chain, the first of which has begun.
    fn take_blocks_alone(&mut self, index: usize, mut blocks: usize) {
        while blocks > 0 && self.lanes[index].run.is_none() {
            self.lanes[index].engine.run();
            self.settle(index);
            blocks -= usize::from(self.lanes[index].engine.next == 0);
        }
    }

    /// Levels for all chains; whether there are so many.
    fn make_room(&mut self, active: &[usize]) -> bool {
        let levels = active.iter().map(|&lane| self.lanes[lane].engine.occupied()).max().unwrap_or(0);
        self.columns.levels = 0;
        self.columns.fit(levels.max(1))
    }

    /// A block of steps of all `active` chains, which have begun one.
    fn take_block(&mut self, active: &[usize]) {
        let engine = &self.lanes[active[0]].engine;
        self.columns.threshold = P::BARS.then(|| engine.system.pick.threshold());
        active.iter().for_each(|&lane| self.enter(lane, 0, 0));
        for first in (0..BLOCK).step_by(CHUNK) {
            let end = first + CHUNK;
            self.begin_chunk(first);
            let mut place = first;
            loop {
                place = first + self.columns.run(first, place - first, self.means.arch);
                if place == end {
                    break;
                }
                for &lane in active {
                    if self.columns.why[lane] > 0 {
                        self.attend(lane, place, end);
                    }
                }
                place += 1;
            }
        }
        for &lane in active {
            if self.lanes[lane].since < BLOCK {
                self.leave(lane, BLOCK, false);
                self.finish_burst(lane, CHUNK);
            }
        }
    }

    fn begin_chunk(&mut self, first: usize) {
        let mut codes = [None; COLUMNS];
        for (Lane { engine, since, .. }, codes) in self.lanes.iter_mut().zip(&mut codes) {
            if *since < BLOCK {
                engine.decode(first + CHUNK, first);
                *codes = engine.codes[first..].first_chunk();
            }
        }
        self.columns.set_codes(codes);
    }

    /// Fills the chain's column, to take the step at `place` of the block, and those that follow.
    fn enter(&mut self, index: usize, place: usize, end: usize) {
        let (columns, lane) = (&mut self.columns, &mut self.lanes[index]);
        if lane.run.is_some() || lane.engine.next != place {
            return;
        }
        lane.since = place;
        lane.engine.table.drop_levels();
        let tails = &lane.engine.table.state.tails[1..];
        for (level, &tail) in tails[..columns.levels].iter().enumerate() {
            (columns.tails[level][index], columns.before[level][index]) = (tail, tail);
            (columns.ups[level][index], columns.sums[level][index]) = (0, 0);
        }
        self.renew(index, place, end);
    }

    /// What else the chain's column holds, codes from `place` to `end`.
    fn renew(&mut self, index: usize, place: usize, end: usize) {
        let (columns, engine) = (&mut self.columns, &mut self.lanes[index].engine);
        columns.warm[index] = engine.table.state.warm;
        (columns.least_busy[index], columns.busy_width[index]) = engine.busy_range();
        if engine.decoded < end {
            engine.decode(end, place);
            for (row, &code) in columns.codes[place % CHUNK..].iter_mut().zip(&engine.codes[place..end]) {
                row[index] = code;
            }
        }
    }

    /// Tells the chain how many steps it has taken before `place`, and what its state is.
    fn catch_up(&mut self, index: usize, place: usize) {
        let (columns, engine) = (&self.columns, &mut self.lanes[index].engine);
        let tails = engine.table.state.tails[1..].iter_mut();
        for (tail, row) in tails.zip(&columns.tails[..columns.levels]) {
            *tail = row[index];
        }
        engine.burst.steps += place - engine.next;
        engine.next = place;
    }

    /// Tells the chain everything, and nothing is left in its column; if `missed` that has counted the step at `place` as a null
    /// step.
    fn leave(&mut self, index: usize, place: usize, missed: bool) {
        if self.lanes[index].since == BLOCK {
            return;
        }
        self.catch_up(index, place);
        let (columns, Lane { engine, since, .. }) = (&self.columns, &mut self.lanes[index]);
        let steps = place - *since;
        let stretch = (engine.burst.steps - steps, steps);
        for level in 0..columns.levels {
            let [before, after] = [columns.before[level][index], columns.tails[level][index]];
            let sum = columns.sums[level][index] - if missed { after } else { 0 };
            let ups = columns.ups[level][index].into();
            engine.burst.add_level(level + 1, stretch, ups, [before, after, sum].map(u64::from));
        }
        *since = BLOCK;
    }

    /// Takes the step at `place` where the loop has not, and goes on if that was not the chain's last in this burst.
    fn attend(&mut self, index: usize, place: usize, end: usize) {
        if self.columns.why[index] == AFTER {
            self.leave(index, place + 1, false);
        } else {
            self.take(index, place);
            let Lane { engine, .. } = &self.lanes[index];
            self.columns.log[place][index] = engine.burst.log[engine.burst.steps - 1].0;
        }
        let engine = &self.lanes[index].engine;
        let (is_over, fits) = (engine.is_over(), self.columns.fit(engine.occupied()));
        if is_over || !fits {
            self.leave(index, place + 1, false);
        }
        if is_over {
            self.finish_burst(index, place + 1 + CHUNK - end);
        } else if !fits {
            copy_log(&self.columns, index, &mut self.lanes[index].engine);
            self.columns.vacate(index, place + 1 + CHUNK - end);
            return self.take_blocks_alone(index, 1);
        }
        if self.lanes[index].since < BLOCK {
            self.renew(index, place + 1, end);
        } else {
            self.enter(index, place + 1, end);
        }
    }

    /// A step that the loop has left out, with its own bits.
    fn take(&mut self, index: usize, place: usize) {
        self.catch_up(index, place);
        let engine = &mut self.lanes[index].engine;
        if (engine.draws[engine.next] >> 32) as u32 >= engine.bounds.frequent_below {
            let class = engine.bounds.rare(&mut engine.rng);
            if class.moves_jobs() {
                self.leave(index, place, true);
            }
            self.lanes[index].engine.take_class(class); // to the column it is a null step
        } else {
            self.leave(index, place, true);
            self.lanes[index].engine.take_undecided();
        }
    }

    /// Ends the chain's burst, and begins another unless the replication is over.
    fn finish_burst(&mut self, index: usize, place: usize) {
        let Lane { walk, engine, .. } = &mut self.lanes[index];
        engine.end();
        if engine.burst.end > walk.next_stop() || engine.is_near_last_event() {
            copy_log(&self.columns, index, engine); // somebody will look into it
        }
        engine.heed_last_event();
        self.settle(index);
        if self.lanes[index].run.is_some() {
            self.columns.vacate(index, place);
        }
    }
}

/// Writes down in the chain's burst what happened at its steps.
fn copy_log<P>(columns: &Columns, index: usize, engine: &mut Uniformized<P>) {
    let rows = columns.log[..engine.next].iter().rev();
    for (logged, row) in engine.burst.log[..engine.burst.steps].iter_mut().rev().zip(rows) {
        *logged = Step(row[index]);
    }
}
