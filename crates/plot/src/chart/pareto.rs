//! Two costs against each other, and what no other choice beats.

use super::lines::{axis, look};
use super::rows::Rows;
use super::{Chart, ChartError};
use crate::{Colour, Figure, Panel, Series, Stroke};

pub(super) fn figure(rows: &Rows<'_>, request: &Chart) -> Result<Figure, ChartError> {
    let [y] = &request.y[..] else { return Err(ChartError::OneColumn { columns: request.y.len() }) };
    let (xs, ys, labels) = (rows.numbers(&request.x)?, rows.numbers(y)?, rows.labels(&request.by)?);
    let mut series: Vec<Series> = vec![];
    for (row, label) in labels.iter().enumerate() {
        let Some(point) = xs[row].zip(ys[row]) else { continue };
        let index = series.iter().position(|series| series.label == *label).unwrap_or(series.len());
        if index == series.len() {
            let most = Colour::ALL.len() - 1;
            // The front is black.
            let (colour, _) = look(index).filter(|_| index < most).ok_or(ChartError::TooManyCurves {
                curves: labels.iter().collect::<std::collections::BTreeSet<_>>().len(),
                most,
            })?;
            let stroke = Stroke::Points;
            series.push(Series { label: label.clone(), colour, stroke, points: vec![], band: vec![] });
        }
        series[index].points.push((point.0, Some(point.1)));
    }
    let points: Vec<(f64, f64)> = xs.into_iter().zip(ys).filter_map(|(x, y)| x.zip(y)).collect();
    if points.is_empty() {
        return Err(ChartError::NoRow);
    }
    let label = "Pareto front".to_owned();
    let points = steps(&front(points));
    series.push(Series { label, colour: Colour::Black, stroke: Stroke::Thin, points, band: vec![] });
    let (x, y) = (axis(&request.x, request.log_x), axis(y, request.log_y));
    let panel = Panel { title: String::new(), x, y, series };
    Ok(Figure { title: request.title.clone(), caption: String::new(), columns: 1, panels: vec![panel] })
}

/// The points that no other one is below in one coordinate and not above in the other; from left to right.
pub(super) fn front(mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut lowest = f64::INFINITY;
    points.retain(|point| {
        let keeps = point.1 < lowest;
        lowest = lowest.min(point.1);
        keeps
    });
    points
}

/// From one point to the next first to the right, then down: between them everything is beaten.
fn steps(front: &[(f64, f64)]) -> Vec<(f64, Option<f64>)> {
    let corners = front.windows(2).flat_map(|pair| [(pair[0].0, pair[0].1), (pair[1].0, pair[0].1)]);
    corners.chain(front.last().copied()).map(|(x, y)| (x, Some(y))).collect()
}
