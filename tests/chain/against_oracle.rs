//! Every scheme's fast simulation against the slow one built from its transitions.

use alba_ctmc::{EventCounts, Problem, for_each_path, path};
use alba_model::{
    ArrivalProfile, Buffer, Counts, Event, Grid, Measure, Model, Parts, PowerDraw, Rates, Scheme, Snapshot,
};

use crate::oracle::slow_path;

/// Means and variances of ratios over runs: [numerator, denominator] sums and products, the obvious way.
#[derive(Clone, Default)]
struct Sums {
    runs: f64,
    sums: [f64; 2],
    products: [f64; 3],
}

impl Sums {
    fn push(&mut self, parts: Parts) {
        let Parts { numerator: n, denominator: d } = parts;
        self.runs += 1.0;
        self.sums[0] += n;
        self.sums[1] += d;
        self.products[0] += n * n;
        self.products[1] += n * d;
        self.products[2] += d * d;
    }

    /// Ratio of the means and the square of its standard error.
    fn ratio(&self) -> Option<(f64, f64)> {
        let mean = self.sums.map(|sum| sum / self.runs);
        let ratio = mean[0] / mean[1];
        let residual = self.products[0] - 2.0 * ratio * self.products[1] + ratio * ratio * self.products[2];
        (mean[1] > 0.0).then(|| (ratio, residual.max(0.0) / (self.runs * mean[1]).powi(2)))
    }
}

fn measures() -> Vec<Measure> {
    Measure::ALL.into_iter().chain((1..=4).map(Measure::Warm)).collect()
}

/// All measures at all grid points but the first, then the events of each class.
fn statistics(snapshots: &[Snapshot], events: &EventCounts) -> Vec<Parts> {
    let power = PowerDraw::new(0.1, 2.0, 0.5, 1.0).unwrap();
    let at = |snapshot: &Snapshot| -> Vec<Parts> {
        let ledger = snapshot.with(&power);
        measures().into_iter().map(|measure| measure.parts(&ledger)).collect()
    };
    let counts = events.classes().map(|(_, count)| Parts { numerator: count as f64, denominator: 1.0 });
    snapshots[1..].iter().flat_map(at).chain(counts).collect()
}

fn count(events: &[Event]) -> EventCounts {
    let mut counts = EventCounts::default();
    for event in events {
        *match event {
            Event::Accepted { .. } | Event::Queued => &mut counts.accepted,
            Event::Rejected => &mut counts.rejected,
            Event::Lost => &mut counts.lost,
            Event::Completion { .. } => &mut counts.completions,
            Event::ScaleUp => &mut counts.scale_ups,
            Event::IdleScaling => &mut counts.idle_scalings,
            Event::Initialization => &mut counts.initializations,
            Event::Expiration => &mut counts.expirations,
        } += 1;
    }
    counts
}

fn problem(scheme: Scheme, buffer: Buffer, scale: u64) -> Problem {
    // Few warm servers at first, so that jobs are lost and rejected; a step of the arrival rate between grid points.
    let arrivals = ArrivalProfile::steps(vec![(0.0, 0.5), (2.5, 0.9)]).unwrap();
    let model = Model::new(arrivals, Rates::new(0.6, 0.4, 0.3).unwrap(), buffer, scheme).unwrap();
    let warm = [2, 2, 1, 0, 1].map(|count| scale * count).to_vec();
    let start = Counts { cold: 12 * scale, initializing: 2 * scale, warm, waiting: 0 };
    Problem::new(model, start, Grid::new(6.0, 3).unwrap(), 0.0, None).unwrap()
}

