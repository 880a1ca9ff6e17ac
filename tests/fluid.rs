//! The fluid model against reference numbers: an independent integrator agrees with all of them to the digits shown.

use alba_fluid::{FluidError, Guard, Outcome, Problem, Stop, Tolerances, solve};
use alba_model::{
    ArrivalProfile, Buffer, Dispatch, Grid, Measure, Model, Occupancy, Place, PowerDraw, Rates, ScalingRule,
    Scheme,
};

/// A system by its parameters, as a table of cases lists them.
pub(crate) struct Case {
    dispatch: Dispatch,
    scaling: ScalingRule,
    arrivals: Vec<(f64, f64)>,
    rates: (f64, f64, f64),
    buffer: Option<u32>,
    warm: Vec<f64>,
    initializing: f64,
}

impl Case {
    pub(crate) fn run(&self, horizon: f64, samples: usize) -> Outcome {
        self.try_run(horizon, samples, Tolerances::default()).unwrap()
    }

    pub(crate) fn model(&self) -> Model {
        let (alpha, beta, gamma) = self.rates;
        Model::new(
            ArrivalProfile::steps(self.arrivals.clone()).unwrap(),
            Rates::new(alpha, beta, gamma).unwrap(),
            self.buffer.map_or(Buffer::Infinite, |b| Buffer::finite(b).unwrap()),
            Scheme::asynchronous(self.dispatch, self.scaling),
        )
        .unwrap()
    }

    pub(crate) fn start(&self) -> Occupancy {
        Occupancy::new(self.initializing, self.warm.clone()).unwrap()
    }

    fn try_run(&self, horizon: f64, samples: usize, tolerances: Tolerances) -> Result<Outcome, FluidError> {
        let grid = Grid::new(horizon, samples).unwrap();
        let outcome = solve(&Problem::new(self.model(), self.start(), grid, tolerances)?)?;
        assert_physical(&outcome);
        Ok(outcome)
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

/// Fractions sum to one, none is negative, arrivals go somewhere.
fn assert_physical(outcome: &Outcome) {
    for at in &outcome.snapshots {
        let state = &at.state;
        let sum = state.cold() + state.initializing() + state.warm();
        assert!((sum - 1.0).abs() < 1e-12, "mass {sum} at {}", at.time);
        assert!(
            state.levels().iter().chain([&state.cold(), &state.initializing()]).all(|share| *share >= 0.0)
        );
        let arrived = at.inflow.accepted() + at.inflow.rejected + at.inflow.lost;
        assert!((arrived - at.arrival_rate).abs() < 1e-8, "arrivals {arrived} at {}", at.time);
    }
}

fn blind(theta: f64) -> ScalingRule {
    ScalingRule::blind(theta).unwrap()
}

fn rate_idle() -> ScalingRule {
    ScalingRule::rate_idle(1.0, 1.0).unwrap()
}

fn power_of_two() -> Dispatch {
    Dispatch::power_of_d(2).unwrap()
}

/// JBT-1 + Blind, started and sliding without servers below the threshold; the cold pool empties meanwhile.
fn sliding_jbt() -> Case {
    Case {
        dispatch: Dispatch::join_below_threshold(1),
        scaling: blind(0.2),
        arrivals: vec![(0.0, 0.6)],
        rates: (0.2, 0.1, 0.05),
        buffer: Some(60),
        warm: vec![0.0, 0.0, 0.1, 0.1, 0.1],
        initializing: 0.0,
    }
}

/// JIQ + Rate-Idle, both pools empty and freed at one moment.
fn doubly_sliding_jiq() -> Case {
    Case {
        dispatch: Dispatch::JOIN_IDLE_QUEUE,
        scaling: rate_idle(),
        arrivals: vec![(0.0, 0.8)],
        rates: (0.1, 0.15, 0.05),
        buffer: Some(150),
        warm: vec![0.0, 0.1, 0.2, 0.2],
        initializing: 0.0,
    }
}

/// JIQ + Blind under steps of the arrival rate that land in and out of sliding.
fn stepped_jiq() -> Case {
    Case {
        dispatch: Dispatch::JOIN_IDLE_QUEUE,
        scaling: blind(0.1),
        arrivals: vec![(0.0, 0.5), (15.0, 0.9), (40.0, 0.2)],
        rates: (0.1, 0.2, 0.05),
        buffer: Some(60),
        warm: vec![0.6],
        initializing: 0.0,
    }
}

fn cold_start() -> Case {
    Case { rates: (0.5, 0.1, 0.025), buffer: Some(5), warm: vec![], ..figure1(power_of_two(), blind(0.01)) }
}

use Measure::{Busy, Cold, Idle, Initializing, JobsPerServer, JobsPerWarm};
const PER_WARM: [Measure; 5] = [Cold, Initializing, Idle, Busy, JobsPerWarm];
const PER_SERVER: [Measure; 5] = [Cold, Initializing, Idle, Busy, JobsPerServer];

/// Compares the last snapshot with a row of printed digits; an empty cell is not printed.
#[track_caller]
fn assert_row(outcome: &Outcome, columns: [Measure; 5], printed: &str) {
    let at = outcome.snapshots.last().unwrap();
    for (measure, printed) in columns.into_iter().zip(printed.split(' ')) {
        if printed == "-" {
            continue;
        }
        let decimals = printed.split('.').nth(1).map_or(0, str::len);
        let unit = 10f64.powi(-(decimals as i32));
        let value = measure.value(&at.with(&PowerDraw::default())).unwrap();
        let expected: f64 = printed.parse().unwrap();
        // Half a unit is the printed number's own rounding; the rest the errors of both integrators.
        let allowed = 0.6 * unit;
        assert!((value - expected).abs() <= allowed, "{} at {}: {value} {printed}", measure.name(), at.time);
    }
}

#[track_caller]
fn assert_switches(outcome: &Outcome, expected: &[(f64, Guard)]) {
    let found: Vec<_> = outcome.switches.iter().map(|switch| (switch.time, switch.guard)).collect();
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found.0 - expected.0).abs() < 1e-7 && found.1 == expected.1, "{found:?} {expected:?}");
    }
}

