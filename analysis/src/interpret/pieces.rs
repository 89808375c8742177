//! The pieces of a file, read for [islands](super::islands): the declarations and mentions of each, and their groups.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use tree_sitter_cute::tree::{Ident, Item, ItemKind, Span};
use tree_sitter_cute::{Part, SyntaxPieces};

use super::islands::{Group, Groups, Islands, Summaries, others, piece_at};
use super::program::Program;
use super::summary::Summary;
use crate::directive::{Directive, DirectiveKind};
use crate::hash::HashMap;
use crate::options::Options;
use crate::sources::SourceFile;
use crate::words::{Word, WordMap, WordSet, word_of};

/// The kind of a piece.
#[derive(Debug, Clone, Default)]
pub(super) struct Piece {
    /// Hash of the scopes around it.
    scope: u64,
    /// Hash of its text.
    pub(super) key: u64,
    pub(super) summary: Arc<Summary>,
}

impl Piece {
    /// Whether it is part of the environment and nothing else.
    fn only_surrounds(&self) -> bool {
        self.surrounds() && self.summary.declares.is_empty()
    }

    /// Whether something of it is part of the environment. Pieces without items, such as the
    /// conditions of `#if`, surround the others.
    pub(super) fn surrounds(&self) -> bool {
        self.summary.surrounds || self.summary.items == 0
    }
}

/// Reads the declarations of the pieces of a file.
pub(super) struct Reader {
    pub(super) pieces: Vec<Piece>,
    pub(super) places: Vec<Span>,
    environment: DefaultHasher,
    /// Scopes so far, to tell two anonymous ones apart.
    scopes: usize,
}

impl Reader {
    fn new(places: Vec<Span>) -> Self {
        Self {
            pieces: vec![Piece::default(); places.len()],
            places,
            environment: DefaultHasher::new(),
            scopes: 0,
        }
    }

    /// Reads a lowered file; `None` where something is declared that cannot be told from words.
    pub(super) fn of_unit(file: &SourceFile) -> Option<Self> {
        let unit = file.unit();
        let mut reader = Self::new(unit.pieces.clone());
        let mut summaries = vec![Summary::default(); reader.places.len()];
        reader.items(&unit.items, 0, file, &mut summaries)?;
        let all = reader.pieces.iter_mut().zip(&reader.places).zip(summaries);
        for ((piece, place), mut summary) in all {
            let text = file.slice(*place);
            summary.mention(text);
            let mut hasher = DefaultHasher::new();
            text.hash(&mut hasher);
            piece.key = hasher.finish();
            piece.summary = Arc::new(summary);
        }
        reader.is_told_by_words().then_some(reader)
    }

    /// Items in a scope; `None` where one is in no piece.
    fn items(
        &mut self,
        items: &[Item],
        scope: u64,
        file: &SourceFile,
        summaries: &mut [Summary],
    ) -> Option<()> {
        for item in items {
            let piece = piece_at(&self.places, item.span).filter(|piece| {
                self.places
                    .get(*piece)
                    .is_some_and(|it| it.encloses(item.span))
            });
            match (&item.kind, piece) {
                (_, Some(piece)) => {
                    self.pieces.get_mut(piece)?.scope = scope;
                    summaries
                        .get_mut(piece)?
                        .add(item, &|span| file.slice(span));
                }
                (ItemKind::Namespace(namespace), None) => {
                    let inner = self.namespace(scope, &namespace.names, namespace.inline);
                    self.items(&namespace.items, inner, file, summaries)?;
                }
                (ItemKind::Conditional(conditional), None) => {
                    for branch in &conditional.branches {
                        let inner = self.scope((scope, std::mem::discriminant(&branch.condition)));
                        self.items(&branch.items, inner, file, summaries)?;
                    }
                }
                _ => return None,
            }
        }
        Some(())
    }

    /// Reads the pieces of a parsed file, with the summaries in `known`; `None` where there is a declaration that words
    /// do not show.
    pub(super) fn of_pieces(
        file: &SourceFile,
        pieces: SyntaxPieces<'_>,
        known: &Summaries,
    ) -> Option<Self> {
        let mut reader = Self::new(pieces.places().collect());
        for (index, (piece, place)) in reader.pieces.iter_mut().zip(&reader.places).enumerate() {
            piece.key = pieces.key(index);
            piece.summary = match known.get(&piece.key) {
                Some(summary) => Arc::clone(summary),
                None => Arc::new(Summary::of(pieces, index, *place, file.text())),
            };
        }
        reader.parts(pieces.parts(), 0);
        reader.is_told_by_words().then_some(reader)
    }

