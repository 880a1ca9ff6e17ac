//! Where a transient ends.

/// Cells to a group: the 5 of MSER-5.
const GROUP: usize = 5;

/// The cells to leave out at the start of every run: what minimizes the estimated standard error of the mean of the rest,
/// `sum (Y_j - mean)^2 / (n - d)^2`, of groups of five cells averaged over all runs; the most for any component of the
/// state. None if that is more than half of the run: then the transient may not be over at all. All runs have as many
/// cells.
///
/// # Source
/// K. P. White, *An effective truncation heuristic for bias reduction in simulation output*, Simulation 69, 1997; K. P. White,
/// M. J. Cobb and S. C. Spratt, *A comparison of five steady-state truncation heuristics for simulation*, WSC 2000 (MSER-5).
pub(super) fn truncation<const STATE: usize>(runs: &[&[[f64; STATE]]]) -> Option<usize> {
    let cells = runs.first().map_or(0, |run| run.len());
    let groups = cells / GROUP;
    let most = (0..STATE)
        .map(|component| {
            let group = |group: usize| -> f64 {
                let within = |run: &&[[f64; STATE]]| -> f64 {
                    run[group * GROUP..(group + 1) * GROUP].iter().map(|cell| cell[component]).sum()
                };
                runs.iter().map(within).sum()
            };
            let series: Vec<f64> = (0..groups).map(group).collect();
            left_out(&series)
        })
        .max()
        .unwrap_or(0);
    (2 * most <= groups).then_some(most * GROUP)
}

/// Integrals of something constant differ by rounding only.
const ROUNDING: f64 = 1e-11;
/// The end of a series looks calm where it is short: at least so much of it stays, as a share.
const KEPT: usize = 4;

/// The number of values to leave out at the start of `series`.
fn left_out(series: &[f64]) -> usize {
    let (low, high) = series.iter().fold((f64::MAX, f64::MIN), |(l, h), &y| (l.min(y), h.max(y)));
    if high - low <= ROUNDING * high.abs().max(low.abs()) {
        return 0;
    }
    let centre = series.iter().sum::<f64>() / series.len() as f64;
    let (mut sum, mut squares) = (0.0, 0.0);
    let mut best = (f64::INFINITY, 0);
    for (index, value) in series.iter().enumerate().rev() {
        sum += value - centre;
        squares += (value - centre).powi(2);
        let count = (series.len() - index) as f64;
        let error = (squares - sum * sum / count).max(0.0) / (count * count);
        // Of equals the earliest.
        if index < series.len() - series.len() / KEPT && error <= best.0 {
            best = (error, index);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(index: usize) -> f64 {
        f64::from((index as u32).wrapping_mul(2_654_435_761) >> 16) / 65536.0 - 0.5
    }

    #[test]
    fn a_transient_is_cut_off() {
        let decaying = |time: f64| -> Vec<[f64; 2]> {
            (0..2560).map(|cell| [5.0 * (-(cell as f64) / time).exp() + noise(cell), 1.0]).collect()
        };
        let short = decaying(100.0);
        let cut = truncation(&[&short]).unwrap();
        // Left out until what is left of it is small against the noise of the mean, 0.006.
        assert!((300..900).contains(&cut), "{cut}");
        assert_eq!(truncation(&[&decaying(10_000.0)]), None);
        let settled: Vec<[f64; 1]> = (0..2560).map(|cell| [noise(cell)]).collect();
        assert!(truncation(&[&settled]).unwrap() < 1280);
    }

    #[test]
    fn by_hand() {
        // Mean square deviations over counts: leaving out the first value wins.
        assert_eq!(left_out(&[9.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0]), 1);
        assert_eq!(left_out(&[0.1 + 0.2, 0.3, 0.3, 0.3]), 0);
    }
}
