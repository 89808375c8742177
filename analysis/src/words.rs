//! The identifiers of a text, by their hashes: the mentions of a piece of a source, whatever they mean there.

use std::hash::{BuildHasherDefault, Hasher};

use tree_sitter_cute::tree::{Item, ItemKind, Span};

use crate::walk;

/// An identifier, by its hash: two that collide are taken for one, which only makes islands larger.
pub(crate) type Word = u64;
pub(crate) type WordSet = std::collections::HashSet<Word, BuildHasherDefault<WordHasher>>;
pub(crate) type WordMap<T> = std::collections::HashMap<Word, T, BuildHasherDefault<WordHasher>>;

/// A [`Word`] is a hash already.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct WordHasher(u64);

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = word_of(bytes);
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = word;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The identifiers of a text, whatever they mean.
pub(crate) fn words(text: &str) -> impl Iterator<Item = Word> + '_ {
    identifiers(text).map(|name| word_of(name.as_bytes()))
}

/// The same as they are written.
pub(crate) fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let is_part =
        |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || !letter.is_ascii();
    text.split(move |letter| !is_part(letter))
        .filter(|word| word.starts_with(|first: char| !first.is_ascii_digit()))
}

/// FNV-1a: identifiers are short, and a forced collision gains nothing.
pub(crate) fn word_of(name: &[u8]) -> Word {
    name.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The identifiers of a file, for the files that include it.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) mentioned: WordSet,
    /// Whether a macro of it pastes words.
    pub(crate) pastes: bool,
}

impl Names {
    /// Reads a text. `macros` are the items in which `#define`s are looked for; `slice` gives the text of a place.
    pub(crate) fn of<'t>(text: &str, macros: &[Item], slice: impl Fn(Span) -> &'t str) -> Self {
        let mut pastes = false;
        walk::items(macros, &mut |item| {
            if let ItemKind::Define(define) = &item.kind {
                pastes |= slice(define.body).contains("##");
            }
        });
        Self {
            mentioned: words(text).collect(),
            pastes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_identifiers_and_no_numbers() {
        let found: Vec<Word> = words("a1+0x1F b_(\"größe\")").collect();
        let expected = ["a1", "b_", "größe"].map(|name| word_of(name.as_bytes()));
        assert_eq!(found, expected);
    }
}
