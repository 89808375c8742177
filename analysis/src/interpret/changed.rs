//! A file that is being edited: only the part that an edit can change is lowered, read into a program and evaluated.
//!
//! The values of an island depend on its pieces and on the environment alone (see [`islands`](super::islands)). So a
//! program of the environment and of the islands that are not known gives these the same values as the program of the
//! whole file, and the others are not examined: the declarations and mentions of their pieces are known by the keys of
//! the pieces.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use tree_sitter_cute::SyntaxPieces;

use super::islands::{Groups, Islands, Summaries, others};
use super::memo::Memo;
use super::pieces::{Piece, Reader};
use super::program::{Environment, Program};
use super::roots::Roots;
use super::{Focus, Interpreter};
use crate::arena::Arena;
use crate::limits;
use crate::options::Options;
use crate::output::Output;
use crate::sources::SourceFile;
use crate::words::{WordMap, WordSet};

/// Evaluates a file with the results of an earlier version in `memo`; `None` where it has to be read as a whole.
pub(super) fn interpret_changed(
    environment: Environment<'_>,
    options: &Options,
    memo: &mut Memo,
) -> Option<Output> {
    let focus = environment.focus;
    let pieces = focus.syntax()?.pieces()?;
    if memo.is_expanded || !environment.sources.users(focus).is_empty() {
        return None;
    }
    let reader = Reader::of_pieces(focus, pieces, &memo.summaries)?;
    let declared = reader.declared();
    let mut groups = reader.groups(&declared);
    let mut wanted = changed(&reader, &mut groups, memo);
    // Names that the environment needs are found in the first round.
    for _ in 0..2 {
        let arena = Arena::default();
        let part = focus.with_part(pieces.lower(focus.text(), &|piece| {
            wanted.get(piece).copied().unwrap_or_default()
        }));
        let environment = Environment {
            focus: &part,
            arena: &arena,
            ..environment
        };
        let program = Program::of(&part, environment);
        // The macro that fills an otherwise empty file depends on all of it.
        let is_filled = program.demand.is_filled && may_be_filled(pieces, &reader);
        if is_filled || program.expands(&part) || program.surrounds(&part, &reader) {
            return None;
        }
        let unreached = unreached(&part, &program, &declared, memo)?;
        let mut interpreter = Interpreter::new(program, options);
        interpreter.recorder.focus = Focus::on(&part, limits::INSTANCES_PER_FUNCTION);
        interpreter.read_directives();
        let islands = reader.islands(
            groups.clone(),
            &part,
            &interpreter.program,
            &interpreter.settings.directives,
            options,
        )?;
        if want_unknown(&mut wanted, &islands, &part, memo) {
            continue;
        }
        let roots = Roots::of_islands(&interpreter.program, &part, &islands)?;
        let read = |piece: usize| wanted.get(piece).copied().unwrap_or_default();
        let output = interpreter.interpret_islands(&part, &islands, &roots, &read, Some(memo))?;
        memo.unreached = unreached;
        let summaries = reader.pieces.into_iter();
        let summaries: Summaries = summaries.map(|piece| (piece.key, piece.summary)).collect();
        memo.summaries = Arc::new(summaries);
        return Some(output);
    }
    None
}

/// Whether a file may declare nothing without a macro that its `#if`s ask for.
fn may_be_filled(pieces: SyntaxPieces<'_>, reader: &Reader) -> bool {
    let has_conditions = (0..reader.pieces.len()).any(|index| pieces.is_condition(index));
    has_conditions || reader.pieces.iter().all(Piece::surrounds)
}

/// The pieces that the environment is made of, and those of the groups in which a piece is new.
fn changed(reader: &Reader, groups: &mut Groups, memo: &Memo) -> Vec<bool> {
    let pieces = reader.pieces.iter();
    let mut wanted: Vec<bool> = pieces
        .map(|piece| piece.surrounds() || piece.summary.demands)
        .collect();
    for members in reader.members(groups) {
        let is_new = |index: &usize| {
            let piece = reader.pieces.get(*index);
            piece.is_some_and(|piece| !memo.summaries.contains_key(&piece.key))
        };
        if members.iter().any(is_new) {
            for index in members {
                if let Some(wanted) = wanted.get_mut(index) {
                    *wanted = true;
                }
            }
        }
    }
    wanted
}

/// Adds the pieces of the islands that are not known; whether there were any.
fn want_unknown(wanted: &mut [bool], islands: &Islands, focus: &SourceFile, memo: &Memo) -> bool {
    let mut is_more = false;
    for island in &islands.all {
        if memo.of(island, &islands.standing(island), focus).is_some() {
            continue;
        }
        for piece in &island.pieces {
            if let Some(wanted) = wanted.get_mut(*piece) {
                is_more |= !std::mem::replace(wanted, true);
            }
        }
    }
    is_more
}

/// The names that no other file mentions, with the other files; `None` where one mentions a declaration of the file.
fn unreached(
    focus: &SourceFile,
    program: &Program<'_>,
    declared: &WordMap<Vec<usize>>,
    memo: &Memo,
) -> Option<Arc<(u64, WordSet)>> {
    let mut hasher = DefaultHasher::new();
    for file in others(focus, program) {
        (file.path(), file.base()).hash(&mut hasher);
    }
    let files = hasher.finish();
    let known = (memo.unreached.0 == files).then_some(&memo.unreached.1);
    let is_known = |word: &u64| known.is_some_and(|known| known.contains(word));
    let asked: Vec<u64> = declared
        .keys()
        .copied()
        .filter(|word| !is_known(word))
        .collect();
    if known.is_some() && asked.is_empty() {
        return Some(Arc::clone(&memo.unreached));
    }
    let is_reached = |file: &SourceFile| {
        let names = file.names();
        names.pastes || asked.iter().any(|word| names.mentioned.contains(word))
    };
    if others(focus, program).any(is_reached) {
        return None;
    }
    Some(Arc::new((files, declared.keys().copied().collect())))
}

impl Program<'_> {
    /// Whether macros make declarations of a file.
    pub(super) fn expands(&self, file: &SourceFile) -> bool {
        let expanded = self
            .by_macros
            .expanded
            .iter()
            .filter_map(|id| self.functions.get(*id));
        let mut names = expanded.map(|found| found.function.name.span);
        let mut calls = self.by_macros.expanded_at.iter();
        names.any(|name| file.contains(name)) || calls.any(|call| file.contains(*call))
    }

    /// Whether functions of a file are in pieces of the environment.
    fn surrounds(&self, file: &SourceFile, reader: &Reader) -> bool {
        let names = self.functions.iter().map(|found| found.function.name.span);
        let mut own = names.filter(|name| file.contains(*name));
        own.any(|name| reader.is_surrounding(name))
    }
}
