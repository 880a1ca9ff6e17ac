use plotters::style::text_anchor::{HPos, VPos};

use super::curve::{Axes, draw_band, draw_points, pen_of, stroke};
use super::error::PlotError;
use super::figure::Panel;
use super::legend::Legend;
use super::ruler::Ruler;
use super::style::{
    AXIS_WIDTH, GRID, GRID_WIDTH, INK, LABEL_SIZE, LINE_SPACING, PANEL_TITLE_SIZE, SMALL_GAP, TICK,
    TICK_SIZE, X_TICK_ROOM, Y_TICK_ROOM,
};
use super::text::{self, Area};

/// Room around data, as a share of their span. Along x only discs have it: curves begin at the axis.
const AIR: f64 = 0.05;

/// A panel measured: what is written around its axes, and how much room that takes.
#[derive(Debug)]
pub(super) struct Sheet<'a> {
    panel: &'a Panel,
    x: Ruler,
    y: Ruler,
    title: Vec<String>,
    x_label: Vec<String>,
    y_label: Vec<String>,
    legend: Legend<'a>,
    /// Width left of the axes.
    pub(super) gutter: f64,
}

impl<'a> Sheet<'a> {
    /// For a column of this width and axes of this height.
    pub(super) fn new(panel: &'a Panel, width: f64, height: f64) -> Result<Self, PlotError> {
        let (xs, ys) = values(panel);
        let discs = panel.series.iter().any(|series| series.stroke.is_marks());
        let y = Ruler::new(&panel.y, &ys, AIR, height / Y_TICK_ROOM)?;
        let y_label = text::wrap(&panel.y.label, LABEL_SIZE, height)?;
        let gutter = gutter(&y, &y_label)?;
        let inner = width - gutter;
        Ok(Self {
            panel,
            x: Ruler::new(&panel.x, &xs, if discs { AIR } else { 0.0 }, inner / X_TICK_ROOM)?,
            y,
            title: text::wrap(&panel.title, PANEL_TITLE_SIZE, inner)?,
            x_label: text::wrap(&panel.x.label, LABEL_SIZE, inner)?,
            y_label,
            legend: Legend::new(&panel.series, width)?,
            gutter,
        })
    }

    /// Height above the axes.
    pub(super) fn head(&self) -> f64 {
        text::height(&self.title, PANEL_TITLE_SIZE) + SMALL_GAP
    }

    /// Height below the axes.
    pub(super) fn foot(&self) -> f64 {
        self.below_label() + SMALL_GAP + self.legend.height()
    }

    fn below_label(&self) -> f64 {
        2.0 * TICK + TICK_SIZE * LINE_SPACING + text::height(&self.x_label, LABEL_SIZE)
    }

    /// Draws the panel, curves last.
    pub(super) fn draw(&self, area: &Area<'_>, frame: &Frame) -> Result<(), PlotError> {
        let &Frame { left, top, width, height, gutter } = frame;
        let axes = Axes { x: &self.x, y: &self.y, left: left + gutter, top, width: width - gutter, height };
        let centre = axes.left + axes.width / 2.0;
        text::lines(area, &self.title, PANEL_TITLE_SIZE, centre, top - self.head())?;
        text::upright_lines(area, &self.y_label, LABEL_SIZE, left, top + height / 2.0)?;
        let label = top + height + 2.0 * TICK + TICK_SIZE * LINE_SPACING;
        text::lines(area, &self.x_label, LABEL_SIZE, centre, label)?;
        self.legend.draw(area, centre, left + width, top + height + self.below_label() + SMALL_GAP)?;
        self.draw_grid(area, &axes)?;
        self.panel.series.iter().try_for_each(|series| draw_band(area, &axes, series))?;
        self.panel.series.iter().try_for_each(|series| draw_points(area, &axes, series))
    }

    fn draw_grid(&self, area: &Area<'_>, axes: &Axes<'_>) -> Result<(), PlotError> {
        let (grid, ink) = (pen_of(GRID, GRID_WIDTH), pen_of(INK, AXIS_WIDTH));
        let (left, right) = (axes.left, axes.left + axes.width);
        let (top, bottom) = (axes.top, axes.top + axes.height);
        let under = text::held(TICK_SIZE, HPos::Center, VPos::Top);
        for (at, label) in marks(axes.x) {
            let x = left + at * axes.width;
            stroke(area, &[(x, top), (x, bottom)], grid)?;
            stroke(area, &[(x, bottom), (x, bottom + TICK)], ink)?;
            text::put(area, label, &under, (x, bottom + 2.0 * TICK))?;
        }
        let beside = text::held(TICK_SIZE, HPos::Right, VPos::Center);
        for (at, label) in marks(axes.y) {
            let y = bottom - at * axes.height;
            stroke(area, &[(left, y), (right, y)], grid)?;
            stroke(area, &[(left - TICK, y), (left, y)], ink)?;
            text::put(area, label, &beside, (left - 2.0 * TICK, y))?;
        }
        stroke(area, &[(left, top), (left, bottom), (right, bottom)], ink)
    }
}

/// A panel's column on the canvas (`left`, `width`) and its axes (`top`, `height`, a `gutter` left of them).
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) gutter: f64,
}

fn gutter(y: &Ruler, y_label: &[String]) -> Result<f64, PlotError> {
    let mut numbers: f64 = 0.0;
    for (_, label) in &y.ticks {
        numbers = numbers.max(text::width(label, TICK_SIZE)?);
    }
    Ok(text::height(y_label, LABEL_SIZE) + SMALL_GAP + numbers + 2.0 * TICK)
}

fn values(panel: &Panel) -> (Vec<f64>, Vec<f64>) {
    let points = panel.series.iter().flat_map(|series| &series.points);
    let band = panel.series.iter().flat_map(|series| &series.band);
    points
        .filter_map(|&(x, y)| Some((x, y?)))
        .chain(band.flat_map(|&(x, low, high)| [(x, low), (x, high)]))
        .unzip()
}

fn marks(ruler: &Ruler) -> impl Iterator<Item = (f64, &String)> {
    ruler.ticks.iter().filter_map(|(value, label)| Some((ruler.position(*value)?, label)))
}
