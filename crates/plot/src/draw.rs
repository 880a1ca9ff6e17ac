use plotters::backend::SVGBackend;
use plotters::drawing::IntoDrawingArea;
use plotters::style::WHITE;

use super::drawing::Drawing;
use super::error::PlotError;
use super::figure::Figure;
use super::sheet::{Frame, Sheet};
use super::style::{
    ASPECT, CAPTION_SIZE, GAP, HIGHEST_AXES, MARGIN, MOST_COLUMNS, SINGLE_WIDTH, SMALL_GAP, TITLE_SIZE,
    UNITS, WIDTH,
};
use super::text;

/// Draws a figure. Axes of one row have the same height, axes of one column the same width.
///
/// # Errors
/// [`PlotError::NoPanel`]; [`PlotError::NoFiniteValue`], [`PlotError::NoPositiveValue`] or [`PlotError::BadRange`] if an
/// axis has nothing to show; [`PlotError::Draw`] if plotters fails.
pub fn render(figure: &Figure) -> Result<Drawing, PlotError> {
    text::register()?;
    if figure.panels.is_empty() {
        return Err(PlotError::NoPanel);
    }
    let columns = figure.columns.min(MOST_COLUMNS).clamp(1, figure.panels.len());
    let width = if figure.panels.len() == 1 { SINGLE_WIDTH } else { WIDTH };
    let column = (width - 2.0 * MARGIN - (columns - 1) as f64 * GAP) / columns as f64;
    let axes = (column * ASPECT).min(HIGHEST_AXES);

    let title = text::wrap(&figure.title, TITLE_SIZE, width - 2.0 * MARGIN)?;
    let caption = text::wrap(&figure.caption, CAPTION_SIZE, width - 2.0 * MARGIN)?;
    let below_title = MARGIN + text::height(&title, TITLE_SIZE);
    let below_caption = below_title + text::height(&caption, CAPTION_SIZE);

    let sheets =
        figure.panels.iter().map(|panel| Sheet::new(panel, column, axes)).collect::<Result<Vec<_>, _>>()?;
    let (frames, bottom) = frames(&sheets, columns, (column, axes), below_caption + SMALL_GAP);

    let size = (width, bottom.ceil());
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, canvas(size)).into_drawing_area();
    area.fill(&WHITE)?;
    text::lines(&area, &title, TITLE_SIZE, width / 2.0, MARGIN)?;
    text::lines(&area, &caption, CAPTION_SIZE, width / 2.0, below_title)?;
    sheets.iter().zip(&frames).try_for_each(|(sheet, frame)| sheet.draw(&area, frame))?;
    area.present()?;
    drop(area);
    Ok(Drawing { svg: shown_at(&svg, size) })
}

pub(super) fn canvas((width, height): (f64, f64)) -> (u32, u32) {
    ((width * UNITS) as u32, (height * UNITS) as u32)
}

/// plotters would have the viewer show a pixel for every unit; the viewBox keeps the units, this the size.
pub(super) fn shown_at(svg: &str, size: (f64, f64)) -> String {
    let header = |(width, height)| format!("<svg width=\"{width}\" height=\"{height}\"");
    let (width, height) = canvas(size);
    svg.replacen(&header((f64::from(width), f64::from(height))), &header(size), 1)
}

/// Where each panel is, row by row from `top` down, and where the figure ends.
fn frames(
    sheets: &[Sheet<'_>],
    columns: usize,
    (width, height): (f64, f64),
    mut top: f64,
) -> (Vec<Frame>, f64) {
    let mut gutters = vec![0.0; columns];
    for (index, sheet) in sheets.iter().enumerate() {
        gutters[index % columns] = f64::max(gutters[index % columns], sheet.gutter);
    }
    let mut frames = vec![];
    for row in sheets.chunks(columns) {
        top += row.iter().map(Sheet::head).fold(0.0, f64::max);
        frames.extend(gutters.iter().enumerate().take(row.len()).map(|(column, &gutter)| {
            let left = MARGIN + column as f64 * (width + GAP);
            Frame { left, top, width, height, gutter }
        }));
        top += height + row.iter().map(Sheet::foot).fold(0.0, f64::max) + MARGIN;
    }
    (frames, top)
}
