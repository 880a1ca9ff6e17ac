//! Heat maps: a number over two axes, as colour.

use plotters::backend::SVGBackend;
use plotters::drawing::IntoDrawingArea;
use plotters::element::Rectangle;
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, RGBColor, WHITE};

use super::curve::{pen_of, stroke};
use super::draw::{canvas, shown_at};
use super::drawing::Drawing;
use super::error::PlotError;
use super::figure::Axis;
use super::ruler::Ruler;
use super::style::{
    ASPECT, AXIS_WIDTH, CAPTION_SIZE, COLOUR_BAR, GAP, GRID, INK, LABEL_SIZE, LINE_SPACING, MARGIN,
    SINGLE_WIDTH, SMALL_GAP, TICK, TICK_SIZE, TITLE_SIZE, Y_TICK_ROOM, heat,
};
use super::text::{self, Area, units};

/// A number for every pair of values, as the colour of a field.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatMap {
    /// Line above; none if empty.
    pub title: String,
    /// Smaller lines under the title; none if empty.
    pub caption: String,
    /// Horizontal axis.
    pub x: Steps,
    /// Vertical axis, from below.
    pub y: Steps,
    /// What colours measure, and how.
    pub colour: Axis,
    /// `fields[row][column]`: one for each step of y, of one for each step of x; grey where there is none.
    pub fields: Vec<Vec<Option<f64>>>,
}

/// An axis of fields that are all of the same size.
#[derive(Debug, Clone, PartialEq)]
pub struct Steps {
    /// What it measures.
    pub label: String,
    /// What is written at each step; those that have no room are left out.
    pub values: Vec<String>,
}

/// Draws a heat map.
///
/// # Errors
/// [`PlotError::NoPanel`] without fields, else as [`super::render`].
pub fn render_heat_map(map: &HeatMap) -> Result<Drawing, PlotError> {
    text::register()?;
    if map.x.values.is_empty() || map.y.values.is_empty() {
        return Err(PlotError::NoPanel);
    }
    let values: Vec<f64> = map.fields.iter().flatten().filter_map(|field| *field).collect();
    let width = SINGLE_WIDTH;
    let height = width * ASPECT;
    let ruler = Ruler::new(&map.colour, &values, 0.0, height / Y_TICK_ROOM)?;
    let title = text::wrap(&map.title, TITLE_SIZE, width - 2.0 * MARGIN)?;
    let caption = text::wrap(&map.caption, CAPTION_SIZE, width - 2.0 * MARGIN)?;
    let below_title = MARGIN + text::height(&title, TITLE_SIZE);
    let top = below_title + text::height(&caption, CAPTION_SIZE) + SMALL_GAP;
    let labels = text::wrap(&map.y.label, LABEL_SIZE, height)?;
    let left = MARGIN + text::height(&labels, LABEL_SIZE) + SMALL_GAP + widest(&map.y.values)? + 2.0 * TICK;
    let bar_label = text::wrap(&map.colour.label, LABEL_SIZE, height)?;
    let ticks: Vec<String> = ruler.ticks.iter().map(|(_, label)| label.clone()).collect();
    let right_of_bar = 2.0 * TICK + widest(&ticks)? + SMALL_GAP + text::height(&bar_label, LABEL_SIZE);
    let bar = width - MARGIN - right_of_bar - COLOUR_BAR;
    let axes = Fields { map, left, top, width: bar - GAP - left, height };
    let x_label = text::wrap(&map.x.label, LABEL_SIZE, axes.width)?;
    let bottom = top + height + 2.0 * TICK + TICK_SIZE * LINE_SPACING;
    let size = (width, (bottom + text::height(&x_label, LABEL_SIZE) + MARGIN).ceil());

    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, canvas(size)).into_drawing_area();
    area.fill(&WHITE)?;
    text::lines(&area, &title, TITLE_SIZE, width / 2.0, MARGIN)?;
    text::lines(&area, &caption, CAPTION_SIZE, width / 2.0, below_title)?;
    axes.draw(&area, &ruler)?;
    text::upright_lines(&area, &labels, LABEL_SIZE, MARGIN, top + height / 2.0)?;
    text::lines(&area, &x_label, LABEL_SIZE, left + axes.width / 2.0, bottom)?;
    draw_bar(&area, &ruler, (bar, top), height)?;
    let beside = width - MARGIN - text::height(&bar_label, LABEL_SIZE);
    text::upright_lines(&area, &bar_label, LABEL_SIZE, beside, top + height / 2.0)?;
    area.present()?;
    drop(area);
    Ok(Drawing { svg: shown_at(&svg, size) })
}

