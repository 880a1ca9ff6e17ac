//! The exact solution of a few servers: against closed forms, matrix exponentials, the simulation and itself.

use alba_ctmc::{CtmcError, Experiment, Problem, simulate};
use alba_exact::{ExactError, Limits, Method, Stationary, Transient, stationary, transient};
use alba_model::{
    ArrivalProfile, Buffer, Counts, Dispatch, Grid, Measure, Model, PowerDraw, Rates, ScalingRule, Scheme,
};

use crate::oracle::SmallChain;

mod command;

fn model(
    arrivals: &[(f64, f64)],
    (alpha, beta, gamma): (f64, f64, f64),
    buffer: Option<u32>,
    dispatch: Dispatch,
    scaling: ScalingRule,
) -> Model {
    let arrivals = ArrivalProfile::steps(arrivals.to_vec()).unwrap();
    let buffer = buffer.map_or(Buffer::Infinite, |jobs| Buffer::finite(jobs).unwrap());
    let rates = Rates::new(alpha, beta, gamma).unwrap();
    Model::new(arrivals, rates, buffer, Scheme::asynchronous(dispatch, scaling)).unwrap()
}

/// The rates of model.md's table.
const TABLE: (f64, f64, f64) = (0.5, 0.1, 0.025);

fn blind() -> ScalingRule {
    ScalingRule::blind(0.4).unwrap()
}

fn warm(warm: &[u64]) -> Counts {
    Counts { cold: 0, initializing: 0, warm: warm.to_vec(), waiting: 0 }
}

fn cold(servers: u64) -> Counts {
    Counts { cold: servers, initializing: 0, warm: vec![], waiting: 0 }
}

/// All measures in equilibrium.
fn equilibrium(model: &Model, start: &Counts) -> Result<Stationary, ExactError> {
    stationary(model, start, &Measure::ALL, &PowerDraw::default(), &Limits::default())
}

/// All measures over time.
fn over_time(model: &Model, start: &Counts, horizon: f64, samples: usize, limits: &Limits) -> Transient {
    let grid = Grid::new(horizon, samples).unwrap();
    let problem = Problem::new(model.clone(), start.clone(), grid, 0.0, None).unwrap();
    transient(&problem, &Measure::ALL, &PowerDraw::default(), limits).unwrap()
}

fn value(outcome: &Stationary, measure: Measure) -> f64 {
    outcome.values[Measure::ALL.iter().position(|&other| other == measure).unwrap()].unwrap()
}

/// model.md section 2: x00, x01, x02, y1, jobs per server, lost + rejected, to the six decimals printed.
#[test]
fn stationary_table() {
    let two = Dispatch::power_of_d(2).unwrap();
    let jiq = Dispatch::JOIN_IDLE_QUEUE;
    let rate_idle = ScalingRule::rate_idle(1.0, 1.0).unwrap();
    let one = Dispatch::join_below_threshold(1);
    let rows = [
        (1, 5, two, blind(), [0.037694, 0.075388, 0.301553, 0.585365, 1.359927, 0.163764]),
        (2, 3, jiq, blind(), [0.019098, 0.075259, 0.301035, 0.604608, 1.000542, 0.136275]),
        (2, 3, two, blind(), [0.018977, 0.074843, 0.299372, 0.606808, 1.071604, 0.133131]),
        (2, 3, one, blind(), [0.018640, 0.073506, 0.294025, 0.613829, 1.074866, 0.123101]),
        (2, 3, jiq, rate_idle, [0.013890, 0.075872, 0.303490, 0.606748, 1.001764, 0.133218]),
    ];
    for (servers, buffer, dispatch, scaling, expected) in rows {
        let model = model(&[(0.0, 0.7)], TABLE, Some(buffer), dispatch, scaling);
        let outcome = equilibrium(&model, &cold(servers)).unwrap();
        let turned_away = value(&outcome, Measure::LostFraction) + value(&outcome, Measure::RejectedFraction);
        let found =
            [Measure::Cold, Measure::Initializing, Measure::Idle, Measure::Busy, Measure::JobsPerServer];
        let found = found.map(|measure| value(&outcome, measure));
        for (found, expected) in found.into_iter().chain([turned_away]).zip(expected) {
            assert!((found - expected).abs() <= 5.0001e-7, "{dispatch} + {scaling}: {found}, not {expected}");
        }
    }
}

