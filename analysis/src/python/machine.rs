//! The machine that runs Python: its files, frames and limits.

use std::cell::RefCell;
use std::sync::Arc;

use tree_sitter_cute::script::{self, Script};
use tree_sitter_cute::tree::Span;

use super::budget::Budget;
use super::heap::{Heap, Id, Module, Object, Rewritten, Scope};
use super::numbers::Numbers;
use super::record::Recorder;
pub(crate) use super::run::{Run, Stop};
use super::suspended::{Pausing, Setting};
use super::uncertain::Uncertain;
use super::value::Py;
use crate::finding::Finding;
use crate::hash::{HashMap, HashSet};
use crate::reason::Reason;
use crate::sources::{SourceFile, Sources};
use crate::stack::with_room;
use crate::stop::Stop as Wanted;

/// A file that is run.
#[derive(Debug, Clone)]
pub(crate) struct File {
    /// Its module's name.
    pub(crate) module: Arc<str>,
    /// Its statements.
    pub(crate) script: Arc<Script>,
    /// Its source, where it is another one than the file that is analysed.
    pub(crate) source: Option<Arc<SourceFile>>,
    /// Whether it is the file that is analysed.
    pub(crate) is_focus: bool,
}

/// The state of a class body whose names get values as members.
#[derive(Debug, Clone, Default)]
pub(crate) struct Numbering {
    /// Whether each value is another bit.
    pub(super) is_flag: bool,
    /// Whether each value is the name.
    pub(super) is_text: bool,
    /// `_generate_next_value_` of a base.
    pub(super) rule: Option<Py>,
    /// The values so far.
    pub(super) values: Vec<Py>,
}

/// A call that is being run.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) scope: Id,
    pub(crate) file: usize,
    pub(crate) rewritten: Rewritten,
    /// For `super()`: the class whose method it is, and its first argument.
    pub(crate) class: Option<Id>,
    pub(crate) this: Option<Py>,
    /// The call that it runs, in the file of who called.
    pub(crate) called_at: Span,
    /// The name that is called there.
    pub(crate) called_name: Span,
    /// Its own scope, while a comprehension of it runs in another one.
    pub(crate) own_scope: Option<Id>,
    /// The places at which the body of a generator goes on and stops.
    pub(crate) pausing: Pausing,
    /// Values returned under unknown conditions.
    pub(crate) returned: Vec<Py>,
    /// The values of the members, in the body of an enumeration.
    pub(crate) numbering: Option<Numbering>,
    /// Typed declarations of a class body, in order.
    pub(crate) annotated: Vec<(Arc<str>, Py)>,
    /// Its place in the record, where its values are kept.
    pub(crate) activation: Option<usize>,
    /// Its function's name with those around it.
    pub(crate) qualified: Arc<str>,
}

/// The machine that runs Python.
pub(crate) struct Machine<'s> {
    pub(crate) heap: Heap,
    pub(crate) sources: &'s dyn Sources,
    pub(crate) focus: &'s SourceFile,
    pub(crate) loaded: Loaded,
    pub(crate) files: Vec<File>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) record: Recorder,
    pub(crate) findings: Vec<Finding>,
    pub(crate) kernel: Kernel,
    pub(crate) covered: Covered,
    pub(crate) errors: Errors,
    /// Branches that are run and that the trace may not take.
    pub(crate) uncertain: Uncertain,
    pub(crate) numbers: Numbers,
    /// The files that a script writes, where they are wanted.
    pub(crate) writes: Option<super::written::Writes>,
    pub(crate) budget: Budget,
}

/// The kernel that was run last.
#[derive(Debug, Default)]
pub(crate) struct Kernel {
    /// Its effects.
    pub(crate) effects: Vec<super::effect::Effect>,
    /// Its calls and numbers.
    pub(crate) observed: super::observed::Observed,
    /// The name that the next function is called by.
    pub(crate) callee: Span,
    /// Its call, in the record.
    pub(crate) last: Option<usize>,
}

/// `@pytest.mark.parametrize("m, n", [(64, 32), (128, 64)])`
#[derive(Debug, Clone)]
pub(crate) struct Parametrized {
    /// The decorated function or class.
    pub(crate) test: Id,
    pub(crate) names: Vec<Arc<str>>,
    pub(crate) rows: Vec<Vec<Py>>,
}

/// The code that was run so far.
#[derive(Debug, Default)]
pub(crate) struct Covered {
    /// Parameters of tests.
    pub(crate) parametrized: Vec<Parametrized>,
    /// Functions that were run, by the place of their code.
    pub(crate) ran: HashSet<Span>,
    /// The declaration that is run, without those inside it.
    pub(crate) declaration: Span,
    /// Whether the file has run as a program.
    pub(crate) as_program: bool,
}

