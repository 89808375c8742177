//! Facts: the value of each declared name, and of the expressions that use them.

use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::sync::Arc;

use tree_sitter_cute::tree::Span;

use crate::access::Access;
use crate::cost::{Budget, Note};
use crate::directive::Annotation;
use crate::finding::Finding;
use crate::instance_names::SUPPOSED;
use crate::reached::Reached;
use crate::reason::{Kept, Reason};
use crate::role::Role;
use crate::shown::Makers;
use crate::sources::Inclusion;
use crate::uses::Uses;
use crate::value::{Dialect, Kind, Value};

/// The value of a declared name in one instance of its function, at its place.
///
/// A comment that is typed moves the facts behind it: what they say is shared by all versions.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// The place of the name in its declaration.
    pub name_span: Span,
    /// The declaration.
    pub span: Span,
    content: Arc<DeclaredValue>,
}

/// All that a fact says beside its place.
#[derive(Debug, Clone, PartialEq)]
pub struct DeclaredValue {
    /// The name.
    pub name: Arc<str>,
    /// The role of the name.
    pub role: Role,
    /// The function around it.
    pub function: Option<Arc<str>>,
    /// Its value.
    pub value: Arc<Value>,
    /// The instance of the function, where there are several: the call that made it.
    pub instance: Option<Arc<str>>,
}

impl Deref for Fact {
    type Target = DeclaredValue;

    fn deref(&self) -> &DeclaredValue {
        &self.content
    }
}

impl DerefMut for Fact {
    fn deref_mut(&mut self) -> &mut DeclaredValue {
        Arc::make_mut(&mut self.content)
    }
}

impl Fact {
    /// The fact about the name at a place that a declaration at another has around it.
    pub fn new(name_span: Span, span: Span, content: DeclaredValue) -> Self {
        Self {
            name_span,
            span,
            content: Arc::new(content),
        }
    }

    /// The kind of the value.
    pub fn kind(&self) -> Kind {
        self.value.kind()
    }

    /// Whether it is of an instance that no source makes.
    pub fn is_supposed(&self) -> bool {
        let instance = self.instance.as_deref();
        instance.is_some_and(|instance| instance.starts_with(SUPPOSED))
    }

    /// Why the value is not known, if it is not.
    pub fn reason(&self) -> Option<&Reason> {
        match &*self.value {
            Value::Unknown(reason) => Some(reason),
            _ => None,
        }
    }
}

/// The value of a use of a name, or of an expression, in one instance of its function.
#[derive(Debug, Clone, PartialEq)]
pub struct Mention {
    /// The name or expression.
    pub span: Span,
    /// Its value.
    pub value: Arc<Value>,
    /// The function around it.
    pub function: Option<Arc<str>>,
    /// The instance of the function, where there are several.
    pub instance: Option<Arc<str>>,
}

/// The value that a run-time variable starts with before it is overwritten through its address.
/// Examples may use it and say so; no fact or finding does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nominal {
    /// The symbol of the variable.
    pub symbol: String,
    /// Its initialiser.
    pub value: i64,
    /// The place of the variable's declaration.
    pub span: Span,
}

/// A word of CuTe in the source, which may be explained to a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The place of the word.
    pub span: Span,
    /// The kind of the word.
    pub kind: WordKind,
}

/// The kind of a word of CuTe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WordKind {
    /// A function or method, by the name of its entry in the vocabulary.
    Function(&'static str),
    /// An instruction with its template arguments: `UniversalCopy<uint128_t>`.
    Operation(Arc<str>),
}

/// Names of the modes of a variable in a comment: `// (MMA,MMA_M,MMA_K)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModeNames {
    /// The name of the variable in its declaration.
    pub declared: Span,
    /// The names, one for each mode.
    pub names: Vec<String>,
}

/// Everything known of one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Analysis {
    /// The dialect in which its values are printed.
    pub dialect: Dialect,
    /// Declared names with their values, in the order of the source.
    pub facts: Vec<Fact>,
    /// The findings, in the order of the source.
    pub findings: Vec<Finding>,
    /// Conditions that must hold when the program runs and cannot be decided here.
    pub preconditions: Vec<Finding>,
    /// Initial values of run-time variables.
    pub nominals: Vec<Nominal>,
    /// The `#include`s that could not be read, of this file and of its headers.
    pub inclusions: Vec<Inclusion>,
    /// The other files that the result depends on, by path.
    pub files: Vec<PathBuf>,
    /// The whole names of the Python modules that no file has: with one the result may be another.
    pub missing_modules: Vec<String>,
    /// The files of Rust modules that are not there: with one the result may be another.
    pub missing_files: Vec<PathBuf>,
    /// The layouts that directives order to be run, in the order of the source.
    pub orders: Vec<Annotation>,
    /// Names of the modes of variables in comments.
    pub mode_names: Vec<ModeNames>,
    /// Costs of lines, in the order of the source.
    pub notes: Vec<Note>,
    /// Resources of the kernels of the file, in the order of the source.
    pub budgets: Vec<Budget>,
    /// Parts of the file that were not examined, because a limit was reached.
    pub reached: Vec<Reached>,
    /// Plain loads and stores of the kernels of the file, in the order of the source.
    pub accesses: Vec<Access>,
    /// The translation units that made the instances.
    pub(crate) makers: Makers,
    /// The supposed arguments that suit its kernels, in Python.
    pub(crate) choices: Option<Kept>,
    /// The uses of names.
    pub(crate) uses: Uses,
}

