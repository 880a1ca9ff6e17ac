//! Steady state from long runs: the transient is cut off, what is left is cut into batches.

mod batches;
mod mser;

use alba_model::Parts;

use crate::{Estimate, Nature, Precision};
use batches::{Batches, Series};

/// What long runs say about one measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steady {
    /// The mean, over time or over jobs, with its 95 % interval; none unless the runs are long enough.
    pub estimate: Estimate,
    /// Correlation of neighbouring tenths of batches; that of batches, which it implies, is at most a tenth of it. None if the
    /// measure did not change or is undefined, or the transient is not over.
    pub autocorrelation: Option<f64>,
    /// The number of independent cells whose mean would be as precise.
    pub effective_sample: Option<f64>,
    /// Whether the runs are long enough.
    pub verdict: Verdict,
}

/// Whether runs are long enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// They are.
    LongEnough,
    /// The measure is the same all the time, up to rounding, and cannot change: its value is exact.
    Constant,
    /// What it is a mean over did not happen: no job was accepted, say.
    Undefined,
    /// The system had not settled by the middle of the runs.
    Unsettled,
    /// Even tenths of a batch are correlated.
    Correlated {
        /// How many times as long runs would have to be, if the correlation fades exponentially.
        longer: f64,
    },
}

/// How runs of equal length are cut.
#[derive(Debug, Clone, Copy)]
pub struct Batching {
    cells: usize,
    transient: Option<usize>,
    batches: Batches,
}

impl Batching {
    /// By what shows whether the system has settled: some averages of its state in every cell of every run. The transient is what
    /// MSER-5 cuts off the mean of all runs, the most for any of the averages; what is left is cut into equal batches, ten or some
    /// more in all.
    ///
    /// # Source
    /// K. P. White, *An effective truncation heuristic for bias reduction in simulation output*, Simulation 69, 1997; A. M. Law
    /// and J. S. Carson, *A sequential procedure for determining the length of a steady-state simulation*, Operations Research 27,
    /// 1979 (few large batches, judged by the correlation of ten times as many).
    pub fn of<const STATE: usize>(runs: &[&[[f64; STATE]]]) -> Self {
        let cells = runs.first().map_or(0, |run| run.len());
        let transient = mser::truncation(runs);
        Self { cells, transient, batches: Batches::new(cells, transient.unwrap_or(cells / 2), runs.len()) }
    }

    /// Cells left out at the start of every run; none where the transient is not over by its middle.
    pub fn left_out(&self) -> Option<usize> {
        self.transient.map(|_| self.batches.first())
    }

    /// Batches of all runs together.
    pub fn batches(&self) -> usize {
        self.batches.count()
    }

    /// Cells in a batch.
    pub fn cells_in_batch(&self) -> usize {
        self.batches.cells()
    }

    /// A measure, given its parts in every cell of every run, and its value in the last state of a run, which is the exact one if
    /// it never changes. The interval is Student's, from the spread of the batches, for measures that are ratios by the delta
    /// method, widened for skewness (the longer arm of Willink's interval) and for what correlation of neighbouring batches that of
    /// their tenths implies, as if it were an autoregression of order one; where what is counted was seen in few batches, or in
    /// none, exact limits for few events take its place if they are wider. There is no estimate where tenths of batches are
    /// correlated by more than 0.5: batches are then too short for that correction.
    pub fn estimate(&self, runs: Vec<Vec<Parts>>, nature: Nature, last: Option<f64>) -> Steady {
        debug_assert!(runs.iter().all(|run| run.len() == self.cells));
        let series = Series::new(runs, self.batches, nature);
        match self.transient {
            Some(_) => series.estimate(last),
            None => series.unsettled(last),
        }
    }
}

impl Precision {
    /// The measure of the largest excess over its tolerance, by its index; infinite where the runs are too short to say.
    pub fn worst_of_steady(&self, measures: &[Steady]) -> Option<(usize, f64)> {
        let estimates: Vec<Estimate> = measures.iter().map(|steady| steady.estimate).collect();
        let too_short = |(index, steady): (usize, &Steady)| match steady.verdict {
            Verdict::LongEnough | Verdict::Constant | Verdict::Undefined => None,
            Verdict::Unsettled | Verdict::Correlated { .. } => {
                self.asks_for(index).then_some((index, f64::INFINITY))
            }
        };
        let unknown: Vec<_> = measures.iter().enumerate().filter_map(too_short).collect();
        self.shortfalls(&estimates).chain(unknown).max_by(|a, b| a.1.total_cmp(&b.1))
    }
}
