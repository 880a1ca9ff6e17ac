//! Counts of several chains side by side, a column each, and the loop that takes a step of all of them at a time in vector
//! registers.

use pulp::bytemuck::{cast_slice, pod_read_unaligned};
use pulp::{Arch, Simd, WithSimd};

use crate::uniformized::decode::{ARRIVAL, UNDECIDED};
use crate::uniformized::frequent::CHUNK;
use crate::uniformized::lanes::BLOCK;

/// Columns: what the widest registers hold.
pub(crate) const COLUMNS: usize = 16;

/// The most levels that are kept side by side; with more a chain alone is as fast.
pub(crate) const MOST_LEVELS: usize = 10;

/// A number for every chain.
pub(crate) type Row = [u32; COLUMNS];

/// Chains side by side. Rows lie in memory as they are written here, so that each fills a cache line.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Columns {
    /// Of every step of the chunk; what [`crate::uniformized::decode`] says.
    pub(crate) codes: [Row; CHUNK],
    /// What happened at every step of the block, as a [`crate::uniformized::table::Step`].
    pub(crate) log: [Row; BLOCK],
    /// `tails[i]`: warm servers with more than `i` jobs.
    pub(crate) tails: [Row; MOST_LEVELS],
    /// The same where the chain's sums begin.
    pub(crate) before: [Row; MOST_LEVELS],
    /// How often the tail grew.
    pub(crate) ups: [Row; MOST_LEVELS],
    /// Sum of the tail after every step.
    pub(crate) sums: [Row; MOST_LEVELS],
    /// Warm servers.
    pub(crate) warm: Row,
    /// Why the loop stopped, for each: [`BEFORE`], [`AFTER`], or 0 if not for this chain.
    pub(crate) why: Row,
    /// The fewest busy servers within the bounds, and how many more there may be.
    pub(crate) least_busy: Row,
    pub(crate) busy_width: Row,
    /// Levels that are kept, 1 at least. An arrival that would need one more is not for the loop.
    pub(crate) levels: usize,
    /// Servers with so many jobs get no job as long as others have less; none if rules bar nobody.
    pub(crate) threshold: Option<usize>,
}

/// The chain has not taken the step, which is not for the loop.
pub(crate) const BEFORE: u32 = 2;

/// It has, and its busy servers are beyond its bounds.
pub(crate) const AFTER: u32 = 1;

impl Columns {
    pub(crate) fn new() -> Box<Self> {
        Box::new(Self {
            codes: [[0; COLUMNS]; CHUNK],
            log: [[0; COLUMNS]; BLOCK],
            tails: [[0; COLUMNS]; MOST_LEVELS],
            before: [[0; COLUMNS]; MOST_LEVELS],
            ups: [[0; COLUMNS]; MOST_LEVELS],
            sums: [[0; COLUMNS]; MOST_LEVELS],
            warm: [0; COLUMNS],
            why: [0; COLUMNS],
            least_busy: [0; COLUMNS],
            busy_width: [u32::MAX; COLUMNS],
            levels: 1,
            threshold: None,
        })
    }

    /// How many chains go side by side on this processor.
    pub(crate) fn width(arch: Arch) -> usize {
        struct Width;
        impl WithSimd for Width {
            type Output = usize;

            #[inline(always)]
            fn with_simd<S: Simd>(self, _: S) -> usize {
                S::U32_LANES
            }
        }
        arch.dispatch(Width).min(COLUMNS)
    }

    /// Keeps so many levels at least, if there is room for them; those that come new are empty.
    pub(crate) fn fit(&mut self, levels: usize) -> bool {
        if levels > MOST_LEVELS {
            return false;
        }
        for level in self.levels..levels {
            (self.tails[level], self.before[level]) = ([0; COLUMNS], [0; COLUMNS]);
            (self.ups[level], self.sums[level]) = ([0; COLUMNS], [0; COLUMNS]);
        }
        self.levels = self.levels.max(levels);
        true
    }