#[test]
fn figure_1_to_the_printed_digits() {
    let case = figure1(power_of_two(), blind(0.06));
    for (time, printed) in [
        (5.0, ".312601884 .011804080 .098457483 .577136553 1.759789"),
        (20.0, ".286397386 .025939942 .030622543 .657040130 3.299597"),
        (80.0, ".170526512 .029989936 .082162939 .717320614 2.354207"),
        (4000.0, ".15 .03 .12 .7 1.906733"),
    ] {
        assert_row(&case.run(time, 1), PER_WARM, printed);
    }
    let end = case.run(4000.0, 1);
    let at = end.snapshots.last().unwrap();
    let response = Measure::MeanResponseTime.value(&at.with(&PowerDraw::default())).unwrap();
    assert!((response - 2.2336).abs() < 5e-5);
    for (measure, exact) in [(Cold, 0.15), (Initializing, 0.03), (Idle, 0.12), (Busy, 0.7)] {
        assert!((measure.value(&at.with(&PowerDraw::default())).unwrap() - exact).abs() < 1e-9);
    }
    assert!(matches!(end.stop, Stop::Settled { .. }));
    assert!(end.switches.is_empty());
}

#[test]
fn jiq_and_blind() {
    let case = figure1(Dispatch::JOIN_IDLE_QUEUE, blind(0.06));
    assert_row(&case.run(5.0, 1), PER_WARM, ".300983851 - - .687212069 1.019440");
    let outcome = case.run(20.0, 7);
    assert_row(&outcome, PER_WARM, "- - .014161942 .703470222 .981832");
    assert_switches(
        &outcome,
        &[(3.9150612, Guard::BelowThresholdEmpties), (17.3221352, Guard::BelowThresholdRefills)],
    );
}

#[test]
fn jiq_and_rate_idle() {
    let outcome = figure1(Dispatch::JOIN_IDLE_QUEUE, rate_idle()).run(20.0, 3);
    assert_row(&outcome, PER_WARM, ".284048586 .005165153 .010786204 .700000057 -");
    assert_switches(
        &outcome,
        &[(4.8908082, Guard::BelowThresholdEmpties), (7.2668223, Guard::BelowThresholdRefills)],
    );
}