    fn parts(&mut self, parts: &[Part], scope: u64) {
        for part in parts {
            match part {
                Part::Piece(index) => {
                    if let Some(piece) = self.pieces.get_mut(*index) {
                        piece.scope = scope;
                    }
                }
                Part::Namespace {
                    names,
                    inline,
                    parts,
                    ..
                } => {
                    let inner = self.namespace(scope, names, *inline);
                    self.parts(parts, inner);
                }
                Part::Conditional { branches, .. } => {
                    for branch in branches {
                        let condition = branch.condition.and_then(|index| self.pieces.get(index));
                        let inner = self.scope((scope, condition.map(|piece| piece.key)));
                        self.parts(&branch.parts, inner);
                    }
                }
            }
        }
    }

    fn is_told_by_words(&self) -> bool {
        !self.pieces.iter().any(|piece| piece.summary.hides)
    }

    fn namespace(&mut self, scope: u64, names: &[Ident], inline: bool) -> u64 {
        let names: Vec<&str> = names.iter().map(|name| name.name.as_str()).collect();
        self.scope((scope, names, inline))
    }

    /// Enters a scope, which is part of the environment.
    fn scope(&mut self, what: impl Hash) -> u64 {
        self.scopes += 1;
        let mut hasher = DefaultHasher::new();
        (self.scopes, what).hash(&mut hasher);
        let scope = hasher.finish();
        scope.hash(&mut self.environment);
        scope
    }

    /// A name that the program found in a piece, where macros made its declaration.
    pub(super) fn declare(&mut self, name: &str, place: Span) -> Option<()> {
        let piece = piece_at(&self.places, place)?;
        let found = self.pieces.get_mut(piece)?;
        if found.surrounds() || name.starts_with("operator") {
            return None;
        }
        let word = word_of(name.as_bytes());
        if !found.summary.declares.contains(&word) {
            Arc::make_mut(&mut found.summary).declares.push(word);
        }
        Some(())
    }

    /// Whether a place found by a program is in a piece of the environment.
    pub(super) fn is_surrounding(&self, place: Span) -> bool {
        let piece = piece_at(&self.places, place).and_then(|index| self.pieces.get(index));
        piece.is_none_or(Piece::surrounds)
    }

    /// The pieces that declare each name.
    pub(super) fn declared(&self) -> WordMap<Vec<usize>> {
        let mut declared: WordMap<Vec<usize>> = WordMap::default();
        for (index, piece) in self.pieces.iter().enumerate() {
            for word in &piece.summary.declares {
                declared.entry(*word).or_default().push(index);
            }
        }
        declared
    }

    /// Directives outside of the pieces that they apply to; `None` where one requests an instance, which may be of
    /// anything.
    fn directives(
        &self,
        focus: &SourceFile,
        directives: &[Directive],
        environment: &mut DefaultHasher,
    ) -> Option<()> {
        for directive in directives {
            match directive.kind {
                DirectiveKind::Instantiate(_) => return None,
                DirectiveKind::Assume(_) if focus.contains(directive.span) => {}
                _ => continue,
            }
            let within = |span| piece_at(&self.places, span);
            let own = within(directive.span);
            let holds = own.and_then(|piece| self.places.get(piece));
            if !holds.is_some_and(|piece| piece.encloses(directive.scope)) {
                let covers_all = directive.scope == focus.span();
                let start = within(directive.scope);
                (focus.slice(directive.span), covers_all, start).hash(environment);
            }
        }
        Some(())
    }

    /// Puts pieces that mention each other together.
    pub(super) fn groups(&self, declared: &WordMap<Vec<usize>>) -> Groups {
        let macros = self.macros(declared);
        let mut groups = Groups::of(self.pieces.len() + macros.len());
        let mut next: Vec<Word> = Vec::new();
        for (index, piece) in self.pieces.iter().enumerate() {
            if piece.only_surrounds() {
                continue;
            }
            let summary = &piece.summary;
            for word in summary.mentions.iter().chain(&summary.declares) {
                for other in declared.get(word).into_iter().flatten() {
                    groups.join(index, *other);
                }
                if let Some(found) = macros.get(word) {
                    groups.join(index, self.pieces.len() + found.number);
                    next.push(*word);
                }
            }
        }
        // Only the macros that a piece mentions, directly or not, put the pieces behind them together.
        let mut seen = WordSet::default();
        while let Some(word) = next.pop() {
            let Some(found) = macros.get(&word).filter(|_| seen.insert(word)) else {
                continue;
            };
            for inner in found.mentions.iter().chain([&word]) {
                for other in declared.get(inner).into_iter().flatten() {
                    groups.join(self.pieces.len() + found.number, *other);
                }
                if let Some(other) = macros.get(inner) {
                    groups.join(
                        self.pieces.len() + found.number,
                        self.pieces.len() + other.number,
                    );
                    next.push(*inner);
                }
            }
        }
        groups
    }