/// A look-up of a module: the file that imports it, the name, and the result.
pub(crate) type ModuleLookup = (Option<Arc<SourceFile>>, Arc<str>, Option<Arc<SourceFile>>);

/// Modules that are run or found.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    pub(crate) modules: HashMap<Arc<str>, Id>,
    /// The module and the names of the file that is analysed, until it is run.
    pub(crate) focus_module: Option<(Id, Id)>,
    /// Modules that import it, while those are run that do not.
    pub(crate) dependent: HashSet<Arc<str>>,
    /// Places where modules were found, while their results are to be kept.
    pub(crate) answers: Option<RefCell<Vec<ModuleLookup>>>,
    /// Whether one of the modules that are run before the file has imported it.
    pub(crate) met_focus: bool,
}

/// Errors on their way, and those that were met.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    /// A refusal of the DSL's code, on the way to its caller.
    pub(crate) refusal: Option<super::refusal::Refusal>,
    /// The errors of the handlers that are run, the innermost last.
    pub(crate) handled: Vec<(Py, Reason)>,
    /// Bodies of `try` that are run.
    pub(crate) tries: usize,
    /// The innermost statement that an error has ended, by its file, while the error is on its way.
    pub(crate) raised_at: Option<(usize, Span)>,
    /// The statements that an error on its way has ended, the innermost first: of a block only its head.
    pub(crate) trail: super::trail::Trail,
    /// Tests of assertions and of `if` about something supposed whose truth is not known.
    pub(crate) doubts: Vec<super::trail::Trail>,
    /// The test behind which a trial is not run, and whether its truth was known there.
    pub(crate) until: Option<(usize, Span)>,
    pub(crate) is_decided: bool,
    /// Calls of a run that the DSL refuses, by their files.
    pub(crate) refused: Vec<(usize, Span)>,
    /// Numbers of modes that the run names of parameters of which only the elements are supposed.
    pub(crate) ranks: Vec<(Arc<str>, usize)>,
    /// Functions of the file that is analysed that an error ended, and where.
    pub(crate) ended: Vec<super::ended::Ended>,
}

impl<'s> Machine<'s> {
    pub(crate) fn new(focus: &'s SourceFile, sources: &'s dyn Sources, stop: Wanted) -> Self {
        Self {
            heap: Heap::default(),
            sources,
            focus,
            loaded: Loaded::default(),
            files: Vec::new(),
            frames: Vec::new(),
            record: Recorder::default(),
            findings: Vec::new(),
            kernel: Kernel::default(),
            covered: Covered::default(),
            errors: Errors::default(),
            uncertain: Uncertain::default(),
            numbers: Numbers::default(),
            writes: None,
            budget: Budget::until(stop),
        }
    }

    /// Counts steps; an error where there are no more.
    pub(crate) fn step(&mut self, count: usize) -> Run<()> {
        let step = self.budget.step(count, self.heap.len());
        step.map_err(Stop::Limit)
    }

    /// Runs something one level deeper.
    pub(crate) fn deeper<T>(&mut self, run: impl FnOnce(&mut Self) -> Run<T>) -> Run<T> {
        self.budget.enter().map_err(Stop::Limit)?;
        let result = with_room(|| run(self));
        self.budget.leave();
        result
    }

    /// The scope of the call that is run.
    pub(crate) fn scope(&self) -> Option<Id> {
        self.frames.last().map(|frame| frame.scope)
    }

    /// Whether the statements that are run may be the kernel's.
    pub(crate) fn is_rewritten(&self) -> bool {
        self.frames
            .last()
            .is_some_and(|frame| frame.rewritten != Rewritten::No)
    }

    /// Binds a name in the scope that is run.
    pub(crate) fn bind(&mut self, name: &Arc<str>, value: Py) {
        let Some(own) = self.scope() else {
            return;
        };
        let target = match self.heap.get(own) {
            Object::Scope(scope) => scope
                .outer
                .iter()
                .find(|(outer, _)| outer == name)
                .map_or(own, |(_, outer)| *outer),
            _ => own,
        };
        self.bind_in(target, Arc::clone(name), value);
    }

    /// Binds a name in a scope.
    pub(crate) fn bind_in(&mut self, scope: Id, name: Arc<str>, value: Py) {
        if let Some(Object::Scope(scope)) = self.heap.get_mut(scope) {
            scope.names.set(name, value);
        }
    }

    /// A new scope inside another.
    pub(crate) fn new_scope(&mut self, parent: Option<Id>, is_class: bool) -> Id {
        self.heap.add(Object::Scope(Scope {
            parent,
            is_class,
            ..Scope::default()
        }))
    }

    /// A module with a separate scope.
    pub(crate) fn new_module(&mut self, name: &str, file: Option<usize>) -> (Id, Id) {
        let scope = self.new_scope(None, false);
        let module = self.heap.add(Object::Module(Module {
            name: name.into(),
            scope: Some(scope),
            file,
            failed: None,
        }));
        self.loaded.modules.insert(name.into(), module);
        (module, scope)
    }