/// One server, Blind, in closed form (model.md section 2); an infinite buffer too.
#[test]
fn one_server_in_closed_form() {
    let lambda: f64 = 0.7;
    for buffer in [Some(1), Some(2), Some(5), Some(40), Some(300), None] {
        let model = model(&[(0.0, lambda)], TABLE, buffer, Dispatch::JOIN_IDLE_QUEUE, blind());
        let outcome = equilibrium(&model, &cold(1)).unwrap();
        let levels = buffer.map_or(1.0 / (1.0 - lambda), |buffer| {
            (0..=buffer as i32).map(|jobs| lambda.powi(jobs)).sum::<f64>()
        });
        let idle = 1.0 / (0.025 / 0.2 + 0.025 / 0.1 + levels);
        let tolerance = if buffer.is_some() { 1e-14 } else { 1e-10 };
        let expected = [
            (Measure::Cold, idle * 0.025 / 0.2),
            (Measure::Initializing, idle * 0.025 / 0.1),
            (Measure::Idle, idle),
            (Measure::Busy, idle * (levels - 1.0)),
        ];
        for (measure, expected) in expected {
            let found = value(&outcome, measure);
            assert!(
                (found - expected).abs() < tolerance,
                "{buffer:?} {}: {found}, {expected}",
                measure.name()
            );
        }
        assert_eq!(outcome.method, Method::Elimination);
        assert_eq!(outcome.cut.is_some(), buffer.is_none());
    }
}

/// A server that never goes cold is the queue M/M/1/B: pi_i proportional to lambda^i; with an infinite buffer, response
/// times are exponential of mean 1 / (1 - lambda).
#[test]
fn one_server_that_stays_warm() {
    let queue = |lambda, buffer| {
        let model =
            model(&[(0.0, lambda)], (0.0, 1.0, 0.0), buffer, Dispatch::JOIN_IDLE_QUEUE, ScalingRule::None);
        equilibrium(&model, &warm(&[1])).unwrap()
    };
    for (lambda, buffer) in [(0.7f64, 3), (1.5, 10), (0.999, 40)] {
        let outcome = queue(lambda, Some(buffer));
        let total: f64 = (0..=buffer as i32).map(|jobs| lambda.powi(jobs)).sum();
        let full = lambda.powi(buffer as i32) / total;
        assert!((value(&outcome, Measure::Idle) * total - 1.0).abs() < 1e-13);
        assert!((value(&outcome, Measure::RejectedFraction) / full - 1.0).abs() < 1e-13);
    }
    let lambda = 0.6;
    let outcome = queue(lambda, None);
    let response_time = outcome.response_time.unwrap();
    for p in [0.5, 0.95, 0.99, 0.999] {
        let expected = -(1.0f64 - p).ln() / (1.0 - lambda);
        assert!((response_time.quantile(p) - expected).abs() < 1e-6, "{p}");
    }
    assert!((response_time.waiting_probability() - lambda).abs() < 1e-9);
    let cut = outcome.cut.unwrap();
    assert!(cut.jobs <= 5e-11 && cut.probability <= 5e-11, "{cut:?}");
}

/// What all measures are where one server with buffer 5 is in these states with these probabilities.
fn of_one_server(p: &[f64]) -> [f64; 10] {
    let jobs: f64 = (0..=5).map(|jobs| p[2 + jobs] * jobs as f64).sum();
    let warm: f64 = p[2..].iter().sum();
    let found: f64 = (0..5).map(|jobs| p[2 + jobs] * (jobs + 1) as f64).sum();
    [p[0], p[1], p[2], warm - p[2], jobs, jobs / warm, found / (warm - p[7]), p[0] + p[1], p[7], warm + p[1]]
}

/// N = 1, B = 5 from one idle server, against the exponential of its generator, within the bounds printed.
#[test]
fn transient_of_eight_states() {
    let chain = SmallChain::new(5, 0.7, 0.2, 0.1, 0.025);
    let model = model(&[(0.0, 0.7)], TABLE, Some(5), Dispatch::JOIN_IDLE_QUEUE, blind());
    let outcome = over_time(&model, &warm(&[1]), 40.0, 16, &Limits::default());
    assert_eq!(outcome.states, 8);
    for point in &outcome.points {
        let expected = of_one_server(&chain.transient(2, point.time));
        for ((measure, bounded), expected) in Measure::ALL.iter().zip(&point.values).zip(expected) {
            let off = (bounded.value.unwrap() - expected).abs();
            // The oracle rounds too.
            assert!(off <= bounded.error_bound + 1e-13, "{} at {}: off by {off}", measure.name(), point.time);
            assert!(bounded.error_bound < 1e-10);
        }
    }
}

