//! The lines about values that a run of the user's program recorded, where nothing else is known.

use std::fmt::Write as _;
use std::ops::Range;

use cute_analysis::{Analysis, Fact, Kind, Value};
use tree_sitter_cute::tree::Span;

use super::hints::ends::end_of_line;
use super::hints::label::{Class, Hint, Said, Shown};
use super::hover::Hover;
use crate::recorded::{Placed, Recording, Role, agrees};

/// The most texts of one name that a hover shows.
const TEXTS: usize = 4;

/// The end of a hint whose value was recorded.
const MARK: &str = " (recorded)";

/// The same where the file was edited since.
const STALE_MARK: &str = " (recorded before an edit)";

/// The analysis' knowledge of a recorded name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Nothing: the recorded value is shown.
    Alone,
    /// The same.
    Confirmed,
    /// Another value, of the very text that ran: one of both is wrong, and the program ran.
    Contradicted,
}

/// The comparison of a recorded name with the evaluated one. Several instances agree where one of them does.
pub fn standing(placed: &Placed, analysis: &Analysis) -> Standing {
    let of_name = |fact: &&Fact| placed.span.contains(&fact.name_span.start);
    let known: Vec<&Fact> = analysis
        .facts
        .iter()
        .filter(of_name)
        .filter(|fact| is_known(&fact.value))
        .collect();
    if known.is_empty() {
        return Standing::Alone;
    }
    let agree = |fact: &&Fact| placed.texts.iter().any(|text| agrees(text, &fact.value));
    if placed.is_stale || known.iter().any(agree) {
        Standing::Confirmed
    } else {
        Standing::Contradicted
    }
}

/// A size of which only the name is known says nothing, nor does an object of a class.
fn is_known(value: &Value) -> bool {
    match value {
        Value::Unknown(_) | Value::Nothing => false,
        Value::Int(_) => value.is_static(),
        other => other.kind() != Kind::Other,
    }
}

/// Adds hints to lines of a range that have none.
pub fn add_hints(
    hints: &mut Vec<Hint>,
    analysis: &Analysis,
    text: &str,
    range: &Range<usize>,
    recorded: &[Placed],
) {
    for placed in recorded {
        let end = end_of_line(text, placed.span.end);
        let is_asked = placed.span.start <= range.end && range.start <= end;
        let Some(class) = class_of(placed).filter(|_| is_asked) else {
            continue;
        };
        let is_taken = hints
            .iter()
            .any(|hint| end_of_line(text, hint.byte_offset) == end);
        if !is_taken && standing(placed, analysis) == Standing::Alone {
            hints.extend(hint_of(placed, class, end));
        }
    }
    hints.sort_by_key(|hint| hint.byte_offset);
}

/// The class of a hint; nothing for integers, parameters and values that print on many lines.
fn class_of(placed: &Placed) -> Option<Class> {
    if matches!(placed.role, Role::Parameter | Role::Loop) {
        return None;
    }
    match &*placed.kind {
        "Layout" | "ComposedLayout" => Some(Class::Layout),
        "Tensor" => Some(Class::Tensor),
        "Swizzle" => Some(Class::Swizzle),
        "tuple" => Some(Class::Tuple),
        _ => None,
    }
}

fn hint_of(placed: &Placed, class: Class, end: usize) -> Option<Hint> {
    let first = placed.texts.first()?;
    let mark = match placed.texts.len() {
        1 => String::new(),
        texts => format!(" 1/{texts}"),
    };
    let when = if placed.is_stale { STALE_MARK } else { MARK };
    let mut tooltip = format!("{}: {}", placed.name, placed.kind);
    for text in placed.texts.iter().take(TEXTS) {
        let _ = write!(tooltip, "\n{text}");
    }
    let _ = write!(tooltip, "\n{}", origin(&placed.recording));
    Some(Hint {
        byte_offset: end,
        declared: placed.span.clone(),
        shown: vec![Shown {
            class,
            name: placed.name.as_str().into(),
            said: Said::Written {
                short: format!("{}{mark}{when}", without_engine(first)),
                full: format!("{first}{mark}{when}"),
            },
        }],
        tooltip,
        ..Hint::default()
    })
}

/// The layout of a tensor: where its memory is, is in the tooltip.
fn without_engine(text: &str) -> &str {
    let inner = text
        .strip_prefix("tensor<")
        .and_then(|rest| rest.strip_suffix('>'));
    match inner.and_then(|inner| inner.split_once(" o ")) {
        Some((_, layout)) => layout,
        None => text,
    }
}

/// A hover with the recorded values at a byte, where nothing else is known or the value is another one.
pub fn added_to(
    hover: Option<Hover>,
    analysis: &Analysis,
    byte: usize,
    recorded: &[Placed],
) -> Option<Hover> {
    let at = |placed: &&Placed| (placed.span.start..=placed.span.end).contains(&byte);
    let Some(placed) = recorded.iter().find(at) else {
        return hover;
    };
    let standing = standing(placed, analysis);
    if standing == Standing::Confirmed {
        return hover;
    }
    let mut hover = hover.unwrap_or_else(|| titled(placed));
    for text in placed.texts.iter().take(TEXTS) {
        // A text that would end the block is not a print of the DSL.
        let _ = write!(hover.markdown, "\n```text\n{}\n```", text.replace('`', "'"));
        hover.plain.push_str(text);
        hover.plain.push('\n');
    }
    hover.add(&sentences(placed, standing));
    Some(hover)
}

fn titled(placed: &Placed) -> Hover {
    let title = format!("{}: {}", placed.name, placed.kind);
    Hover::saying(&title, Span::new(placed.span.start, placed.span.end))
}

fn sentences(placed: &Placed, standing: Standing) -> Vec<String> {
    let mut said = vec![origin(&placed.recording)];
    let more = placed.texts.len().saturating_sub(TEXTS);
    if more > 0 {
        said.push(format!("{more} more values"));
    }
    if placed.is_stale {
        let edited = "The file was edited since: this line is unchanged, but the code it depends on may not be.";
        said.push(edited.to_owned());
    }
    if standing == Standing::Contradicted {
        let bug =
            "cute-analyzer evaluates a different value here: this is our bug, please report it.";
        said.push(bug.to_owned());
    }
    said
}

/// The date, the program and the version: `recorded 2026-11-23 10:42 from python kernel.py, DSL 4.8.1`.
pub fn origin(recording: &Recording) -> String {
    let command = recording.command.join(" ");
    let dsl = recording.dsl.as_deref().unwrap_or("unknown");
    let python = &recording.python;
    let date = &recording.date;
    format!("recorded {date} from `{command}`, DSL {dsl}, Python {python}")
}