#[test]
fn sliding_with_a_threshold() {
    for (time, printed) in [
        (5.0, ".5 .157387736 0 .342612264 2.326122639"),
        (20.0, "0 .257386200 0 .742613800 3.451138001"),
        (40.0, "0 .117885019 .269481821 .612633159 .952751543"),
    ] {
        assert_row(&sliding_jbt().run(time, 1), PER_SERVER, printed);
    }
    assert_switches(
        &sliding_jbt().run(40.0, 1),
        &[(17.5, Guard::ColdPoolEmpties), (23.6758827, Guard::BelowThresholdRefills)],
    );
}

#[test]
fn both_pools_empty_and_freed_together() {
    for (time, printed) in [
        (5.0, ".162046061 .237114573 0 .600839366 2.421453020"),
        (20.0, "0 .045800211 0 .954199789 1.983749240"),
        (40.0, ".092033597 .002280258 .105059230 .800626914 .801568345"),
    ] {
        assert_row(&doubly_sliding_jiq().run(time, 1), PER_SERVER, printed);
    }
    let outcome = doubly_sliding_jiq().run(40.0, 1);
    assert_switches(
        &outcome,
        &[(7.5907090, Guard::ColdPoolEmpties), (23.5092352, Guard::BelowThresholdRefills)],
    );
    assert_eq!(outcome.switches[1].to, alba_fluid::Regime::INTERIOR);
}

#[test]
fn steps_of_the_arrival_rate() {
    for (time, printed) in [
        (5.0, ".393986250 .031606028 .077776696 .496631026 .496631026"),
        (20.0, ".291217274 .049084218 0 .659698508 1.840893761"),
        (40.0, ".091217274 .049983227 0 .858799499 4.660744201"),
    ] {
        assert_row(&stepped_jiq().run(time, 1), PER_SERVER, printed);
    }
    assert_switches(
        &stepped_jiq().run(45.0, 1),
        &[(15.3371575, Guard::BelowThresholdEmpties), (40.4317667, Guard::BelowThresholdRefills)],
    );
}

#[test]
fn scaling_from_zero() {
    for (time, printed) in [
        (5.0, ".975000 .019673 .000008 .005319 .026499"),
        (20.0, ".900029 .043233 .000182 .056555 .278536"),
        (40.0, ".800218 .049084 .000591 .150107 .725607"),
        (160.0, ".223784 .050000 .036914 .689302 2.275590"),
    ] {
        assert_row(&cold_start().run(time, 1), PER_SERVER, printed);
    }
    let endless = Case { buffer: None, ..cold_start() };
    let error = endless.try_run(1.0, 1, Tolerances::default()).unwrap_err();
    assert_eq!(error, FluidError::ColdStartNeedsBuffer { time: 0.0 });
}

#[test]
fn a_cold_pool_that_stays_empty() {
    let outcome = figure1(power_of_two(), rate_idle()).run(2000.0, 5);
    assert_row(&outcome, PER_WARM, "0 .06 .24 .7 1.296757");
    assert_switches(&outcome, &[(13.9809873, Guard::ColdPoolEmpties)]);
}

#[test]
fn queues_that_grow_for_ever_are_an_error() {
    let overloaded = Case {
        arrivals: vec![(0.0, 1.5)],
        buffer: None,
        warm: vec![0.5],
        ..figure1(Dispatch::JOIN_IDLE_QUEUE, blind(1.0))
    };
    let error = overloaded.try_run(1e6, 1, Tolerances::default()).unwrap_err();
    assert!(matches!(error, FluidError::TooManyLevels { levels: 10_000, .. }), "{error}");
}