/// The same where the arrival rate steps, also at a report time and at the horizon: the state goes on from where it is,
/// and what happens to arrivals is what happens at the new rate.
#[test]
fn steps_of_the_arrival_rate() {
    let arrivals = [(0.0, 0.7), (3.0, 1.4), (5.5, 0.0), (10.0, 0.3)];
    let model = model(&arrivals, TABLE, Some(5), Dispatch::JOIN_IDLE_QUEUE, blind());
    let outcome = over_time(&model, &warm(&[1]), 10.0, 20, &Limits::default());
    for point in &outcome.points {
        let mut p = vec![0.0; 8];
        p[2] = 1.0;
        for (index, &(begin, rate)) in arrivals.iter().enumerate() {
            let end = arrivals.get(index + 1).map_or(f64::INFINITY, |next| next.0).min(point.time);
            if end > begin {
                let chain = SmallChain::new(5, rate, 0.2, 0.1, 0.025);
                let onward = |(from, weight): (usize, &f64)| {
                    chain.transient(from, end - begin).into_iter().map(|to| to * weight).collect::<Vec<_>>()
                };
                let parts: Vec<_> = p.iter().enumerate().map(onward).collect();
                p = (0..8).map(|to| parts.iter().map(|part| part[to]).sum()).collect();
            }
        }
        assert_eq!(point.arrival_rate, model.arrivals().rate_at(point.time));
        for ((measure, bounded), expected) in Measure::ALL.iter().zip(&point.values).zip(of_one_server(&p)) {
            let of_jobs = [Measure::MeanResponseTime, Measure::LostFraction, Measure::RejectedFraction];
            if point.arrival_rate == 0.0 && of_jobs.contains(measure) {
                assert_eq!(bounded.value, None);
                continue;
            }
            let off = (bounded.value.unwrap() - expected).abs();
            assert!(off <= bounded.error_bound + 1e-13, "{} at {}: off by {off}", measure.name(), point.time);
        }
    }
}

/// Five servers, B = 4, every dispatching rule, Rate-Idle, a step of the arrival rate: 20,000 replications, seed 5, four
/// times, ten measures within 4 standard errors. 240 comparisons: one is expected to exceed 3.
#[test]
fn transient_against_simulation() {
    for dispatch in Dispatch::catalogue().unwrap() {
        let rate_idle = ScalingRule::rate_idle(1.0, 1.0).unwrap();
        let model = model(&[(0.0, 0.6), (6.0, 0.9)], (0.4, 0.3, 0.1), Some(4), dispatch, rate_idle);
        let start = Counts { cold: 2, initializing: 1, warm: vec![1, 0, 1], waiting: 0 };
        let exact = over_time(&model, &start, 16.0, 4, &Limits::default());
        let problem = Problem::new(model, start, Grid::new(16.0, 4).unwrap(), 0.0, None).unwrap();
        let experiment = Experiment::new(20_000, 5, Measure::ALL.to_vec(), PowerDraw::default()).unwrap();
        let simulated = simulate(&problem, &experiment, &|_| ()).unwrap();
        for (exact, simulated) in exact.points.iter().zip(&simulated.points).skip(1) {
            for ((measure, bounded), estimate) in
                Measure::ALL.iter().zip(&exact.values).zip(&simulated.estimates)
            {
                if bounded.value.unwrap() < 1e-3 {
                    continue; // too rare to be estimated: a handful of 20,000
                }
                let error = estimate.half_width.unwrap() / 1.96;
                let z = (estimate.value.unwrap() - bounded.value.unwrap()) / error;
                let name = measure.name();
                assert!(z.abs() < 4.0, "{dispatch} {name} at {}: {estimate:?}, {bounded:?}, {z}", exact.time);
            }
        }
    }
}

/// Bounds hold against a run with a much smaller one, near the start and once settled, and are worth something.
#[test]
fn error_bounds_are_honoured() {
    let rate_idle = ScalingRule::rate_idle(1.0, 1.0).unwrap();
    let two = Dispatch::power_of_d(2).unwrap();
    for (buffer, start, horizon) in [(Some(3), warm(&[2, 0, 0, 2]), 300.0), (None, warm(&[1, 1]), 20.0)] {
        for arrivals in [&[(0.0, 0.7)][..], &[(0.0, 0.7), (7.0, 0.2)]] {
            let model = model(arrivals, (0.5, 0.2, 0.1), buffer, two, rate_idle);
            let run = |error| over_time(&model, &start, horizon, 30, &Limits::new(100_000, error).unwrap());
            let reference = run(1e-12);
            for error in [1e-2, 1e-4, 1e-7, 1e-10] {
                let outcome = run(error);
                for (point, exact) in outcome.points.iter().zip(&reference.points) {
                    for (bounded, exact) in point.values.iter().zip(&exact.values) {
                        let off = (bounded.value.unwrap() - exact.value.unwrap()).abs();
                        let bound = bounded.error_bound + exact.error_bound;
                        assert!(off <= bound, "{error} at {}: {bounded:?}, {exact:?}", point.time);
                        assert!(bounded.error_bound <= 4.0 * error, "{error} at {}: {bounded:?}", point.time);
                    }
                }
            }
        }
    }
}

