//! `draw EXPR`: a layout as a grid.

use std::io;
use std::path::Path;

use super::Session;
use super::arguments::{DrawArguments, PictureFormat};
use super::eval::layout_of;
use super::output::{Outcome, complain};
use crate::presentation::picture::{self, Window};

pub(super) fn run(arguments: &DrawArguments, session: &mut Session) -> io::Result<Outcome> {
    let format = match arguments.output.as_deref().map(format_of) {
        None => arguments.format,
        Some(Some(format)) => format,
        Some(None) => {
            complain("the file to draw to has to end in .svg, .txt or .json");
            return Ok(Outcome::Unusable);
        }
    };
    let layout = match layout_of(&arguments.expression, session) {
        Ok(layout) => layout,
        Err(outcome) => return Ok(outcome),
    };
    let window = Window {
        rows: usize::from(arguments.rows),
        columns: usize::from(arguments.columns),
    };
    let picture = match picture::of_layout(&layout, window) {
        Ok(picture) => picture,
        Err(reason) => {
            complain(&reason.to_string());
            return Ok(Outcome::Found);
        }
    };
    let coloured = arguments.output.is_none() && session.out.is_coloured();
    let text = match format {
        PictureFormat::Text => picture::to_text(&picture, coloured),
        PictureFormat::Svg => picture::to_svg(&picture),
        PictureFormat::Json => serde_json::to_string(&picture)? + "\n",
    };
    match &arguments.output {
        None => session.out.text(&text)?,
        Some(file) => {
            if let Err(error) = std::fs::write(file, text) {
                complain(&format!("{}: {error}", file.display()));
                return Ok(Outcome::Unusable);
            }
        }
    }
    Ok(Outcome::Clean)
}

fn format_of(file: &Path) -> Option<PictureFormat> {
    match file.extension()?.to_str()? {
        "svg" => Some(PictureFormat::Svg),
        "txt" => Some(PictureFormat::Text),
        "json" => Some(PictureFormat::Json),
        _ => None,
    }
}