    /// A new iterator.
    pub(crate) fn iterator(&mut self, items: Vec<Py>) -> Py {
        Py::Object(self.heap.add(Object::Iterator(items.into())))
    }

    /// A new set: of equal elements the first one.
    pub(crate) fn set(&mut self, items: Vec<Py>) -> Run<Py> {
        let mut unique: Vec<Py> = Vec::with_capacity(items.len());
        for item in items {
            if let Err(reason) = self.add_to_set(&mut unique, item)? {
                return Ok(Py::Object(self.heap.add(Object::Lost(reason))));
            }
        }
        Ok(Py::Object(self.heap.add(Object::Set(unique))))
    }

    /// Adds an element that no other one equals.
    pub(crate) fn add_to_set(&mut self, unique: &mut Vec<Py>, item: Py) -> Run<Result<(), Reason>> {
        if unique.contains(&item) {
            return Ok(Ok(()));
        }
        for at in 0..unique.len() {
            let Some(known) = unique.get(at).filter(|known| may_be_one_key(known, &item)) else {
                continue;
            };
            let known = known.clone();
            self.step(1)?;
            match self.compare(script::CompareOp::Eq, &known, &item)? {
                Py::Bool(true) => return Ok(Ok(())),
                Py::Bool(false) => {}
                _ => return Ok(Err(Reason::Construct("a set of these objects"))),
            }
        }
        unique.push(item);
        Ok(Ok(()))
    }

    /// A new list.
    pub(crate) fn list(&mut self, items: Vec<Py>) -> Py {
        Py::Object(self.heap.add(Object::List(items)))
    }

    /// The span of a part of the file that is run, among all files.
    pub(crate) fn place(&self, file: usize, span: Span) -> Span {
        let base = match self.files.get(file).and_then(|file| file.source.as_ref()) {
            Some(source) => source.base(),
            None => 0,
        };
        Span::new(span.start + base, span.end + base)
    }

    /// Whether the running code is in the analysed file.
    pub(crate) fn is_in_focus(&self) -> bool {
        let file = self.frames.last().map(|frame| frame.file);
        file.and_then(|file| self.files.get(file))
            .is_some_and(|file| file.is_focus)
    }

    /// Runs code in a new frame.
    pub(crate) fn in_frame<T>(
        &mut self,
        frame: Frame,
        run: impl FnOnce(&mut Self) -> Run<T>,
    ) -> (Run<T>, Option<Frame>) {
        self.frames.push(frame);
        let result = self.deeper(run);
        (result, self.frames.pop())
    }
}

impl Frame {
    /// A frame of a scope of a file.
    pub(crate) fn of(scope: Id, file: usize, qualified: &str) -> Self {
        Self {
            scope,
            file,
            rewritten: Rewritten::No,
            class: None,
            this: None,
            called_at: Span::default(),
            called_name: Span::default(),
            own_scope: None,
            pausing: Pausing::default(),
            returned: Vec::new(),
            annotated: Vec::new(),
            numbering: None,
            activation: None,
            qualified: qualified.into(),
        }
    }

    /// A frame that goes on where another one was left.
    pub(super) fn at(setting: &Setting) -> Self {
        Self {
            rewritten: setting.rewritten,
            class: setting.class,
            this: setting.this.clone(),
            activation: setting.activation,
            ..Self::of(setting.scope, setting.file, &setting.qualified)
        }
    }

    /// The part of it that is kept while it is not run.
    pub(super) fn setting(&self) -> Setting {
        Setting {
            scope: self.scope,
            file: self.file,
            rewritten: self.rewritten,
            class: self.class,
            this: self.this.clone(),
            activation: self.activation,
            qualified: Arc::clone(&self.qualified),
        }
    }
}

/// Whether two values that are written in different ways may be the same key: `1` and `1.0`, two objects.
pub(super) fn may_be_one_key(one: &Py, other: &Py) -> bool {
    let is_plain = |value: &Py| matches!(value, Py::Int(_) | Py::Str(_) | Py::None);
    let is_text = |value: &Py| matches!(value, Py::Str(_) | Py::None);
    let is_number = |value: &Py| matches!(value, Py::Int(_) | Py::Float(_) | Py::Bool(_));
    !(is_plain(one) && is_plain(other)
        || is_text(one) && is_number(other)
        || is_number(one) && is_text(other))
}

/// The name of a function inside of running code.
pub(crate) fn qualified(outer: &str, code: &script::Function) -> Arc<str> {
    match outer {
        "" => Arc::clone(&code.name.text),
        outer => format!("{outer}.{}", code.name.text).into(),
    }
}