impl Analysis {
    /// Whether something is looked at of which no translation unit that was read first makes an instance, or the file
    /// itself none any more: others may.
    pub fn lacks_shown(&self) -> bool {
        self.makers.lacks_any()
    }

    /// Whether a part of the next version may be evaluated before the rest: this one says what made the instances of the
    /// file, or which supposed arguments suit its kernels.
    pub fn comes_in_part(&self) -> bool {
        self.makers.are_known() || self.choices.is_some()
    }

    /// Uses and expressions with their values, in the order of the source, outer ones first. They are put together on
    /// request.
    pub fn mentions(&self) -> &[Mention] {
        self.uses.mentions()
    }

    /// CuTe's functions and instructions where the source names them, in its order. They are put together on request.
    pub fn words(&self) -> &[Word] {
        self.uses.words()
    }

    /// The declarations of the names that a piece of the source uses.
    pub fn declarations_used_in(&self, piece: Span) -> impl Iterator<Item = Span> {
        let uses = self.uses.declarations();
        uses.filter(move |(used, declared)| piece.encloses(*used) && used != declared)
            .map(|(_, declared)| declared)
    }

    /// The name at a byte of the source that uses a declaration elsewhere.
    pub fn use_at(&self, byte: usize) -> Option<Span> {
        let mut uses = self.uses.declarations();
        let found = uses.find(|(used, declared)| used.contains(byte) && used != declared);
        found.map(|(used, _)| used)
    }

    /// The values of the innermost name or expression at a byte of the source, one for each instance: its span and its
    /// value.
    pub fn mentions_at(&self, byte: usize) -> Vec<&Mention> {
        let innermost = self
            .mentions()
            .iter()
            .filter(|mention| mention.span.contains(byte))
            .map(|mention| mention.span)
            .min_by_key(|span| span.len());
        let Some(innermost) = innermost else {
            return Vec::new();
        };
        self.mentions()
            .iter()
            .filter(|mention| mention.span == innermost)
            .collect()
    }

    /// The facts of the declaration whose name is at a byte, one for each instance.
    pub fn facts_at(&self, byte: usize) -> Vec<&Fact> {
        self.facts
            .iter()
            .filter(|fact| fact.name_span.contains(byte))
            .collect()
    }

    /// The word of CuTe at a byte of the source.
    pub fn word_at(&self, byte: usize) -> Option<&Word> {
        let words = self.words();
        let before = words.partition_point(|word| word.span.start <= byte);
        let last = words.get(before.checked_sub(1)?)?;
        last.span.contains(byte).then_some(last)
    }

    /// The names in a comment of the modes of the variable that is declared or used at a span.
    pub fn mode_names_at(&self, span: Span) -> Option<&[String]> {
        let declared = self.declaration_of(span);
        let mut names = self.mode_names.iter();
        Some(&names.find(|names| names.declared == declared)?.names)
    }

    /// The facts of the name that is used at a span.
    pub fn facts_of_use(&self, span: Span) -> Vec<&Fact> {
        match self.uses.declaration(span) {
            Some(declared) => self
                .facts
                .iter()
                .filter(|fact| fact.name_span == declared)
                .collect(),
            None => Vec::new(),
        }
    }

    /// The declaration of the name at a span: the span itself where it is a declaration.
    pub fn declaration_of(&self, span: Span) -> Span {
        self.uses.declaration(span).unwrap_or(span)
    }

    /// The facts that an order is about: those of its line, one for each name and instance.
    pub fn facts_of_order(&self, order: &Annotation) -> Vec<&Fact> {
        self.facts
            .iter()
            .filter(|fact| order.line.contains(fact.name_span.start))
            .collect()
    }

    /// The costs of the name at a byte, one for each instance and kind of cost.
    pub fn notes_at(&self, byte: usize) -> Vec<&Note> {
        self.notes
            .iter()
            .filter(|note| note.anchor.contains(byte))
            .collect()
    }

    /// The resources of the function whose name is at a byte, one for each instance.
    pub fn budgets_at(&self, byte: usize) -> Vec<&Budget> {
        self.budgets
            .iter()
            .filter(|budget| budget.span.contains(byte))
            .collect()
    }

    /// The findings whose span contains a byte.
    pub fn findings_at(&self, byte: usize) -> Vec<&Finding> {
        self.findings
            .iter()
            .filter(|finding| finding.span.contains(byte) || finding.span.start == byte)
            .collect()
    }
}
