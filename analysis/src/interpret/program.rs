//! Declarations of a translation unit, found by name: modules (namespaces), functions, records, constants. Included
//! files are read at their `#include`, each once.

use super::ids::{FunctionId, ModuleId, RecordId};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path;

use tree_sitter_cute::Host;
use tree_sitter_cute::tree::{
    Binding, Define, Enum, Function, Ident, Impl, Include, Instantiation, Item, ItemKind, Path,
    Record, Reference, Span, UsingKind,
};

use super::macro_times::is_keyword;
use super::preprocessed::{Preprocessed, is_literal};
use super::unit_results::Units;
use super::unread_headers::Unread;
use crate::arena::Arena;
use crate::directive::{Directive, DirectiveKind};
use crate::hash::HashMap;
use crate::limits;
use crate::reason::Reason;
use crate::sources::{Included, Inclusion, Predefined, SourceFile, Sources};
use crate::undecided::Undecideds;
use crate::vocabulary;

/// The place of text that no file has: behind all files.
const NOWHERE: Span = Span {
    start: usize::MAX / 2,
    end: usize::MAX / 2,
};

/// A function with the place where it is declared.
#[derive(Debug, Clone, Copy)]
pub(super) struct FunctionDecl<'u> {
    pub(super) function: &'u Function,
    pub(super) module: ModuleId,
}

/// A record with the place where it is declared.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordDecl<'u> {
    pub(super) record: &'u Record,
    pub(super) module: ModuleId,
}

/// A method that is defined outside of its class.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outside<'u> {
    pub(super) function: &'u Function,
    pub(super) span: Span,
    /// The module of the definition.
    pub(super) module: ModuleId,
}

/// Something a module declares under a name, besides functions and records.
#[derive(Debug, Clone, Copy)]
pub(super) enum Constant<'u> {
    /// A variable or alias.
    Binding(&'u Binding),
    /// A value of an enum, by its place there.
    Enumerator(&'u Enum, usize),
    /// An enum as a type.
    Enum(&'u Enum),
    /// An object-like macro whose text is an expression.
    Macro,
    /// Several declarations under one name, one of which an unknown `#if` selects.
    Ambiguous,
}

/// A namespace, or the file.
#[derive(Debug, Default)]
pub(super) struct Module<'u> {
    pub(super) parent: Option<ModuleId>,
    pub(super) functions: HashMap<&'u str, Vec<FunctionId>>,
    pub(super) records: HashMap<&'u str, Vec<RecordId>>,
    /// Class templates that are declared without a body: their parameters have defaults.
    pub(super) declared_templates: HashMap<&'u str, RecordId>,
    pub(super) constants: HashMap<&'u str, Constant<'u>>,
    pub(super) children: HashMap<&'u str, ModuleId>,
    /// Paths after `using namespace`, and nested modules whose names are visible here.
    pub(super) opened: Vec<Vec<&'u str>>,
    /// Places where each of them is opened.
    pub(super) opened_at: Vec<Span>,
    pub(super) inline: Vec<ModuleId>,
    /// `namespace a = b::c;`
    pub(super) aliases: HashMap<&'u str, Vec<&'u str>>,
    /// `using a::b;`: the last name and its whole path.
    pub(super) used_names: HashMap<&'u str, Vec<&'u str>>,
}

/// The declaration of a name in a module.
#[derive(Debug, Clone, Copy)]
pub(super) enum Declared<'m> {
    Functions(&'m [FunctionId]),
    Records(&'m [RecordId]),
    /// A constant, by the place of its name.
    At(Option<Span>),
}

impl Module<'_> {
    /// The declaration of a name in it, in the order in which names are looked up.
    pub(super) fn declared(&self, name: &str) -> Option<Declared<'_>> {
        if let Some(functions) = self.functions.get(name) {
            return Some(Declared::Functions(functions));
        }
        if let Some(records) = self.records.get(name) {
            return Some(Declared::Records(records));
        }
        Some(Declared::At(match self.constants.get(name)? {
            Constant::Binding(binding) => binding.name.as_ref().map(|name| name.span),
            Constant::Enumerator(declared, index) => {
                let enumerator = declared.enumerators.get(*index);
                enumerator.map(|it| it.name.span)
            }
            Constant::Enum(declared) => declared.name.as_ref().map(|name| name.span),
            Constant::Macro | Constant::Ambiguous => None,
        }))
    }
}

