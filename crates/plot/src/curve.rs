//! Draws series, in the axes or in a legend.

use plotters::element::{Circle, PathElement, Polygon};
use plotters::style::{Color, RGBColor, ShapeStyle};

use super::error::PlotError;
use super::figure::Series;
use super::path::{Point, clip, dashed, simplified};
use super::ruler::Ruler;
use super::style::Stroke;
use super::style::{self, UNITS};
use super::text::{Area, units};

/// Pixels a drawn curve may be off: not seen, and a tenth of the points will do.
const TOLERANCE: f64 = 0.1;

/// Where a panel's axes are on the canvas.
#[derive(Debug)]
pub(super) struct Axes<'a> {
    pub(super) x: &'a Ruler,
    pub(super) y: &'a Ruler,
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Axes<'_> {
    /// Pixel of a value pair, from the axes' upper left corner.
    fn point(&self, x: f64, y: f64) -> Option<Point> {
        let (across, up) = self.x.position(x).zip(self.y.position(y))?;
        Some((across * self.width, (1.0 - up) * self.height))
    }

    /// Ends of the upright piece that a band has at `x`, on the canvas; nothing outside the x axis.
    fn upright(&self, x: f64, low: f64, high: f64) -> Option<(Point, Point)> {
        let across = self.x.position(x).filter(|across| (0.0..=1.0).contains(across))?;
        let (low, high) = self.y.bound(low).zip(self.y.bound(high))?;
        let end = |up| self.on_canvas((across * self.width, (1.0 - up) * self.height));
        Some((end(low), end(high)))
    }

    fn on_canvas(&self, (x, y): Point) -> Point {
        (self.left + x, self.top + y)
    }
}

/// Draws what lies around a curve, below all curves.
pub(super) fn draw_band(area: &Area<'_>, axes: &Axes<'_>, series: &Series) -> Result<(), PlotError> {
    let edges = series.band.iter().map(|&(x, low, high)| axes.upright(x, low, high));
    for run in runs(edges) {
        match series.stroke {
            Stroke::Solid | Stroke::Thin | Stroke::Dashed | Stroke::DashDotted => fill(area, series, &run)?,
            Stroke::Points | Stroke::Rings => {
                run.iter().try_for_each(|&(low, high)| error_bar(area, series, low, high))?;
            }
        }
    }
    Ok(())
}

/// Draws a curve; a point between two gaps is a dot, as no line leads there.
pub(super) fn draw_points(area: &Area<'_>, axes: &Axes<'_>, series: &Series) -> Result<(), PlotError> {
    let points = series.points.iter().map(|&(x, y)| axes.point(x, y?));
    for run in runs(points) {
        if series.stroke.is_marks() || run.len() == 1 {
            let seen =
                run.iter().filter(|(x, y)| (0.0..=axes.width).contains(x) && (0.0..=axes.height).contains(y));
            seen.into_iter().try_for_each(|&point| disc(area, series, axes.on_canvas(point)))?;
            continue;
        }
        for part in clip(&run, axes.width, axes.height) {
            let part: Vec<Point> = part.into_iter().map(|point| axes.on_canvas(point)).collect();
            line(area, series, &part)?;
        }
    }
    Ok(())
}

/// Draws what a legend shows of a series, from `left` on around the height `middle`.
pub(super) fn draw_sample(area: &Area<'_>, series: &Series, left: f64, middle: f64) -> Result<(), PlotError> {
    let (centre, right) = (left + style::LEGEND_SAMPLE / 2.0, left + style::LEGEND_SAMPLE);
    let half = style::LEGEND_SIZE * 0.4;
    let banded = !series.band.is_empty();
    if series.stroke.is_marks() {
        if banded {
            error_bar(area, series, (centre, middle + half), (centre, middle - half))?;
        }
        return disc(area, series, (centre, middle));
    }
    if banded {
        fill(area, series, &[left, right].map(|x| ((x, middle + half), (x, middle - half))))?;
    }
    line(area, series, &[(left, middle), (right, middle)])
}

/// Cuts at the gaps.
fn runs<T>(items: impl Iterator<Item = Option<T>>) -> Vec<Vec<T>> {
    let mut runs = vec![vec![]];
    for item in items {
        match (item, runs.last_mut()) {
            (Some(item), Some(run)) => run.push(item),
            _ => runs.push(vec![]),
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

fn pen(series: &Series) -> ShapeStyle {
    pen_of(series.stroke.shade(series.colour), series.stroke.width())
}

fn line(area: &Area<'_>, series: &Series, points: &[Point]) -> Result<(), PlotError> {
    for piece in dashed(&simplified(points, TOLERANCE), series.stroke.pattern()) {
        stroke(area, &piece, pen(series))?;
    }
    Ok(())
}

fn disc(area: &Area<'_>, series: &Series, centre: Point) -> Result<(), PlotError> {
    let circle = |radius: f64, colour: RGBColor| Circle::new(units(centre), radius * UNITS, colour.filled());
    area.draw(&circle(style::DISC_RADIUS, series.colour.rgb()))?;
    if series.stroke == Stroke::Rings {
        area.draw(&circle(style::DISC_RADIUS * style::RING_HOLE, style::PAPER))?;
    }
    Ok(())
}

fn fill(area: &Area<'_>, series: &Series, edges: &[(Point, Point)]) -> Result<(), PlotError> {
    let low = simplified(&edges.iter().map(|&(low, _)| low).collect::<Vec<_>>(), TOLERANCE);
    let high = simplified(&edges.iter().map(|&(_, high)| high).collect::<Vec<_>>(), TOLERANCE);
    let outline: Vec<(i32, i32)> = low.into_iter().chain(high.into_iter().rev()).map(units).collect();
    Ok(area.draw(&Polygon::new(outline, series.colour.rgb().mix(style::BAND_OPACITY)))?)
}

fn error_bar(area: &Area<'_>, series: &Series, low: Point, high: Point) -> Result<(), PlotError> {
    let end = |(x, y)| [(x - style::CAP, y), (x + style::CAP, y)];
    [[low, high], end(low), end(high)].iter().try_for_each(|path| stroke(area, path, pen(series)))
}

/// A pen, its width in pixels.
pub(super) fn pen_of(colour: RGBColor, width: f64) -> ShapeStyle {
    colour.stroke_width((width * UNITS) as u32)
}

pub(super) fn stroke(area: &Area<'_>, path: &[Point], pen: ShapeStyle) -> Result<(), PlotError> {
    let path: Vec<(i32, i32)> = path.iter().copied().map(units).collect();
    Ok(area.draw(&PathElement::new(path, pen))?)
}