/// The hard cases, each with a time by which it has passed all its switches.
pub(crate) fn hard_cases() -> Vec<(&'static str, Case, f64)> {
    vec![
        ("Power-of-2, smooth", figure1(power_of_two(), blind(0.06)), 30.0),
        ("JIQ + Blind", figure1(Dispatch::JOIN_IDLE_QUEUE, blind(0.06)), 20.0),
        ("JIQ + Rate-Idle", figure1(Dispatch::JOIN_IDLE_QUEUE, rate_idle()), 20.0),
        ("JBT-1 sliding", sliding_jbt(), 40.0),
        ("JIQ doubly sliding", doubly_sliding_jiq(), 40.0),
        ("JIQ stepped", stepped_jiq(), 45.0),
        ("Power-of-2 cold start", cold_start(), 40.0),
    ]
}

fn distance(a: &Outcome, b: &Outcome) -> f64 {
    let (a, b) = (&a.snapshots.last().unwrap().state, &b.snapshots.last().unwrap().state);
    let levels = (0..a.levels().len().max(b.levels().len())).map(|i| (a.warm_with(i) - b.warm_with(i)).abs());
    levels
        .chain([(a.cold() - b.cold()).abs(), (a.initializing() - b.initializing()).abs()])
        .fold(0.0, f64::max)
}

/// Errors fall with the tolerance asked, in proportion, through every switch; run with `--nocapture` for the table.
/// At the tightest tolerances within 1e-8 of a run at a tighter one, by far.
#[test]
fn work_and_precision() {
    println!("case, relative tolerance, evaluations, error, switch time error");
    for (name, case, horizon) in hard_cases() {
        let run = |relative: f64| {
            let tolerances = Tolerances::new(relative, (1e-2 * relative).max(1e-13)).unwrap();
            case.try_run(horizon, 1, tolerances).unwrap()
        };
        let exact = run(1e-13);
        for exponent in [4, 6, 8, 10, 12] {
            let relative = 10f64.powi(-exponent);
            let outcome = run(relative);
            let error = distance(&outcome, &exact);
            assert_eq!(outcome.switches.len(), exact.switches.len(), "{name}");
            let times = outcome.switches.iter().zip(&exact.switches).map(|(a, b)| (a.time - b.time).abs());
            let late = times.fold(0.0, f64::max);
            println!("{name}, 1e-{exponent}, {}, {error:.1e}, {late:.1e}", outcome.statistics.evaluations);
            assert!(error < 10.0 * relative + 1e-13, "{name}: {error:e} at {relative:e}");
            assert!(late < 300.0 * relative + 1e-12, "{name}: switch {late:e} off at {relative:e}");
        }
    }
}

/// A switch costs no accuracy: errors fall with the number of evaluations as they do on the smooth problem.
#[test]
fn order_through_a_switch() {
    let mut slopes = Vec::new();
    for (name, case, horizon) in hard_cases().into_iter().take(2) {
        let run = |relative: f64| {
            let tolerances = Tolerances::new(relative, 1e-2 * relative).unwrap();
            case.try_run(horizon, 1, tolerances).unwrap()
        };
        let exact = Tolerances::new(1e-13, 1e-13).unwrap();
        let exact = case.try_run(horizon, 1, exact).unwrap();
        let point = |relative| {
            let outcome = run(relative);
            ((outcome.statistics.evaluations as f64).ln(), distance(&outcome, &exact).ln())
        };
        let (coarse, fine) = (point(1e-7), point(1e-10));
        let slope = (coarse.1 - fine.1) / (fine.0 - coarse.0);
        println!("{name}: error ~ evaluations^-{slope:.2}");
        slopes.push(slope);
    }
    assert!(slopes.iter().all(|slope| *slope > 4.5), "{slopes:?}");
}

