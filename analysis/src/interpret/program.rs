//! Declarations of a translation unit, found by name: modules (namespaces), functions, records, constants. Included
//! files are read at their `#include`, each once.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path;

use tree_sitter_cute::tree::{
    Binding, Define, Enum, Function, Ident, Impl, Include, Instantiation, Item, ItemKind, Path,
    Record, Reference, Span,
};
use tree_sitter_cute::{Host, cuda};

use super::demanded::{Demand, Demanded};
use super::ids::{FunctionId, ModuleId, RecordId};
use super::preprocessed::{Preprocessed, is_literal};
use super::rust::crates::Crates;
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
    /// Several declarations of an `int` under one name, one of which an unknown `#if` selects.
    OfBuild,
    /// Several other declarations under one name, one of which an unknown `#if` selects.
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
    /// Specialisations of variable templates.
    pub(super) special_variables: HashMap<&'u str, Vec<&'u Binding>>,
    pub(super) children: HashMap<&'u str, ModuleId>,
    /// Paths after `using namespace`, and nested modules whose names are visible here.
    pub(super) opened: Vec<Vec<&'u str>>,
    /// Places where each of them is opened.
    pub(super) opened_at: Vec<Span>,
    pub(super) inline: Vec<ModuleId>,
    /// `namespace a = b::c;`
    pub(super) aliases: HashMap<&'u str, Vec<&'u str>>,
    /// `using a::b;`: the last name and its whole paths, in order.
    pub(super) used_names: HashMap<&'u str, Vec<UsingName<'u>>>,
}

/// A using-declaration.
#[derive(Debug, Clone)]
pub(super) struct UsingName<'u> {
    /// The names of its path.
    pub(super) path: Vec<&'u str>,
    /// The path in the source.
    pub(super) at: Span,
}

/// The declaration of a name in a module.
#[derive(Debug, Clone, Copy)]
pub(super) enum Declared<'m> {
    Functions(&'m [FunctionId]),
    Records(&'m [RecordId]),
    /// A constant, by the place of its name.
    At(Option<Span>),
}

impl<'u> Module<'u> {
    /// Notes a using-declaration.
    pub(super) fn note_used(&mut self, name: &'u str, path: Vec<&'u str>, at: Span) {
        self.used_names
            .entry(name)
            .or_default()
            .push(UsingName { path, at });
    }

    /// The path of the last using-declaration of a name.
    pub(super) fn used_path(&self, name: &str) -> Option<&[&'u str]> {
        let last = self.used_names.get(name)?.last()?;
        Some(&last.path)
    }

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
            Constant::Macro | Constant::OfBuild | Constant::Ambiguous => None,
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
    pub(super) record_ids: HashMap<*const Record, RecordId>,
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

/// The files of a unit.
#[derive(Debug, Default)]
pub(super) struct Reading<'u> {
    /// The files read, by their place in the space of all files.
    pub(super) files: BTreeMap<usize, &'u SourceFile>,
    /// The module that is a file, by the file's path.
    pub(super) file_modules: HashMap<&'u path::Path, ModuleId>,
    /// Rust: the crates that manifests name.
    pub(super) crates: Crates,
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

    fn with(root: &'u SourceFile, environment: Environment<'u>, demanded: Vec<Demanded>) -> Self {
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
            if program.demand.is_for(&kept.name) {
                program.add_constant(&kept.name, Constant::OfBuild, 0);
            } else if kept.value.as_ref().is_some_and(is_literal) {
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
        let demanded = self.demand.demanded.iter().map(|wanted| Predefined {
            name: wanted.name.clone(),
            value: None,
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
    pub(super) fn add_included(&mut self, include: &'u Include, module: ModuleId) {
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
            // Words that decorate say nothing of layouts, whichever they are.
            let decorates = |define: &Define| {
                define.params.is_none() && cuda::only_decorates(self.slice(define.body))
            };
            let all_same = times.iter().all(|(_, define)| match (define, first.1) {
                (Some(a), Some(b)) => {
                    self.slice(a.body) == self.slice(b.body) || decorates(a) && decorates(b)
                }
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
