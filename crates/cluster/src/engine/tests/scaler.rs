//! A scaler with times of its own that keeps servers warm, by hand.

use super::*;
use crate::scaling::Seen;

/// Looks at the end of every window: as many servers are wanted as requests came in it.
struct Window {
    length: f64,
    end: f64,
    came: usize,
    wanted: usize,
}

impl Scaler for Window {
    fn on_arrival(&mut self, _seen: &Seen<'_>) -> AtArrival {
        self.came += 1;
        AtArrival::Nothing
    }

    fn next_tick(&self) -> f64 {
        self.end
    }

    fn on_tick(&mut self, seen: &Seen<'_>, _random: &mut Stream) -> usize {
        self.wanted = std::mem::take(&mut self.came);
        self.end += self.length;
        self.wanted.saturating_sub(seen.servers - seen.cold)
    }

    fn may_go(&mut self, seen: &Seen<'_>) -> bool {
        seen.warm > self.wanted
    }
}

/// Two cold servers. Two requests are lost, and at 1 both servers start, to be warm at 1.5; idle for .25 they may not go. At 2
/// one is wanted, for the request that came at 1.6: the idle one goes. The other one is done at 1.9, is wanted at 2.15, and goes
/// after 3.
#[test]
fn a_scaler_looks_and_keeps_servers_warm() {
    let arrivals = Arrivals::times(vec![0.1, 0.2, 1.6]).unwrap();
    let mut problem = alone(arrivals, Law::deterministic(0.3).unwrap(), 4.0);
    problem.servers = Servers::new(vec![Group::new(2).unwrap()]).unwrap();
    problem.initial = Counts { cold: 2, initializing: 0, warm: vec![], waiting: 0 };
    problem.times.expiration = Some(Law::deterministic(0.25).unwrap());
    let mut engine = Engine::new(&problem, &Arbitrator::RoundRobin, 1, 0).unwrap();
    let length = engine.clock.duration(1.0);
    engine.scaler = Box::new(Window { length, end: length, came: 0, wanted: 0 });
    engine.next_scaling = length;
    engine.advance(4.0, true).unwrap();
    check(&engine);
    let (counts, areas) = (engine.counts(), engine.areas(4.0));
    assert_eq!((counts.arrived, counts.lost, counts.done), (3, 2, 1));
    for (area, expected) in
        [(areas.initializing, 1.0), (areas.busy, 0.3), (areas.idle, 0.5 + 1.2), (areas.cold, 5.0)]
    {
        assert!((area - expected).abs() < 1e-9, "{areas:?}");
    }
}

/// Without ticks a server that may not go stays until it has been idle anew.
#[test]
fn without_ticks_it_stays() {
    struct Stay;
    impl Scaler for Stay {
        fn may_go(&mut self, _seen: &Seen<'_>) -> bool {
            false
        }
    }
    let mut problem = alone(Arrivals::times(vec![1.0]).unwrap(), Law::deterministic(0.5).unwrap(), 9.0);
    problem.times.expiration = Some(Law::deterministic(0.0).unwrap());
    let mut engine = Engine::new(&problem, &Arbitrator::RoundRobin, 1, 0).unwrap();
    engine.scaler = Box::new(Stay);
    engine.advance(9.0, true).unwrap();
    assert_eq!((engine.counts().done, engine.areas(9.0).cold), (1, 0.0));
}
