//! Fixed points against printed values, the paper's equations, and long runs of the fluid model.

use crate::systems::model;
use alba_fluid::{FixedPoint, FixedPoints, Optimality, Pool, Problem, Tolerances, fixed_points, solve};
use alba_model::{Dispatch, ErlangMixture, Grid, Model, Occupancy, ScalingRule};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const FIGURE_1: [f64; 3] = [0.05, 0.1, 0.025];

fn all(model: &Model) -> FixedPoints {
    let found = fixed_points(model, model.arrivals().rate_at(0.0), 0.7).unwrap();
    for point in &found.points {
        assert!(point.residual < 1e-12, "residual {:e}", point.residual);
    }
    found
}

#[track_caller]
fn only(model: &Model) -> FixedPoint {
    let found = all(model);
    assert_eq!((found.points.len(), found.families.len()), (1, 0));
    found.points[0].clone()
}

#[track_caller]
fn assert_close(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() < tolerance, "{value} is not {expected}");
}

fn blind() -> ScalingRule {
    ScalingRule::blind(0.06).unwrap()
}

fn rate_idle() -> ScalingRule {
    ScalingRule::rate_idle(1.0, 1.0).unwrap()
}

/// Figure 1's system: state, mean response time and percentiles for three dispatching rules, with and without buffer.
#[test]
fn figure_1_by_dispatching_rule() {
    let rows = [
        (Dispatch::power_of_d(2).unwrap(), 1.906733, 2.2336, [1.816533, 5.724690, 8.009766]),
        (Dispatch::join_below_threshold(1), f64::NAN, 1.6629, [1.322734, 4.353007, 6.241764]),
        (Dispatch::JOIN_IDLE_QUEUE, 0.7 / 0.82, 1.0, [std::f64::consts::LN_2, 2.995732, 4.605170]),
    ];
    for (dispatch, per_warm, mean, percentiles) in rows {
        for buffer in [None, Some(100)] {
            let point = only(&model(dispatch, blind(), buffer, 0.7, FIGURE_1));
            assert_close(point.state.cold(), 0.15, 1e-12);
            assert_close(point.state.initializing(), 0.03, 1e-12);
            assert_close(point.state.idle(), 0.12, 1e-12);
            assert_close(point.state.busy(), 0.7, 1e-12);
            assert_eq!(point.stability.is_stable(), Some(true));
            if per_warm.is_finite() {
                assert_close(point.state.jobs() / point.state.warm(), per_warm, 6e-7);
            }
            let response = ErlangMixture::new(&point.inflow.levels).unwrap();
            assert_close(response.mean(), mean, 6e-5);
            for (probability, percentile) in [0.5, 0.95, 0.99].into_iter().zip(percentiles) {
                assert_close(response.quantile(probability), percentile, 6e-7);
            }
        }
    }
}

#[test]
fn saturated_power_of_two() {
    let point = only(&model(Dispatch::power_of_d(2).unwrap(), rate_idle(), None, 0.7, FIGURE_1));
    assert_eq!(point.regime.cold, Pool::Empty);
    assert_close(point.state.initializing(), 0.06, 1e-12);
    assert_close(point.state.idle(), 0.24, 1e-12);
    assert_close(point.state.jobs() / point.state.warm(), 1.296757, 6e-7);
}

#[test]
fn rate_idle_under_jiq_has_the_optimum_alone() {
    for buffer in [None, Some(10), Some(100)] {
        for scaling in [rate_idle(), ScalingRule::rate_idle(0.3, 2.0).unwrap()] {
            let found = all(&model(Dispatch::JOIN_IDLE_QUEUE, scaling, buffer, 0.7, FIGURE_1));
            assert_eq!(found.optimality, Some(Optimality::Met));
            assert_eq!((found.points.len(), found.families.len()), (1, 0));
            let optimum = &found.points[0];
            assert_close(optimum.state.cold(), 0.3, 1e-12);
            assert_close(optimum.state.warm_with(1), 0.7, 1e-12);
            assert_eq!(optimum.stability.is_stable(), Some(true));
        }
    }
}

