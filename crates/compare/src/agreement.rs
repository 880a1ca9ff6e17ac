//! How well the fluid model predicts the simulated means.

use crate::answer::measures;
use crate::both::Both;
use alba_model::Measure;
use alba_table::{Column, Schema};

/// Differences below this are rounding: a measure that no replication varies in has an interval of width 0.
const ROUNDING: f64 = 1e-9;

/// How well the fluid model predicts the simulated means of a measure over the grid. At finite `N` the share of points whose
/// interval holds the fluid value stays below 95 % with many replications: the interval narrows, the distance to the limit does not.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Agreement {
    scenario: String,
    pub(super) measure: Measure,
    service_time_s: Option<f64>,
    /// None where no point has both.
    found: Option<Described>,
}

/// Of all points at which both engines have a value.
#[derive(Debug, Clone, PartialEq)]
struct Described {
    /// Where the difference is largest.
    worst: Point,
    share_inside: Option<f64>,
    mean_difference: f64,
}

impl Agreement {
    /// One for each measure.
    pub(super) fn all(scenario: &str, service_time_s: Option<f64>, comparison: &[Both]) -> Vec<Self> {
        let agreement = |measure: Measure| {
            let points: Vec<Point> = comparison.iter().filter_map(|both| point(both, measure)).collect();
            Self { scenario: scenario.to_owned(), measure, service_time_s, found: describe(points) }
        };
        measures(None).into_iter().map(agreement).collect()
    }

    /// Over the grid.
    pub(super) fn mean_difference(&self) -> Option<f64> {
        self.found.as_ref().map(|found| found.mean_difference)
    }
}

pub(super) fn columns() -> Schema<'static, Agreement> {
    let worst = |name, meaning, of: fn(&Point) -> Option<f64>| {
        Column::new(name, "", meaning, move |row: &Agreement| of(&row.found.as_ref()?.worst))
    };
    Schema::new()
        .column("scenario", "", "its name", |row: &Agreement| row.scenario.clone())
        .column("measure", "", "what is compared", |row| row.measure.name())
        .columns([
            worst("largest_difference", "between fluid model and simulation", |at| Some(at.difference())),
            worst("at_time", "where it is, in service times", |at| Some(at.time)),
            worst("fluid", "there", |at| Some(at.fluid)),
            worst("simulated", "there", |at| Some(at.simulated)),
            worst("half_width", "there", |at| at.half_width),
        ])
        .column("share_inside_interval", "", "of points whose interval holds the fluid value", |row| {
            row.found.as_ref()?.share_inside
        })
        .column("mean_difference", "", "over the grid", Agreement::mean_difference)
        .column("at_time_s", "s", "where the largest is", |row| {
            Some(row.found.as_ref()?.worst.time * row.service_time_s?)
        })
}

/// A grid point at which both engines have a value.
#[derive(Debug, Clone, PartialEq)]
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

fn point(both: &Both, measure: Measure) -> Option<Point> {
    let simulated = both.simulated(measure);
    Some(Point {
        time: both.time,
        fluid: both.fluid(measure)?,
        simulated: simulated.value?,
        half_width: simulated.half_width,
    })
}

fn describe(points: Vec<Point>) -> Option<Described> {
    let judged: Vec<bool> =
        points.iter().filter_map(|point| Some(point.difference() <= point.half_width? + ROUNDING)).collect();
    let inside = judged.iter().filter(|inside| **inside).count() as f64;
    let share_inside = (!judged.is_empty()).then(|| inside / judged.len() as f64);
    let mean_difference = points.iter().map(Point::difference).sum::<f64>() / points.len() as f64;
    // The first of equals: of measures that are 0 everywhere, at the start.
    let worst = points.into_iter().rev().max_by(|a, b| a.difference().total_cmp(&b.difference()))?;
    Some(Described { worst, share_inside, mean_difference })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alba_ctmc::Estimate;

    #[test]
    fn the_worst_point_and_the_share_inside() {
        let points = [
            (0.0, 0.5, 0.5, Some(0.0)),
            (1.0, 0.5, 0.75, Some(0.125)),
            (2.0, 0.5, 0.625, Some(0.25)),
            (3.0, 0.1, 0.2, None),
        ];
        let comparison = points.map(|(time, fluid, simulated, half_width)| {
            let estimate = Estimate { value: Some(simulated), half_width };
            Both::of_values(time, &[(Measure::Idle, Some(fluid), estimate)])
        });
        let all = Agreement::all("x", Some(0.5), &comparison);
        let found = |measure| all.iter().find(|of| of.measure == measure).unwrap().found.clone();
        let idle = found(Measure::Idle).unwrap();
        let worst = Point { time: 1.0, fluid: 0.5, simulated: 0.75, half_width: Some(0.125) };
        assert_eq!((idle.worst.difference(), &idle.worst), (0.25, &worst));
        assert_eq!((idle.share_inside, idle.mean_difference), (Some(2.0 / 3.0), 0.11875));
        assert_eq!(found(Measure::Busy), None);
        let row = columns().row(&all[2]);
        assert_eq!(row.last(), Some(&alba_table::Cell::Number(0.5)));
    }
}
