//! Lost and rejected jobs, by every engine.

use alba_ctmc::{Experiment, Problem, simulate};
use alba_exact::{Limits, stationary};
use alba_fluid::fixed_points;
use alba_model::{
    ArrivalProfile, Buffer, Counts, Dispatch, Grid, Measure, Model, Occupancy, PowerDraw, Rates, ScalingRule,
    Scheme,
};

const TURNED_AWAY: [Measure; 2] = [Measure::LostFraction, Measure::RejectedFraction];

fn model(dispatch: Dispatch) -> Model {
    let scheme = Scheme::asynchronous(dispatch, ScalingRule::blind(0.4).unwrap());
    let rates = Rates::new(0.5, 0.1, 0.025).unwrap();
    let arrivals = ArrivalProfile::constant(0.9).unwrap();
    Model::new(arrivals, rates, Buffer::finite(3).unwrap(), scheme).unwrap()
}

/// Mean and standard error of the two fractions along 16 runs, 15 degrees of freedom.
fn simulated(model: &Model, servers: u64, horizon: f64) -> [(f64, f64); 2] {
    let start = Counts::apportion(&Occupancy::new(0.0, vec![0.5]).unwrap(), servers);
    let grid = Grid::new(horizon, 1).unwrap();
    let problem = Problem::new(model.clone(), start, grid, 0.1 * horizon, None).unwrap();
    let experiment = Experiment::new(16, 9, TURNED_AWAY.to_vec(), PowerDraw::default()).unwrap();
    let averages = simulate(&problem, &experiment, &|_| ()).unwrap().summary.time_averages;
    [0, 1].map(|index| (averages[index].value.unwrap(), averages[index].half_width.unwrap() / 2.131))
}

/// With three servers some jobs are lost, with many none; jobs are rejected always. 16 runs each, seed 9, 4 standard errors.
#[test]
fn exact_simulation_and_fixed_point_agree() {
    for dispatch in
        [Dispatch::power_of_d(2).unwrap(), Dispatch::JOIN_IDLE_QUEUE, Dispatch::join_below_threshold(1)]
    {
        let model = model(dispatch);
        let few = Counts { cold: 1, initializing: 0, warm: vec![2], waiting: 0 };
        let exact =
            stationary(&model, &few, &TURNED_AWAY, &PowerDraw::default(), &Limits::default()).unwrap();
        for ((value, error), exact) in simulated(&model, 3, 40_000.0).into_iter().zip(&exact.values) {
            let exact = exact.unwrap();
            assert!(
                (value - exact).abs() < 4.0 * error + 1e-9,
                "{dispatch}: {value} +- {error}, exact {exact}"
            );
        }
        assert!(exact.values[0].unwrap() > 0.0 && exact.values[1].unwrap() > 0.0);
        let found = fixed_points(&model, 0.9, 0.5).unwrap();
        let rejected = found.points[0].inflow.rejected / 0.9;
        let [lost, (value, error)] = simulated(&model, 3000, 400.0);
        assert_eq!(lost.0, 0.0);
        // O(1/N) beside the statistical error
        assert!(
            (value - rejected).abs() < 4.0 * error + 3.0 / 3000.0,
            "{dispatch}: {value} +- {error}, {rejected}"
        );
    }
}