/// (20): a rule that sees only the warm servers rests on a continuum; a finite buffer leaves only the optimum.
#[test]
fn rules_that_see_only_warm_servers_have_a_family() {
    let shortages = [ScalingRule::warm_shortage(0.4).unwrap(), ScalingRule::capacity_shortage(1.0).unwrap()];
    for scaling in shortages {
        let found = all(&model(Dispatch::JOIN_IDLE_QUEUE, scaling, None, 0.7, FIGURE_1));
        assert!(matches!(found.optimality, Some(Optimality::Violated(_))));
        assert_eq!((found.points.len(), found.families.len()), (0, 1));
        let family = &found.families[0];
        assert_eq!((family.lowest_level, family.range), (1, (0.0, 0.7)));
        assert_close(family.example.jobs(), 0.49 / 0.35, 1e-9); // lambda^2 / x12
        let bounded = all(&model(Dispatch::JOIN_IDLE_QUEUE, scaling, Some(10), 0.7, FIGURE_1));
        assert_eq!((bounded.points.len(), bounded.families.len()), (1, 0));
        assert_close(bounded.points[0].state.warm_with(1), 0.7, 1e-12);
    }
}

#[test]
fn counterexamples_are_counterexamples() {
    for scaling in ScalingRule::catalogue().unwrap() {
        let found = all(&model(Dispatch::JOIN_IDLE_QUEUE, scaling, Some(20), 0.7, FIGURE_1));
        let meets = matches!(scaling, ScalingRule::RateIdle(_));
        assert_eq!(found.optimality == Some(Optimality::Met), meets, "{scaling}");
        if let Some(Optimality::Violated(at)) = found.optimality {
            assert!((at.shortage > 0.0) != (at.scaling_probability > 0.0), "{scaling}: {at:?}");
        }
    }
}

/// At and above all capacity what is accepted is served, the rest is rejected, and nobody is cold.
#[test]
fn overload_needs_a_buffer() {
    let mut rules = Dispatch::catalogue().unwrap();
    rules.push(Dispatch::power_of_d(5).unwrap());
    for dispatch in rules {
        assert!(fixed_points(&model(dispatch, blind(), None, 1.2, FIGURE_1), 1.2, 0.7).is_err());
        for lambda in [1.0, 1.2, 1.5, 3.0, 100.0] {
            for buffer in [8, 20, 100] {
                let point = only(&model(dispatch, blind(), Some(buffer), lambda, FIGURE_1));
                assert_close(point.inflow.accepted(), point.state.busy(), 1e-10 * lambda);
                assert_close(point.inflow.rejected, lambda - point.state.busy(), 1e-10 * lambda);
                assert_eq!(point.regime.cold, Pool::Empty);
                assert!(point.state.jobs() <= f64::from(buffer));
            }
        }
    }
}

/// Once rounding made fixed points of a rule that starts nothing, and a buffer of 100 made a wrong one of a rule that
/// leaves hardly anybody idle.
#[test]
fn nearly_nobody_idle() {
    for d in [2, 5] {
        let rule = ScalingRule::warm_shortage(2.0).unwrap();
        let point = only(&model(Dispatch::power_of_d(d).unwrap(), rule, Some(100), 0.7, [0.2, 0.1, 0.025]));
        assert_close(point.state.busy(), 0.7, 1e-9);
        assert!(point.inflow.rejected < 1e-9);
    }
    for d in [1, 3] {
        let rule = ScalingRule::rate_idle(1.0, 1.0).unwrap();
        let point = only(&model(Dispatch::power_of_d(d).unwrap(), rule, Some(20), 0.5, [0.0, 0.1, 0.025]));
        assert_eq!(point.state.cold(), 1.0);
    }
    let vast = only(&model(Dispatch::power_of_d(2).unwrap(), blind(), Some(1_000_000), 0.7, FIGURE_1));
    assert_close(vast.state.cold(), 0.15, 1e-12);
}

#[test]
fn servers_that_never_come_or_go_are_kept() {
    let still =
        |dispatch| fixed_points(&model(dispatch, ScalingRule::None, None, 0.7, [0.0, 0.1, 0.0]), 0.7, 1.0);
    let found = still(Dispatch::power_of_d(2).unwrap()).unwrap();
    let state = &found.points[0].state;
    for (i, exponent) in [(1, 1), (2, 3), (3, 7)] {
        let tail: f64 = state.levels()[i..].iter().sum();
        assert_close(tail, 0.7f64.powi(exponent), 1e-12);
    }
    assert_eq!(found.points[0].stability.is_stable(), Some(true));
    assert_eq!(still(Dispatch::JOIN_IDLE_QUEUE).unwrap().points.len(), 1);
}

