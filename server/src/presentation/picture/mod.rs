//! Pictures of layouts: one model, and renderers that know nothing of layouts.

mod build;
mod model;
mod palette;
mod svg;
mod text;

pub use build::{NotDrawable, of_layout};
pub use model::{Axis, Cell, Colour, Level, Picture, Span, Window};
pub use svg::render as to_svg;
pub use text::render as to_text;
