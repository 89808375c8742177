//! Declarations that are twins, one of operand A and one of operand B, where one word of B still speaks of A.
//!
//! `layoutSFB = f(majorSFA, B)` beside `layoutSFA = f(majorSFA, A)`: it may be meant, so it is information.

use tree_sitter_cute::tree::{Binding, Item, ItemKind, Span};

use crate::finding::{Finding, Number, Related, Severity};
use crate::hash::HashSet;
use crate::sources::SourceFile;
use crate::walk;

/// The stable name of the rule.
const RULE: &str = "twin-differs";
/// Minimum number of words of a twin that are about its own operand.
const SWAPPED: usize = 2;
/// Words that are compared at most.
const WORDS: usize = 256;

/// Twins of a file that differ in one word.
pub(crate) fn findings(file: &SourceFile) -> Vec<Finding> {
    let mut found = Vec::new();
    let names = names(file);
    of_list(&file.unit().items, file, &names, &mut found);
    walk::items(&file.unit().items, &mut |item| {
        walk::inner_items(item, &mut |inner| of_list(inner, file, &names, &mut found));
    });
    found
}

/// All names that a file declares.
fn names(file: &SourceFile) -> HashSet<&str> {
    let mut names: HashSet<&str> = HashSet::default();
    walk::items(&file.unit().items, &mut |item| {
        let declared: Vec<&str> = match &item.kind {
            ItemKind::Binding(binding) => named(binding).into_iter().collect(),
            ItemKind::Function(function) => function.params.iter().filter_map(named).collect(),
            _ => Vec::new(),
        };
        names.extend(declared);
        if let ItemKind::Function(function) = &item.kind {
            let params = function.tparams.iter();
            names.extend(params.filter_map(|param| Some(param.name.as_ref()?.name.as_str())));
        }
        if let ItemKind::Record(record) = &item.kind {
            let params = record.tparams.iter();
            names.extend(params.filter_map(|param| Some(param.name.as_ref()?.name.as_str())));
        }
    });
    names
}

fn named(binding: &Binding) -> Option<&str> {
    Some(binding.name.as_ref()?.name.as_str())
}

fn of_list(items: &[Item], file: &SourceFile, names: &HashSet<&str>, found: &mut Vec<Finding>) {
    let bindings: Vec<&Binding> = items
        .iter()
        .filter_map(|item| match &item.kind {
            ItemKind::Binding(binding) => Some(&**binding),
            _ => None,
        })
        .filter(|binding| binding.init.is_some() && file.contains(binding.span))
        .collect();
    for (index, first) in bindings.iter().enumerate() {
        // A twin is beside the other one.
        let Some(second) = bindings.get(index + 1) else {
            break;
        };
        found.extend(differs(first, second, file, names));
    }
}

/// The one word of the second declaration that speaks of the first one's operand.
fn differs(
    first: &Binding,
    second: &Binding,
    file: &SourceFile,
    names: &HashSet<&str>,
) -> Option<Finding> {
    let (one, other) = (named(first)?, named(second)?);
    if other_operand(one)? != other {
        return None;
    }
    let (init, of_second) = (first.init.as_ref()?, second.init.as_ref()?);
    let left = words(file, init.span);
    let right = words(file, of_second.span);
    if left.len() != right.len() || left.len() > WORDS {
        return None;
    }
    let mut swapped = 0;
    let mut kept: Option<(Span, &str, String)> = None;
    for ((_, one), (span, other)) in left.iter().zip(&right) {
        let twin = other_operand(one);
        if one == other {
            // Only a word whose twin exists might have been meant.
            if let Some(twin) = twin.filter(|twin| names.contains(twin.as_str())) {
                if kept.is_some() {
                    return None;
                }
                kept = Some((*span, other, twin));
            }
        } else if twin.as_deref() == Some(*other) {
            swapped += 1;
        } else {
            return None;
        }
    }
    let (span, word, twin) = kept.filter(|_| swapped >= SWAPPED)?;
    let line = i64::try_from(file.line(init.span)).ok()?;
    let message = format!(
        "`{other}` is made of `{word}`, as its twin `{one}` on line {line}: `{twin}` exists, too"
    );
    Some(Finding {
        numbers: vec![("line".to_owned(), Number::Integer(line))],
        related: vec![Related {
            span: init.span,
            message: "the twin".to_owned(),
        }],
        ..Finding::new(RULE, Severity::Information, span, message)
    })
}

/// The name of the same thing of operand B: one letter A becomes B. Nothing where a name does not speak of A.
fn other_operand(name: &str) -> Option<String> {
    let letters: Vec<char> = name.chars().collect();
    let is_end = |at: usize| {
        // `sA`, `tCrA`, `SFA`, `a_stride`, `layoutA_k`: the letter ends a word.
        let next = letters.get(at + 1);
        next.is_none_or(|next| *next == '_' || next.is_uppercase() || next.is_ascii_digit())
    };
    let is_begin = |at: usize| {
        let letter = letters.get(at).copied().unwrap_or_default();
        at == 0 || letters.get(at - 1) == Some(&'_') || letter.is_uppercase()
    };
    let places: Vec<usize> = (0..letters.len())
        .filter(|at| matches!(letters.get(*at), Some('A' | 'a')) && is_end(*at) && is_begin(*at))
        .collect();
    let [at] = places.as_slice() else {
        return None;
    };
    // `tAsA`: a partition by the copy of A has A in its name twice.
    if letters.iter().filter(|letter| **letter == 'A').count() > 1 {
        return None;
    }
    let mut other = letters.clone();
    let letter = other.get_mut(*at)?;
    *letter = if *letter == 'A' { 'B' } else { 'b' };
    Some(other.into_iter().collect())
}

/// The words and signs of a piece of the source, with their places.
fn words(file: &SourceFile, span: Span) -> Vec<(Span, &str)> {
    let text = file.slice(span);
    let mut found = Vec::new();
    let mut start: Option<usize> = None;
    for (at, letter) in text.char_indices() {
        let is_word = letter.is_alphanumeric() || letter == '_';
        if is_word {
            start.get_or_insert(at);
            continue;
        }
        if let Some(begin) = start.take() {
            found.push(piece(text, span, begin, at));
        }
        if !letter.is_whitespace() {
            found.push(piece(text, span, at, at + letter.len_utf8()));
        }
    }
    if let Some(begin) = start {
        found.push(piece(text, span, begin, text.len()));
    }
    found
}

fn piece(text: &str, span: Span, start: usize, end: usize) -> (Span, &str) {
    let place = Span::new(span.start + start, span.start + end);
    (place, text.get(start..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_operand_has_one_letter_changed() {
        assert_eq!(
            other_operand("smem_layoutSFA").as_deref(),
            Some("smem_layoutSFB")
        );
        assert_eq!(other_operand("tCrA").as_deref(), Some("tCrB"));
        assert_eq!(other_operand("a_stride").as_deref(), Some("b_stride"));
        assert_eq!(other_operand("data"), None);
        assert_eq!(other_operand("tAsA"), None);
        assert_eq!(other_operand("Axis"), None);
    }
}
