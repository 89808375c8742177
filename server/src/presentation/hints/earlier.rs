//! Hints of an earlier version of a source, until those of the new one are known.

use std::fmt;
use std::ops::Range;

use cute_analysis::Analysis;

use super::ends::{end_of_line, start_of_line};
use super::hints_in;
use super::label::Hint;
use crate::presentation::instances::Chosen;

/// The results for an earlier version of a source, when all instances were known.
pub struct Before<'a> {
    /// All of it.
    pub analysis: &'a Analysis,
    /// That version.
    pub text: &'a str,
    /// The new place of a byte of it; `None` where it was removed.
    pub now: &'a dyn Fn(usize) -> Option<usize>,
    /// The earlier place of a byte.
    pub then: &'a dyn Fn(usize) -> usize,
}

impl fmt::Debug for Before<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Before").finish_non_exhaustive()
    }
}

/// The same while of each name only the instance that is shown is known, and not yet of all names. The earlier
/// version's values of other instances still hold, and so does a hint whose value is not known yet; where its statement
/// was edited it ends in `…`.
pub fn first_hints_in(
    analysis: &Analysis,
    text: &str,
    range: Range<usize>,
    chosen: &Chosen,
    before: &Before<'_>,
) -> Vec<Hint> {
    let mut hints = hints_in(analysis, text, range.clone(), chosen);
    let then = (before.then)(range.start)..(before.then)(range.end);
    for old in hints_in(before.analysis, before.text, then, chosen) {
        let Some(at) = (before.now)(old.declared.start) else {
            continue;
        };
        if let Some(hint) = hints.iter_mut().find(|hint| hint.declared.start == at) {
            hint.differs = old.differs;
            continue;
        }
        let name = at..at + old.declared.len();
        let end = end_now(text, &old, &name, before);
        let is_there = before.text.get(old.declared.clone()) == text.get(name.clone());
        let was = start_of_line(before.text, old.declared.start)..old.byte_offset;
        let was_edited = before.text.get(was) != text.get(start_of_line(text, at)..end);
        // A name that is not shown in one instance may be shown in another one.
        let is_known = analysis
            .facts
            .iter()
            .any(|fact| fact.name_span.start == at && (was_edited || !old.differs));
        if is_there && !is_known && !hints.iter().any(|hint| hint.byte_offset == end) {
            hints.push(Hint {
                byte_offset: end,
                declared: name,
                is_outdated: was_edited,
                ..old
            });
        }
    }
    hints.sort_by_key(|hint| hint.byte_offset);
    hints
}

/// The hints of an earlier version on the lines of a range, at their new places, until this version is evaluated. Those inside of `edited`, the declarations of the earlier version in which something was replaced, are marked:
/// they may be others.
pub fn moved_hints_in(
    text: &str,
    range: Range<usize>,
    chosen: &Chosen,
    before: &Before<'_>,
    edited: &[Range<usize>],
) -> Vec<Hint> {
    let mut hints = first_hints_in(&Analysis::default(), text, range, chosen, before);
    for hint in &mut hints {
        let then = (before.then)(hint.declared.start);
        hint.is_outdated |= edited.iter().any(|declaration| declaration.contains(&then));
    }
    hints
}

/// The new place of a hint of an earlier version: behind the same byte, or else at the end of the line of the name.
fn end_now(text: &str, old: &Hint, name: &Range<usize>, before: &Before<'_>) -> usize {
    let last = old.byte_offset.checked_sub(1);
    match last.and_then(|last| (before.now)(last)) {
        Some(last) if last >= name.end => last + 1,
        _ => end_of_line(text, name.end.min(text.len())),
    }
}