/// The definition of a macro at a place.
#[derive(Debug, Clone, Copy)]
pub(super) enum MacroAt<'u> {
    Defined(&'u Define),
    Undefined,
    /// One of several definitions, unknown which.
    Open,
}

/// The environment in which the files of a program are read.
#[derive(Clone, Copy)]
pub(super) struct Environment<'u> {
    /// The file whose facts are requested.
    pub(super) focus: &'u SourceFile,
    pub(super) sources: &'u dyn Sources,
    pub(super) arena: &'u Arena,
    /// The language of the files.
    pub(super) host: Host,
    /// The place to note macros that nothing decides.
    pub(super) undecided: &'u Undecideds,
}

impl std::fmt::Debug for Environment<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Environment")
            .field("focus", &self.focus)
            .finish_non_exhaustive()
    }
}

/// The declarations of one translation unit.
#[derive(Debug, Default)]
pub(super) struct Program<'u> {
    pub(super) modules: Vec<Module<'u>>,
    pub(super) functions: Vec<FunctionDecl<'u>>,
    pub(super) records: Vec<RecordDecl<'u>>,
    record_ids: HashMap<*const Record, RecordId>,
    /// Bindings and records at module level, in source order.
    pub(super) globals: Vec<(ModuleId, &'u Item)>,
    /// Explicit instantiations, with the place of each.
    pub(super) instantiations: Vec<(ModuleId, &'u Instantiation, Span)>,
    pub(super) apart: Apart<'u>,
    pub(super) by_macros: ByMacros,
    pub(super) preprocessed: Preprocessed<'u>,
    pub(super) demand: Demand,
    pub(super) reading: Reading<'u>,
    /// Headers of libraries whose declarations were not needed yet.
    pub(super) unread: Unread<'u>,
    pub(super) environment: Option<Environment<'u>>,
    /// Whether the functions of a name leave their arguments alone, where that was requested.
    pub(super) left_alone: RefCell<HashMap<String, bool>>,
    /// Whether the file in focus belongs to a library, as those around it.
    pub(super) is_focus_of_library: bool,
}

/// Members that are declared outside of their class.
#[derive(Debug, Default)]
pub(super) struct Apart<'u> {
    /// Rust: those of a type, by its module and name.
    pub(super) impls: HashMap<(ModuleId, &'u str), Vec<&'u Impl>>,
    /// Definitions of methods, by the name of the class.
    pub(super) outside: HashMap<&'u str, Vec<Outside<'u>>>,
    /// Specialisations of member classes, by the name of the class.
    pub(super) outside_records: HashMap<&'u str, Vec<&'u Record>>,
}

/// Declarations that macros made.
#[derive(Debug, Default)]
pub(super) struct ByMacros {
    /// Functions that macros made, or their heads.
    pub(super) expanded: Vec<FunctionId>,
    /// The calls of macros that declare something.
    pub(super) expanded_at: Vec<Span>,
}

/// Macros without which the root says nothing.
#[derive(Debug, Default)]
pub(super) struct Demand {
    /// Those without which the root refuses to be compiled or is empty, and that nothing visible defines.
    demanded: Vec<String>,
    /// Whether the root declares nothing, or did without them.
    pub(super) is_filled: bool,
}

/// The files of a unit.
#[derive(Debug, Default)]
pub(super) struct Reading<'u> {
    /// The files read, by their place in the space of all files.
    pub(super) files: BTreeMap<usize, &'u SourceFile>,
    /// The module that is a file, by the file's path.
    pub(super) file_modules: HashMap<&'u path::Path, ModuleId>,
    /// The `#include`s that could not be read.
    pub(super) inclusions: Vec<Inclusion>,
    /// Bytes of the files, and files around the one that is read.
    pub(super) bytes: usize,
    pub(super) depth: usize,
}

