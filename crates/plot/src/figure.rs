use super::style::{Colour, Stroke};

/// A figure: panels in reading order, each with its own axes and, below it, its own legend.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Line above the panels; none if empty.
    pub title: String,
    /// Smaller lines under the title, for what all panels share ("solid: mean of 10 replications"); none if empty.
    pub caption: String,
    /// Panels in a row, from 1 to 4; taken into that range.
    pub columns: usize,
    /// The panels, row by row; at least one.
    pub panels: Vec<Panel>,
}

impl Figure {
    /// Without the panels that have nothing to show: no response time where no request was served. All of them if none has.
    #[must_use]
    pub fn of_what_is_known(&self) -> Self {
        let known: Vec<_> = self.panels.iter().filter(|panel| panel.has_values()).cloned().collect();
        let panels = if known.is_empty() { self.panels.clone() } else { known };
        Self { panels, ..self.clone() }
    }
}

/// One pair of axes and the curves between them, drawn in order: later ones lie on top.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// Line above the axes; none if empty.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Curves and measured points.
    pub series: Vec<Series>,
}

impl Panel {
    /// Whether there is a point to show, or axes that need none.
    fn has_values(&self) -> bool {
        let mut points = self.series.iter().flat_map(|series| &series.points);
        let ranges = self.x.range.is_some() && self.y.range.is_some();
        ranges || points.any(|&(x, y)| self.x.shows(x) && y.is_some_and(|y| self.y.shows(y)))
    }
}

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// What it measures, with the unit: "response time (s)".
    pub label: String,
    /// How values are laid along it.
    pub scale: Scale,
    /// Lowest and highest value shown; `None` takes them from the data. Curves are cut at the edge.
    pub range: Option<(f64, f64)>,
}

impl Axis {
    /// A linear axis with its range from the data.
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Linear, range: None }
    }

    /// A logarithmic axis with its range from the data.
    pub fn log10(label: impl Into<String>) -> Self {
        Self { scale: Scale::Log10, ..Self::linear(label) }
    }

    /// Whether it has a place for the value, in a range wide enough.
    fn shows(&self, value: f64) -> bool {
        let positive = match self.scale {
            Scale::Linear | Scale::Hours => true,
            Scale::Log10 => value > 0.0,
        };
        value.is_finite() && positive
    }

    /// A linear axis in hours, from `first` to `last`.
    pub fn hours(label: impl Into<String>, first: f64, last: f64) -> Self {
        Self { label: label.into(), scale: Scale::Hours, range: Some((first, last)) }
    }
}

/// How values are laid along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Evenly, ticks at 1, 2 or 5 times a power of ten.
    Linear,
    /// Evenly, ticks that divide a day: 1, 2, 3, 4, 6, 12 or 24 hours apart.
    Hours,
    /// By decimal logarithm, ticks at powers of ten; values not above zero are gaps.
    Log10,
}

/// A curve or a set of measured points.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Legend text; no legend entry if empty. A labelled series without points is a legend entry alone.
    pub label: String,
    /// Colour of curve and band.
    pub colour: Colour,
    /// How the points are drawn.
    pub stroke: Stroke,
    /// Pairs (x, y) in drawing order, in the axes' units; `None` and non-finite values break the curve.
    pub points: Vec<(f64, Option<f64>)>,
    /// Triples (x, low, high) around the points: a translucent band, or error bars with [`Stroke::Points`] and rings; none if
    /// empty. Non-finite values break the band.
    pub band: Vec<(f64, f64, f64)>,
}
