//! The fluid model driven step by step, as those do who want to look at it as it goes.

use crate::fluid_random::System;
use crate::oracle::fluid::{Fluid, distance};
use alba_fluid::{Guard, Outcome, Problem, Solver, StopReason, Tolerances, solve};
use alba_model::{Dispatch, Grid, ScalingRule, Scheme};

fn system(scheme: Scheme, rates: (f64, f64, f64)) -> System {
    System {
        scheme,
        arrivals: vec![(0.0, 0.3), (15.0, 0.9), (30.0, 0.0), (40.0, 0.5)],
        rates,
        buffer: Some(8),
        initializing: 0.0,
        warm: vec![0.2, 0.1],
        horizon: 400.0,
    }
}

/// Explicit and implicit steps, all kinds of events, a state that settles.
fn systems() -> Vec<System> {
    let blind = ScalingRule::blind(0.5).unwrap();
    let shortage = ScalingRule::capacity_shortage(3.0).unwrap();
    let below = Dispatch::join_below_threshold;
    let mut systems = Vec::new();
    for rates in [(0.5, 0.2, 0.1), (30.0, 1e3, 0.1), (2.0, 0.2, 1e4)] {
        for scheme in [
            Scheme::asynchronous(Dispatch::JOIN_IDLE_QUEUE, blind),
            Scheme::asynchronous(below(2), shortage),
            Scheme::asynchronous(Dispatch::power_of_d(2).unwrap(), shortage),
            Scheme::tabs(2).unwrap(),
        ] {
            systems.push(system(scheme, rates));
        }
    }
    systems.push(System { warm: vec![], ..system(Scheme::tabs(2).unwrap(), (0.5, 0.2, 0.1)) });
    systems
}

fn problem(system: &System, grid: Grid) -> Problem {
    Problem::new(system.model(), system.start(), grid, Tolerances::default()).unwrap()
}

fn every(system: &System, samples: usize) -> Problem {
    problem(system, Grid::new(system.horizon, samples).unwrap())
}

#[test]
fn step_by_step_is_the_whole_run_bit_by_bit() {
    for system in systems() {
        let problem = every(&system, 30);
        let whole = solve(&problem).unwrap();
        let mut solver = Solver::new(&problem).unwrap();
        let (mut steps, mut time, mut seen) = (0, 0.0, 0);
        loop {
            let reason = solver.step().unwrap();
            assert!(solver.time() >= time, "{system:?}");
            time = solver.time();
            let taken = seen..solver.snapshots().len();
            assert_eq!(solver.snapshots()[taken.clone()], whole.snapshots[taken.clone()]);
            seen = taken.end;
            assert!(solver.state_at(time).unwrap() == Some(solver.state().unwrap()));
            match reason {
                StopReason::Horizon => break,
                StopReason::Step => steps += 1,
                StopReason::Event(_) | StopReason::Settled => {}
            }
        }
        assert_eq!(solver.step().unwrap(), StopReason::Horizon, "further steps do nothing");
        assert_eq!(solver.regime(), whole.switches.last().map_or(solver.regime(), |switch| switch.to));
        assert!(steps <= whole.statistics.steps && time == system.horizon, "{system:?}");
        let Outcome { snapshots, switches, statistics, stop } = whole;
        assert_eq!((solver.snapshots(), solver.switches()), (&snapshots[..], &switches[..]));
        assert_eq!(solver.statistics(), statistics);
        assert_eq!(solver.finish().unwrap().stop, stop);
    }
}

/// Guards that the steps end on are those of the switches, at the same times.
#[test]
fn every_switch_is_the_end_of_a_step() {
    for system in systems() {
        let problem = every(&system, 3);
        let mut solver = Solver::new(&problem).unwrap();
        let (mut regime, mut seen) = (solver.regime(), 0);
        loop {
            let reason = solver.step().unwrap();
            if solver.switches().len() > seen {
                let last = solver.switches()[seen];
                seen += 1;
                assert!(matches!(reason, StopReason::Event(_)), "{reason:?}");
                assert_eq!((last.from, last.to), (regime, solver.regime()), "{system:?}");
                assert!(last.time <= solver.time() && solver.time() < last.time + 0.1);
            }
            assert_eq!(seen, solver.switches().len(), "one at a time");
            regime = solver.regime();
            match reason {
                StopReason::Event(Guard::ArrivalRateStep) => {
                    assert_eq!(solver.arrival_rate(), system.model().arrivals().rate_at(solver.time()));
                }
                StopReason::Event(_) | StopReason::Step | StopReason::Settled => {}
                StopReason::Horizon => break,
            }
        }
    }
}

/// The state within a step is that of a run with a report time there.
#[test]
fn the_state_within_a_step() {
    for system in systems() {
        let fine = solve(&every(&system, 1000)).unwrap();
        let problem = every(&system, 2);
        let mut solver = Solver::new(&problem).unwrap();
        let (mut start, mut looked_at) = (0.0, 0);
        while solver.step().unwrap() != StopReason::Horizon {
            let times = start..=solver.time();
            for snapshot in fine.snapshots.iter().filter(|snapshot| times.contains(&snapshot.time)) {
                let Some(state) = solver.state_at(snapshot.time).unwrap() else { continue };
                let off = distance(&Fluid::from(&state), &Fluid::from(&snapshot.state));
                assert!(off < 1e-9, "t {}: {off:e} {system:?}", snapshot.time);
                looked_at += 1;
            }
            assert_eq!(solver.state_at(solver.time() + 1e-9).unwrap(), None);
            start = solver.time();
        }
        assert!(looked_at > 990, "{looked_at} of 1000 {system:?}");
    }
}
