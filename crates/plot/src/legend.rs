use plotters::style::text_anchor::{HPos, VPos};

use super::curve::draw_sample;
use super::error::PlotError;
use super::figure::Series;
use super::style::{LEGEND_GAP, LEGEND_SAMPLE, LEGEND_SIZE, LINE_SPACING, SMALL_GAP};
use super::text::{self, Area};

/// The labelled series of a panel, in rows of equal cells below it.
#[derive(Debug)]
pub(super) struct Legend<'a> {
    entries: Vec<&'a Series>,
    columns: usize,
    cell: f64,
}

impl<'a> Legend<'a> {
    /// As many cells in a row as `room` takes, or fewer if that fills the rows better.
    pub(super) fn new(series: &'a [Series], room: f64) -> Result<Self, PlotError> {
        let entries: Vec<&Series> = series.iter().filter(|series| !series.label.is_empty()).collect();
        let mut cell: f64 = 0.0;
        for entry in &entries {
            cell = cell.max(LEGEND_SAMPLE + SMALL_GAP + text::width(&entry.label, LEGEND_SIZE)? + LEGEND_GAP);
        }
        let most = ((room / cell) as usize).clamp(1, entries.len().max(1));
        let rows = entries.len().div_ceil(most).max(1);
        Ok(Self { columns: entries.len().div_ceil(rows), cell, entries })
    }

    pub(super) fn height(&self) -> f64 {
        let rows = self.entries.len().div_ceil(self.columns.max(1));
        rows as f64 * LEGEND_SIZE * LINE_SPACING
    }

    /// Draws the rows from `top` down, centred at `centre` or, if too wide, ending at `right`.
    pub(super) fn draw(&self, area: &Area<'_>, centre: f64, right: f64, top: f64) -> Result<(), PlotError> {
        let width = self.columns as f64 * self.cell - LEGEND_GAP;
        let left = (centre - width / 2.0).min(right - width);
        let style = text::held(LEGEND_SIZE, HPos::Left, VPos::Center);
        for (index, series) in self.entries.iter().enumerate() {
            let (row, column) = (index / self.columns, index % self.columns);
            let left = left + column as f64 * self.cell;
            let middle = top + (row as f64 + 0.5) * LEGEND_SIZE * LINE_SPACING;
            draw_sample(area, series, left, middle)?;
            text::put(area, &series.label, &style, (left + LEGEND_SAMPLE + SMALL_GAP, middle))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Colour, Stroke};

    #[test]
    fn labelled_series_have_one_entry_each_in_full_rows() {
        text::register().unwrap();
        let series: Vec<Series> = ["a", "b", "", "c", "d"]
            .map(|label| Series {
                label: label.into(),
                colour: Colour::Blue,
                stroke: Stroke::Solid,
                points: vec![],
                band: vec![],
            })
            .into();
        let wide = Legend::new(&series, 2000.0).unwrap();
        assert_eq!((wide.entries.len(), wide.columns), (4, 4));
        let three_fit = Legend::new(&series, 3.2 * wide.cell).unwrap();
        assert_eq!(three_fit.columns, 2);
        assert_eq!(Legend::new(&series, 1.0).unwrap().height(), 4.0 * wide.height());
        assert_eq!(Legend::new(&series[2..3], 2000.0).unwrap().height(), 0.0);
    }
}
