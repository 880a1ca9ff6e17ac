//! How well the fluid model predicts the simulated means.

use crate::answer::measures;
use alba_model::Measure;
use alba_table::{Cell, Table};

/// Differences below this are rounding: a measure that no replication varies in has an interval of width 0.
const ROUNDING: f64 = 1e-9;

/// Columns of the table of agreement.
const COLUMNS: [&str; 10] = [
    "scenario",
    "measure",
    "largest_difference",
    "at_time",
    "fluid",
    "simulated",
    "half_width",
    "share_inside_interval",
    "mean_difference",
    "at_time_s",
];

/// The columns of a measure in a comparison's table.
pub(super) fn columns(measure: Measure) -> [String; 3] {
    let name = measure.name();
    [format!("fluid_{name}"), format!("simulated_{name}"), format!("simulated_{name}_half_width")]
}

/// An empty table of agreement.
pub(super) fn empty() -> Table {
    Table::new(COLUMNS)
}

/// Adds a row for each measure of `comparison`: its largest difference between fluid and simulated value over the
/// grid, where that is, the share of the grid's points at which the 95 % interval holds the fluid value, and the mean
/// difference over the grid; `at_time_s` is where it is in seconds, where that is known. At finite `N` that share stays below 95 % with many replications: the interval narrows,
/// the distance to the limit does not.
pub(super) fn add(agreement: &mut Table, scenario: &str, service_time_s: Option<f64>, comparison: &Table) {
    for measure in measures(None) {
        let found = columns(measure).map(|column| comparison.numbers(&column).unwrap_or_default());
        let times = comparison.numbers("time").unwrap_or_default();
        let points: Vec<Point> = (0..times.len()).filter_map(|index| point(&times, &found, index)).collect();
        let mut row = vec![Cell::from(scenario), measure.name().into()];
        row.extend(describe(&points, service_time_s));
        agreement.push(row);
    }
}

/// A grid point at which both engines have a value.
struct Point {
    time: f64,
    fluid: f64,
    simulated: f64,
    half_width: Option<f64>,
}

impl Point {
    fn difference(&self) -> f64 {
        (self.fluid - self.simulated).abs()
    }
}

fn point(times: &[Option<f64>], found: &[Vec<Option<f64>>; 3], index: usize) -> Option<Point> {
    let value = |column: &Vec<Option<f64>>| column.get(index).copied().flatten();
    let [fluid, simulated, half_width] = found;
    Some(Point {
        time: times[index]?,
        fluid: value(fluid)?,
        simulated: value(simulated)?,
        half_width: value(half_width),
    })
}

fn describe(points: &[Point], service_time_s: Option<f64>) -> Vec<Cell> {
    let worse = |a: &&Point, b: &&Point| a.difference().total_cmp(&b.difference());
    // The first of equals: of measures that are 0 everywhere, at the start.
    let Some(worst) = points.iter().rev().max_by(worse) else {
        return vec![];
    };
    let judged: Vec<bool> =
        points.iter().filter_map(|point| Some(point.difference() <= point.half_width? + ROUNDING)).collect();
    let inside = judged.iter().filter(|inside| **inside).count() as f64 / judged.len() as f64;
    vec![
        worst.difference().into(),
        worst.time.into(),
        worst.fluid.into(),
        worst.simulated.into(),
        worst.half_width.into(),
        inside.into(),
        (points.iter().map(Point::difference).sum::<f64>() / points.len() as f64).into(),
        service_time_s.map(|length| worst.time * length).into(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_point_and_the_share_inside() {
        let mut comparison = Table::new(["time".to_owned()].into_iter().chain(columns(Measure::Idle)));
        for (time, fluid, simulated, half_width) in [
            (0.0, 0.5, 0.5, Some(0.0)),
            (1.0, 0.5, 0.75, Some(0.125)),
            (2.0, 0.5, 0.625, Some(0.25)),
            (3.0, 0.1, 0.2, None),
        ] {
            comparison.push(vec![time.into(), fluid.into(), simulated.into(), half_width.into()]);
        }
        let mut agreement = empty();
        add(&mut agreement, "x", Some(0.5), &comparison);
        let idle = agreement.rows().iter().find(|row| row[1] == Cell::from("idle")).unwrap();
        let numbers: Vec<_> = idle[2..].iter().map(Cell::number).collect();
        assert_eq!(numbers[..5], [0.25, 1.0, 0.5, 0.75, 0.125].map(Some));
        assert_eq!(numbers[5], Some(2.0 / 3.0));
        assert_eq!(numbers[6..], [Some(0.11875), Some(0.5)]);
        let busy = agreement.rows().iter().find(|row| row[1] == Cell::from("busy")).unwrap();
        assert!(busy[2..].iter().all(|cell| *cell == Cell::Empty));
    }
}
