//! Names in the code around an error: the words that lead to the parameters that it comes from, and the numbers that
//! would suit it.

use std::collections::VecDeque;

use tree_sitter_cute::tree::Span;

use super::functions_in::functions_in;
use super::machine::{Machine, Run, Stop};
use super::trail::{STATEMENTS, Trail};
use super::unreached::{Target, of_statements};
use super::value::{Condition, Py};
use crate::hash::{HashMap, HashSet};

/// Tests of one run whose truth is not known that are looked at.
const DOUBTS: usize = 16;
/// Words that are followed.
const WORDS: usize = 48;
/// Assignments that are followed from a word to the words of its value.
const DEPTH: usize = 3;
/// Numbers that are multiplied with each other.
const FACTORS: usize = 8;
/// The largest number that is supposed.
const LARGEST: i64 = 1 << 14;

/// The names and numbers of some code.
#[derive(Debug, Default)]
pub(super) struct Clues {
    /// Its words, and those of the values that they were bound to, the nearest first.
    pub(super) words: Vec<String>,
    numbers: Vec<i64>,
}

impl Clues {
    /// Numbers that may suit the code: those it names, those behind them, and products of two of them.
    pub(super) fn numbers(&self) -> Vec<i64> {
        let mut all = self.numbers.clone();
        let first = self.numbers.get(..FACTORS).unwrap_or(&self.numbers);
        all.extend(first.iter().map(|one| one.saturating_add(1)));
        for one in first {
            all.extend(first.iter().map(|other| one.saturating_mul(*other)));
        }
        let mut known = HashSet::default();
        all.retain(|number| (1..=LARGEST).contains(number) && known.insert(*number));
        all
    }

    /// Adds the words and numbers of a text; the words that are new.
    fn read(&mut self, text: &str) -> Vec<String> {
        let mut new = Vec::new();
        let mut quote = None;
        let mut at = 0;
        while let Some(rest) = text.get(at..)
            && let Some(first) = rest.chars().next()
        {
            let is_of_word = |it: char| it == '_' || it.is_alphanumeric();
            if quote.is_some() || !is_of_word(first) {
                match quote {
                    None if matches!(first, '"' | '\'') => quote = Some(first),
                    Some(mark) if mark == first => quote = None,
                    _ => {}
                }
                at += first.len_utf8();
                continue;
            }
            let end = rest.find(|it| !is_of_word(it)).unwrap_or(rest.len());
            let word = &rest[..end];
            at += end;
            if !first.is_ascii_digit() {
                if self.words.len() < WORDS && !self.words.iter().any(|known| known == word) {
                    self.words.push(word.to_owned());
                    new.push(word.to_owned());
                }
            } else if let Ok(number) = word.parse() {
                self.numbers.push(number);
            }
        }
        new
    }
}

impl Machine<'_> {
    /// The names in the statements around an error.
    pub(super) fn clues(&self, trail: &Trail) -> Clues {
        let mut clues = Clues::default();
        let mut bound: HashMap<usize, Vec<Target>> = HashMap::default();
        for (file, part) in &trail.parts {
            let bound = bound.entry(*file).or_insert_with(|| self.bound_in(*file));
            self.follow_words(*file, *part, bound, &mut clues);
        }
        clues
    }

    /// Takes the words of a part of a file, and those of the values that they were bound to.
    pub(super) fn follow_words(
        &self,
        file: usize,
        part: Span,
        bound: &[Target],
        clues: &mut Clues,
    ) {
        let text = self.text_of(file);
        let mut next = VecDeque::from([(part, 0)]);
        while let Some((part, depth)) = next.pop_front() {
            let new = clues.read(part.text(text));
            if depth == DEPTH {
                continue;
            }
            for word in new {
                let of_word = bound.iter().filter(|target| last_name(target) == word);
                next.extend(of_word.map(|target| (target.declaration, depth + 1)));
            }
        }
    }

    /// The names that the functions of a file bind.
    pub(super) fn bound_in(&self, file: usize) -> Vec<Target> {
        let mut targets = Vec::new();
        if let Some(file) = self.files.get(file) {
            for function in functions_in(&file.script.body) {
                of_statements(&function.body, &mut targets);
            }
        }
        targets
    }

    /// Keeps that the truth of a test is not known; the test for which a trial is run ends it.
    pub(super) fn note_test(&mut self, test: Span, condition: &Condition) -> Run<()> {
        let here = self.frames.last().map(|frame| (frame.file, test));
        if here.is_some() && self.errors.until == here {
            self.errors.is_decided = !matches!(condition, Condition::Unknown(_));
            return Err(Stop::error("Exception", "the end of a trial"));
        }
        if matches!(condition, Condition::Unknown(_)) {
            self.note_doubt(test, false);
        }
        Ok(())
    }

    /// Keeps that the DSL refuses a member of `None`.
    pub(super) fn note_member(&mut self, place: Span, object: &Py) -> Run<()> {
        if *object == Py::None {
            self.note_doubt(place, true);
        } else if self.errors.until.is_some() {
            self.note_test(place, &Condition::Known(true))?;
        }
        Ok(())
    }

    /// Keeps that the DSL refuses a call of a supposed kernel.
    pub(super) fn note_refused(&mut self, call: Span) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        let place = (frame.file, call);
        let refused = &mut self.errors.refused;
        if self.record.supposed.is_some()
            && self.uncertain.is_certain()
            && !refused.contains(&place)
        {
            refused.push(place);
        }
    }

    fn note_doubt(&mut self, test: Span, is_of_none: bool) {
        let is_supposed = self.record.supposed.is_some() && self.uncertain.is_certain();
        if !is_supposed || self.errors.doubts.len() >= DOUBTS {
            return;
        }
        let here = self.frames.last().map(|frame| (frame.file, test));
        if self.errors.doubts.iter().any(|known| known.place() == here) {
            return;
        }
        let mut trail = Vec::new();
        let mut place = test;
        for frame in self.frames.iter().rev().take(STATEMENTS) {
            trail.push((frame.file, place));
            place = frame.called_at;
        }
        self.errors.doubts.push(Trail {
            parts: trail,
            is_of_none,
        });
    }
}

/// The name without its object.
fn last_name(target: &Target) -> &str {
    let name = &*target.name;
    name.rsplit('.').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_of_code_are_clues_and_texts_are_not() {
        let mut clues = Clues::default();
        let new = clues.read("self.tile_m == 64 and f(x2, 1.5) in (0, 3), \"not 7\"");
        assert_eq!(new, ["self", "tile_m", "and", "f", "x2", "in"]);
        assert!(clues.read("x2 + tile_m").is_empty());
        assert_eq!(
            clues.numbers(),
            [64, 1, 5, 3, 65, 2, 6, 4, 4096, 320, 192, 25, 15, 9]
        );
    }
}