impl<'u> Program<'u> {
    /// The declarations of a translation unit: of a file and of its headers.
    pub(super) fn of(root: &'u SourceFile, environment: Environment<'u>) -> Self {
        let items = &root.unit().items;
        let mut program = Self::with(root, environment, Vec::new());
        let is_filled = !program.declares(items);
        while program.demand.demanded.len() < limits::DEMANDED_MACROS
            && let Some(name) = program
                .demanded_macro(items)
                .or_else(|| program.filling_macro(items))
        {
            let mut demanded = program.demand.demanded;
            demanded.push(name);
            program = Self::with(root, environment, demanded);
        }
        program.demand.is_filled = is_filled;
        program
    }

    fn with(root: &'u SourceFile, environment: Environment<'u>, demanded: Vec<String>) -> Self {
        let mut program = Self {
            modules: vec![Module::default()],
            environment: Some(environment),
            demand: Demand {
                demanded,
                ..Demand::default()
            },
            ..Self::default()
        };
        for predefined in program.predefined(root) {
            let value = predefined.value.map(|value| value.at(NOWHERE));
            let kept = environment.arena.predefined(Predefined {
                value,
                ..predefined
            });
            program
                .preprocessed
                .macros
                .define(&kept.name, kept.value.as_ref());
            if kept.value.as_ref().is_some_and(is_literal) {
                program.add_constant(&kept.name, Constant::Macro, 0);
            }
        }
        program.add_file(root, 0);
        program.add_functions_of_impls();
        for name in vocabulary::MACROS {
            program.read_macro(name);
        }
        let units = Units::of(environment.sources);
        program.read_in_front_of(&|file| {
            let path = file.path();
            path == environment.focus.path() || units.is_some_and(|units| units.are_for(path))
        });
        program
    }

    /// A file whose statements declare as they are executed.
    pub(super) fn of_script(root: &'u SourceFile, environment: Environment<'u>) -> Self {
        Self {
            modules: vec![Module::default()],
            environment: Some(environment),
            reading: Reading {
                files: BTreeMap::from([(root.base(), root)]),
                ..Reading::default()
            },
            ..Self::default()
        }
    }

    /// The declarations of no file: everything is the vocabulary's.
    pub(super) fn of_nothing() -> Self {
        Self {
            modules: vec![Module::default()],
            ..Self::default()
        }
    }

    /// The macros that the compiler of a file defines, where it is known, and those that a flag must define.
    pub(super) fn predefined(&self, file: &SourceFile) -> Vec<Predefined> {
        let told = self
            .environment
            .map(|environment| environment.sources.predefined(file))
            .unwrap_or_default();
        let demanded = self.demand.demanded.iter().map(|name| Predefined {
            name: name.clone(),
            value: tree_sitter_cute::cuda::parse_expression("1").ok(),
        });
        told.into_iter().chain(demanded).collect()
    }

    /// Whether the functions of this name all take their arguments by value or as constants.
    pub(super) fn leaves_arguments_alone(&self, name: &str) -> bool {
        if let Some(known) = self.left_alone.borrow().get(name) {
            return *known;
        }
        let alone = self.all_leave_arguments_alone(name);
        let mut known = self.left_alone.borrow_mut();
        known.insert(name.to_owned(), alone);
        alone
    }

    fn all_leave_arguments_alone(&self, name: &str) -> bool {
        let mut named = self
            .modules
            .iter()
            .filter_map(|module| module.functions.get(name))
            .flatten()
            .filter_map(|id| self.functions.get(*id))
            .peekable();
        match named.peek() {
            Some(_) => named.all(|declaration| takes_constants(declaration.function)),
            None => is_of_cuda(name),
        }
    }

    /// Whether the sources declare a function of the name that a path ends with.
    pub(super) fn has_function(&self, path: &Path) -> bool {
        let Some(last) = path.last() else {
            return false;
        };
        let mut modules = self.modules.iter();
        modules.any(|module| module.functions.contains_key(last.name.name.as_str()))
    }