/// Warm shortage without expirations: all scaling times start a server until `y_0 = lambda - 1/c`, then ever fewer, along a
/// damped oscillation, until `y_0 = lambda`, then none.
#[test]
fn through_both_kinks_of_a_rule() {
    let (lambda, alpha, beta, gain, start, horizon) = (0.6, 0.1, 0.5, 4.0, 0.1, 30.0);
    let case = Case {
        rates: (alpha, beta, 0.0),
        arrivals: vec![(0.0, lambda)],
        buffer: Some(5),
        warm: vec![start],
        ..figure1(Dispatch::power_of_d(1).unwrap(), ScalingRule::warm_shortage(gain).unwrap())
    };
    let initializing = |t: f64| alpha / beta * (1.0 - (-beta * t).exp());
    let (mut low, mut high) = (0.0, horizon);
    for _ in 0..60 {
        let t = 0.5 * (low + high);
        let warm = start + alpha * t - initializing(t);
        (low, high) = if warm < lambda - 1.0 / gain { (t, high) } else { (low, t) };
    }
    let (short, slope) = (1.0 / gain, -beta * initializing(low));
    let frequency = (alpha * beta * gain - beta * beta / 4.0).sqrt();
    let lag = (slope + beta * short / 2.0) / frequency;
    let phase = (-short / lag).atan(); // where the oscillation is first at zero
    let since = phase / frequency;
    let swing = frequency * (short * phase.sin() - lag * phase.cos());
    let left = (-beta * since / 2.0).exp() * swing / beta; // initializing when the shortage ends
    let rest = (-beta * (horizon - low - since)).exp();
    let outcome = case.run(horizon, 1);
    let state = &outcome.snapshots[1].state;
    let exact = [lambda + left * (1.0 - rest), left * rest];
    for (found, exact) in [state.warm(), state.initializing()].into_iter().zip(exact) {
        assert!((found - exact).abs() < 1e-11, "{found} {exact}: {:e}", found - exact);
    }
    assert_eq!(outcome.statistics.rejected_steps, 0);
}

/// Evaluations at default tolerances. A change of more than rounding can cause means that the solver has become
/// more or less efficient: then correct the figure, and say so. The last one fills buffers in explicit steps, whose evaluations
/// cost a quarter of those of stiff ones, of which it took 9123.
#[test]
fn golden_evaluation_counts() {
    let golden = [3038, 1835, 1372, 4849, 3335, 3290, 14_715];
    let counted: Vec<usize> =
        hard_cases().iter().map(|(_, case, horizon)| case.run(*horizon, 1).statistics.evaluations).collect();
    println!("{counted:?}");
    for (counted, golden) in counted.iter().zip(golden) {
        assert!(counted.abs_diff(golden) * 50 <= golden, "{counted} evaluations, {golden} expected");
    }
}

/// Demand beyond all capacity: JIQ slides without idle servers, JBT-2 too, for 10^5 service times.
#[test]
fn sliding_for_ever_costs_little() {
    for dispatch in [Dispatch::JOIN_IDLE_QUEUE, Dispatch::join_below_threshold(2)] {
        let case = Case {
            arrivals: vec![(0.0, 0.7), (50.0, 1.1), (60_000.0, 1.2), (99_990.0, 0.3)],
            buffer: Some(20),
            ..figure1(dispatch, blind(0.06))
        };
        let outcome = case.run(1e5, 10);
        assert!(outcome.statistics.evaluations < 100_000, "{:?}", outcome.statistics);
        let late = outcome.snapshots[5].inflow.rejected;
        assert!(late > 0.0999, "overload is rejected: {late}");
    }
}

/// A guard that only touches zero: the cold pool of this system falls to a minimum and rises again. With the minimum
/// just above and just below zero, the trajectories differ as little as the starts do.
#[test]
fn touching_a_boundary() {
    let case = |cold: f64| Case {
        arrivals: vec![(0.0, 0.8), (6.0, 0.1)],
        rates: (0.2, 1.0, 0.05),
        warm: vec![1.0 - cold],
        ..figure1(Dispatch::JOIN_IDLE_QUEUE, rate_idle())
    };
    let lowest = |cold: f64| {
        let outcome = case(cold).run(12.0, 1200);
        let lowest = outcome.snapshots.iter().map(|at| at.state.cold()).fold(1.0, f64::min);
        (lowest, outcome)
    };
    let (mut low, mut high) = (0.0, 0.3);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if lowest(middle).0 > 0.0 { high = middle } else { low = middle }
    }
    assert!(low > 0.01, "the minimum is inside the run, not at its start");
    let (above, below) = (lowest(high + 1e-9).1, lowest(low - 1e-9).1);
    assert!(distance(&above, &below) < 1e-7, "{}", distance(&above, &below));
}