    /// The codes of a chunk: those of each column; none for null steps only.
    pub(crate) fn set_codes(&mut self, codes: [Option<&[u32; CHUNK]>; COLUMNS]) {
        const NULL: [u32; CHUNK] = [0; CHUNK];
        let codes = codes.map(|codes| codes.unwrap_or(&NULL).as_chunks::<2>().0);
        // Two by two, which is twice as fast as one by one.
        for (place, rows) in self.codes.as_chunks_mut::<2>().0.iter_mut().enumerate() {
            for (column, codes) in codes.as_chunks::<2>().0.iter().enumerate() {
                let [first, second] = codes.map(|codes| pair(codes[place]));
                let low = (first & LOW) | (second << 32);
                let high = (first >> 32) | (second & !LOW);
                for (row, pair) in rows.iter_mut().zip([low, high]) {
                    row[2 * column] = pair as u32;
                    row[2 * column + 1] = (pair >> 32) as u32;
                }
            }
        }
    }

    /// No chain in this column any more: null steps only, from `place` on.
    pub(crate) fn vacate(&mut self, column: usize, place: usize) {
        self.codes[place..].iter_mut().for_each(|row| row[column] = 0);
        self.tails.iter_mut().for_each(|row| row[column] = 0);
        (self.least_busy[column], self.busy_width[column]) = (0, u32::MAX);
    }

    /// Step `from` of the chunk and those that follow, up to the first at which the loop stops, or the end of the chunk. That begins
    /// with step `first` of the block.
    pub(crate) fn run(&mut self, first: usize, from: usize, arch: Arch) -> usize {
        arch.dispatch(Run { columns: self, first, from })
    }
}

struct Run<'a> {
    columns: &'a mut Columns,
    first: usize,
    from: usize,
}

impl WithSimd for Run<'_> {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        if self.columns.threshold.is_some() {
            self.sized::<S, true>(simd)
        } else {
            self.sized::<S, false>(simd)
        }
    }
}

impl Run<'_> {
    #[inline(always)]
    fn sized<S: Simd, const BARS: bool>(self, simd: S) -> usize {
        match self.columns.levels {
            1 => self.steps::<S, 1, BARS>(simd),
            2 => self.steps::<S, 2, BARS>(simd),
            3 => self.steps::<S, 3, BARS>(simd),
            4 => self.steps::<S, 4, BARS>(simd),
            5 => self.steps::<S, 5, BARS>(simd),
            6 => self.steps::<S, 6, BARS>(simd),
            7 => self.steps::<S, 7, BARS>(simd),
            8 => self.steps::<S, 8, BARS>(simd),
            9 => self.steps::<S, 9, BARS>(simd),
            _ => self.steps::<S, MOST_LEVELS, BARS>(simd),
        }
    }

    /// Nothing but whole numbers and masks: a chain's column does not feel the others.
    #[inline(always)]
    fn steps<S: Simd, const LEVELS: usize, const BARS: bool>(self, simd: S) -> usize {
        let Columns { codes, log, tails, ups, sums, warm, why, least_busy, busy_width, threshold, .. } =
            self.columns;
        // No closures here: they would be compiled without vector instructions.
        let (zero, one, minus_one) = (simd.splat_u32s(0), simd.splat_u32s(1), simd.splat_u32s(u32::MAX));
        let (arrivals, ranks, undecided) =
            (simd.splat_u32s(ARRIVAL), simd.splat_u32s(!ARRIVAL), simd.splat_u32s(UNDECIDED));
        let highest = simd.splat_u32s(LEVELS as u32);
        let (warm, least_busy, busy_width) = (load::<S>(warm), load::<S>(least_busy), load::<S>(busy_width));
        let threshold = threshold.unwrap_or(0);
        let (barring, idle_is_clear) = (threshold.wrapping_sub(1), threshold == 1);
        let [mut tail, mut up, mut sum] = [[zero; LEVELS]; 3];
        for level in 0..LEVELS {
            (tail[level], up[level]) = (load::<S>(&tails[level]), load::<S>(&ups[level]));
            sum[level] = load::<S>(&sums[level]);
        }
        let mut stopped = CHUNK;
        let Some(log) = log[self.first..].first_chunk_mut::<CHUNK>() else { return stopped };
        for place in self.from..CHUNK {
            let code = load::<S>(&codes[place]);
            let is_arrival = simd.greater_than_or_equal_u32s(code, arrivals);
            let mut rank = simd.and_u32s(code, ranks);
            let mut bad = simd.equal_u32s(code, undecided);
            if BARS {
                let ambiguous;
                (rank, ambiguous) =
                    among_free::<S, LEVELS>(simd, &tail, warm, (barring, idle_is_clear), (is_arrival, rank));
                bad = simd.or_m32s(bad, ambiguous);
            }
            let mut level = zero;
            for &tail in &tail {
                let has_more = simd.less_than_u32s(rank, tail);
                level = simd.select_u32s(has_more, simd.add_u32s(level, one), level);
            }
            let more = simd.select_u32s(is_arrival, one, zero);
            let mut changed = simd.add_u32s(level, more);
            let is_high = simd.greater_than_u32s(changed, highest);
            if BARS {
                changed = simd.select_u32s(bad, zero, changed);
            }
            bad = simd.or_m32s(bad, is_high);
            let change = simd.select_u32s(is_arrival, one, minus_one);
            for at in 0..LEVELS {
                let hit = simd.equal_u32s(changed, simd.splat_u32s(at as u32 + 1));
                tail[at] = simd.select_u32s(hit, simd.add_u32s(tail[at], change), tail[at]);
                up[at] = simd.select_u32s(hit, simd.add_u32s(up[at], more), up[at]);
                sum[at] = simd.add_u32s(sum[at], tail[at]);
            }
            store::<S>(&mut log[place], simd.add_u32s(level, changed));
            let beyond = simd.greater_than_u32s(simd.sub_u32s(tail[0], least_busy), busy_width);
            let any = simd.or_m32s(bad, beyond);
            if simd.first_true_m32s(any) < S::U32_LANES {
                let after = simd.select_u32s(beyond, simd.splat_u32s(AFTER), zero);
                store::<S>(why, simd.select_u32s(bad, simd.splat_u32s(BEFORE), after));
                stopped = place;
                break;
            }
        }
        for level in 0..LEVELS {
            store::<S>(&mut tails[level], tail[level]);
            store::<S>(&mut ups[level], up[level]);
            store::<S>(&mut sums[level], sum[level]);
        }
        stopped
    }
}

