//! `draw EXPR`: a layout as a grid; an atom, a tiled copy or MMA as threads and values; with `--operands` an operation
//! beside its operands; with `--by` banks, threads or values; with `--against` beside another, on a page.

use std::io;
use std::path::Path;

use cute_algebra::Shape;
use cute_algebra::explain::Derivation;
use cute_analysis::{Value, evaluate, explain, operation_of};
use cute_hardware::Element;
use tree_sitter_cute::ParseError;

use super::Session;
use super::arguments::draw::{DrawArguments, DrawnBy};
use super::arguments::formats::PictureFormat;
use super::eval::{parsed, report};
use super::output::{Outcome, complain, complain_at_length, shown};
use crate::presentation::findings;
use crate::presentation::page::{self, Document, Shown};
use crate::presentation::picture::{self, By, Sheet, Window};

pub(super) fn run(arguments: &DrawArguments, session: &mut Session) -> io::Result<Outcome> {
    let format = match arguments.output.as_deref().map(format_of) {
        None => arguments.format,
        Some(Some(format)) => format,
        Some(None) => {
            complain("the output file must end in .svg, .txt, .tex, .json or .html");
            return Ok(Outcome::Unusable);
        }
    };
    let is_page = format == PictureFormat::Html;
    if arguments.against.is_some() && !is_page {
        complain("`--against` needs an output file that ends in .html");
        return Ok(Outcome::Unusable);
    }
    let default = if is_page {
        Window::page()
    } else {
        Window::default()
    };
    let window = Window {
        rows: arguments.rows.map_or(default.rows, usize::from),
        columns: arguments.columns.map_or(default.columns, usize::from),
        ..default
    };
    let expressions = std::iter::once(&arguments.expression).chain(&arguments.against);
    let mut drawn = Vec::new();
    for expression in expressions {
        match draw(expression, arguments, is_page, window, session) {
            Ok(one) => drawn.push(one),
            Err(outcome) => return Ok(outcome),
        }
    }
    let Some(Drawn { sheet, .. }) = drawn.first() else {
        return Ok(Outcome::Clean);
    };
    let coloured = arguments.output.is_none() && session.out.is_coloured();
    let text = match format {
        PictureFormat::Text => picture::to_text(sheet, coloured, picture::WIDEST),
        PictureFormat::Svg => picture::to_svg(sheet),
        PictureFormat::Tikz => picture::to_tikz(sheet),
        PictureFormat::Json => serde_json::to_string(sheet)? + "\n",
        PictureFormat::Html => match page(&drawn, arguments) {
            Ok(page) => page,
            Err(outcome) => return Ok(outcome),
        },
    };
    match &arguments.output {
        None => session.out.text(&text)?,
        Some(file) => {
            if let Err(error) = std::fs::write(file, text) {
                complain(&format!("{}: {error}", shown(file)));
                return Ok(Outcome::Unusable);
            }
        }
    }
    Ok(Outcome::Clean)
}

/// A picture, and its subject.
struct Drawn {
    name: String,
    value: Value,
    sheet: Sheet,
    derivation: Option<Derivation>,
}

/// A page that shows the pictures side by side.
fn page(drawn: &[Drawn], arguments: &DrawArguments) -> Result<String, Outcome> {
    let mut documents = Vec::new();
    for Drawn {
        name,
        value,
        sheet,
        derivation,
    } in drawn
    {
        let mut document = Document::new(sheet, value, name.clone());
        match arguments.by {
            DrawnBy::Offset => {}
            DrawnBy::Bank => {
                let bits = element_bits(arguments)?.unwrap_or(Element::F32.bits());
                document.show_banks(sheet, value, bits);
            }
            DrawnBy::Thread => document.show(Shown::Thread),
            DrawnBy::Value => document.show(Shown::Value),
        }
        if let Some(derivation) = derivation {
            document.derive(derivation);
        }
        documents.push(document);
    }
    let rendered = page::nonce_of(&documents).and_then(|nonce| page::render(&documents, &nonce));
    rendered.map_err(|error| {
        complain(&error.to_string());
        Outcome::Unusable
    })
}

/// The subject of a drawing: a value, or an operation with its operands.
fn draw(
    text: &str,
    arguments: &DrawArguments,
    is_page: bool,
    window: Window,
    session: &Session,
) -> Result<Drawn, Outcome> {
    let unreadable = |error: &ParseError| {
        complain_at_length(&findings::unreadable(text, error));
        Outcome::Unusable
    };
    let expression = parsed(text).map_err(|error| unreadable(&error))?;
    let evaluation = evaluate(&expression, &session.analyser.options);
    report(text, &evaluation.findings);
    if let Value::Unknown(reason) = &evaluation.value {
        if evaluation.findings.is_empty() {
            complain(&reason.to_string());
        }
        return Err(Outcome::Found);
    }
    let value = evaluation.value;
    let operation = operation_of(&expression, &session.analyser.options);
    let operation = operation.filter(|_| arguments.operands);
    let sheet = match (arguments.by, &operation) {
        // A page shows banks by itself, beside the offsets.
        (DrawnBy::Bank, _) if !is_page => {
            picture::of_banks(&value, element_bits(arguments)?, window)
        }
        (DrawnBy::Thread, _) => {
            picture::of_owners(&value, tile(arguments)?.as_ref(), By::Thread, window)
        }
        (DrawnBy::Value, _) => {
            picture::of_owners(&value, tile(arguments)?.as_ref(), By::Value, window)
        }
        (DrawnBy::Offset, Some(operation)) => picture::of_operation(operation, &value, window),
        _ if arguments.operands => picture::of_swizzled(&value, window),
        _ => picture::of_value(&value, window),
    };
    let sheet = sheet.map_err(|reason| {
        complain(&reason.to_string());
        Outcome::Found
    })?;
    let derivation = operation.and_then(|_| explain(&expression, &session.analyser.options).ok());
    Ok(Drawn {
        name: text.to_owned(),
        value,
        sheet,
        derivation,
    })
}

/// The bits of an element, for banks, where its type is given.
fn element_bits(arguments: &DrawArguments) -> Result<Option<i64>, Outcome> {
    let Some(name) = &arguments.element else {
        return Ok(None);
    };
    let element = Element::named(name).map_err(|refusal| {
        complain(&refusal.message());
        Outcome::Unusable
    })?;
    Ok(Some(element.bits()))
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
        "html" => Some(PictureFormat::Html),
        _ => None,
    }
}
