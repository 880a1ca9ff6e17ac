//! Curves, with error bars where the table has half-widths.

use super::rows::{Rows, shown};
use super::{Chart, ChartError};
use crate::{Axis, Colour, Figure, Panel, Series, Stroke};
use alba_table::Cell;

pub(super) fn figure(rows: &Rows<'_>, request: &Chart) -> Result<Figure, ChartError> {
    let series = series(rows, request)?;
    let shown = series.iter().filter(|series| series.stroke == Stroke::Points).collect::<Vec<_>>();
    let bars = shown.iter().any(|series| !series.band.is_empty());
    let caption = if bars { "Bars: 95 % intervals." } else { "" };
    let panel = Panel {
        title: String::new(),
        x: axis(&request.x, request.log_x),
        y: axis(&request.y.join(", "), request.log_y),
        series,
    };
    Ok(Figure { title: request.title.clone(), caption: caption.to_owned(), columns: 1, panels: vec![panel] })
}

pub(super) fn axis(label: &str, logarithmic: bool) -> Axis {
    if logarithmic { Axis::log10(label) } else { Axis::linear(label) }
}

/// A colour for each curve, then a stroke: seven curves are unbroken.
pub(super) fn look(index: usize) -> Option<(Colour, Stroke)> {
    (index < Colour::CURVES).then(|| Colour::with_stroke(index))
}

/// For each curve its discs, with error bars, and the line through them.
pub(super) fn series(rows: &Rows<'_>, request: &Chart) -> Result<Vec<Series>, ChartError> {
    let xs = rows.numbers(&request.x)?;
    let labels = rows.labels(&request.by)?;
    let mut names: Vec<&String> = vec![];
    for label in &labels {
        if !names.contains(&label) {
            names.push(label);
        }
    }
    let (curves, most) = (names.len() * request.y.len(), Colour::CURVES);
    if curves > most {
        return Err(ChartError::TooManyCurves { curves, most });
    }
    let mut series = vec![];
    for y in &request.y {
        let (ys, half_widths) = (rows.numbers(y)?, rows.half_widths(y));
        for name in &names {
            let own = (0..labels.len()).filter(|row| labels[*row] == **name);
            let mut points: Vec<(f64, usize)> = own.filter_map(|row| Some((xs[row]?, row))).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            once(rows, request, &points, name)?;
            let Some((colour, stroke)) = look(series.len() / 2) else { break };
            let label = match (request.y.len(), name.is_empty()) {
                (1, _) => (*name).clone(),
                (_, true) => y.clone(),
                (_, false) => format!("{y}, {name}"),
            };
            let band = points.iter().filter_map(|&(x, row)| {
                let (value, half_width) = ys[row].zip(half_widths[row])?;
                Some((x, value - half_width, value + half_width))
            });
            let band = band.collect();
            let points: Vec<_> = points.into_iter().map(|(x, row)| (x, ys[row])).collect();
            let discs = Stroke::Points;
            series.push(Series { label: String::new(), colour, stroke: discs, points: points.clone(), band });
            series.push(Series { label, colour, stroke, points, band: vec![] });
        }
    }
    if series.iter().all(|series| series.points.iter().all(|point| point.1.is_none())) {
        return Err(ChartError::NoRow);
    }
    Ok(series)
}

/// No two rows of a curve are at the same x.
fn once(rows: &Rows<'_>, request: &Chart, points: &[(f64, usize)], name: &str) -> Result<(), ChartError> {
    let mut several = points.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() > 1);
    let Some(same) = several.next() else { return Ok(()) };
    let which: Vec<usize> = same.iter().map(|point| point.1).collect();
    let at = format!("{} = {}", request.x, shown(&Cell::Number(same[0].0)));
    let shared = [at, name.to_owned()].into_iter().filter(|part| !part.is_empty()).collect();
    let measures: Vec<&str> = request.y.iter().map(String::as_str).collect();
    Err(rows.several(&which, shared, &measures))
}
