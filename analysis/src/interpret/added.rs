//! The declarations of files, added to a program.

use tree_sitter_cute::Host;
use tree_sitter_cute::tree::{
    Binding, Define, Expr, Function, Ident, Item, ItemKind, Path, Qualifier, Record, Role,
    UsingKind,
};

use super::ids::{ModuleId, RecordId};
use super::macro_times::is_keyword;
use super::program::{Constant, FunctionDecl, Module, Outside, Program, RecordDecl};

impl<'u> Program<'u> {
    pub(super) fn add_all(&mut self, items: &'u [Item], module: ModuleId) {
        for item in items {
            self.add(item, module);
        }
    }

    pub(super) fn add(&mut self, item: &'u Item, module: ModuleId) {
        self.read_macros_of(item);
        match &item.kind {
            ItemKind::Function(function) => self.add_function(function, item, module),
            ItemKind::Record(record) => self.add_record(record, item, module),
            ItemKind::StaticAssert(_) => self.globals.push((module, item)),
            ItemKind::Binding(binding) => {
                self.globals.push((module, item));
                let is_special = binding.special_args.is_some();
                if let (Some(name), None) = (&binding.name, &binding.scope) {
                    if is_special {
                        self.add_special_variable(&name.name, binding, module);
                        return;
                    }
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
                    inner = self.namespace(&name.name, inner);
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

    /// The namespace of a name, which may be a macro of one: it is found by both.
    fn namespace(&mut self, name: &'u str, parent: ModuleId) -> ModuleId {
        let object = self.preprocessed.object_macros.get(name);
        let value = object.and_then(|define| define.value.as_ref());
        let Some(path) = value.and_then(|value| value.as_path()) else {
            return self.child(name, parent);
        };
        let names = path_names(path).into_iter();
        let inner = names.fold(parent, |module, name| self.child(name, module));
        if let Some(parent) = self.modules.get_mut(parent) {
            parent.children.entry(name).or_insert(inner);
        }
        inner
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

    pub(super) fn note_macro(&mut self, name: &'u Ident, define: Option<&'u Define>) {
        let times = self.preprocessed.macro_times.entry(&name.name).or_default();
        times.push((name.span, define));
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
        if ["#define", "macro_rules!"]
            .iter()
            .any(|word| self.slice(item.span).contains(word))
        {
            self.add_macros_in(function.body.as_deref().unwrap_or_default());
        }
        if function.flags.deleted || is_guide(function) {
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

    pub(super) fn add_record(&mut self, record: &'u Record, item: &'u Item, module: ModuleId) {
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

    fn add_special_variable(&mut self, name: &'u str, binding: &'u Binding, module: ModuleId) {
        if let Some(module) = self.modules.get_mut(module) {
            let known = module.special_variables.entry(name).or_default();
            known.push(binding);
        }
    }

    pub(super) fn add_constant(&mut self, name: &'u str, constant: Constant<'u>, module: ModuleId) {
        if let Some(module) = self.modules.get_mut(module) {
            module
                .constants
                .entry(name)
                .and_modify(|known| {
                    if is_declared_again(known, &constant) {
                        return;
                    }
                    let both_macros =
                        matches!((&known, &constant), (Constant::Macro, Constant::Macro));
                    let declared_before =
                        matches!(known, Constant::Binding(binding) if binding.init.is_none());
                    if declared_before && !both_macros {
                        *known = constant;
                    } else {
                        let is_int = is_int(known) && is_int(&constant);
                        *known = if is_int {
                            Constant::OfBuild
                        } else {
                            Constant::Ambiguous
                        };
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
            UsingKind::Renamed(alias) => module.note_used(&alias.name, names, using.path.span),
            UsingKind::Declaration => {
                if let Some(last) = names.last() {
                    module.note_used(last, names, using.path.span);
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
            let named = children.filter(|(_, id)| **id == inner);
            // A macro is another name of it.
            let named = named.min_by_key(|(name, _)| {
                (self.preprocessed.object_macros.contains_key(**name), **name)
            });
            if let Some((outer, _)) = named {
                path = format!("{outer}::{path}");
            }
            inner = parent;
        }
        path
    }

    /// A module that is in no other one: a crate.
    pub(super) fn new_crate(&mut self) -> ModuleId {
        self.modules.push(Module::default());
        self.modules.len() - 1
    }

    pub(super) fn new_module(&mut self, parent: ModuleId) -> ModuleId {
        self.modules.push(Module {
            parent: Some(parent),
            ..Module::default()
        });
        self.modules.len() - 1
    }
}

/// Whether a name is an alias of the same name in both declarations ([dcl.typedef]).
fn is_declared_again(known: &Constant<'_>, again: &Constant<'_>) -> bool {
    let (Constant::Binding(known), Constant::Binding(again)) = (known, again) else {
        return false;
    };
    let known = aliased(known);
    known.is_some() && known == aliased(again)
}

/// Whether a function is a deduction guide, `Pair(T) -> Pair<T>`: its result is the class that it is named after.
fn is_guide(function: &Function) -> bool {
    let ret = function.ret.as_ref().and_then(Expr::as_path);
    let of_class = ret.and_then(Path::last);
    function.body.is_none()
        && function.scope.is_none()
        && of_class.is_some_and(|class| class.name.name == function.name.name)
}

/// Whether a constant is declared as an `int`, whichever of its declarations is compiled.
fn is_int(constant: &Constant<'_>) -> bool {
    match constant {
        Constant::Binding(binding) => {
            let ty = binding.ty.as_ref().and_then(|ty| ty.as_plain_name());
            ty == Some("int") && binding.specifiers.constexpr
        }
        constant => matches!(constant, Constant::OfBuild),
    }
}

/// The target of an alias that is a name without template arguments.
fn aliased(binding: &Binding) -> Option<Vec<&str>> {
    let is_plain = binding.role == Role::Alias && binding.tparams.is_empty();
    let path = binding.init.as_ref().filter(|_| is_plain)?.as_path()?;
    let has_arguments = path.segments.iter().any(|segment| segment.args.is_some());
    (path.qualifier == Qualifier::None && !has_arguments).then(|| path_names(path))
}

/// The names of a path from the left, template arguments left out.
pub(super) fn path_names(path: &Path) -> Vec<&str> {
    path.segments
        .iter()
        .map(|segment| segment.name.name.as_str())
        .collect()
}