/// An infinite buffer is cut so that nothing shows: against a buffer twice as long as the cut.
#[test]
fn infinite_buffers_are_cut() {
    let one = Dispatch::join_below_threshold(1);
    let model = |buffer| model(&[(0.0, 0.5)], (0.5, 0.2, 0.1), buffer, one, blind());
    let start = Counts { cold: 1, initializing: 0, warm: vec![0, 0, 1], waiting: 0 };
    let cut = over_time(&model(None), &start, 30.0, 6, &Limits::default());
    let levels = cut.cut.unwrap().levels;
    let long = over_time(&model(Some(2 * levels)), &start, 30.0, 6, &Limits::default());
    for (cut, long) in cut.points.iter().zip(&long.points) {
        for (cut, long) in cut.values.iter().zip(&long.values) {
            let off = (cut.value.unwrap() - long.value.unwrap()).abs();
            assert!(off <= cut.error_bound + long.error_bound, "{cut:?}, {long:?}");
            assert!(cut.error_bound <= 1e-9);
        }
    }
    let cut = equilibrium(&model(None), &start).unwrap();
    let levels = cut.cut.unwrap().levels;
    let long = equilibrium(&model(Some(2 * levels)), &start).unwrap();
    for (cut, long) in cut.values.iter().zip(&long.values) {
        assert!((cut.unwrap() - long.unwrap()).abs() < 1e-9, "{cut:?}, {long:?}");
    }
}

/// Queues that grow for ever fit no cut, and the message says so.
#[test]
fn overload_with_an_infinite_buffer_is_refused() {
    let model = model(&[(0.0, 1.2)], TABLE, None, Dispatch::JOIN_IDLE_QUEUE, blind());
    let limits = Limits::new(20_000, 1e-10).unwrap();
    let error = stationary(&model, &cold(2), &[], &PowerDraw::default(), &limits).unwrap_err();
    assert!(matches!(error, ExactError::NoCut { most: 20_000, .. }), "{error}");
    assert!(error.to_string().contains("Give a finite buffer or fewer servers"), "{error}");
}

/// The longer the time, the nearer the equilibrium.
#[test]
fn the_equilibrium_is_the_limit() {
    for scaling in ScalingRule::catalogue().unwrap() {
        let model = model(&[(0.0, 0.7)], (0.5, 0.3, 0.2), Some(3), Dispatch::power_of_d(2).unwrap(), scaling);
        let start = Counts { cold: 1, initializing: 1, warm: vec![2], waiting: 0 };
        let late = over_time(&model, &start, 6000.0, 1, &Limits::default());
        let limit = equilibrium(&model, &start).unwrap();
        for (late, limit) in late.points[1].values.iter().zip(&limit.values) {
            // Without scaling all servers end cold: jobs per warm server have no limit.
            if let (Some(value), Some(limit)) = (late.value, limit) {
                assert!((value - limit).abs() < 1e-9, "{scaling}: {late:?}, {limit}");
            }
        }
    }
}