    pub(super) fn module(&self, id: ModuleId) -> Option<&Module<'u>> {
        self.modules.get(id)
    }

    /// The file that contains a span.
    pub(super) fn file_of(&self, span: Span) -> Option<&'u SourceFile> {
        let (_, file) = self.reading.files.range(..=span.start).next_back()?;
        file.contains(span).then_some(*file)
    }

    /// The text of a span.
    pub(super) fn slice(&self, span: Span) -> &'u str {
        self.file_of(span).map_or("", |file| file.slice(span))
    }

    /// The files read, the root included.
    pub(super) fn files(&self) -> impl Iterator<Item = &'u SourceFile> + '_ {
        self.reading.files.values().copied()
    }

    /// The instances that the project asks for, as directives that hold everywhere.
    pub(super) fn asked_by_project(&mut self) -> Vec<Directive> {
        let Some(environment) = self.environment else {
            return Vec::new();
        };
        let Some(file) = environment.sources.asked() else {
            return Vec::new();
        };
        let file = environment.arena.file(file);
        self.reading.files.insert(file.base(), file);
        let statements = file.unit().items.iter();
        let instances = statements.filter_map(|item| match &item.kind {
            ItemKind::Expr(target) => Some(Directive {
                span: target.span,
                scope: Span::new(0, usize::MAX),
                kind: DirectiveKind::Instantiate(target.clone()),
            }),
            _ => None,
        });
        instances.collect()
    }

    /// The functions that macros made, or their heads.
    pub(super) fn expanded_functions(&self) -> impl Iterator<Item = &'u Function> {
        let expanded = self.by_macros.expanded.iter();
        let declared = expanded.filter_map(|id| self.functions.get(*id));
        declared.map(|declaration| declaration.function)
    }

    /// Whether a directive, or the project, asks for instances.
    pub(super) fn asks_for_instances(&self) -> bool {
        let asked = |environment: Environment<'_>| environment.sources.asked().is_some();
        let is_instance = |it: &Directive| matches!(it.kind, DirectiveKind::Instantiate(_));
        self.environment.is_some_and(asked)
            || self
                .files()
                .any(|file| file.directives().iter().any(is_instance))
    }

    /// Adds the instances that directives ask for, each where its template is declared.
    pub(super) fn add_asked_instances(&mut self, directives: &[Directive]) {
        let Some(environment) = self.environment else {
            return;
        };
        for directive in directives {
            let DirectiveKind::Instantiate(target) = &directive.kind else {
                continue;
            };
            let Some(asked) = target.as_path().and_then(Path::last) else {
                continue;
            };
            let is_meant =
                |name: &Ident| name.name == asked.name.name && directive.scope.encloses(name.span);
            let function = self
                .functions
                .iter()
                .find(|found| is_meant(&found.function.name));
            let record = self
                .records
                .iter()
                .find(|found| found.record.name.as_ref().is_some_and(is_meant));
            let module = function
                .map(|found| found.module)
                .or(record.map(|found| found.module));
            let Some(module) = module else {
                continue;
            };
            let instantiation = environment.arena.instantiation(Instantiation {
                is_extern: false,
                target: target.clone(),
                params: None,
            });
            self.instantiations
                .push((module, instantiation, target.span));
        }
    }

    pub(super) fn add_file(&mut self, file: &'u SourceFile, module: ModuleId) {
        self.reading.files.insert(file.base(), file);
        self.reading.bytes += file.text().len();
        self.reading.depth += 1;
        self.add_all(&file.unit().items, module);
        self.reading.depth -= 1;
    }

    /// Reads the file that an `#include` names, once.
    fn add_included(&mut self, include: &'u Include, module: ModuleId) {
        let Some(from) = self.file_of(include.path.span) else {
            return;
        };
        self.add_included_from(from, include, module);
    }

    /// The same for an `#include` of a file, wherever its spans are.
    pub(super) fn add_included_from(
        &mut self,
        from: &'u SourceFile,
        include: &Include,
        module: ModuleId,
    ) {
        let Some(environment) = self.environment else {
            return;
        };
        let file = match environment.sources.include(from, include) {
            Included::Known => return,
            Included::Missing(why) => {
                let path = include.path.name.as_str().into();
                return self.not_read(include, Reason::NotIncluded(path, why.into()));
            }
            Included::Outside(leads_to) => {
                let problem = Reason::outside(&include.path.name, &leads_to);
                return self.not_read(include, problem);
            }
            Included::File(file) => file,
        };
        let is_focus = file.path().as_os_str() == environment.focus.path().as_os_str();
        let base = if is_focus {
            environment.focus.base()
        } else {
            file.base()
        };
        if self.reading.files.contains_key(&base) {
            return;
        }
        let limit = if self.reading.files.len() > limits::INCLUDED_FILES {
            Some("number of included files")
        } else if self.reading.bytes + file.text().len() > limits::INCLUDED_BYTES {
            Some("size of the included files")
        } else if self.reading.depth > limits::INCLUDE_DEPTH {
            Some("nesting of includes")
        } else {
            None
        };
        if let Some(limit) = limit {
            return self.not_read(include, Reason::Limit(limit));
        }
        self.is_focus_of_library |= is_focus && file.is_library();
        let file = if is_focus {
            environment.focus
        } else {
            environment.arena.file(file)
        };
        if is_focus || !self.leave_unread(file, module) {
            self.add_file(file, module);
        }
    }

    pub(super) fn not_read(&mut self, include: &Include, problem: Reason) {
        self.reading.inclusions.push(Inclusion {
            path: include.path.name.clone(),
            span: include.path.span,
            problem,
        });
    }

    pub(super) fn add_all(&mut self, items: &'u [Item], module: ModuleId) {
        for item in items {
            self.add(item, module);
        }
    }

    fn add(&mut self, item: &'u Item, module: ModuleId) {
        self.read_macros_of(item);
        match &item.kind {
            ItemKind::Function(function) => self.add_function(function, item, module),
            ItemKind::Record(record) => self.add_record(record, item, module),
            ItemKind::StaticAssert(_) => self.globals.push((module, item)),
            ItemKind::Binding(binding) => {
                self.globals.push((module, item));
                if let (Some(name), None) = (&binding.name, &binding.scope) {
                    self.add_constant(&name.name, Constant::Binding(binding), module);
                }
            }
            // The variants of an `enum` of Rust are not integers.
            ItemKind::Enum(_) if self.is_of(Host::Rust) => {}
            ItemKind::Impl(apart) => self.add_impl(apart, module),
            ItemKind::ModuleFile(file) => self.add_module_file(file, module),
            ItemKind::Enum(declared) => {
                if let Some(name) = &declared.name
                    && !declared.enumerators.is_empty()
                {
                    self.add_constant(&name.name, Constant::Enum(declared), module);
                }
                for (index, enumerator) in declared.enumerators.iter().enumerate() {
                    let constant = Constant::Enumerator(declared, index);
                    if !declared.scoped {
                        self.add_constant(&enumerator.name.name, constant, module);
                    }
                    if let Some(name) = &declared.name {
                        let inner = self.child(&name.name, module);
                        self.add_constant(&enumerator.name.name, constant, inner);
                    }
                }
            }
            ItemKind::Define(define) if is_keyword(&define.name.name) => {}
            ItemKind::Define(define) if define.params.is_none() => {
                self.note_macro(&define.name, Some(define));
                self.preprocessed
                    .macros
                    .define(&define.name.name, define.value.as_ref());
                self.preprocessed
                    .object_macros
                    .insert(&define.name.name, define);
                if define.value.is_some() {
                    self.add_constant(&define.name.name, Constant::Macro, 0);
                }
            }
            ItemKind::Define(define) => self.add_macro(define),
            ItemKind::Undef(name) => self.take_macro_back(name),
            ItemKind::Include(include) => self.add_included(include, module),
            ItemKind::Instantiation(instantiation) => {
                self.instantiations.push((module, instantiation, item.span));
            }
            ItemKind::Namespace(namespace) => {
                let mut inner = module;
                for name in &namespace.names {
                    inner = self.child(&name.name, inner);
                }
                if namespace.names.is_empty() {
                    inner = self.new_module(module);
                }
                if (namespace.names.is_empty() || namespace.inline)
                    && let Some(outer) = self.modules.get_mut(module)
                {
                    outer.inline.push(inner);
                }
                self.add_all(&namespace.items, inner);
            }
            ItemKind::Using(using) => self.add_using(using, module),
            ItemKind::Expr(_) => self.add_expansion(item, module),
            ItemKind::Block(items) => self.add_all(items, module),
            ItemKind::Conditional(conditional) => {
                self.note_declared_by_choice(&conditional.branches);
                let possible = self.compiled_branches(&conditional.branches);
                let is_one_of_several = possible.len() > 1;
                for branch in possible {
                    let around = self
                        .preprocessed
                        .macros
                        .enter(is_one_of_several || self.may_be_skipped(branch));
                    self.add_all(&branch.items, module);
                    self.preprocessed.macros.leave(around);
                }
            }
            _ => {}
        }
    }

    /// Adds a macro that takes arguments.
    pub(super) fn add_macro(&mut self, define: &'u Define) {
        self.note_macro(&define.name, Some(define));
        self.preprocessed.macros.define(&define.name.name, None);
        self.preprocessed
            .function_macros
            .insert(&define.name.name, define);
    }

    pub(super) fn take_macro_back(&mut self, name: &'u Ident) {
        self.note_macro(name, None);
        self.preprocessed.macros.take_back(&name.name);
        self.preprocessed.function_macros.remove(name.name.as_str());
        self.preprocessed.object_macros.remove(name.name.as_str());
    }

    fn note_macro(&mut self, name: &'u Ident, define: Option<&'u Define>) {
        let times = self.preprocessed.macro_times.entry(&name.name).or_default();
        times.push((name.span, define));
    }

    /// The definition of a macro where it is used: the last one before it, where all are in one file.
    pub(super) fn macro_at(&self, name: &str, used: Span) -> MacroAt<'u> {
        let times = self
            .preprocessed
            .macro_times
            .get(name)
            .map_or(&[][..], Vec::as_slice);
        let [first, .., _] = times else {
            return match times {
                [(_, Some(only))] => MacroAt::Defined(only),
                _ => MacroAt::Undefined,
            };
        };
        let file = self.file_of(used);
        let is_here = |span: Span| match (file, self.file_of(span)) {
            (Some(using), Some(defining)) => std::ptr::eq(using, defining),
            _ => false,
        };
        // A branch that may be skipped leaves it open.
        if self.preprocessed.macros.is_in_doubt(name)
            || !times.iter().all(|(span, _)| is_here(*span))
        {
            let all_same = times.iter().all(|(_, define)| match (define, first.1) {
                (Some(a), Some(b)) => self.slice(a.body) == self.slice(b.body),
                _ => false,
            });
            return match first.1 {
                Some(define) if all_same => MacroAt::Defined(define),
                _ => MacroAt::Open,
            };
        }
        let before = times.iter().rev().find(|(span, _)| span.start < used.start);
        match before {
            Some((_, Some(define))) => MacroAt::Defined(define),
            _ => MacroAt::Undefined,
        }
    }

    /// Whether the files are of a language.
    pub(super) fn is_of(&self, host: Host) -> bool {
        self.environment
            .is_some_and(|environment| environment.host == host)
    }

    pub(super) fn add_function(
        &mut self,
        function: &'u Function,
        item: &'u Item,
        module: ModuleId,
    ) {
        self.read_macro(&function.name.name);
        let expanded = self.expanded_function(function, item);
        let function = expanded.unwrap_or(function);
        self.add_local_uses(function, module);
        if self.slice(item.span).contains("#define") {
            self.add_macros_in(function.body.as_deref().unwrap_or_default());
        }
        if function.flags.deleted {
            return;
        }
        if let Some(class) = function.scope.as_ref().and_then(Path::last) {
            let defined = Outside {
                function,
                span: item.span,
                module,
            };
            self.apart
                .outside
                .entry(&class.name.name)
                .or_default()
                .push(defined);
            return;
        }
        let id = self.functions.len();
        self.functions.push(FunctionDecl { function, module });
        if expanded.is_some() {
            self.by_macros.expanded.push(id);
        }
        if let Some(module) = self.modules.get_mut(module) {
            module
                .functions
                .entry(&function.name.name)
                .or_default()
                .push(id);
        }
    }

    fn add_record(&mut self, record: &'u Record, item: &'u Item, module: ModuleId) {
        self.globals.push((module, item));
        if let Some(class) = record.scope.as_ref().and_then(Path::last) {
            let inside = self
                .apart
                .outside_records
                .entry(&class.name.name)
                .or_default();
            inside.push(record);
        }
        let (Some(name), None) = (&record.name, &record.scope) else {
            return;
        };
        if record.members.is_none() {
            if !record.tparams.is_empty() && record.special_args.is_none() {
                let id = self.record_id(record, module);
                if let Some(module) = self.modules.get_mut(module) {
                    module.declared_templates.entry(&name.name).or_insert(id);
                }
            }
            return;
        }
        let id = self.record_id(record, module);
        if let Some(module) = self.modules.get_mut(module) {
            module.records.entry(&name.name).or_default().push(id);
        }
    }

    /// The place of a record, made when it is seen for the first time.
    pub(super) fn record_id(&mut self, record: &'u Record, module: ModuleId) -> RecordId {
        let records = &mut self.records;
        *self.record_ids.entry(record).or_insert_with(|| {
            records.push(RecordDecl { record, module });
            records.len() - 1
        })
    }

    fn add_constant(&mut self, name: &'u str, constant: Constant<'u>, module: ModuleId) {
        if let Some(module) = self.modules.get_mut(module) {
            module
                .constants
                .entry(name)
                .and_modify(|known| {
                    let both_macros =
                        matches!((&known, &constant), (Constant::Macro, Constant::Macro));
                    let declared_before =
                        matches!(known, Constant::Binding(binding) if binding.init.is_none());
                    if declared_before && !both_macros {
                        *known = constant;
                    } else {
                        *known = Constant::Ambiguous;
                    }
                })
                .or_insert(constant);
        }
    }

    pub(super) fn add_using(&mut self, using: &'u tree_sitter_cute::tree::Using, module: ModuleId) {
        let Some(names) = using.path.as_path().map(path_names) else {
            return;
        };
        let Some(module) = self.modules.get_mut(module) else {
            return;
        };
        match &using.kind {
            UsingKind::Namespace => {
                module.opened.push(names);
                module.opened_at.push(using.path.span);
            }
            UsingKind::NamespaceAlias(alias) => {
                module.aliases.insert(&alias.name, names);
            }
            UsingKind::Renamed(alias) => {
                module.used_names.insert(&alias.name, names);
            }
            UsingKind::Declaration => {
                if let Some(last) = names.last() {
                    module.used_names.insert(last, names);
                }
            }
        }
    }

    pub(super) fn child(&mut self, name: &'u str, parent: ModuleId) -> ModuleId {
        let known = self
            .modules
            .get(parent)
            .and_then(|module| module.children.get(name).copied());
        if let Some(id) = known {
            return id;
        }
        let id = self.new_module(parent);
        if let Some(module) = self.modules.get_mut(parent) {
            module.children.insert(name, id);
        }
        id
    }

    /// A name of a module with those of the modules around it: `cutlass::FillMode`.
    pub(super) fn path_of_name(&self, module: ModuleId, name: &str) -> String {
        let mut path = name.to_owned();
        let mut inner = module;
        while let Some(parent) = self.module(inner).and_then(|found| found.parent) {
            let children = self.module(parent).into_iter().flat_map(|it| &it.children);
            let mut named = children.filter(|(_, id)| **id == inner);
            if let Some((outer, _)) = named.next() {
                path = format!("{outer}::{path}");
            }
            inner = parent;
        }
        path
    }

    fn new_module(&mut self, parent: ModuleId) -> ModuleId {
        self.modules.push(Module {
            parent: Some(parent),
            ..Module::default()
        });
        self.modules.len() - 1
    }
}

/// Whether a name that no source declares is one of CUDA's runtime or driver API, which is C: its functions take numbers
/// by value.
fn is_of_cuda(name: &str) -> bool {
    let rest = name
        .strip_prefix("cuda")
        .or_else(|| name.strip_prefix("cu"));
    rest.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase()))
}

/// Whether a function takes all of its arguments by value or as constants.
pub(super) fn takes_constants(function: &Function) -> bool {
    function.params.iter().all(is_by_value)
}

/// Whether a parameter is a value or a constant.
pub(super) fn is_by_value(param: &Binding) -> bool {
    param.reference == Reference::None || param.specifiers.constant
}

/// The names of a path from the left, template arguments left out.
pub(super) fn path_names(path: &Path) -> Vec<&str> {
    path.segments
        .iter()
        .map(|segment| segment.name.name.as_str())
        .collect()
}
