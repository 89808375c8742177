//! The declared values that have a hint: those that the source does not already say.

use cute_analysis::{Analysis, Fact, Kind, Role, Value, WordKind};

use super::ends::start_of_line;
use super::label::Class;
use crate::presentation::meaning;

/// The class of a declared value; nothing for one that is not of interest.
pub(super) fn class_of(analysis: &Analysis, text: &str, fact: &Fact) -> Option<Class> {
    match fact.kind() {
        Kind::Layout | Kind::ComposedLayout => Some(Class::Layout),
        Kind::Tensor => Some(Class::Tensor),
        Kind::Swizzle => Some(Class::Swizzle),
        Kind::TiledCopy | Kind::CopyAtom if meaning::is_tma(&fact.value) => Some(Class::Tma),
        Kind::TiledMma | Kind::TiledCopy => Some(Class::Tiled),
        Kind::MmaAtom | Kind::CopyAtom => Some(Class::Atom),
        // Run-time integers only, as in a `dim3` or `make_shape(M, N, K)`: the code says it.
        Kind::Tuple => has_static_part(&fact.value).then_some(Class::Tuple),
        Kind::Int => is_computed(analysis, text, fact).then_some(Class::Constant),
        _ => None,
    }
}

/// Whether a function of CuTe computes a number, or it is a member of another class, and the source does not write it.
fn is_computed(analysis: &Analysis, text: &str, fact: &Fact) -> bool {
    let number = match &*fact.value {
        Value::Int(int) => int.value(),
        _ => None,
    };
    let (Some(number), Role::Var) = (number, fact.role) else {
        return false;
    };
    let initialiser = text.get(fact.name_span.end..fact.span.end);
    let initialiser = initialiser.unwrap_or_default();
    if writes(initialiser, number) {
        return false;
    }
    let line = start_of_line(text, fact.name_span.start);
    let before = text.get(line..fact.name_span.start).unwrap_or_default();
    let is_constant = before
        .split_whitespace()
        .any(|word| word.starts_with("const"));
    if is_constant && is_member_of_class(initialiser) {
        return true;
    }
    let words = analysis.words();
    let first = words.partition_point(|word| word.span.start < fact.name_span.end);
    let mut inside = words
        .iter()
        .skip(first)
        .take_while(|word| word.span.start < fact.span.end);
    inside.any(|word| matches!(word.kind, WordKind::Function(_)))
}

/// Whether a piece of a source has a number as a literal.
pub(super) fn writes(source: &str, number: i64) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let number = number.unsigned_abs().to_string();
    source
        .split(|character| !is_word(character))
        .any(|word| word == number)
}

/// Whether an initialiser is a name of another class and nothing else: `= Traits::kBlockM`.
pub(super) fn is_member_of_class(initialiser: &str) -> bool {
    let name = initialiser.trim().trim_start_matches('=').trim();
    let of_name = |character: char| {
        character.is_alphanumeric() || matches!(character, '_' | ':' | '<' | '>' | ',' | ' ')
    };
    name.rsplit_once("::").is_some_and(|(class, member)| {
        name.chars().all(of_name)
            && class.starts_with(|first: char| first.is_alphabetic() || first == '_')
            && member
                .chars()
                .all(|character| character.is_alphanumeric() || character == '_')
    })
}

fn has_static_part(value: &Value) -> bool {
    match value {
        Value::Tuple(items) => items.iter().any(has_static_part),
        Value::Underscore => false,
        other => other.is_static(),
    }
}
