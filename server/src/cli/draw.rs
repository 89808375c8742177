//! `draw EXPR`: a layout as a grid; an atom, a tiled copy or MMA as threads and values; with
//! `--operands` an operation beside what it works on; with `--by` banks, threads or values.

use std::io;
use std::path::Path;

use cute_algebra::Shape;
use cute_analysis::{Value, evaluate, operation_of};
use cute_hardware::Element;
use tree_sitter_cute::ParseError;

use super::Session;
use super::arguments::{DrawArguments, DrawnBy, PictureFormat};
use super::eval::{parsed, report};
use super::output::{Outcome, complain, complain_at_length};
use crate::presentation::findings;
use crate::presentation::picture::{self, By, Sheet, Window};

pub(super) fn run(arguments: &DrawArguments, session: &mut Session) -> io::Result<Outcome> {
    let format = match arguments.output.as_deref().map(format_of) {
        None => arguments.format,
        Some(Some(format)) => format,
        Some(None) => {
            complain("the file to draw to has to end in .svg, .txt, .tex or .json");
            return Ok(Outcome::Unusable);
        }
    };
    let window = Window {
        rows: usize::from(arguments.rows),
        columns: usize::from(arguments.columns),
    };
    let sheet = match sheet(arguments, window, session) {
        Ok(sheet) => sheet,
        Err(outcome) => return Ok(outcome),
    };
    let coloured = arguments.output.is_none() && session.out.is_coloured();
    let text = match format {
        PictureFormat::Text => picture::to_text(&sheet, coloured),
        PictureFormat::Svg => picture::to_svg(&sheet),
        PictureFormat::Tikz => picture::to_tikz(&sheet),
        PictureFormat::Json => serde_json::to_string(&sheet)? + "\n",
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

/// What is to be drawn: a value, or an operation with its operands.
fn sheet(arguments: &DrawArguments, window: Window, session: &Session) -> Result<Sheet, Outcome> {
    let text = &arguments.expression;
    let unreadable = |error: &ParseError| {
        complain_at_length(&findings::unreadable(text, error));
        Outcome::Unusable
    };
    let expression = parsed(text).map_err(|error| unreadable(&error))?;
    let evaluation = evaluate(&expression, &session.options);
    report(text, &evaluation.findings);
    if let Value::Unknown(reason) = &evaluation.value {
        if evaluation.findings.is_empty() {
            complain(&reason.to_string());
        }
        return Err(Outcome::Found);
    }
    let value = &evaluation.value;
    let drawn = match (arguments.by, operation_of(&expression, &session.options)) {
        (DrawnBy::Bank, _) => {
            let element = Element::named(&arguments.element).map_err(|refusal| {
                complain(&refusal.message());
                Outcome::Unusable
            })?;
            picture::of_banks(value, element.bits(), window)
        }
        (DrawnBy::Thread, _) => {
            picture::of_owners(value, tile(arguments)?.as_ref(), By::Thread, window)
        }
        (DrawnBy::Value, _) => {
            picture::of_owners(value, tile(arguments)?.as_ref(), By::Value, window)
        }
        (DrawnBy::Offset, Some(operation)) if arguments.operands => {
            picture::of_operation(&operation, value, window)
        }
        _ if arguments.operands => picture::of_swizzled(value, window),
        _ => picture::of_value(value, window),
    };
    drawn.map_err(|reason| {
        complain(&reason.to_string());
        Outcome::Found
    })
}

/// The tile of a layout of threads and values.
fn tile(arguments: &DrawArguments) -> Result<Option<Shape>, Outcome> {
    let Some(text) = &arguments.tile else {
        return Ok(None);
    };
    text.parse()
        .map(Some)
        .map_err(|refusal: cute_algebra::Refusal| {
            complain(&format!("--tile '{text}': {}", refusal.message()));
            Outcome::Unusable
        })
}

fn format_of(file: &Path) -> Option<PictureFormat> {
    match file.extension()?.to_str()? {
        "svg" => Some(PictureFormat::Svg),
        "txt" => Some(PictureFormat::Text),
        "tex" => Some(PictureFormat::Tikz),
        "json" => Some(PictureFormat::Json),
        _ => None,
    }
}