    /// The pieces of each group, those of the environment left out.
    pub(super) fn members(&self, groups: &mut Groups) -> Vec<Vec<usize>> {
        let mut group_of_root: HashMap<usize, usize> = HashMap::default();
        let mut members: Vec<Vec<usize>> = Vec::new();
        for (index, piece) in self.pieces.iter().enumerate() {
            if piece.only_surrounds() {
                continue;
            }
            let group = *group_of_root.entry(groups.root(index)).or_insert_with(|| {
                members.push(Vec::new());
                members.len() - 1
            });
            if let Some(group) = members.get_mut(group) {
                group.push(index);
            }
        }
        members
    }

    /// The islands that groups of pieces are, in the environment of a program; `None` where the file
    /// has to be evaluated as a whole.
    pub(super) fn islands(
        &self,
        mut groups: Groups,
        focus: &SourceFile,
        program: &Program<'_>,
        directives: &[Directive],
        options: &Options,
    ) -> Option<Islands> {
        let mut environment = self.environment.clone();
        let mut surroundings = Vec::new();
        for (piece, place) in self.pieces.iter().zip(&self.places) {
            if piece.surrounds() {
                (piece.scope, piece.key).hash(&mut environment);
                surroundings.push(*place);
            }
        }
        for file in others(focus, program) {
            (file.path(), file.base()).hash(&mut environment);
        }
        for predefined in program.predefined(focus) {
            format!("{predefined:?}").hash(&mut environment);
        }
        format!("{:?} {:?}", options.assume, options.integers).hash(&mut environment);
        self.directives(focus, directives, &mut environment)?;
        let environment = environment.finish();
        let mut of_piece = vec![None; self.pieces.len()];
        let mut all = Vec::new();
        for pieces in self.members(&mut groups) {
            let mut hasher = DefaultHasher::new();
            environment.hash(&mut hasher);
            for index in &pieces {
                if let (Some(slot), Some(piece)) =
                    (of_piece.get_mut(*index), self.pieces.get(*index))
                {
                    *slot = Some(all.len());
                    (piece.scope, piece.key).hash(&mut hasher);
                }
            }
            all.push(Group {
                pieces,
                key: hasher.finish(),
            });
        }
        Some(Islands {
            all,
            environment: surroundings.into(),
            of_piece,
            pieces: self.places.clone(),
        })
    }

    /// The macros behind which there are pieces that declare the mentions of their replacements, also through other
    /// macros.
    fn macros(&self, declared: &WordMap<Vec<usize>>) -> WordMap<Macro> {
        let mut macros: WordMap<Macro> = WordMap::default();
        let mut users: WordMap<Vec<Word>> = WordMap::default();
        for (name, replacement) in self.pieces.iter().flat_map(|piece| &piece.summary.macros) {
            let known = macros.entry(*name).or_default();
            known.mentions.extend(replacement);
            for word in replacement {
                users.entry(*word).or_default().push(*name);
            }
        }
        let is_declared = |word: &Word| declared.get(word).is_some_and(|pieces| !pieces.is_empty());
        let mut next: Vec<Word> = macros.keys().chain(users.keys()).copied().collect();
        next.retain(is_declared);
        let mut leading = WordSet::default();
        while let Some(word) = next.pop() {
            if leading.insert(word) {
                next.extend(users.get(&word).into_iter().flatten());
            }
        }
        macros.retain(|name, _| leading.contains(name));
        for (number, found) in macros.values_mut().enumerate() {
            found.number = number;
        }
        macros
    }
}

/// A macro of a file.
#[derive(Debug, Default)]
struct Macro {
    /// Its number among them.
    number: usize,
    /// The words of its replacements.
    mentions: Vec<Word>,
}
