//! The origin of a value: its declaration, with the values of the arguments that are numbers.

use std::ops::Range;

use cute_analysis::{Analysis, Fact, Kind, Role, Value};
use tree_sitter_cute::tree::Span;

use super::lines::{Lines, one_line};

/// The most characters of the declaration that made a value: a line of a hover.
const DECLARATION: usize = 100;

/// Words by which a source writes numbers as they are.
const PLAIN: [&str; 16] = [
    "Int",
    "C",
    "Shape",
    "Stride",
    "Tile",
    "Step",
    "Coord",
    "X",
    "cute",
    "make_shape",
    "make_stride",
    "make_tile",
    "make_coord",
    "make_step",
    "make_tuple",
    "typename",
];

/// The origin of the value of a name, with the numbers of an instance: `made by` and
/// `sum = partition_fragment_C(mma, (64,64))`. Nothing at a declaration that writes its numbers as they are.
pub fn by(
    analysis: &Analysis,
    source: &Lines,
    span: Span,
    instance: Option<&str>,
) -> Option<(String, String)> {
    let fact = declaration_of(analysis, span)?;
    let line = source.place(fact.name_span.start).line;
    let is_here = line == source.place(span.start).line;
    let declared = fact.name_span.start..fact.span.end;
    let numbers = numbers_in(analysis, source, &declared, instance);
    if is_here && (numbers.is_empty() || fact.role != Role::Var) {
        return None;
    }
    let mut text = String::new();
    let mut from = declared.start;
    for (span, value) in numbers {
        text.push_str(&source.text(from..span.start));
        text.push_str(&value);
        from = span.end;
    }
    text.push_str(&source.text(from..declared.end));
    let said = if is_here {
        "made by".to_owned()
    } else {
        format!("made on line {line} by")
    };
    let text = text.trim_end().trim_end_matches(';');
    Some((said, one_line(text, DECLARATION)))
}

/// A fact about the name at a place, or about the one that is used there.
fn declaration_of(analysis: &Analysis, span: Span) -> Option<&Fact> {
    let own = analysis.facts.iter().find(|fact| fact.name_span == span);
    own.or_else(|| analysis.facts_of_use(span).first().copied())
}

/// The arguments in a declaration whose numbers have names, each with its value in an instance; none inside of another one,
/// and not the whole that is declared.
fn numbers_in(
    analysis: &Analysis,
    source: &Lines,
    declared: &Range<usize>,
    instance: Option<&str>,
) -> Vec<(Span, String)> {
    let mut found: Vec<(Span, String)> = Vec::new();
    for mention in analysis.mentions() {
        let span = mention.span;
        let is_inside = declared.start < span.start && span.end < declared.end;
        let is_of_instance = mention.instance.is_none() || mention.instance.as_deref() == instance;
        if !is_inside || !is_of_instance || !is_number(&mention.value) {
            continue;
        }
        let written = source.text(span.start..span.end);
        if found.iter().any(|(other, _)| other.encloses(span)) || !has_names(&written) {
            continue;
        }
        found.retain(|(other, _)| !span.encloses(*other));
        found.push((span, format!("{:#}", mention.value)));
    }
    found.sort_by_key(|(span, _)| span.start);
    found
}

/// Whether a value is a number that is known at compile time, or a tuple of such numbers.
fn is_number(value: &Value) -> bool {
    matches!(value.kind(), Kind::Int | Kind::Tuple) && value.is_static()
}

/// Whether a piece of a source names a number, instead of writing it.
fn has_names(written: &str) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let words = written.split(|character| !is_word(character));
    words
        .filter(|word| !word.is_empty() && !PLAIN.contains(word))
        .any(|word| {
            word.trim_start_matches('_')
                .starts_with(char::is_alphabetic)
        })
}

/// The tensor or layout of which a name is a slice, `tXsA_p = tXsA(_,_,_,k)`: `slice of tXsA` and its value.
pub fn sliced(
    analysis: &Analysis,
    source: &Lines,
    span: Span,
    instance: Option<&str>,
) -> Option<(String, String)> {
    let fact = declaration_of(analysis, span)?;
    if fact.role != Role::Var || !is_layout(&fact.value) {
        return None;
    }
    let behind_name = source.text(fact.name_span.end..fact.span.end);
    let initializer = behind_name.trim_start().strip_prefix('=')?.trim_start();
    let whole = analysis.use_at(fact.span.end - initializer.len())?;
    let behind = source.text(whole.end..fact.span.end);
    if !behind.trim_start().starts_with(['(', '[']) {
        return None;
    }
    let facts = analysis.facts_of_use(whole);
    let is_of_instance = |fact: &&&Fact| fact.instance.as_deref() == instance;
    let known = facts.iter().find(is_of_instance).or(facts.first())?;
    is_layout(&known.value).then(|| {
        let said = format!("slice of {}", known.name);
        (said, analysis.dialect.text(&known.value))
    })
}

/// Whether a value has a layout.
fn is_layout(value: &Value) -> bool {
    value.as_any_layout().is_some() || matches!(value, Value::Tensor(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_numbers() {
        for (written, named) in [
            ("Shape<Int<kM>, _64>{}", true),
            ("make_shape(bM, bN)", true),
            ("size<0>(gA)", true),
            ("Shape<_128, Int<64>>{}", false),
            ("make_shape(Int<4>{}, 3)", false),
        ] {
            assert_eq!(has_names(written), named, "{written}");
        }
    }
}