/// The fields and where they are.
struct Fields<'m> {
    map: &'m HeatMap,
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Fields<'_> {
    fn draw(&self, area: &Area<'_>, ruler: &Ruler) -> Result<(), PlotError> {
        let (columns, rows) = (self.map.x.values.len() as f64, self.map.y.values.len() as f64);
        let across = |column: f64| self.left + self.width * column / columns;
        let up = |row: f64| self.top + self.height * (1.0 - row / rows);
        for (row, fields) in (0..).zip(&self.map.fields) {
            for (column, field) in (0..).zip(fields) {
                let (column, row) = (f64::from(column), f64::from(row));
                let share = field.and_then(|value| ruler.position(value));
                // A pixel under the next one: where edges only meet, the page shines through.
                let right = (across(column + 1.0) + 1.0).min(across(columns));
                let corners = [(across(column), up(row)), (right, (up(row + 1.0) - 1.0).max(self.top))];
                fill(area, corners, share.map_or(GRID, heat))?;
            }
        }
        let under = text::held(TICK_SIZE, HPos::Center, VPos::Top);
        let room = widest(&self.map.x.values)? + TICK_SIZE;
        for (column, value) in written(&self.map.x.values, self.width / columns, room) {
            let x = across(column + 0.5);
            text::put(area, value, &under, (x, self.top + self.height + 2.0 * TICK))?;
        }
        let beside = text::held(TICK_SIZE, HPos::Right, VPos::Center);
        for (row, value) in written(&self.map.y.values, self.height / rows, TICK_SIZE * LINE_SPACING) {
            text::put(area, value, &beside, (self.left - 2.0 * TICK, up(row + 0.5)))?;
        }
        frame(area, [(self.left, self.top), (self.left + self.width, self.top + self.height)])
    }
}

/// The values that have room, evenly thinned out, and their indices.
fn written(values: &[String], step: f64, room: f64) -> impl Iterator<Item = (f64, &String)> {
    let stride = (room / step).ceil().max(1.0) as usize;
    values.iter().enumerate().step_by(stride).map(|(index, value)| (index as f64, value))
}

fn draw_bar(area: &Area<'_>, ruler: &Ruler, (left, top): (f64, f64), height: f64) -> Result<(), PlotError> {
    const SLICES: u32 = 128;
    let up = |share: f64| top + height * (1.0 - share);
    for slice in 0..SLICES {
        let low = f64::from(slice) / f64::from(SLICES);
        fill(area, [(left, up(low)), (left + COLOUR_BAR, top)], heat(low + 0.5 / f64::from(SLICES)))?;
    }
    let beside = text::held(TICK_SIZE, HPos::Left, VPos::Center);
    let right = left + COLOUR_BAR;
    for (value, label) in &ruler.ticks {
        let Some(share) = ruler.position(*value).filter(|share| (0.0..=1.0).contains(share)) else {
            continue;
        };
        stroke(area, &[(right, up(share)), (right + TICK, up(share))], pen_of(INK, AXIS_WIDTH))?;
        text::put(area, label, &beside, (right + 2.0 * TICK, up(share)))?;
    }
    frame(area, [(left, top), (right, top + height)])
}

fn widest(values: &[String]) -> Result<f64, PlotError> {
    values.iter().try_fold(0.0, |widest: f64, value| Ok(widest.max(text::width(value, TICK_SIZE)?)))
}

fn fill(area: &Area<'_>, corners: [(f64, f64); 2], colour: RGBColor) -> Result<(), PlotError> {
    Ok(area.draw(&Rectangle::new(corners.map(units), colour.filled()))?)
}

fn frame(area: &Area<'_>, [(left, top), (right, bottom)]: [(f64, f64); 2]) -> Result<(), PlotError> {
    let outline = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
    stroke(area, &outline, pen_of(INK, AXIS_WIDTH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_drawn_and_gaps_are_grey() {
        let steps =
            |count: usize| Steps { label: "x".into(), values: (0..count).map(|i| i.to_string()).collect() };
        let map = HeatMap {
            title: "Title".into(),
            caption: String::new(),
            x: steps(3),
            y: steps(2),
            colour: Axis::linear("busy"),
            fields: vec![vec![Some(0.0), Some(0.5), None], vec![Some(1.0); 3]],
        };
        let svg = render_heat_map(&map).unwrap().svg;
        assert!(svg.contains("#440154") && svg.contains("#FDE725") && svg.contains("#E2E2E2"), "{svg}");
        assert!(render_heat_map(&HeatMap { x: steps(0), ..map.clone() }).is_err());
        let empty = HeatMap { fields: vec![vec![None; 3]; 2], ..map };
        assert!(matches!(render_heat_map(&empty), Err(PlotError::NoFiniteValue { .. })));
    }
}
