//! What must always hold: reproducibility, conservation, ends of runs, extreme systems.

use alba_ctmc::{CtmcError, GridPoint, Problem, for_each_path, path};
use alba_model::{
    ArrivalProfile, Buffer, Counts, Dispatch, Grid, Measure, Model, Rates, ScalingRule, Scheme,
};

use super::{all_measures, figure_1, index_of, table_model};

fn two() -> Dispatch {
    Dispatch::power_of_d(2).unwrap()
}

#[test]
fn threads_do_not_change_a_bit() {
    let problem = figure_1(two(), 50, 20.0, 10, None);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        format!("{:?}", pool.install(|| all_measures(&problem, 1100, 1)))
    };
    let one = with(1);
    assert!(one == with(2) && one == with(7));
}

#[test]
fn a_replication_is_the_same_among_4_and_40_and_on_any_grid() {
    let third = |replications, samples| {
        let mut kept = None;
        let problem = figure_1(Dispatch::JOIN_IDLE_QUEUE, 100, 30.0, samples, None);
        for_each_path(&problem, 5, 0..replications, |path| {
            if path.replication == 3 {
                kept = Some(path);
            }
            Ok::<(), CtmcError>(())
        })
        .unwrap();
        kept.unwrap()
    };
    let (of_4, of_40, fine) = (third(4, 10), third(40, 10), third(4, 1000));
    assert_eq!(of_4, of_40);
    assert_eq!(of_4.events, fine.events);
    for (coarse, fine) in of_4.snapshots.iter().zip(fine.snapshots.iter().step_by(100)) {
        assert_eq!(coarse, fine);
    }
}

#[test]
fn seeds_and_replications_differ() {
    let problem = figure_1(two(), 100, 30.0, 1, None);
    let events = |seed, replication| path(&problem, seed, replication).unwrap().events;
    assert_eq!(events(1, 0), events(1, 0));
    assert!(events(1, 0) != events(2, 0) && events(1, 0) != events(1, 1) && events(2, 0) != events(1, 1));
}

#[test]
fn the_last_event_ends_a_replication() {
    let limited = figure_1(two(), 100, 20.0, 200, Some(1000));
    let (short, long) =
        (path(&limited, 1, 0).unwrap(), path(&figure_1(two(), 100, 20.0, 200, None), 1, 0).unwrap());
    assert_eq!(short.events.total(), 1000);
    assert!(long.events.total() > 2000);
    assert!(short.snapshots.len() > 50 && short.snapshots.len() < 100); // 146 events a time unit
    assert_eq!(short.snapshots[..], long.snapshots[..short.snapshots.len()]);

    let outcome = all_measures(&limited, 8, 1);
    assert_eq!(outcome.summary.events.total(), 8000);
    assert_eq!(outcome.points[0].replications, 8);
    let last = &outcome.points[200];
    assert_eq!((last.replications, last.estimates[0].value), (0, None));
    assert!(outcome.points.windows(2).all(|pair| pair[0].replications >= pair[1].replications));
    assert!(outcome.summary.time_averages[0].half_width.is_some());
}

#[test]
fn servers_and_jobs_are_conserved() {
    for dispatch in Dispatch::catalogue().unwrap() {
        let problem = figure_1(dispatch, 37, 200.0, 50, None);
        let path = path(&problem, 1, 0).unwrap();
        for snapshot in &path.snapshots {
            let counts: Vec<f64> = [snapshot.state.cold(), snapshot.state.initializing()]
                .iter()
                .chain(snapshot.state.levels())
                .map(|share| share * 37.0)
                .collect();
            assert!(counts.iter().all(|count| (count - count.round()).abs() < 1e-9), "{counts:?}");
            assert!((counts.iter().sum::<f64>() - 37.0).abs() < 1e-9);
        }
        let end = &path.snapshots[50].state;
        let jobs = (end.jobs() * 37.0).round() as u64;
        assert_eq!(path.events.accepted - path.events.completions, jobs, "{dispatch}");
        let started = path.events.scale_ups - path.events.initializations;
        assert_eq!(started, (end.initializing() * 37.0).round() as u64, "{dispatch}");
    }
}

/// 10^9 servers: half idle, half with one job, joined at random. 10^5 events are too few to change the shares, so half of
/// the arrivals find one job (4 standard errors, seed 1).
#[test]
fn a_billion_servers() {
    let scheme = Scheme::asynchronous(Dispatch::power_of_d(1).unwrap(), ScalingRule::blind(0.06).unwrap());
    let rates = Rates::new(0.05, 0.1, 0.025).unwrap();
    let model = Model::new(ArrivalProfile::constant(0.7).unwrap(), rates, Buffer::Infinite, scheme).unwrap();
    let start = Counts { cold: 0, initializing: 0, warm: vec![500_000_000, 500_000_000], waiting: 0 };
    let problem = Problem::new(model, start, Grid::new(1e-4, 10).unwrap(), 0.0, None).unwrap();
    let outcome = all_measures(&problem, 2, 1);
    let accepted: u64 = outcome.summary.found.iter().sum();
    let expected = 2.0 * 0.7e9 * 1e-4;
    assert!((accepted as f64 - expected).abs() < 4.0 * expected.sqrt(), "{accepted}");
    let one_job = outcome.summary.found[1] as f64;
    assert!((one_job - 0.5 * accepted as f64).abs() < 4.0 * 0.5 * (accepted as f64).sqrt(), "{one_job}");
    let busy = outcome.points[10].estimates[index_of(Measure::Busy)].value.unwrap();
    assert!((busy - 0.5).abs() < 1e-3, "{busy}");
}

