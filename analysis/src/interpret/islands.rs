//! Islands: the declarations of a file in groups that cannot see one another.
//!
//! What a keystroke changes is one declaration. What can come out differently is what mentions it,
//! what that mentions in turn, and what any of them instantiates: an *island*, the declarations
//! that are connected by names. An island is evaluated as if it stood alone with the environment
//! (`#include`, `#define`, `using`, the namespaces, what the analysis was told), so what it is worth
//! depends on the texts of its pieces and on the environment, and on nothing else. That is what
//! makes [`Memo`](super::memo::Memo) right: an island of the same texts in the same environment is
//! not evaluated again, only put at its new place.
//!
//! Mentioning is judged by words: every identifier in the text of a piece counts, in comments and
//! under other meanings too. So islands are sometimes larger than need be, and never too small:
//!
//! - the words of a macro's replacement count where the macro is used;
//! - functions of one name, and a class with its members defined apart, share a name and an island;
//! - operators are called without being named, macros that paste words (`##`) hide them, and another
//!   file may mention what this one declares. Then there are no islands: [`Islands::of`] gives none
//!   and the file is evaluated as a whole.
//!
//! A *piece* is what the grammar parses on its own
//! ([`Unit::pieces`](tree_sitter_cute::tree::Unit::pieces)): usually one declaration.

use std::hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher};

use tree_sitter_cute::tree::{Item, ItemKind, Span};

use super::program::{FunctionId, ModuleId, Program, RecordId};
use crate::directive::{Directive, DirectiveKind};
use crate::hash::HashMap;
use crate::options::Options;
use crate::sources::SourceFile;
use crate::walk;

/// An identifier, by its hash: two that collide are taken for one, which only makes islands larger.
pub(crate) type Word = u64;
pub(crate) type WordSet = std::collections::HashSet<Word, BuildHasherDefault<WordHasher>>;
type WordMap<T> = std::collections::HashMap<Word, T, BuildHasherDefault<WordHasher>>;

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
pub(super) fn words(text: &str) -> impl Iterator<Item = Word> + '_ {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    text.as_bytes()
        .split(move |byte| !is_part(byte))
        .filter(|word| word.first().is_some_and(|first| !first.is_ascii_digit()))
        .map(word_of)
}

/// FNV-1a: identifiers are short, and nobody gains by a collision.
pub(crate) fn word_of(name: &[u8]) -> Word {
    name.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The identifiers of a file, for the files that include it.
#[derive(Debug)]
pub(crate) struct Names {
    mentioned: WordSet,
    /// Whether a macro of it pastes words.
    pastes: bool,
}

impl Names {
    /// Reads a file.
    pub(crate) fn of(file: &SourceFile) -> Self {
        let mut pastes = false;
        if !file.is_library() {
            walk::items(&file.unit().items, &mut |item| {
                if let ItemKind::Define(define) = &item.kind {
                    pastes |= file.slice(define.body).contains("##");
                }
            });
        }
        Self {
            mentioned: words(file.text()).collect(),
            pastes,
        }
    }
}

/// A group of declarations that mention each other.
#[derive(Debug)]
pub(super) struct Island {
    /// The pieces, by index in the file.
    pub(super) pieces: Vec<usize>,
    /// Hash of their texts, of the scopes they stand in, and of the environment.
    pub(super) key: u64,
}

/// The islands of a file, in the order of their first pieces.
#[derive(Debug)]
pub(super) struct Islands {
    pub(super) all: Vec<Island>,
    /// The pieces that belong to the environment.
    pub(super) environment: Vec<usize>,
    /// The island of each piece that is in one.
    of_piece: Vec<Option<usize>>,
    pieces: Vec<Span>,
}

impl Islands {
    /// The islands of the root file of a program; `None` where it has to be evaluated as a whole.
    pub(super) fn of(
        focus: &SourceFile,
        program: &Program<'_>,
        directives: &[Directive],
        options: &Options,
    ) -> Option<Self> {
        let mut reader = Reader::new(focus);
        reader.items(&focus.unit().items, 0)?;
        reader.rest();
        for found in &program.functions {
            if focus.contains(found.function.name.span) {
                reader.declare(&found.function.name.name, found.function.name.span)?;
            }
        }
        let elsewhere: Vec<&SourceFile> = program
            .files()
            .filter(|file| !std::ptr::eq(*file, focus))
            .collect();
        let declared = reader.declared();
        let is_reached = |file: &&SourceFile| {
            let names = file.names();
            names.pastes || declared.keys().any(|word| names.mentioned.contains(word))
        };
        if elsewhere.iter().any(is_reached) {
            return None;
        }
        for file in elsewhere {
            (file.path(), file.base()).hash(&mut reader.environment);
        }
        for predefined in program.predefined(focus) {
            format!("{predefined:?}").hash(&mut reader.environment);
        }
        format!("{:?} {:?}", options.assume, options.integers).hash(&mut reader.environment);
        reader.directives(focus, directives)?;
        Some(reader.grouped(&declared))
    }

    /// The island that a place of the file is in.
    pub(super) fn of_place(&self, place: Span) -> Option<usize> {
        *self.of_piece.get(piece_at(&self.pieces, place)?)?
    }

    /// Where a piece stands.
    pub(super) fn place(&self, piece: usize) -> Span {
        self.pieces.get(piece).copied().unwrap_or_default()
    }
}

/// The piece in which a span starts.
fn piece_at(pieces: &[Span], span: Span) -> Option<usize> {
    let index = pieces.partition_point(|piece| piece.start <= span.start);
    let index = index.checked_sub(1)?;
    let piece = pieces.get(index)?;
    (span.start < piece.end).then_some(index)
}

/// What a piece is.
#[derive(Debug, Clone, Default)]
struct Piece {
    /// Hash of the scopes around it.
    scope: u64,
    declares: Vec<Word>,
    /// Whether something of it is part of the environment.
    surrounds: bool,
    /// Whether an item stands in it.
    seen: bool,
}

/// Reads what the pieces of a file declare.
struct Reader<'u> {
    file: &'u SourceFile,
    pieces: Vec<Piece>,
    /// What macros stand for: their names, and the words of their replacements.
    macros: WordMap<Vec<Word>>,
    environment: DefaultHasher,
    /// Scopes so far, to tell two anonymous ones apart.
    scopes: usize,
}

