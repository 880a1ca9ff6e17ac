//! The fluid model over 400 service times, 400 report times: Figure 1 here and in two other solvers, and the curve with
//! switches, which they cannot do.

#![expect(clippy::unwrap_used, reason = "a bench has nobody to report an error to")]

use alba_benches::levels::{COMPONENTS, drift, start};
use alba_fluid::{Problem, Tolerances, solve};
use alba_model::{ArrivalProfile, Buffer, Dispatch, Grid, Model, Occupancy, Rates, ScalingRule, Scheme};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use diffsol::{MatrixCommon, NalgebraMat, OdeBuilder, OdeSolverMethod};
use ode_solvers::{DVector, Dopri5, OutputType, System};

const HORIZON: f64 = 400.0;
const SAMPLES: usize = 400;
const TOLERANCES: [f64; 2] = [1e-6, 1e-10];

fn problem(dispatch: Dispatch, tolerance: f64) -> Problem {
    let scheme = Scheme::asynchronous(dispatch, ScalingRule::blind(0.06).unwrap());
    let rates = Rates::new(0.05, 0.1, 0.025).unwrap();
    let arrivals = ArrivalProfile::constant(0.7).unwrap();
    let model = Model::new(arrivals, rates, Buffer::finite(100).unwrap(), scheme).unwrap();
    let start = Occupancy::new(0.0, vec![0.7]).unwrap();
    let grid = Grid::new(HORIZON, SAMPLES).unwrap();
    Problem::new(model, start, grid, Tolerances::new(tolerance, tolerance).unwrap()).unwrap()
}

struct Figure1;

impl System<f64, DVector<f64>> for Figure1 {
    fn system(&self, _time: f64, x: &DVector<f64>, dx: &mut DVector<f64>) {
        drift(x.as_slice(), dx.as_mut_slice());
    }
}

/// With its false stiffness alarm at tight tolerances out of the way.
fn dopri5(tolerance: f64) -> usize {
    let step = HORIZON / SAMPLES as f64;
    let start = DVector::from_vec(start());
    let mut solver = Dopri5::from_param(
        Figure1,
        0.0,
        HORIZON,
        step,
        start,
        tolerance,
        tolerance,
        0.9,
        0.04,
        0.2,
        10.0,
        HORIZON,
        0.0,
        1_000_000,
        u32::MAX,
        OutputType::Dense,
    );
    solver.integrate().unwrap();
    solver.y_out().len()
}

fn tsit45(tolerance: f64) -> f64 {
    let problem = OdeBuilder::<NalgebraMat<f64>>::new()
        .rtol(tolerance)
        .atol([tolerance])
        .rhs(|x, _p, _t, dx| drift(x, dx))
        .init(|_p, _t, x| x.copy_from_slice(&start()), COMPONENTS)
        .build()
        .unwrap();
    let times: Vec<f64> = (0..=SAMPLES).map(|i| HORIZON * i as f64 / SAMPLES as f64).collect();
    let mut solver = problem.tsit45().unwrap();
    let (solution, _) = solver.solve_dense(&times).unwrap();
    solution.inner()[(0, SAMPLES)]
}

fn figure_1(criterion: &mut Criterion) {
    let cold =
        solve(&problem(Dispatch::power_of_d(2).unwrap(), 1e-10)).unwrap().snapshots[SAMPLES].state.cold();
    assert!((tsit45(1e-10) - cold).abs() < 1e-7, "the same curve");
    let mut group = criterion.benchmark_group("fluid");
    for tolerance in TOLERANCES {
        for (name, dispatch) in
            [("power_of_2", Dispatch::power_of_d(2).unwrap()), ("jiq", Dispatch::JOIN_IDLE_QUEUE)]
        {
            let problem = problem(dispatch, tolerance);
            let id = BenchmarkId::new(format!("alba/{name}"), format!("{tolerance:e}"));
            group.bench_function(id, |bencher| bencher.iter(|| solve(&problem).unwrap()));
        }
        group.bench_function(
            BenchmarkId::new("diffsol tsit45/power_of_2", format!("{tolerance:e}")),
            |bencher| {
                bencher.iter(|| tsit45(tolerance));
            },
        );
        group.bench_function(
            BenchmarkId::new("ode_solvers dopri5/power_of_2", format!("{tolerance:e}")),
            |bencher| {
                bencher.iter(|| dopri5(tolerance));
            },
        );
    }
    group.finish();
}

criterion_group!(benches, figure_1);
criterion_main!(benches);