/// z-scores of fast against slow means.
fn scores(problem: &Problem, runs: u64, seed: u64) -> Vec<f64> {
    let mut sums = [Vec::new(), Vec::new()];
    let mut push = |side: usize, statistics: Vec<Parts>| {
        sums[side].resize(statistics.len(), Sums::default());
        sums[side].iter_mut().zip(statistics).for_each(|(sums, parts)| sums.push(parts));
    };
    let fast = for_each_path(problem, seed, 0..runs, |path| {
        push(0, statistics(&path.snapshots, &path.events));
        Ok::<(), alba_ctmc::CtmcError>(())
    });
    fast.unwrap();
    for run in 0..runs {
        let slow = slow_path(problem.model(), problem.initial(), problem.grid(), seed * runs + run);
        push(1, statistics(&slow.snapshots, &count(&slow.events)));
    }
    let z = |(fast, slow): (&Sums, &Sums)| {
        let ((fast, fast_square), (slow, slow_square)) = (fast.ratio()?, slow.ratio()?);
        // Where nothing ever varies, only rounding may differ.
        let error = (fast_square + slow_square).sqrt().max(1e-9);
        Some((fast - slow) / error)
    };
    sums[0].iter().zip(&sums[1]).filter_map(z).collect()
}

/// N = 20, B = 4 and infinite, 39 schemes, 50 statistics each (14 measures at 3 times, 8 classes of events): 3,900
/// comparisons of `runs` runs each, none beyond `most` standard errors, and the mean square about one.
fn compare(runs: u64, most: f64) {
    let mut all = Vec::new();
    for (buffer, base) in [(Buffer::finite(4).unwrap(), 100), (Buffer::Infinite, 1100)] {
        let schemes = Scheme::catalogue().unwrap().into_iter().chain([Scheme::CentralQueue]);
        // Seeds of their own: with common ones all schemes err together.
        for (scheme, seed) in schemes.zip(base..) {
            let scores = scores(&problem(scheme, buffer, 1), runs, seed);
            let worst = scores.iter().fold(0.0, |worst: f64, z| worst.max(z.abs()));
            assert!(worst < most, "{scheme}, {buffer:?}: {scores:.1?}");
            all.extend(scores);
        }
    }
    let mean_square = all.iter().map(|z| z * z).sum::<f64>() / all.len() as f64;
    assert!((0.8..1.2).contains(&mean_square), "{mean_square} over {} scores", all.len());
}

/// Among 3,900 scores, 4 standard errors are passed with probability 0.2, 4.5 with 0.02. Seeds are fixed.
#[test]
fn every_scheme_agrees_with_the_slow_chain() {
    compare(300, 4.5); // with 150, rare long queues are far from normal
}

/// N = 400, where the engine's bound on busy servers is a narrow one: one scheme of each dispatching rule, 100 runs each,
/// 300 scores, of which one passes 4.5 standard errors with probability 0.002.
#[test]
fn larger_systems_agree_too() {
    for (scheme, seed) in Scheme::catalogue().unwrap().into_iter().step_by(7).zip(1..) {
        let scores = scores(&problem(scheme, Buffer::finite(4).unwrap(), 20), 100, seed);
        assert!(scores.iter().all(|z| z.abs() < 4.5), "{scheme}: {scores:.1?}");
    }
}

#[test]
#[ignore = "slow statistical check: 4000 runs of every scheme, minutes"]
fn every_scheme_agrees_with_the_slow_chain_to_the_third_digit() {
    compare(4000, 4.5);
}

/// The slow chain's own arithmetic: nothing is created or destroyed.
#[test]
fn slow_and_fast_paths_keep_all_servers() {
    let problem = problem(Scheme::catalogue().unwrap()[0], Buffer::Infinite, 1);
    let slow = slow_path(problem.model(), problem.initial(), problem.grid(), 1);
    let fast = path(&problem, 1, 0).unwrap();
    for snapshots in [slow.snapshots, fast.snapshots] {
        assert_eq!(snapshots.len(), 4);
        for snapshot in snapshots {
            let state = snapshot.state;
            assert!((state.cold() + state.initializing() + state.warm() - 1.0).abs() < 1e-12);
        }
    }
}