/// The rank among servers that are not barred, and whether it takes more bits to tell: what `among_free` does for a chain alone.
#[inline(always)]
fn among_free<S: Simd, const LEVELS: usize>(
    simd: S,
    tails: &[S::u32s; LEVELS],
    warm: S::u32s,
    (barring, idle_is_clear): (usize, bool),
    (is_arrival, rank): (S::m32s, S::u32s),
) -> (S::u32s, S::m32s) {
    let zero = simd.splat_u32s(0);
    let mut barred = zero;
    for (level, &tail) in tails.iter().enumerate() {
        barred = if level == barring { tail } else { barred };
    }
    barred = simd.select_u32s(simd.less_than_u32s(barred, warm), barred, zero);
    let free = simd.sub_u32s(warm, barred);
    let (low, high) = simd.widening_mul_u32s(simd.add_u32s(rank, rank), free);
    let mut ambiguous = simd.less_than_u32s(low, simd.add_u32s(free, free));
    if idle_is_clear {
        ambiguous = simd.and_m32s(ambiguous, simd.equal_u32s(barred, zero));
    }
    let rank = simd.select_u32s(is_arrival, simd.add_u32s(barred, high), rank);
    (rank, simd.and_m32s(is_arrival, ambiguous))
}

const LOW: u64 = u32::MAX as u64;

#[inline(always)]
fn pair([first, second]: [u32; 2]) -> u64 {
    u64::from(first) | u64::from(second) << 32
}

#[inline(always)]
fn load<S: Simd>(row: &Row) -> S::u32s {
    pod_read_unaligned(cast_slice(&row[..S::U32_LANES]))
}

#[inline(always)]
fn store<S: Simd>(row: &mut Row, numbers: S::u32s) {
    row[..S::U32_LANES].copy_from_slice(cast_slice(&[numbers]));
}
