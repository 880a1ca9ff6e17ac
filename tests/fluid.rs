//! The fluid model against the reference numbers.

use alba_fluid::{Outcome, Problem, Tolerances, solve};
use alba_model::{
    ArrivalProfile, Buffer, Dispatch, Grid, Measure, Model, Occupancy, PowerDraw, Rates, ScalingRule, Scheme,
};

/// A system by its parameters, as a table of cases lists them.
struct Case {
    dispatch: Dispatch,
    scaling: ScalingRule,
    arrivals: Vec<(f64, f64)>,
    rates: (f64, f64, f64),
    buffer: Option<u32>,
    warm: Vec<f64>,
    initializing: f64,
}

impl Case {
    fn run(&self, horizon: f64, samples: usize, tolerances: Tolerances) -> Outcome {
        let (alpha, beta, gamma) = self.rates;
        let model = Model::new(
            ArrivalProfile::steps(self.arrivals.clone()).unwrap(),
            Rates::new(alpha, beta, gamma).unwrap(),
            self.buffer.map_or(Buffer::Infinite, |b| Buffer::finite(b).unwrap()),
            Scheme::asynchronous(self.dispatch, self.scaling),
        )
        .unwrap();
        let initial = Occupancy::new(self.initializing, self.warm.clone()).unwrap();
        let grid = Grid::new(horizon, samples).unwrap();
        solve(&Problem::new(model, initial, grid, tolerances).unwrap()).unwrap()
    }
}

fn figure1(dispatch: Dispatch, scaling: ScalingRule) -> Case {
    Case {
        dispatch,
        scaling,
        arrivals: vec![(0.0, 0.7)],
        rates: (0.05, 0.1, 0.025),
        buffer: Some(100),
        warm: vec![0.7],
        initializing: 0.0,
    }
}

const COLUMNS: [Measure; 5] =
    [Measure::Cold, Measure::Initializing, Measure::Idle, Measure::Busy, Measure::JobsPerWarm];

#[test]
fn look() {
    let power = PowerDraw::default();
    let show = |case: &Case, horizon: f64, samples: usize| {
        let clock = std::time::Instant::now();
        let outcome = case.run(horizon, samples, Tolerances::default());
        println!("{:?} {:?} {:?}", clock.elapsed(), outcome.statistics, outcome.stop);
        for s in &outcome.snapshots {
            let values: Vec<String> = COLUMNS.iter().map(|m| format!("{:.9}", m.value(s, &power).unwrap_or(f64::NAN))).collect();
            println!("{:6} {} jobs {:.9}", s.time, values.join(" "), s.state.jobs());
        }
        for s in &outcome.switches {
            println!("  {:.9} {} -> {} {:?}", s.time, s.from, s.to, s.guard);
        }
    };
    let blind = |theta| ScalingRule::blind(theta).unwrap();
    let idle = ScalingRule::rate_idle(1.0, 1.0).unwrap();
    let p2 = Dispatch::power_of_d(2).unwrap();
    println!("figure 1");
    show(&figure1(p2, blind(0.06)), 80.0, 16);
    show(&figure1(p2, blind(0.06)), 4000.0, 1);
    println!("JIQ blind");
    show(&figure1(Dispatch::JOIN_IDLE_QUEUE, blind(0.06)), 20.0, 4);
    println!("JIQ rate-idle");
    show(&figure1(Dispatch::JOIN_IDLE_QUEUE, idle), 20.0, 4);
    println!("JBT-1");
    let mut case = figure1(Dispatch::join_below_threshold(1), blind(0.2));
    case.arrivals = vec![(0.0, 0.6)];
    case.rates = (0.2, 0.1, 0.05);
    case.buffer = Some(60);
    case.warm = vec![0.0, 0.0, 0.1, 0.1, 0.1];
    show(&case, 40.0, 8);
    println!("JIQ both");
    let mut case = figure1(Dispatch::JOIN_IDLE_QUEUE, idle);
    case.arrivals = vec![(0.0, 0.8)];
    case.rates = (0.1, 0.15, 0.05);
    case.buffer = Some(150);
    case.warm = vec![0.0, 0.1, 0.2, 0.2];
    show(&case, 40.0, 8);
    println!("JIQ steps");
    let mut case = figure1(Dispatch::JOIN_IDLE_QUEUE, blind(0.1));
    case.arrivals = vec![(0.0, 0.5), (15.0, 0.9), (40.0, 0.2)];
    case.rates = (0.1, 0.2, 0.05);
    case.buffer = Some(60);
    case.warm = vec![0.6];
    show(&case, 45.0, 9);
    println!("cold start");
    let mut case = figure1(p2, blind(0.01));
    case.rates = (0.5, 0.1, 0.025);
    case.buffer = Some(5);
    case.warm = vec![];
    show(&case, 160.0, 32);
    println!("P2 rate idle");
    show(&figure1(p2, idle), 2000.0, 4);
}
