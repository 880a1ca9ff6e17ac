//! Rates far apart, against the exact chain: where bursts are of a step or two, and where scaling times that start nothing are left out.

use alba_ctmc::{Path, Problem, for_each_path};
use alba_exact::{Limits, Transient, transient};
use alba_model::{ArrivalProfile, Buffer, Counts, Grid, Measure, Model, PowerDraw, Rates, Scheme, Snapshot};

/// Replications of each problem.
const RUNS: u64 = 2000;

/// Four servers with room for three jobs, few of them warm at first, so that jobs are lost and rejected; a step of the arrival rate.
fn problem(scheme: Scheme, [scaling, initialization, expiration]: [f64; 3]) -> Problem {
    let arrivals = ArrivalProfile::steps(vec![(0.0, 0.5), (2.4, 0.9)]).unwrap();
    let rates = Rates::new(scaling, initialization, expiration).unwrap();
    let model = Model::new(arrivals, rates, Buffer::finite(3).unwrap(), scheme).unwrap();
    let start = Counts { cold: 3, initializing: 0, warm: vec![1, 0, 0, 0], waiting: 0 };
    Problem::new(model, start, Grid::new(6.0, 20).unwrap(), 1.8, None).unwrap()
}

fn paths(problem: &Problem, runs: u64) -> Vec<Path> {
    let mut paths = vec![];
    for_each_path(problem, 1, 0..runs, |path| {
        paths.push(path);
        Ok::<(), alba_ctmc::CtmcError>(())
    })
    .unwrap();
    paths
}

fn exact(problem: &Problem, measures: &[Measure]) -> Transient {
    transient(problem, measures, &PowerDraw::default(), &Limits::default()).unwrap()
}

/// z-scores of the means of `measures` at all times but the first, where they vary often enough to be about normal.
fn scores(problem: &Problem, measures: &[Measure], paths: &[Path]) -> Vec<f64> {
    let value = |measure: Measure, snapshot: &Snapshot| measure.value(&snapshot.with(&PowerDraw::default()));
    let mut scores = vec![];
    for (time, point) in exact(problem, measures).points.iter().enumerate().skip(1) {
        for (&measure, expected) in measures.iter().zip(&point.values) {
            let seen = paths.iter().map(|path| value(measure, &path.snapshots[time]).unwrap());
            let seen: Vec<f64> = seen.collect();
            let often = seen.iter().filter(|&&x| (x - seen[0]).abs() > 1e-9).count();
            if (100..1900).contains(&often) {
                scores.push(z(&seen, expected.value.unwrap()));
            }
        }
    }
    scores
}

fn z(seen: &[f64], expected: f64) -> f64 {
    let count = seen.len() as f64;
    let mean = seen.iter().sum::<f64>() / count;
    let square = seen.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean - expected) / (square / count).sqrt().max(1e-12)
}

/// Rates far apart, so that bursts are of a step or two: 2,000 runs of every third scheme, seed 1; means of states at 20
/// times within 4.5 standard errors of the exact chain's, 2,000 scores or so.
#[test]
fn rates_far_apart_agree_with_the_exact_chain() {
    let measures =
        [Measure::Cold, Measure::Initializing, Measure::Idle, Measure::Busy, Measure::JobsPerServer];
    let mut all = vec![];
    for (initialization, expiration) in [(1e3, 0.3), (0.4, 1e3), (1e3, 1e3)] {
        for scheme in Scheme::catalogue().unwrap().into_iter().step_by(3) {
            let problem = problem(scheme, [0.6, initialization, expiration]);
            let scores = scores(&problem, &measures, &paths(&problem, RUNS));
            all.extend(scores.into_iter().map(|score| (score, scheme, initialization, expiration)));
        }
    }
    let worst = all.iter().max_by(|a, b| a.0.abs().total_cmp(&b.0.abs())).unwrap();
    let mean_square = all.iter().map(|score| score.0.powi(2)).sum::<f64>() / all.len() as f64;
    let is_well = worst.0.abs() < 4.5 && (0.7..1.3).contains(&mean_square) && all.len() > 1000;
    assert!(is_well, "{worst:?}, {mean_square}, {}", all.len());
}

/// Scaling times that come a thousand times as often as completions, and can start nothing: 2,000 runs of every third
/// scheme that has them, seed 1; means of states at 20 times within 4.5 standard errors of the exact chain's, and as many scaling times
/// as their rate says. The work does not grow with them: a million times as many are as quick.
#[test]
fn scaling_times_that_start_nothing_are_left_out() {
    let asynchronous = |scheme: &Scheme| matches!(scheme, Scheme::Asynchronous { .. });
    for scheme in Scheme::catalogue().unwrap().into_iter().filter(asynchronous).step_by(3) {
        let problem_with = |scaling: f64| problem(scheme, [scaling, 0.4, 0.3]);
        let problem = problem_with(1e3);
        assert_eq!(problem.engine(), "events");
        let paths_of_it = paths(&problem, RUNS);
        for score in scores(&problem, &[Measure::Cold, Measure::Busy], &paths_of_it) {
            assert!(score.abs() < 4.5, "{scheme}: {score}");
        }
        let scalings = paths_of_it.iter().map(|path| path.events.scale_ups + path.events.idle_scalings);
        let (scalings, expected) = (scalings.sum::<u64>() as f64, 1e3 * 4.0 * 6.0 * RUNS as f64);
        assert!((scalings - expected).abs() < 4.0 * f64::sqrt(expected), "{scheme}: {scalings}");
        assert_eq!(paths(&problem_with(1e9), 2).len(), 2);
    }
}
