use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use super::error::PlotError;
use super::text::FONT;

/// A drawn figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawing {
    pub(super) svg: String,
}

impl Drawing {
    /// The SVG document; its text is text, in DejaVu Sans or else the viewer's sans-serif.
    pub fn svg(&self) -> &str {
        &self.svg
    }

    /// The same drawing as the bytes of a PNG file, 1600 pixels wide (a single panel: 1060).
    ///
    /// # Errors
    /// [`PlotError::Svg`], [`PlotError::ImageSize`] or [`PlotError::Png`], none of which a figure of sensible size meets.
    pub fn png(&self) -> Result<Vec<u8>, PlotError> {
        let mut options = Options::default();
        options.fontdb_mut().load_font_data(FONT.to_vec());
        let tree = Tree::from_str(&self.svg, &options)?;
        let size = tree.size().to_int_size();
        let (width, height) = (size.width(), size.height());
        let mut image = Pixmap::new(width, height).ok_or(PlotError::ImageSize { width, height })?;
        resvg::render(&tree, Transform::identity(), &mut image.as_mut());
        image.encode_png().map_err(|error| PlotError::Png(error.into()))
    }
}
