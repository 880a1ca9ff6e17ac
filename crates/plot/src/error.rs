use plotters::drawing::DrawingAreaErrorKind;

/// Why a figure cannot be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlotError {
    /// The figure has no panel.
    #[error("the figure has no panel")]
    NoPanel,
    /// No series has a finite value along this axis.
    #[error("no finite value along the axis '{axis}'")]
    NoFiniteValue {
        /// The axis' label.
        axis: String,
    },
    /// No series has a value above zero along this logarithmic axis.
    #[error("no value above zero along the logarithmic axis '{axis}'")]
    NoPositiveValue {
        /// The axis' label.
        axis: String,
    },
    /// The range is empty, not finite, too near to either, or not above zero on a logarithmic axis.
    #[error("the axis '{axis}' cannot show the range from {low} to {high}")]
    BadRange {
        /// The axis' label.
        axis: String,
        /// Lowest value.
        low: f64,
        /// Highest value.
        high: f64,
    },
    /// The compiled-in font could not be read.
    #[error("the compiled-in font cannot be read")]
    Font,
    /// The SVG could not be written.
    #[error("the figure cannot be drawn")]
    Draw(#[from] DrawingAreaErrorKind<std::io::Error>),
    /// The SVG could not be read back.
    #[error("the drawing cannot be read back")]
    Svg(#[from] resvg::usvg::Error),
    /// The image is too large.
    #[error("no image of {width} x {height} pixels")]
    ImageSize {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// The PNG could not be encoded.
    #[error("the image cannot be encoded")]
    Png(#[source] Box<dyn std::error::Error + Send + Sync>),
}
