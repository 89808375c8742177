//! New places of the bytes of an earlier version of a text.

use std::ops::Range;

use tree_sitter_cute::changed_bytes;
use tree_sitter_cute::limits::SOURCE_BYTES;
use tree_sitter_cute::tree::Span;

use crate::limits::MOVES;

/// Replacements since an earlier version, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Moves(Vec<Replaced>);

/// A piece of the earlier text, and the length of its replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Replaced {
    start: usize,
    removed: usize,
    inserted: usize,
}

impl Replaced {
    /// This one and one that was made after it as one: text between them counts as replaced.
    fn and(self, later: Self) -> Self {
        let start = self.start.min(later.start);
        let own_end = self.start + self.inserted;
        let end = own_end.max(later.start + later.removed);
        Self {
            start,
            removed: (self.start - start) + self.removed + (end - own_end),
            inserted: (end - start) - later.removed + later.inserted,
        }
    }

    fn touches(self, later: Self) -> bool {
        later.start <= self.start + self.inserted && self.start <= later.start + later.removed
    }
}

impl Moves {
    /// The replacement of one piece that makes one text of another.
    pub fn between(before: &str, after: &str) -> Self {
        let (old, new) = changed_bytes(before, after);
        let mut moves = Self::default();
        moves.add(old, new.len());
        moves
    }

    /// Notes that a piece of the newest version was replaced by `inserted` bytes.
    pub fn add(&mut self, bytes: Range<usize>, inserted: usize) {
        let mut replaced = Replaced {
            start: bytes.start,
            removed: bytes.len(),
            inserted,
        };
        // A typist replaces text at one place again and again.
        while let Some(last) = self.0.last().copied()
            && (last.touches(replaced) || self.0.len() >= MOVES)
        {
            self.0.pop();
            replaced = last.and(replaced);
        }
        self.0.push(replaced);
    }

    /// Adds later replacements.
    pub fn extend(&mut self, later: &Self) {
        for replaced in &later.0 {
            let bytes = replaced.start..replaced.start + replaced.removed;
            self.add(bytes, replaced.inserted);
        }
    }

    /// Whether another replacement elsewhere would no longer be told apart from those before.
    pub(crate) fn is_full(&self) -> bool {
        self.0.len() >= MOVES
    }

    /// The new place of a byte of the earlier version; `None` where it was removed.
    pub fn now(&self, byte: usize) -> Option<usize> {
        self.0.iter().try_fold(byte, |byte, replaced| {
            if byte < replaced.start {
                return Some(byte);
            }
            let behind = byte.checked_sub(replaced.start + replaced.removed)?;
            Some(replaced.start + replaced.inserted + behind)
        })
    }

    /// The new place of a span of the analysed file, replacements inside of it included; those of other files stay.
    /// `None` where an end of it is no more.
    pub(crate) fn now_span(&self, span: Span) -> Option<Span> {
        if span.start > SOURCE_BYTES {
            return Some(span);
        }
        let start = self.now(span.start)?;
        let Some(last) = span.end.checked_sub(1).filter(|last| *last >= span.start) else {
            return Some(Span::new(start, start));
        };
        Some(Span::new(start, self.now(last)? + 1))
    }

    /// The earlier place of a byte; for inserted text, the place of its insertion.
    pub fn before(&self, byte: usize) -> usize {
        self.0.iter().rev().fold(byte, |byte, replaced| {
            match byte.checked_sub(replaced.start + replaced.inserted) {
                Some(behind) => replaced.start + replaced.removed + behind,
                None => byte.min(replaced.start),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text after some edits, and where its bytes went.
    fn edited(text: &str, edits: &[(Range<usize>, &str)]) -> (String, Moves) {
        let (mut text, mut moves) = (text.to_owned(), Moves::default());
        for (bytes, with) in edits {
            text.replace_range(bytes.clone(), with);
            moves.add(bytes.clone(), with.len());
        }
        (text, moves)
    }

    #[test]
    fn what_stands_outside_of_edits_is_found_again() {
        let before = "abcdefghij";
        let edits = [(2..3, "XYZ"), (5..5, "--"), (0..1, ""), (9..10, "!")];
        let (after, moves) = edited(before, &edits);
        assert_eq!(after, "bXYZ--def!hij");
        let found = |of: char| {
            let at = moves.now(before.find(of).unwrap())?;
            after[at..].chars().next()
        };
        for of in "bdefhij".chars() {
            assert_eq!(found(of), Some(of), "{of}");
            let now = after.find(of).unwrap();
            assert_eq!(moves.before(now), before.find(of).unwrap(), "{of}");
        }
        for of in "acg".chars() {
            assert_eq!(moves.now(before.find(of).unwrap()), None, "{of}");
        }
    }

    #[test]
    fn typing_at_one_place_is_one_edit() {
        let (mut moves, mut at) = (Moves::default(), 100);
        for _ in 0..1_000 {
            moves.add(at..at, 1);
            at += 1;
        }
        for _ in 0..1_010 {
            moves.add(at - 1..at, 0);
            at -= 1;
        }
        let one = Replaced {
            start: 90,
            removed: 10,
            inserted: 0,
        };
        assert_eq!(moves.0, [one]);
    }

    #[test]
    fn many_edits_apart_count_as_a_larger_one() {
        let mut moves = Moves::default();
        for edit in 0..MOVES * 3 {
            moves.add(edit * 10..edit * 10, 1);
        }
        assert!(moves.0.len() <= MOVES);
        let end = MOVES * 30;
        assert_eq!(moves.now(end), Some(end + MOVES * 3));
        assert_eq!(moves.now(0), Some(1));
    }

    #[test]
    fn a_whole_text_is_compared_with_the_one_before() {
        let moves = Moves::between("aXbbc", "aYYbc");
        assert_eq!(
            (moves.now(0), moves.now(1), moves.now(4)),
            (Some(0), None, Some(4))
        );
        let same = Moves::between("aa", "aa");
        assert_eq!(
            (same.now(0), same.now(1), same.now(2)),
            (Some(0), Some(1), Some(2))
        );
        let longer = Moves::between("aa", "aaa");
        assert_eq!((longer.now(0), longer.now(2)), (Some(0), Some(3)));
    }
}
