//! The font, and how much room text takes.

use plotters::backend::SVGBackend;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontDesc, FontFamily, FontStyle, FontTransform, TextStyle, register_font};

use super::error::PlotError;
use super::path::Point;
use super::style::{FONT_FAMILY, INK, LINE_SPACING, UNITS};

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

pub(super) static FONT: &[u8] = include_bytes!("../fonts/DejaVuSans.ttf");

/// plotters writes font-size = size / 1.24.
const PLOTTERS_SIZE: f64 = 1.24;

pub(super) fn register() -> Result<(), PlotError> {
    register_font(FONT_FAMILY, FontStyle::Normal, FONT).map_err(|_| PlotError::Font)
}

fn font(size: f64) -> FontDesc<'static> {
    FontDesc::new(FontFamily::Name(FONT_FAMILY), size * PLOTTERS_SIZE * UNITS, FontStyle::Normal)
}

/// Width of one line; some 6 % too wide, as plotters takes the size for the height of the letters' box.
pub(super) fn width(line: &str, size: f64) -> Result<f64, PlotError> {
    font(size).box_size(line).map(|(width, _)| f64::from(width) / UNITS).map_err(|_| PlotError::Font)
}

/// Breaks text into lines no wider than `room`; a single longer word stays whole.
pub(super) fn wrap(text: &str, size: f64, room: f64) -> Result<Vec<String>, PlotError> {
    let mut lines: Vec<String> = vec![];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), size)? <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    Ok(lines)
}

pub(super) fn height(lines: &[String], size: f64) -> f64 {
    lines.len() as f64 * size * LINE_SPACING
}

/// The style of text of one size, held at one point of its box.
pub(super) fn held(size: f64, horizontal: HPos, vertical: VPos) -> TextStyle<'static> {
    font(size).color(&INK).pos(Pos::new(horizontal, vertical))
}

/// Writes centred lines below each other; `top` is the top of the first.
pub(super) fn lines(
    area: &Area<'_>,
    lines: &[String],
    size: f64,
    centre: f64,
    top: f64,
) -> Result<(), PlotError> {
    let style = held(size, HPos::Center, VPos::Top);
    for (row, line) in (0..).zip(lines) {
        put(area, line, &style, (centre, top + f64::from(row) * size * LINE_SPACING))?;
    }
    Ok(())
}

/// Writes centred lines upwards, next to each other; `left` is the left of the first.
pub(super) fn upright_lines(
    area: &Area<'_>,
    lines: &[String],
    size: f64,
    left: f64,
    centre: f64,
) -> Result<(), PlotError> {
    let style = held(size, HPos::Center, VPos::Top).transform(FontTransform::Rotate270);
    for (column, line) in (0..).zip(lines) {
        put(area, line, &style, (left + f64::from(column) * size * LINE_SPACING, centre))?;
    }
    Ok(())
}

/// Writes one line, held at `place`.
pub(super) fn put(area: &Area<'_>, line: &str, style: &TextStyle<'_>, place: Point) -> Result<(), PlotError> {
    Ok(area.draw_text(line, style, units(place))?)
}

/// The whole units that plotters draws at.
pub(super) fn units((x, y): Point) -> (i32, i32) {
    ((x * UNITS).round() as i32, (y * UNITS).round() as i32)
}
