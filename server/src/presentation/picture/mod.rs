//! Pictures of layouts: one model, and renderers that know nothing of layouts.
//!
//! A [`Sheet`] has one or several grids ([`Picture`]). [`build`](self) makes a grid of a layout's
//! offsets, `thread_value` one of the owners of a tile's cells, `operation` the grids of an operation and its operands;
//! `text`, `svg` and `tikz` draw their input.

mod build;
mod holder;
mod model;
mod operation;
mod palette;
mod subject;
mod svg;
mod text;
mod thread_value;
mod tikz;

pub use build::{NotDrawable, of_layout};
pub use model::{Axis, Cell, Colour, Kind, Level, Owners, Picture, Sheet, Span, Window};
pub(crate) use palette::colours;
pub use subject::{of_banks, of_operation, of_owners, of_swizzled, of_value};
pub use svg::{render as to_svg, render_within as to_svg_within};
pub use text::{WIDEST, render as panel_to_text, render_sheet as to_text};
pub use thread_value::By;
pub use tikz::render as to_tikz;
