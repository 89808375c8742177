//! Names of members without their object, `h` for `params.h`, where a line has no room for both.

use std::collections::BTreeMap;

/// The members that a text names, each with its short name. A member whose name another name of the text has as well keeps its
/// object: `(a.n,b.n)` stays.
#[derive(Debug, Default)]
pub(super) struct MemberNames<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> MemberNames<'a> {
    /// Of the text of a value.
    pub(super) fn of(text: &'a str) -> Self {
        let mut members = BTreeMap::new();
        let mut whole: BTreeMap<&str, &str> = BTreeMap::new();
        let mut shared = Vec::new();
        for name in pieces(text).filter(|piece| is_name(piece)) {
            let short = match name.rsplit_once('.') {
                Some((_, member)) if is_name(member) => member,
                _ => name,
            };
            if whole.insert(short, name).is_some_and(|other| other != name) {
                shared.push(short);
            }
            if short != name {
                members.insert(name, short);
            }
        }
        members.retain(|_, short| !shared.contains(short));
        Self(members)
    }

    /// The text with the short names.
    pub(super) fn short(&self, text: &str) -> String {
        let short = |piece| self.0.get(piece).copied().unwrap_or(piece);
        pieces(text).map(short).collect()
    }
}

/// The names of a text with their objects, and what is between them.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(|letter| !is_of_name(letter))
        .flat_map(|piece| {
            let end = piece.trim_end_matches(|letter| !is_of_name(letter)).len();
            [piece.get(..end), piece.get(end..)]
        })
        .flatten()
        .filter(|piece| !piece.is_empty())
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '.' | '#')
}

/// Whether a piece begins as a name does: `_8` is a number.
fn is_name(piece: &str) -> bool {
    let first = piece.trim_start_matches('_').chars().next();
    first.is_some_and(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(text: &str) -> String {
        MemberNames::of(text).short(text)
    }

    #[test]
    fn a_member_loses_its_object() {
        assert_eq!(
            short("((varlen ? 1 : params.b),params.h):(8*params.q_stride,_1)"),
            "((varlen ? 1 : b),h):(8*q_stride,_1)"
        );
        assert_eq!(short("binfo.sizes.actual"), "actual");
    }

    #[test]
    fn a_member_with_a_name_that_is_taken_keeps_its_object() {
        assert_eq!(short("(a.n,b.n)"), "(a.n,b.n)");
        assert_eq!(short("(a.n,n,a.m)"), "(a.n,n,m)");
        // An element of a tuple is a number of it.
        assert_eq!(short("(stride.0,_1,stride.1)"), "(stride.0,_1,stride.1)");
    }
}