/// 200 random systems against (13)-(16), and a tenth of them against a long run (seed 5).
#[test]
fn random_systems_satisfy_the_equations() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut log_uniform = |low: f64, high: f64| -> f64 {
        let u: f64 = random.random();
        low * (high / low).powf(u)
    };
    for case in 0..200 {
        let lambda = log_uniform(0.1, 0.98);
        let rates = [log_uniform(0.02, 2.0), log_uniform(0.05, 5.0), log_uniform(0.01, 1.0)];
        let dispatch = if case % 2 == 0 {
            Dispatch::power_of_d(2 + case / 2 % 3).unwrap()
        } else {
            Dispatch::join_below_threshold(case / 2 % 4)
        };
        let scaling = match case % 3 {
            0 => ScalingRule::blind(log_uniform(0.01, 1.0)).unwrap(),
            1 => ScalingRule::rate_idle(log_uniform(0.2, 5.0), 1.0).unwrap(),
            _ => ScalingRule::rate_idle(log_uniform(0.2, 5.0), 2.0).unwrap(),
        };
        let model = model(dispatch, scaling, None, lambda, rates);
        let found = all(&model);
        assert_eq!((found.points.len(), found.families.len()), (1, 0), "case {case}: {dispatch} {scaling}");
        let point = &found.points[0];
        assert_equations(point, &model, dispatch, scaling);
        if case % 10 == 0 {
            assert_reached(point, &model);
        }
    }
}

/// (13), and (14) or (15) with (16).
fn assert_equations(point: &FixedPoint, model: &Model, dispatch: Dispatch, scaling: ScalingRule) {
    let (state, rates, lambda) = (&point.state, model.rates(), model.arrivals().rate_at(0.0));
    let (x02, y0) = (state.idle(), state.warm());
    assert_close(state.cold() + state.initializing() + x02, 1.0 - lambda, 1e-11);
    assert_close(rates.initialization() * state.initializing(), rates.expiration() * x02, 1e-11);
    assert_close(state.busy(), lambda, 1e-11);
    let started = rates.scaling() * scaling.probability(&model.observe(state, lambda));
    if point.regime.cold == Pool::Open {
        assert_close(started, rates.expiration() * x02, 1e-11);
    } else {
        assert!(started >= rates.expiration() * x02 - 1e-11 && state.cold() < 1e-12);
    }
    match dispatch {
        Dispatch::PowerOfD(rule) => {
            let mut tail = y0;
            for i in 1..state.levels().len() {
                tail = lambda * (tail / y0).powi(rule.d() as i32);
                assert_close(state.levels()[i..].iter().sum(), tail, 1e-11);
            }
        }
        Dispatch::JoinBelowThreshold(rule) if x02 > 0.0 => {
            let d = rule.d() as usize;
            let z: f64 = (1..=d).map(|i| state.warm_with(i)).sum();
            for i in 1..=d + 1 {
                assert_close(state.warm_with(i), x02 * (lambda / (x02 + z)).powi(i as i32), 1e-11);
            }
            assert_eq!(state.warm_with(d + 2), 0.0);
        }
        Dispatch::JoinBelowThreshold(_) => assert_close(state.warm_with(1), lambda, 1e-12),
    }
}

fn assert_reached(point: &FixedPoint, model: &Model) {
    let initial = Occupancy::new(0.1, vec![0.2, 0.2]).unwrap();
    let grid = Grid::new(20_000.0, 1).unwrap();
    let outcome = solve(&Problem::new(model.clone(), initial, grid, Tolerances::default()).unwrap()).unwrap();
    let end = &outcome.snapshots[1].state;
    assert_close(end.cold(), point.state.cold(), 1e-7);
    assert_close(end.idle(), point.state.idle(), 1e-7);
    assert_close(end.jobs(), point.state.jobs(), 1e-7);
}