/// An overloaded server with an infinite buffer: about t (lambda - 1) jobs at t = 400.
#[test]
fn an_infinite_buffer_grows() {
    let problem = overloaded(2.0, 400.0);
    let path = path(&problem, 1, 0).unwrap();
    let jobs = path.snapshots[1].state.jobs();
    assert!((jobs - 400.0).abs() < 4.0 * (3.0f64 * 400.0).sqrt(), "{jobs}");
    assert_eq!(path.events.accepted - path.events.completions, jobs as u64);
    let averages = all_measures(&problem, 1, 1).summary.time_averages;
    let mean_jobs = averages[index_of(Measure::JobsPerServer)].value.unwrap();
    assert!((mean_jobs - 200.0).abs() < 80.0, "{mean_jobs}");
}

#[test]
fn a_queue_without_end_is_an_error() {
    let error = path(&overloaded(1e6, 10.0), 1, 0).unwrap_err();
    assert!(matches!(error, CtmcError::TooManyLevels { time, .. } if time < 2.0), "{error}");
}

fn overloaded(lambda: f64, horizon: f64) -> Problem {
    let scheme = Scheme::asynchronous(Dispatch::JOIN_IDLE_QUEUE, ScalingRule::None);
    let rates = Rates::new(0.0, 1.0, 0.0).unwrap();
    let model =
        Model::new(ArrivalProfile::constant(lambda).unwrap(), rates, Buffer::Infinite, scheme).unwrap();
    let start = Counts { cold: 0, initializing: 0, warm: vec![1], waiting: 0 };
    Problem::new(model, start, Grid::new(horizon, 1).unwrap(), 0.0, None).unwrap()
}

/// Nothing arrives until t = 50, then something does: busy servers drain, nothing moves, nothing hangs.
#[test]
fn stillness_ends_at_a_step() {
    let scheme = Scheme::asynchronous(two(), ScalingRule::None);
    let arrivals = ArrivalProfile::steps(vec![(0.0, 0.0), (50.0, 0.5)]).unwrap();
    let model = Model::new(arrivals, Rates::new(0.0, 1.0, 0.0).unwrap(), Buffer::Infinite, scheme).unwrap();
    let start = Counts { cold: 4, initializing: 0, warm: vec![0, 3, 2, 1], waiting: 0 };
    let problem = Problem::new(model, start, Grid::new(100.0, 4).unwrap(), 0.0, None).unwrap();
    let path = path(&problem, 1, 0).unwrap();
    assert_eq!(
        path.snapshots.iter().map(|at| at.arrival_rate).collect::<Vec<_>>(),
        [0.0, 0.0, 0.5, 0.5, 0.5]
    );
    assert!((path.snapshots[0].state.jobs() - 1.0).abs() < 1e-12);
    assert_eq!(path.snapshots[2].state.jobs(), 0.0); // drained by 25, the probability of a job left by 50 is 1e-20
    assert!(path.events.accepted > 100 && path.events.completions >= 10);
    let outcome = all_measures(&problem, 3, 1);
    let response = index_of(Measure::MeanResponseTime);
    assert_eq!(outcome.points[1].estimates[response].value, None);
    assert!(outcome.points[3].estimates[response].value.is_some());
}

#[test]
fn nothing_at_all_happens() {
    let scheme = Scheme::asynchronous(two(), ScalingRule::None);
    let arrivals = ArrivalProfile::constant(0.0).unwrap();
    let model = Model::new(arrivals, Rates::new(0.0, 1.0, 0.0).unwrap(), Buffer::Infinite, scheme).unwrap();
    let start = Counts { cold: 5, initializing: 0, warm: vec![], waiting: 0 };
    let problem = Problem::new(model, start, Grid::new(1e12, 4).unwrap(), 0.0, None).unwrap();
    let outcome = all_measures(&problem, 2, 1);
    assert_eq!(outcome.summary.events.total(), 0);
    assert_eq!(outcome.summary.response_time(), None);
    assert_eq!(outcome.summary.time_averages[0].value, Some(1.0));
    assert_eq!(outcome.points[4].estimates[index_of(Measure::JobsPerWarm)].value, None);
}

/// What is integrated along paths is what the grid sees, by the trapezoidal rule, in the mean over 400 replications. On one path the
/// two differ: all steps of a burst count with the same expected length, whatever their times are; by about 0.01 here, so
/// by 0.0005 in the mean, and 0.002 is four standard errors. Seed 9.
#[test]
fn time_averages_leave_out_the_warm_up() {
    let model = table_model(two(), ScalingRule::blind(0.4).unwrap(), 0.7, 3);
    let start = Counts { cold: 3, initializing: 0, warm: vec![2], waiting: 0 };
    let problem = Problem::new(model, start, Grid::new(40.0, 1000).unwrap(), 10.0, None).unwrap();
    let outcome = all_measures(&problem, 400, 9);
    let after = &outcome.points[250..];
    let linear = [Measure::Cold, Measure::Initializing, Measure::Idle, Measure::Busy, Measure::JobsPerServer];
    for measure in linear.into_iter().chain([Measure::Energy]) {
        let index = index_of(measure);
        let value = |point: &GridPoint| point.estimates[index].value.unwrap();
        let ends = (value(&after[0]) + value(&after[750])) / 2.0;
        let seen = (after[1..750].iter().map(value).sum::<f64>() + ends) / 750.0;
        let integrated = outcome.summary.time_averages[index].value.unwrap();
        assert!((seen - integrated).abs() < 2e-3, "{}: {integrated}, not {seen}", measure.name());
    }
    let found = outcome.summary.response_time().unwrap();
    let counted = outcome.summary.time_averages[index_of(Measure::MeanResponseTime)].value.unwrap();
    assert!((found.mean() - counted).abs() < 1e-12);
    assert!(outcome.summary.found.iter().sum::<u64>() < outcome.summary.events.accepted);
}
