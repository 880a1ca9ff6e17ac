//! Figure 1's fluid model over 400 service times, 400 report times, in alba and in other solvers: Power-of-2, whose curve is smooth, and
//! JIQ, in the others with an `if` in the drift, as one codes it first, which few solvers get through. An attempt that takes more than
//! `MOST` evaluations of the drift (or of its derivative times a vector) is given up, so that all end. Prints a line an
//! attempt, and writes them to `criterion/solvers.jsonl` in the target folder, where `benchmarks/peers/report.py` reads them.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench has nobody to report an error to")]

use std::cell::Cell;
use std::time::Instant;

use alba_benches::levels::{COMPONENTS, Rule, jobs, start};
use alba_fluid::{Problem, Tolerances, solve};
use alba_model::{
    ArrivalProfile, Buffer, Dispatch, Grid, Measure, Model, Occupancy, PowerDraw, Rates, ScalingRule, Scheme,
    Snapshot,
};
use diffsol::{
    NalgebraLU, NalgebraMat, NalgebraVec, OdeBuilder, OdeEquations, OdeSolverConfig, OdeSolverMethod, Vector,
};
use ode_solvers::dop_shared::IntegrationError;
use ode_solvers::{DVector, Dop853, Dopri5, OutputType, System};

const HORIZON: f64 = 400.0;
const SAMPLES: usize = 400;
const TOLERANCES: [f64; 2] = [1e-6, 1e-10];
const REFERENCE: f64 = 1e-12;
const MOST: u64 = 10_000_000;
/// Attempts that succeed are repeated as often as fits into so many seconds, at most `REPEATS` times.
const SECONDS: f64 = 1.0;
const REPEATS: usize = 101;

/// Cold servers and jobs per server at the report times; or why there is no curve.
type Curve = Result<Vec<[f64; 2]>, String>;

/// A drift that counts.
struct Watched {
    rule: Rule,
    evaluations: Cell<u64>,
}

impl Watched {
    fn new(rule: Rule) -> Self {
        Self { rule, evaluations: Cell::new(0) }
    }

    fn drift(&self, x: &[f64], dx: &mut [f64]) {
        self.evaluations.update(|count| count + 1);
        self.rule.drift(x, dx);
    }

    fn jacobian_product(&self, x: &[f64], v: &[f64], dv: &mut [f64]) {
        self.evaluations.update(|count| count + 1);
        self.rule.jacobian_product(x, v, dv);
    }

    fn given_up(&self, time: f64) -> String {
        format!("given up after {} evaluations at t = {time:.3}", self.evaluations.get())
    }
}

impl System<f64, DVector<f64>> for &Watched {
    fn system(&self, _time: f64, x: &DVector<f64>, dx: &mut DVector<f64>) {
        self.drift(x.as_slice(), dx.as_mut_slice());
    }
}

/// Of ode_solvers: both of its methods for tolerances, with the false stiffness alarm at tight ones out of the way.
macro_rules! dormand_prince {
    ($name:ident, $method:ident, $stages:expr, $beta:expr, $least:expr, $most:expr) => {
        fn $name(watched: &Watched, tolerance: f64) -> Curve {
            let (step, start) = (HORIZON / SAMPLES as f64, DVector::from_vec(start()));
            let steps = (MOST / $stages) as u32;
            let mut solver = $method::from_param(
                watched,
                0.0,
                HORIZON,
                step,
                start,
                tolerance,
                tolerance,
                0.9,
                $beta,
                $least,
                $most,
                HORIZON,
                0.0,
                steps,
                u32::MAX,
                OutputType::Dense,
            );
            solver.integrate().map_err(|error| match error {
                IntegrationError::MaxNumStepReached { x, .. } => watched.given_up(x),
                other => format!("stopped: {other}"),
            })?;
            Ok(solver.y_out().iter().take(SAMPLES + 1).map(|x| [x[0], jobs(x.as_slice())]).collect())
        }
    };
}

dormand_prince!(dopri5, Dopri5, 6, 0.04, 0.2, 10.0);
dormand_prince!(dop853, Dop853, 11, 0.0, 0.333, 6.0);

/// A step at a time, so that there is an end.
fn follow<'a, E>(mut solver: impl OdeSolverMethod<'a, E>, watched: &Watched) -> Curve
where
    E: OdeEquations<T = f64, V = NalgebraVec<f64>> + 'a,
{
    *solver.config_mut().as_base_mut().maximum_number_timesteps = usize::MAX;
    let mut curve = vec![];
    for sample in 0..=SAMPLES {
        let time = HORIZON * sample as f64 / SAMPLES as f64;
        while solver.state().t < time {
            let before = solver.state().t;
            solver.step().map_err(|error| format!("stopped at t = {before:.3}: {error}"))?;
            if watched.evaluations.get() > MOST {
                return Err(watched.given_up(before));
            }
        }
        let x = if sample == 0 { start() } else { solver.interpolate(time).unwrap().clone_as_vec() };
        curve.push([x[0], jobs(&x)]);
    }
    Ok(curve)
}