impl<'u> Reader<'u> {
    fn new(file: &'u SourceFile) -> Self {
        Self {
            file,
            pieces: vec![Piece::default(); file.unit().pieces.len()],
            macros: WordMap::default(),
            environment: DefaultHasher::new(),
            scopes: 0,
        }
    }

    /// Items in a scope; `None` where something is declared that cannot be told from words.
    fn items(&mut self, items: &'u [Item], scope: u64) -> Option<()> {
        for item in items {
            let places = &self.file.unit().pieces;
            let piece = piece_at(places, item.span)
                .filter(|piece| places.get(*piece).is_some_and(|it| it.encloses(item.span)));
            match (&item.kind, piece) {
                (_, Some(piece)) => {
                    let found = self.pieces.get_mut(piece)?;
                    found.scope = scope;
                    found.seen = true;
                    self.item(item, piece)?;
                }
                (ItemKind::Namespace(namespace), None) => {
                    let names: Vec<&str> = namespace
                        .names
                        .iter()
                        .map(|name| name.name.as_str())
                        .collect();
                    let inner = self.scope((scope, names, namespace.inline));
                    self.items(&namespace.items, inner)?;
                }
                (ItemKind::Conditional(conditional), None) => {
                    for branch in &conditional.branches {
                        let inner = self.scope((scope, std::mem::discriminant(&branch.condition)));
                        self.items(&branch.items, inner)?;
                    }
                }
                _ => return None,
            }
        }
        Some(())
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

    fn item(&mut self, item: &'u Item, piece: usize) -> Option<()> {
        let mut declares = Vec::new();
        let mut surrounds = false;
        match &item.kind {
            ItemKind::Function(function) if function.scope.is_none() => {
                declares.push(function.name.name.as_str());
            }
            ItemKind::Record(record) => {
                declares.extend(record.name.as_ref().map(|name| name.name.as_str()));
            }
            ItemKind::Binding(binding) => {
                declares.extend(binding.name.as_ref().map(|name| name.name.as_str()));
            }
            ItemKind::StructuredBinding(binding) => {
                declares.extend(binding.names.iter().map(|name| name.name.as_str()));
            }
            ItemKind::Enum(declared) => {
                declares.extend(declared.name.as_ref().map(|name| name.name.as_str()));
                let enumerators = declared.enumerators.iter();
                declares.extend(enumerators.map(|enumerator| enumerator.name.name.as_str()));
            }
            ItemKind::Block(items) => self.inside(items, piece)?,
            ItemKind::Namespace(namespace) => {
                surrounds = true;
                self.inside(&namespace.items, piece)?;
            }
            ItemKind::Conditional(conditional) => {
                for branch in &conditional.branches {
                    self.inside(&branch.items, piece)?;
                }
            }
            ItemKind::Define(define) => {
                let body = self.file.slice(define.body);
                if body.contains("##") {
                    return None;
                }
                let name = word_of(define.name.name.as_bytes());
                self.macros.entry(name).or_default().extend(words(body));
                surrounds = true;
            }
            ItemKind::Include(_)
            | ItemKind::Undef(_)
            | ItemKind::Using(_)
            | ItemKind::ModuleFile(_)
            | ItemKind::Impl(_) => surrounds = true,
            _ => {}
        }
        // Operators are called without being named.
        if declares.iter().any(|name| name.starts_with("operator")) {
            return None;
        }
        let found = self.pieces.get_mut(piece)?;
        let declares = declares.into_iter().map(|name| word_of(name.as_bytes()));
        found.declares.extend(declares);
        found.surrounds |= surrounds;
        Some(())
    }

    fn inside(&mut self, items: &'u [Item], piece: usize) -> Option<()> {
        items.iter().try_for_each(|item| self.item(item, piece))
    }

    /// Pieces without items, such as the conditions of `#if`, surround the others.
    fn rest(&mut self) {
        for piece in &mut self.pieces {
            piece.surrounds |= !piece.seen;
        }
        let places = self.file.unit().pieces.iter();
        for (piece, place) in self.pieces.iter().zip(places) {
            if piece.surrounds {
                (piece.scope, self.file.slice(*place)).hash(&mut self.environment);
            }
        }
    }

    /// A name that the program found in a piece, where macros made its declaration.
    fn declare(&mut self, name: &str, place: Span) -> Option<()> {
        let piece = piece_at(&self.file.unit().pieces, place)?;
        let found = self.pieces.get_mut(piece)?;
        if found.surrounds || name.starts_with("operator") {
            return None;
        }
        found.declares.push(word_of(name.as_bytes()));
        Some(())
    }

    /// The pieces that declare each name.
    fn declared(&self) -> WordMap<Vec<usize>> {
        let mut declared: WordMap<Vec<usize>> = WordMap::default();
        for (index, piece) in self.pieces.iter().enumerate() {
            for word in &piece.declares {
                declared.entry(*word).or_default().push(index);
            }
        }
        declared
    }

    /// What directives say from outside of the pieces that they hold for; `None` where one asks for an
    /// instance, which may be of anything.
    fn directives(&mut self, focus: &SourceFile, directives: &[Directive]) -> Option<()> {
        let places = &self.file.unit().pieces;
        for directive in directives {
            match directive.kind {
                DirectiveKind::Instantiate(_) => return None,
                DirectiveKind::Assume(_) if focus.contains(directive.span) => {}
                _ => continue,
            }
            let within = |span| piece_at(places, span);
            let own = within(directive.span);
            let holds = own.and_then(|piece| places.get(piece));
            if !holds.is_some_and(|piece| piece.encloses(directive.scope)) {
                let covers_all = directive.scope == focus.span();
                let start = within(directive.scope);
                (focus.slice(directive.span), covers_all, start).hash(&mut self.environment);
            }
        }
        Some(())
    }

    /// Puts pieces that mention each other together.
    fn grouped(self, declared: &WordMap<Vec<usize>>) -> Islands {
        let places = self.file.unit().pieces.clone();
        let mut groups = Groups::of(self.pieces.len());
        let behind = self.behind_macros(declared);
        for (index, (piece, place)) in self.pieces.iter().zip(&places).enumerate() {
            if piece.surrounds && piece.declares.is_empty() {
                continue;
            }
            let mentioned = words(self.file.slice(*place));
            for word in mentioned.chain(piece.declares.iter().copied()) {
                let through = behind.get(&word).into_iter().flatten();
                for other in declared.get(&word).into_iter().flatten().chain(through) {
                    groups.join(index, *other);
                }
            }
        }
        let environment = self.environment.finish();
        let mut island_of_root: HashMap<usize, usize> = HashMap::default();
        let mut islands: Vec<(Vec<usize>, DefaultHasher)> = Vec::new();
        let mut of_piece = vec![None; places.len()];
        let mut surroundings = Vec::new();
        for (index, (piece, place)) in self.pieces.iter().zip(&places).enumerate() {
            if piece.surrounds {
                surroundings.push(index);
            }
            if piece.surrounds && piece.declares.is_empty() {
                continue;
            }
            let island = *island_of_root.entry(groups.root(index)).or_insert_with(|| {
                let mut hasher = DefaultHasher::new();
                environment.hash(&mut hasher);
                islands.push((Vec::new(), hasher));
                islands.len() - 1
            });
            if let (Some(slot), Some((pieces, hasher))) =
                (of_piece.get_mut(index), islands.get_mut(island))
            {
                *slot = Some(island);
                pieces.push(index);
                (piece.scope, self.file.slice(*place)).hash(hasher);
            }
        }
        Islands {
            all: islands
                .into_iter()
                .map(|(pieces, hasher)| Island {
                    pieces,
                    key: hasher.finish(),
                })
                .collect(),
            environment: surroundings,
            of_piece,
            pieces: places,
        }
    }

    /// The pieces that declare what the replacement of a macro mentions, also through other macros.
    fn behind_macros(&self, declared: &WordMap<Vec<usize>>) -> WordMap<Vec<usize>> {
        let mut behind = WordMap::default();
        for name in self.macros.keys() {
            let mut seen = WordSet::from_iter([*name]);
            let mut next = vec![*name];
            let mut found = Vec::new();
            while let Some(word) = next.pop() {
                found.extend(declared.get(&word).into_iter().flatten().copied());
                for inner in self.macros.get(&word).into_iter().flatten() {
                    if seen.insert(*inner) {
                        next.push(*inner);
                    }
                }
            }
            behind.insert(*name, found);
        }
        behind
    }
}

/// Disjoint groups of numbers.
struct Groups(Vec<usize>);

impl Groups {
    /// Each number by itself.
    fn of(count: usize) -> Self {
        Self((0..count).collect())
    }

