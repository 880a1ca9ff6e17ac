//! Where a replication stops on its way, and what for.

use crate::Problem;

/// What is to be done at a stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Task {
    /// From now on jobs arrive at this rate.
    SetArrivalRate(f64),
    /// The warm-up is over.
    BeginAverages,
    /// The state is reported.
    Look,
    /// Nothing but a look at the clock.
    Pause,
}

/// All stops of a problem's replications, with their times, in order; the first sets the arrival rate, the last is a look at the
/// horizon.
pub(crate) fn agenda(problem: &Problem) -> Vec<(f64, Task)> {
    let grid = &problem.grid;
    let mut stops = Vec::with_capacity(grid.points() + 2);
    let mut next_point = 0;
    for segment in problem.model.arrivals().segments(grid.horizon()) {
        stops.push((segment.start, Task::SetArrivalRate(segment.rate)));
        // A report time at a step comes before it: the state is the same, and its arrival rate is the profile's.
        while next_point < grid.points() && grid.time(next_point) <= segment.end {
            stops.push((grid.time(next_point), Task::Look));
            next_point += 1;
        }
    }
    let warm = stops[1..].partition_point(|stop| stop.0 < problem.warm_up);
    stops.insert(1 + warm, (problem.warm_up, Task::BeginAverages));
    match problem.patience() {
        None => stops,
        Some(patience) => with_pauses(&stops, patience),
    }
}

/// With pauses wherever stops are further apart than `patience`; none comes at the time of a stop.
fn with_pauses(stops: &[(f64, Task)], patience: f64) -> Vec<(f64, Task)> {
    let mut all = Vec::with_capacity(stops.len());
    let mut last = 0.0;
    for &(time, task) in stops {
        let parts = ((time - last) / patience).ceil() as u32;
        let pause = |part| last + (time - last) * (f64::from(part) / f64::from(parts));
        let pauses = (1..parts).map(|part| (pause(part), Task::Pause));
        all.extend(pauses.filter(|pause| pause.0 > last && pause.0 < time));
        all.push((time, task));
        last = time;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use alba_model::{ArrivalProfile, Buffer, Counts, Grid, Model, Rates, Scheme};

    #[test]
    fn averages_begin_before_anything_else_at_their_time() {
        let model = Model::new(
            ArrivalProfile::steps(vec![(0.0, 0.5), (2.0, 0.9), (9.0, 0.1)]).unwrap(),
            Rates::new(0.6, 0.4, 0.3).unwrap(),
            Buffer::Infinite,
            Scheme::catalogue().unwrap()[0],
        )
        .unwrap();
        let start = Counts { cold: 0, initializing: 0, warm: vec![1], waiting: 0 };
        let stops = |warm_up: f64| {
            agenda(
                &Problem::new(model.clone(), start.clone(), Grid::new(4.0, 2).unwrap(), warm_up, None)
                    .unwrap(),
            )
        };
        let [rate, look] = [Task::SetArrivalRate, |_| Task::Look];
        let path = [(0.0, rate(0.5)), (0.0, look(0.0)), (2.0, look(0.0)), (2.0, rate(0.9)), (4.0, look(0.0))];
        for (warm_up, place) in [(0.0, 1), (1.0, 2), (2.0, 2), (3.0, 4)] {
            let mut expected = path.to_vec();
            expected.insert(place, (warm_up, Task::BeginAverages));
            assert_eq!(stops(warm_up), expected);
        }
    }
}
