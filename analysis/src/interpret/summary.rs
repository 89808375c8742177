//! Declarations and mentions of a piece of a file, where islands depend on them.

use tree_sitter_cute::SyntaxPieces;
use tree_sitter_cute::tree::{Condition, Expr, ExprKind, Ident, Item, ItemKind, Span};

use crate::walk;
use crate::words::{Word, word_of, words};

/// The declarations and mentions of a piece of a file. It depends on the piece alone.
#[derive(Debug, Clone, Default)]
pub(super) struct Summary {
    pub(super) declares: Vec<Word>,
    /// Whether something of it is part of the environment.
    pub(super) surrounds: bool,
    /// Number of items in the piece.
    pub(super) items: usize,
    /// The macros that it defines, and the words of their replacements.
    pub(super) macros: Vec<(Word, Vec<Word>)>,
    /// All identifiers, each once.
    pub(super) mentions: Vec<Word>,
    /// Whether it declares something that is used without being named.
    pub(super) hides: bool,
    /// Whether it contains an `#error`: the demands on the compiler depend on it.
    pub(super) demands: bool,
    /// Places of its string literals, counted from its start.
    pub(super) strings: Vec<Span>,
}

impl Summary {
    /// Reads a piece; `text` is that of the file.
    pub(super) fn of(pieces: SyntaxPieces<'_>, index: usize, place: Span, text: &str) -> Self {
        let mut summary = Self::default();
        let own = place.text(text);
        let mut strings = |expr: &Expr| {
            if matches!(expr.kind, ExprKind::Str(_)) {
                summary.strings.push(expr.span);
            }
        };
        if let Some(items) = pieces.items(index, text) {
            if pieces.is_condition(index) {
                if let Some(condition) = items.first().and_then(condition_of) {
                    walk::subexpressions(condition, &mut strings);
                }
                summary.mention(own);
                return summary;
            }
            // Most declarations have no string, and need not be walked.
            if own.contains(['"', '\'']) {
                walk::expressions(&items, &mut strings);
            }
            for item in &*items {
                summary.add(item, &|span| span.text(own));
            }
            walk::items(&items, &mut |item| {
                summary.demands |= matches!(item.kind, ItemKind::ErrorDirective);
            });
        }
        summary.mention(own);
        summary
    }

    /// Reads the mentions in its text.
    pub(super) fn mention(&mut self, text: &str) {
        self.mentions = words(text).collect();
        self.mentions.sort_unstable();
        self.mentions.dedup();
    }

    /// Reads an item of it; `slice` gives the text of a place.
    pub(super) fn add<'s>(&mut self, item: &Item, slice: &dyn Fn(Span) -> &'s str) {
        self.items += 1;
        match &item.kind {
            // A macro that a function defines is in force behind it.
            ItemKind::Function(function) => {
                walk::items(function.body.as_deref().unwrap_or_default(), &mut |inner| {
                    self.hides |= matches!(inner.kind, ItemKind::Define(_));
                });
            }
            ItemKind::Block(items) => self.add_all(items, slice),
            ItemKind::Namespace(namespace) => {
                self.surrounds = true;
                self.add_all(&namespace.items, slice);
            }
            ItemKind::Conditional(conditional) => {
                for branch in &conditional.branches {
                    self.add_all(&branch.items, slice);
                }
            }
            ItemKind::Define(define) => {
                let body = slice(define.body);
                self.hides |= body.contains("##");
                let name = word_of(define.name.name.as_bytes());
                self.macros.push((name, words(body).collect()));
                self.surrounds = true;
            }
            ItemKind::Include(_)
            | ItemKind::Undef(_)
            | ItemKind::Using(_)
            | ItemKind::ModuleFile(_)
            | ItemKind::Impl(_) => self.surrounds = true,
            _ => {}
        }
        let declares = names_declared_by(&item.kind);
        // Operators are called without being named.
        self.hides |= declares.iter().any(|name| name.starts_with("operator"));
        let declares = declares.into_iter().map(|name| word_of(name.as_bytes()));
        self.declares.extend(declares);
    }

    fn add_all<'s>(&mut self, items: &[Item], slice: &dyn Fn(Span) -> &'s str) {
        for item in items {
            self.add(item, slice);
        }
    }
}

/// The names that an item itself declares in its scope, without those of items inside of it. A method that is defined outside
/// of its class declares none, a directive neither.
pub(super) fn names_declared_by(kind: &ItemKind) -> Vec<&str> {
    fn name(name: Option<&Ident>) -> Option<&str> {
        name.map(|name| &*name.name)
    }
    match kind {
        ItemKind::Function(function) if function.scope.is_none() => vec![&function.name.name],
        ItemKind::Record(record) => name(record.name.as_ref()).into_iter().collect(),
        ItemKind::Binding(binding) => name(binding.name.as_ref()).into_iter().collect(),
        ItemKind::StructuredBinding(binding) => {
            binding.names.iter().map(|name| &*name.name).collect()
        }
        ItemKind::Enum(declared) => {
            let enumerators = declared.enumerators.iter();
            let enumerators = enumerators.map(|enumerator| &*enumerator.name.name);
            name(declared.name.as_ref())
                .into_iter()
                .chain(enumerators)
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The condition of the `#if` line that a piece is; nothing else of it is part of the file.
fn condition_of(item: &Item) -> Option<&Expr> {
    let ItemKind::Conditional(conditional) = &item.kind else {
        return None;
    };
    match &conditional.branches.first()?.condition {
        Condition::If(condition) => Some(condition),
        _ => None,
    }
}