    /// The number that stands for a group: its smallest.
    fn root(&mut self, number: usize) -> usize {
        let mut at = number;
        while let Some(parent) = self.0.get(at).copied()
            && parent != at
        {
            let above = self.0.get(parent).copied().unwrap_or(parent);
            if let Some(slot) = self.0.get_mut(at) {
                *slot = above;
            }
            at = above;
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if let Some(slot) = self.0.get_mut(a.max(b)) {
            *slot = a.min(b);
        }
    }
}

/// What is evaluated for its own sake: the declarations of the file, or of one island of it.
#[derive(Debug, Default)]
pub(super) struct Roots<'u> {
    pub(super) globals: Vec<(ModuleId, &'u Item)>,
    pub(super) instantiations: Vec<(ModuleId, &'u tree_sitter_cute::tree::Instantiation, Span)>,
    pub(super) functions: Vec<FunctionId>,
    pub(super) records: Vec<RecordId>,
    /// Functions that may call them.
    pub(super) callers: Vec<FunctionId>,
}

impl<'u> Roots<'u> {
    /// Everything in the focus, and what the translation unit instantiates.
    pub(super) fn of_file(program: &Program<'u>, focus: &SourceFile) -> Self {
        let in_focus = |id: &FunctionId| {
            let found = program.functions.get(*id);
            found
                .and_then(|found| program.file_of(found.function.name.span))
                .is_some_and(|file| std::ptr::eq(file, focus))
        };
        let functions = 0..program.functions.len();
        Self {
            globals: program
                .globals
                .iter()
                .filter(|(_, item)| focus.contains(item.span))
                .copied()
                .collect(),
            instantiations: program.instantiations.clone(),
            functions: functions.clone().filter(in_focus).collect(),
            records: (0..program.records.len()).collect(),
            callers: functions.collect(),
        }
    }

    /// The same for each island; `None` where something is in no island.
    pub(super) fn of_islands(
        program: &Program<'u>,
        focus: &SourceFile,
        islands: &Islands,
    ) -> Option<Vec<Self>> {
        let mut roots: Vec<Self> = Vec::new();
        roots.resize_with(islands.all.len(), Self::default);
        let whole = Self::of_file(program, focus);
        for (module, item) in whole.globals {
            let island = islands.of_place(item.span)?;
            roots.get_mut(island)?.globals.push((module, item));
        }
        for (module, instantiation, span) in whole.instantiations {
            // No other file mentions anything of this one.
            if focus.contains(span) {
                let island = islands.of_place(span)?;
                let own = roots.get_mut(island)?;
                own.instantiations.push((module, instantiation, span));
            }
        }
        for id in whole.functions {
            let found = program.functions.get(id)?;
            let own = roots.get_mut(islands.of_place(found.function.name.span)?)?;
            own.functions.push(id);
            own.callers.push(id);
        }
        for id in whole.records {
            let record = program.records.get(id)?.record;
            let first = record.members.as_deref().and_then(<[_]>::first);
            let place = record.name.as_ref().map(|name| name.span);
            let Some(place) = place.or(first.map(|item| item.span)) else {
                continue;
            };
            if focus.contains(place) {
                roots.get_mut(islands.of_place(place)?)?.records.push(id);
            }
        }
        Some(roots)
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

    #[test]
    fn joined_numbers_have_one_root() {
        let mut groups = Groups::of(6);
        groups.join(4, 2);
        groups.join(2, 5);
        groups.join(0, 1);
        let roots: Vec<usize> = (0..6).map(|number| groups.root(number)).collect();
        assert_eq!(roots, [0, 0, 2, 3, 2, 2]);
    }
}
