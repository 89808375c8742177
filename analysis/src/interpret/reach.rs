//! Functions that have to be followed: those from which the file in focus can be reached.
//!
//! Facts are kept for one file only. A function of another file is evaluated for its facts only
//! where it may call into that file: because it mentions a name of it, or a function that does, or
//! because it is given a class or a function of it.

use tree_sitter_cute::tree::{Function, Span};

use super::bound::Bound;
use super::focus::Focus;
use super::frame::Variable;
use super::ids::{FunctionId, RecordId};
use super::program::Program;
use super::{Callable, Interpreter};
use crate::mentions::{Body, Mentions};
use crate::sources::SourceFile;
use crate::types::Type;
use crate::value::Value;
use crate::words::{Word, WordMap, WordSet, word_of, words};

/// Classes inside classes that are looked through.
const DEPTH: usize = 6;

impl<'u> Program<'u> {
    /// The names of functions and classes that mention those of the focus, directly or not. Names that are taken for one
    /// only make more of them. Libraries know nothing of the focus.
    pub(super) fn names_leading_to(&self, focus: &Focus<'u>) -> WordSet {
        // Functions whose heads macros made have other names in the tree than in the program.
        let expanded = self
            .by_macros
            .expanded
            .iter()
            .filter_map(|id| self.functions.get(*id));
        let (own, expanded): (Vec<&Function>, Vec<&Function>) = expanded
            .map(|declaration| declaration.function)
            .partition(|function| focus.contains(function.name.span));
        let expanded: Vec<Body> = expanded.into_iter().map(Body::of_function).collect();
        let others: Vec<&Mentions> = self
            .files()
            .filter(|file| !file.is_library() && !focus.has(file))
            .map(SourceFile::mentions)
            .collect();
        let files = focus.files().iter().map(|focused| focused.file);
        let mut leading: WordSet = files
            .flat_map(|file| file.mentions().declared.iter().copied())
            .collect();
        leading.extend(own.iter().map(|it| word_of(it.name.name.as_bytes())));
        let functions = others.iter().flat_map(|mentions| &mentions.functions);
        let classes = others.iter().flat_map(|mentions| &mentions.classes);
        let bodies = functions.chain(classes).chain(&expanded);
        follow(&mut leading, bodies.collect());
        leading
    }
}

impl Program<'_> {
    /// The names that may be met when a translation unit is evaluated for its instances of the focus: those that its
    /// functions mention, directly or not. `None` where all may be. Names that are taken for one only make more of
    /// them.
    pub(super) fn names_met_from(&self, root: &SourceFile, focus: &SourceFile) -> Option<WordSet> {
        if self.asks_for_instances() {
            return None;
        }
        let expanded = self
            .by_macros
            .expanded
            .iter()
            .filter_map(|id| self.functions.get(*id));
        let expanded: Vec<Body> = expanded
            .map(|declaration| Body::of_function(declaration.function))
            .collect();
        let macros = self
            .preprocessed
            .function_macros
            .values()
            .chain(self.preprocessed.object_macros.values());
        let is_of_sources = |span: Span| {
            let file = self.file_of(span);
            file.is_some_and(|file| !file.is_library())
        };
        let macros: Vec<(Word, Vec<Word>)> = macros
            .filter(|define| is_of_sources(define.name.span))
            .map(|define| {
                let name = word_of(define.name.name.as_bytes());
                (name, words(self.slice(define.body)).collect())
            })
            .collect();
        let own = self.files().filter(|file| !file.is_library());
        let bodies = own
            .map(SourceFile::mentions)
            .flat_map(|of| of.functions.iter().chain(&of.classes).chain(&of.heads))
            .chain(&expanded);
        let mut mentioned: WordMap<Vec<&[Word]>> = WordMap::default();
        for body in bodies {
            mentioned
                .entry(body.name)
                .or_default()
                .push(&body.mentioned);
        }
        for (name, words) in &macros {
            mentioned.entry(*name).or_default().push(words);
        }
        let is_own = |file: &SourceFile| {
            std::ptr::eq(file, root) || !(file.is_library() || std::ptr::eq(file, focus))
        };
        let functions = self.functions.iter().map(|found| found.function);
        let mut next: Vec<Word> = functions
            .filter(|function| {
                function.tparams.is_empty() && self.file_of(function.name.span).is_some_and(is_own)
            })
            .map(|function| word_of(function.name.name.as_bytes()))
            .collect();
        let instantiations = self.instantiations.iter();
        next.extend(instantiations.flat_map(|(_, _, span)| words(self.slice(*span))));
        let mut met = WordSet::default();
        while let Some(word) = next.pop() {
            if met.insert(word) {
                let behind = mentioned.get(&word).into_iter().flatten();
                next.extend(behind.flat_map(|words| words.iter().copied()));
            }
        }
        Some(met)
    }
}