/// Of diffsol: its explicit method, and BDF with the derivative in closed form.
macro_rules! diffsol_method {
    ($name:ident, $($method:tt)+) => {
        fn $name(watched: &Watched, tolerance: f64) -> Curve {
            let problem = OdeBuilder::<NalgebraMat<f64>>::new()
                .rtol(tolerance)
                .atol([tolerance])
                .rhs_implicit(
                    |x, _p, _t, dx| watched.drift(x, dx),
                    |x, _p, _t, v, dv| watched.jacobian_product(x, v, dv),
                )
                .init(|_p, _t, x| x.copy_from_slice(&start()), COMPONENTS)
                .build()
                .unwrap();
            follow(problem.$($method)+().unwrap(), watched)
        }
    };
}

diffsol_method!(tsit45, tsit45);
diffsol_method!(bdf, bdf::<NalgebraLU<f64>>);

/// Regimes and switches located: what the others are compared with, at `REFERENCE`.
fn alba(watched: &Watched, tolerance: f64) -> Curve {
    let dispatch = match watched.rule {
        Rule::PowerOf2 => Dispatch::power_of_d(2).unwrap(),
        Rule::JoinIdleQueue => Dispatch::JOIN_IDLE_QUEUE,
    };
    let scheme = Scheme::asynchronous(dispatch, ScalingRule::blind(0.06).unwrap());
    let rates = Rates::new(0.05, 0.1, 0.025).unwrap();
    let arrivals = ArrivalProfile::constant(0.7).unwrap();
    let model = Model::new(arrivals, rates, Buffer::finite(100).unwrap(), scheme).unwrap();
    let (start, grid) = (Occupancy::new(0.0, vec![0.7]).unwrap(), Grid::new(HORIZON, SAMPLES).unwrap());
    let problem = Problem::new(model, start, grid, Tolerances::new(tolerance, tolerance).unwrap()).unwrap();
    let outcome = solve(&problem).map_err(|error| format!("stopped: {error}"))?;
    watched.evaluations.set(outcome.statistics.evaluations as u64);
    let value = |measure: Measure, at: &Snapshot| measure.value(&at.with(&PowerDraw::default())).unwrap();
    let values = |at| [Measure::Cold, Measure::JobsPerServer].map(|measure| value(measure, at));
    Ok(outcome.snapshots.iter().map(values).collect())
}

type Solver = fn(&Watched, f64) -> Curve;
const SOLVERS: [(&str, Solver); 5] = [
    ("alba", alba),
    ("diffsol tsit45", tsit45),
    ("diffsol bdf", bdf),
    ("ode_solvers dopri5", dopri5),
    ("ode_solvers dop853", dop853),
];

/// One line: the outcome, median seconds, evaluations, and the largest difference from `expected`.
fn measure(solver: Solver, rule: Rule, tolerance: f64, expected: &[[f64; 2]]) -> serde_json::Value {
    let mut seconds: Vec<f64> = vec![];
    loop {
        let (watched, began) = (Watched::new(rule), Instant::now());
        let curve = solver(&watched, tolerance);
        seconds.push(began.elapsed().as_secs_f64());
        let evaluations = watched.evaluations.get();
        let curve = match curve {
            Ok(curve) if curve.len() == expected.len() => curve,
            Ok(curve) => {
                let outcome = format!("{} of {} report times", curve.len(), expected.len());
                return serde_json::json!({ "outcome": outcome, "evaluations": evaluations });
            }
            Err(outcome) => return serde_json::json!({ "outcome": outcome, "evaluations": evaluations }),
        };
        if seconds.len() < REPEATS && seconds.iter().sum::<f64>() < SECONDS {
            continue;
        }
        seconds.sort_by(f64::total_cmp);
        let differences =
            curve.as_flattened().iter().zip(expected.as_flattened()).map(|(a, b)| (a - b).abs());
        return serde_json::json!({
            "outcome": "done",
            "seconds": seconds[seconds.len() / 2],
            "evaluations": evaluations,
            "error": differences.fold(0.0, f64::max),
        });
    }
}

/// A wrong derivative would hold BDF up: against differences, with and without idle servers.
fn check_derivative(rule: Rule) {
    let width = 1e-6;
    for idle in [0.1, 0.0] {
        let x: Vec<f64> = (0..COMPONENTS).map(|i| if i == 2 { idle } else { 0.3 / (i + 1) as f64 }).collect();
        let v: Vec<f64> = x.iter().enumerate().map(|(i, x)| x * (i as f64).sin()).collect();
        let drift = |width: f64| {
            let mut dx = vec![0.0; COMPONENTS];
            let moved: Vec<f64> = x.iter().zip(&v).map(|(x, v)| x + width * v).collect();
            rule.drift(&moved, &mut dx);
            dx
        };
        let mut product = vec![0.0; COMPONENTS];
        rule.jacobian_product(&x, &v, &mut product);
        for ((above, below), product) in drift(width).iter().zip(drift(-width)).zip(product) {
            assert!(((above - below) / (2.0 * width) - product).abs() < 1e-8);
        }
    }
}

fn main() {
    let mut lines = String::new();
    for rule in Rule::ALL {
        check_derivative(rule);
        let expected = alba(&Watched::new(rule), REFERENCE).unwrap();
        for (name, solver) in SOLVERS {
            for tolerance in TOLERANCES {
                let mut line = measure(solver, rule, tolerance, &expected);
                line["solver"] = format!("{}/{name}", rule.name()).into();
                line["tolerance"] = tolerance.into();
                println!("{line}");
                lines += &format!("{line}\n");
            }
        }
    }
    let program = std::env::current_exe().unwrap();
    let folder = program.ancestors().nth(3).unwrap().join("criterion");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("solvers.jsonl"), lines).unwrap();
}
