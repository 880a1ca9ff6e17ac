//! Every colour, size and pattern, once. Lengths are pixels.

use plotters::style::RGBColor;

/// Colours told apart by colour-blind readers too.
///
/// # Source
/// M. Okabe and K. Ito, Color Universal Design (2008); their yellow is left out, it is lost on white.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Colour {
    Blue,
    Vermillion,
    Green,
    Orange,
    SkyBlue,
    Purple,
    Black,
}

impl Colour {
    /// All colours, in the order to use them.
    pub const ALL: [Self; 7] =
        [Self::Blue, Self::Vermillion, Self::Green, Self::Orange, Self::SkyBlue, Self::Purple, Self::Black];

    /// For curve `index`: told apart by colour, and beyond the number of colours by stroke; so many can be, then all begins anew.
    pub fn with_stroke(index: usize) -> (Self, Stroke) {
        let (round, colour) = (index / Self::ALL.len(), index % Self::ALL.len());
        (Self::ALL[colour], Stroke::LINES[round % Stroke::LINES.len()])
    }

    /// How many curves [`Self::with_stroke`] tells apart.
    pub(crate) const CURVES: usize = Self::ALL.len() * Stroke::LINES.len();

    pub(super) fn rgb(self) -> RGBColor {
        match self {
            Self::Blue => RGBColor(0, 114, 178),
            Self::Vermillion => RGBColor(213, 94, 0),
            Self::Green => RGBColor(0, 158, 115),
            Self::Orange => RGBColor(230, 159, 0),
            Self::SkyBlue => RGBColor(86, 180, 233),
            Self::Purple => RGBColor(204, 121, 167),
            Self::Black => RGBColor(0, 0, 0),
        }
    }
}

/// How the points of a series are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stroke {
    /// A wide unbroken line.
    Solid,
    /// A hair, seen on top of a wide line that it coincides with.
    Thin,
    /// A narrower dashed line in a darker shade, seen even where it lies on the solid one.
    Dashed,
    /// Like dashed, with dots between the dashes.
    DashDotted,
    /// A disc at each point, no line.
    Points,
    /// A ring at each point, no line: told from a disc of the same colour.
    Rings,
}

impl Stroke {
    /// Lines, in the order to use them.
    pub(crate) const LINES: [Self; 3] = [Self::Solid, Self::Dashed, Self::DashDotted];

    /// Of a single point of what is elsewhere a line of this stroke.
    pub fn of_point(self) -> Self {
        if self == Self::Solid { Self::Points } else { Self::Rings }
    }

    /// Whether points are drawn one by one.
    pub(super) fn is_marks(self) -> bool {
        matches!(self, Self::Points | Self::Rings)
    }

    pub(super) fn width(self) -> f64 {
        match self {
            Self::Solid => 4.4,
            Self::Dashed | Self::DashDotted => 3.2,
            Self::Points | Self::Rings => 2.6,
            Self::Thin => 1.6,
        }
    }

    /// Lengths drawn and left out, in turn; empty for an unbroken line.
    pub(super) fn pattern(self) -> &'static [f64] {
        match self {
            Self::Solid | Self::Thin | Self::Points | Self::Rings => &[],
            Self::Dashed => &[16.0, 10.0],
            Self::DashDotted => &[19.0, 8.0, 4.0, 8.0],
        }
    }

    /// Broken lines are darker, or a fluid curve would vanish on the simulated one that it predicts well.
    pub(super) fn shade(self, colour: Colour) -> RGBColor {
        let darker = |channel: u8| (f64::from(channel) * 0.55).round() as u8;
        let RGBColor(red, green, blue) = colour.rgb();
        match self {
            Self::Solid | Self::Thin | Self::Points | Self::Rings => RGBColor(red, green, blue),
            Self::Dashed | Self::DashDotted => RGBColor(darker(red), darker(green), darker(blue)),
        }
    }
}