/// The model's own transitions as a right-hand side for another solver: levels, no regimes.
struct Transitions(Model);

impl ode_solvers::System<f64, ode_solvers::DVector<f64>> for Transitions {
    fn system(&self, time: f64, x: &ode_solvers::DVector<f64>, dx: &mut ode_solvers::DVector<f64>) {
        let shares: Vec<f64> = x.iter().map(|share| share.max(0.0)).collect();
        let total: f64 = shares.iter().sum();
        let warm = shares[2..].iter().map(|share| share / total).collect();
        let state = Occupancy::from_fractions(shares[0] / total, shares[1] / total, warm).unwrap();
        let index = |place: Place| match place {
            Place::Cold => 0,
            Place::Initializing => 1,
            Place::Warm(level) => 2 + level,
        };
        dx.fill(0.0);
        self.0.for_each_transition(&state, self.0.arrivals().rate_at(time), &mut |transition| {
            for step in transition.moves.iter().flatten().filter(|step| index(step.to) < x.len()) {
                dx[index(step.from)] -= transition.rate;
                dx[index(step.to)] += transition.rate;
            }
        });
    }
}

/// On smooth stretches another solver, given nothing but the transitions, finds the same curve to 1e-7.
#[test]
fn another_solver_on_smooth_stretches() {
    let sixty = |dispatch| Case { buffer: Some(60), ..figure1(dispatch, blind(0.06)) };
    for (case, horizon) in [
        (sixty(power_of_two()), 20.0),
        (sixty(Dispatch::power_of_d(3).unwrap()), 20.0),
        (Case { warm: vec![0.2, 0.3, 0.2], ..sixty(Dispatch::join_below_threshold(1)) }, 1.0),
    ] {
        let mut start = vec![case.start().cold(), 0.0];
        start.extend((0..=60).map(|level| case.start().warm_with(level)));
        let start = ode_solvers::DVector::from_vec(start);
        let mut solver = ode_solvers::Dopri5::from_param(
            Transitions(case.model()),
            0.0,
            horizon,
            horizon,
            start,
            1e-10,
            1e-12,
            0.9,
            0.04,
            0.2,
            10.0,
            horizon,
            0.0,
            1_000_000,
            u32::MAX, // its alarm about stiffness is false here
            ode_solvers::OutputType::Sparse,
        );
        solver.integrate().unwrap();
        let (end, ours) = (solver.y_out().last().unwrap(), case.run(horizon, 1));
        let state = &ours.snapshots[1].state;
        assert!(ours.switches.is_empty());
        assert!((end[0] - state.cold()).abs() < 1e-7 && (end[1] - state.initializing()).abs() < 1e-7);
        for level in 0..=60 {
            assert!((end[2 + level] - state.warm_with(level)).abs() < 1e-7, "{} {level}", case.dispatch);
        }
    }
}

/// Report times that fall into the first moments after the pool below the threshold opens get the state of their own
/// time: with this slow crossing those moments hold about ninety of them.
#[test]
fn dense_reports_after_a_departure() {
    let case = Case {
        dispatch: Dispatch::join_below_threshold(4),
        scaling: ScalingRule::None,
        arrivals: vec![(0.0, 0.153857421875)],
        rates: (8.0, 0.27191104352792506, 6.0),
        buffer: Some(10),
        warm: vec![0.0, 0.0, 0.0, 0.0, 0.0, 0.04100486766324372, 0.008, 0.03, 0.0, 0.0, 0.4],
        initializing: 0.083,
    };
    let outcome = case.run(0.07, 10_000);
    assert_eq!(outcome.switches.len(), 1);
    let pairs = outcome.snapshots.windows(2);
    let steps = pairs.map(|pair| pair[0].state.initializing() - pair[1].state.initializing());
    let expected = 0.27191104352792506 * 0.083 * 0.07 / 10_000.0; // beta x01 over an interval
    for step in steps {
        assert!((step / expected - 1.0).abs() < 0.03, "{step}, not {expected}");
    }
}
