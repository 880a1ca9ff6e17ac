//! Figures: a plain description ([`Figure`]) and one function that draws it ([`render`]).
//!
//! A figure is drawn once, to SVG; the PNG is that same SVG in pixels. The font is compiled in, so no library and no
//! font of the machine takes part and the same figure gives the same bytes everywhere.
//!
//! ```
//! use alba_plot::{Axis, Colour, Figure, Panel, Series, Stroke, render};
//!
//! # fn main() -> Result<(), alba_plot::PlotError> {
//! let busy = Series {
//!     label: "busy".into(),
//!     colour: Colour::Blue,
//!     stroke: Stroke::Solid,
//!     points: (0..100).map(|i| (f64::from(i), Some(1.0 - (-0.1 * f64::from(i)).exp()))).collect(),
//!     band: vec![],
//! };
//! let panel = Panel {
//!     title: "From an empty system".into(),
//!     x: Axis::linear("time (mean service times)"),
//!     y: Axis::linear("fraction of servers"),
//!     series: vec![busy],
//! };
//! let figure = Figure { title: "Busy servers".into(), caption: String::new(), columns: 1, panels: vec![panel] };
//! let drawing = render(&figure)?;
//! assert!(drawing.svg().starts_with("<svg"));
//! assert!(drawing.png()?.starts_with(b"\x89PNG"));
//! # Ok(())
//! # }
//! ```

mod chart;
mod curve;
mod draw;
mod drawing;
mod error;
mod figure;
mod heat;
mod legend;
mod path;
mod ruler;
mod sheet;
mod style;
mod text;
mod ticks;

pub use chart::{Chart, ChartError, DrawError, Kind, chart};
pub use draw::render;
pub use drawing::Drawing;
pub use error::PlotError;
pub use figure::{Axis, Figure, Panel, Scale, Series};
pub use heat::{HeatMap, Steps, render_heat_map};
pub use style::{Colour, Stroke};

#[cfg(test)]
mod tests;