/// plotters draws at whole units only; with ten in a pixel, flat curves are not stairs and short dashes keep their slope.
pub(super) const UNITS: f64 = 10.0;

/// From few to much: even steps of lightness, told apart by colour-blind readers, and in print without colours.
///
/// # Source
/// Viridis, S. van der Walt and N. Smith (2015), every eighth of it.
const VIRIDIS: [RGBColor; 9] = [
    RGBColor(68, 1, 84),
    RGBColor(72, 40, 120),
    RGBColor(62, 74, 137),
    RGBColor(49, 104, 142),
    RGBColor(38, 130, 142),
    RGBColor(31, 158, 137),
    RGBColor(53, 183, 121),
    RGBColor(109, 205, 89),
    RGBColor(253, 231, 37),
];

/// The colour at `share` of the way, from 0 to 1.
pub(super) fn heat(share: f64) -> RGBColor {
    let at = share.clamp(0.0, 1.0) * (VIRIDIS.len() - 1) as f64;
    let below = (at as usize).min(VIRIDIS.len() - 2);
    let (from, to, part) = (VIRIDIS[below], VIRIDIS[below + 1], at - below as f64);
    let mix = |from: u8, to: u8| (f64::from(from) + part * (f64::from(to) - f64::from(from))).round() as u8;
    RGBColor(mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2))
}

/// Width of the bar that says what colours mean.
pub(super) const COLOUR_BAR: f64 = 34.0;

pub(super) const BAND_OPACITY: f64 = 0.25;
pub(super) const DISC_RADIUS: f64 = 6.0;
/// Of a ring's radius.
pub(super) const RING_HOLE: f64 = 0.5;
pub(super) const PAPER: RGBColor = RGBColor(255, 255, 255);
/// Half the width of an error bar's ends.
pub(super) const CAP: f64 = 6.0;

pub(super) const INK: RGBColor = RGBColor(40, 40, 40);
pub(super) const GRID: RGBColor = RGBColor(226, 226, 226);
pub(super) const GRID_WIDTH: f64 = 1.3;
pub(super) const AXIS_WIDTH: f64 = 2.0;
pub(super) const TICK: f64 = 7.0;

/// The compiled-in family, then what a viewer without it falls back to.
pub(super) const FONT_FAMILY: &str = "DejaVu Sans, sans-serif";
pub(super) const TITLE_SIZE: f64 = 29.0;
pub(super) const PANEL_TITLE_SIZE: f64 = 24.0;
pub(super) const LABEL_SIZE: f64 = 21.0;
pub(super) const TICK_SIZE: f64 = 20.0;
pub(super) const CAPTION_SIZE: f64 = 20.0;
pub(super) const LEGEND_SIZE: f64 = 20.0;
/// Height of a line of text over its size.
pub(super) const LINE_SPACING: f64 = 1.35;

/// Width of a figure, and of one that is a single panel: the same letters, less air.
pub(super) const WIDTH: f64 = 1600.0;
pub(super) const SINGLE_WIDTH: f64 = 1060.0;
/// More panels in a row are not readable.
pub(super) const MOST_COLUMNS: usize = 4;
/// Height of the axes over the width of their column, up to a highest one.
pub(super) const ASPECT: f64 = 0.6;
pub(super) const HIGHEST_AXES: f64 = 540.0;
/// Around the figure and between neighbouring panels; half the last number of an x axis reaches into either.
pub(super) const MARGIN: f64 = 40.0;
pub(super) const GAP: f64 = 55.0;
/// Between things that belong together.
pub(super) const SMALL_GAP: f64 = 12.0;
/// Room for one tick with its number along the x axis and along the y axis.
pub(super) const X_TICK_ROOM: f64 = 88.0;
pub(super) const Y_TICK_ROOM: f64 = 50.0;

pub(super) const LEGEND_SAMPLE: f64 = 72.0;
pub(super) const LEGEND_GAP: f64 = 36.0;