impl Program<'_> {
    /// The functions of a file that mention one of some words, themselves, in a macro, or through others of the file.
    pub(super) fn functions_mentioning(
        &self,
        file: &SourceFile,
        mentioned: impl Iterator<Item = &'static str>,
    ) -> WordSet {
        let mut leading: WordSet = mentioned.map(|word| word_of(word.as_bytes())).collect();
        loop {
            let before = leading.len();
            for define in self.preprocessed.function_macros.values() {
                if words(self.slice(define.body)).any(|word| leading.contains(&word)) {
                    leading.insert(word_of(define.name.name.as_bytes()));
                }
            }
            follow(&mut leading, file.mentions().functions.iter().collect());
            if leading.len() == before {
                return leading;
            }
        }
    }
}

/// Adds the names of bodies that mention one of `leading`, until no more do.
fn follow(leading: &mut WordSet, mut bodies: Vec<&Body>) {
    let mut before = usize::MAX;
    while bodies.len() < before {
        before = bodies.len();
        bodies.retain(|body| {
            let leads = leading.contains(&body.name)
                || body.mentioned.iter().any(|word| leading.contains(word));
            if leads {
                leading.insert(body.name);
            }
            !leads
        });
    }
}

impl Interpreter<'_> {
    /// Whether an instance of a function may bring facts of the focus.
    pub(super) fn leads_to_focus(&mut self, id: FunctionId, bound: &Bound) -> bool {
        let Some(found) = self.program.functions.get(id) else {
            return false;
        };
        self.method_leads_to_focus(found.function, bound)
    }

    /// The same for a method.
    pub(super) fn method_leads_to_focus(&mut self, function: &Function, bound: &Bound) -> bool {
        let name = &function.name;
        self.recorder.is_in_focus(name.span)
            || self.leading().contains(&word_of(name.name.as_bytes()))
            || bound
                .params
                .iter()
                .flatten()
                .chain(&bound.tparams)
                .any(|value| self.is_of_focus(value, DEPTH))
    }

    fn leading(&mut self) -> &WordSet {
        let (program, focus) = (&self.program, &self.recorder.focus);
        self.readings
            .leading
            .get_or_insert_with(|| program.names_leading_to(focus))
    }

    /// Whether the methods of a class instance may bring facts of the focus.
    pub(super) fn class_leads_to_focus(&mut self, instance: usize, declaration: RecordId) -> bool {
        let name = self.record(declaration).and_then(|it| it.name.as_ref());
        let Some(name) = name else {
            return true;
        };
        let word = word_of(name.name.as_bytes());
        self.recorder.is_in_focus(name.span)
            || self.leading().contains(&word)
            || self.is_record_of_focus(instance, DEPTH)
    }

    /// Whether the methods of a library's class may bring facts of the focus: because it is given a class of it, as a kernel
    /// its collectives and an epilogue its visitors.
    pub(super) fn library_leads_to_focus(&self, instance: usize) -> bool {
        self.is_record_of_focus(instance, DEPTH)
    }

    /// Whether a value has to do with a class or function of the focus.
    fn is_of_focus(&self, value: &Value, depth: usize) -> bool {
        match value {
            Value::Type(ty) | Value::Instance(ty) => self.is_type_of_focus(ty, depth),
            Value::Object(object) => self.is_record_of_focus(object.class.instance, depth),
            Value::Collective(collective) => self
                .computed
                .collectives
                .known_class(collective)
                .is_some_and(|instance| self.is_record_of_focus(instance, depth)),
            Value::Tuple(values) | Value::Pack(values) => {
                values.iter().any(|value| self.is_of_focus(value, depth))
            }
            Value::Callable(id) => match self.computed.callable(*id) {
                Some(Callable::Lambda(lambda, _)) => lambda
                    .body
                    .first()
                    .is_some_and(|item| self.recorder.is_in_focus(item.span)),
                Some(Callable::Functions(name, ids, _)) => {
                    ids.iter().any(|id| {
                        let found = self.program.functions.get(*id);
                        found.is_some_and(|found| {
                            self.recorder.is_in_focus(found.function.name.span)
                        })
                    }) || self
                        .readings
                        .leading
                        .as_ref()
                        .is_some_and(|leading| leading.contains(&word_of(name.as_bytes())))
                }
                None => false,
            },
            _ => false,
        }
    }

    fn is_type_of_focus(&self, ty: &Type, depth: usize) -> bool {
        match ty {
            Type::Record(record) => self.is_record_of_focus(record.instance, depth),
            Type::Pointer(target) => self.is_type_of_focus(target, depth),
            Type::Of(value) => self.is_of_focus(value, depth),
            _ => false,
        }
    }

    /// Whether a class, one of its bases or one of its template arguments is of the focus.
    fn is_record_of_focus(&self, instance: usize, depth: usize) -> bool {
        let Some(record) = self.computed.classes.get(instance) else {
            return false;
        };
        // Without methods nothing of it is called, but whether it is used at all matters.
        if self.is_record_in_focus(record.declaration)
            && (self.has_methods(instance) || !record.is_used())
        {
            return true;
        }
        // An adapter of a collective has it as a base, and nothing else that names it.
        let is_of_base = |base: &Type| self.is_type_of_focus(base, depth - 1);
        depth > 0
            && (record.scopes.iter().any(|scope| {
                scope
                    .iter()
                    .any(|(_, Variable { value, .. })| self.is_of_focus(value, depth - 1))
            }) || record.bases_so_far().iter().any(is_of_base))
    }
}