/// States that are left for ever: the equilibrium is on those that are not.
#[test]
fn some_states_are_left_for_ever() {
    let jiq = Dispatch::JOIN_IDLE_QUEUE;
    // Servers never expire: in the end all are warm.
    let all_warm =
        equilibrium(&model(&[(0.0, 0.7)], (0.5, 0.1, 0.0), Some(3), jiq, blind()), &cold(2)).unwrap();
    assert_eq!((value(&all_warm, Measure::Cold), value(&all_warm, Measure::Initializing)), (0.0, 0.0));
    assert_eq!((all_warm.states, all_warm.recurrent_states), (21, 10));
    // They never start: in the end all are cold, and what needs a warm one is undefined.
    let all_cold =
        equilibrium(&model(&[(0.0, 0.7)], (0.0, 0.1, 0.1), Some(3), jiq, blind()), &warm(&[2])).unwrap();
    assert_eq!((value(&all_cold, Measure::Cold), value(&all_cold, Measure::LostFraction)), (1.0, 1.0));
    assert_eq!((all_cold.values[5], all_cold.recurrent_states, all_cold.residual), (None, 1, 0.0));
    assert_eq!(all_cold.response_time, None);
    // No jobs arrive: x02 : x01 : x00 = 1 : gamma/beta : gamma/(alpha theta), per server.
    let start = warm(&[0, 0, 1]);
    let no_jobs = equilibrium(&model(&[(0.0, 0.0)], TABLE, Some(3), jiq, blind()), &start).unwrap();
    assert!((value(&no_jobs, Measure::Idle) - 1.0 / (1.0 + 0.25 + 0.125)).abs() < 1e-15);
    assert_eq!(value(&no_jobs, Measure::Busy), 0.0);
    assert_eq!((no_jobs.values[7], no_jobs.recurrent_states, no_jobs.states), (None, 3, 5));
    // Servers start while fewer than the demand are warm, and those still initializing do not count: how many start
    // before that is chance.
    let shortage = ScalingRule::warm_shortage(1.0).unwrap();
    let error =
        equilibrium(&model(&[(0.0, 0.5)], (0.5, 0.1, 0.0), Some(2), jiq, shortage), &cold(4)).unwrap_err();
    assert_eq!(error, ExactError::SeveralClosedClasses { classes: 3 });
}

/// Without arrivals, scaling and expirations a state is never left; nothing is undefined about it but jobs.
#[test]
fn a_state_that_is_never_left() {
    let model = model(&[(0.0, 0.0)], (0.0, 1.0, 0.0), Some(2), Dispatch::JOIN_IDLE_QUEUE, ScalingRule::None);
    let outcome = over_time(&model, &warm(&[3]), 5.0, 2, &Limits::default());
    assert_eq!(outcome.states, 1);
    assert!(outcome.points.iter().all(|point| point.values[2].value == Some(1.0)));
    assert_eq!(equilibrium(&model, &warm(&[3])).unwrap().values[2], Some(1.0));
}

/// An arrival rate that opens transitions later: no job ever before it, and idle servers expire meanwhile.
#[test]
fn a_later_step_opens_states() {
    let model =
        model(&[(0.0, 0.0), (5.0, 0.8)], TABLE, Some(3), Dispatch::JOIN_IDLE_QUEUE, ScalingRule::None);
    let outcome = over_time(&model, &warm(&[1]), 10.0, 2, &Limits::default());
    assert_eq!(outcome.states, 5); // cold, or warm with 0 to 3 jobs
    assert_eq!(outcome.points[1].values[3].value, Some(0.0));
    assert!(outcome.points[2].values[3].value.unwrap() > 0.3);
}

#[test]
fn no_equilibrium_with_steps() {
    let model = model(&[(0.0, 0.7), (5.0, 0.8)], TABLE, Some(3), Dispatch::JOIN_IDLE_QUEUE, blind());
    assert_eq!(equilibrium(&model, &warm(&[1])), Err(CtmcError::NoStationaryLaw { steps: 1 }.into()));
}

#[test]
fn too_many_states_are_refused_with_what_fits() {
    let refused = |servers, buffer, states| {
        let model = model(&[(0.0, 0.7)], TABLE, Some(buffer), Dispatch::JOIN_IDLE_QUEUE, blind());
        let limits = Limits::new(states, 1e-10).unwrap();
        stationary(&model, &cold(servers), &[], &PowerDraw::default(), &limits).unwrap_err().to_string()
    };
    assert_eq!(
        refused(1000, 100, 5_000_000),
        "1000 servers with up to 100 jobs each make 1.7e146 states, and 2684354 fit; with this buffer, 3 servers fit; \
         alba simulate and alba fluid take any number of servers"
    );
    assert!(refused(10, 3, 3002).starts_with(
        "10 servers with up to 3 jobs each make more than 3002 of 3003 conceivable states, and 3002 fit; with this \
         buffer, 9 servers fit"
    ));
    assert!(refused(1, 100, 50).contains("no number of servers fits with a buffer of 100"));
}

/// 50,388 states, which threads share.
#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let model = model(&[(0.0, 0.7)], TABLE, Some(5), Dispatch::power_of_d(2).unwrap(), blind());
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| over_time(&model, &warm(&[12]), 0.5, 2, &Limits::default()))
    };
    let one = run(1);
    assert_eq!(one.states, 50_388);
    assert_eq!(one, run(3));
}
