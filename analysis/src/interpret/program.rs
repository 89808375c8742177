//! What a file declares, found by name: modules (namespaces), functions, records, constants.

use std::collections::HashMap;

use tree_sitter_cute::tree::{
    Binding, Branch, Condition, Define, Enumerator, Expr, ExprKind, Function, Item, ItemKind, Path,
    Record, Reference, Unit, UsingKind,
};

/// Index of a module in [`Program::modules`]; 0 is the file itself.
pub(super) type ModuleId = usize;
/// Index of a function in [`Program::functions`].
pub(super) type FunctionId = usize;
/// Index of a record in [`Program::records`].
pub(super) type RecordId = usize;

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

/// Something a module declares under a name, besides functions and records.
#[derive(Debug, Clone, Copy)]
pub(super) enum Constant<'u> {
    /// A variable or alias.
    Binding(&'u Binding),
    /// A value of an enum, with the enumerators up to and including it.
    Enumerator(&'u [Enumerator]),
    /// An object-like macro whose text is an expression.
    Macro(&'u Define),
    /// Several declarations under one name, one of which an unknown `#if` selects.
    Ambiguous,
}

/// A namespace, or the file.
#[derive(Debug, Default)]
pub(super) struct Module<'u> {
    pub(super) parent: Option<ModuleId>,
    pub(super) functions: HashMap<&'u str, Vec<FunctionId>>,
    pub(super) records: HashMap<&'u str, Vec<RecordId>>,
    pub(super) constants: HashMap<&'u str, Constant<'u>>,
    pub(super) children: HashMap<&'u str, ModuleId>,
    /// Paths after `using namespace`, and nested modules whose names are visible here.
    pub(super) opened: Vec<Vec<&'u str>>,
    pub(super) inline: Vec<ModuleId>,
    /// `namespace a = b::c;`
    pub(super) aliases: HashMap<&'u str, Vec<&'u str>>,
    /// `using a::b;`: the last name and its whole path.
    pub(super) used_names: HashMap<&'u str, Vec<&'u str>>,
}

/// The declarations of one file.
#[derive(Debug, Default)]
pub(super) struct Program<'u> {
    pub(super) modules: Vec<Module<'u>>,
    pub(super) functions: Vec<FunctionDecl<'u>>,
    pub(super) records: Vec<RecordDecl<'u>>,
    /// Bindings and records at module level, in source order.
    pub(super) globals: Vec<(ModuleId, &'u Item)>,
    macros: HashMap<&'u str, Option<&'u Expr>>,
    record_ids: HashMap<*const Record, RecordId>,
}

impl<'u> Program<'u> {
    /// The declarations of a file.
    pub(super) fn of(unit: &'u Unit) -> Self {
        let mut program = Self {
            modules: vec![Module::default()],
            ..Self::default()
        };
        program.add_all(&unit.items, 0);
        program
    }

    /// The declarations of no file: everything is the vocabulary's.
    pub(super) fn of_nothing() -> Self {
        Self {
            modules: vec![Module::default()],
            ..Self::default()
        }
    }

    /// Whether the functions of this name all take their arguments by value or as constants.
    pub(super) fn leaves_arguments_alone(&self, name: &str) -> bool {
        let mut named = self
            .modules
            .iter()
            .filter_map(|module| module.functions.get(name))
            .flatten()
            .filter_map(|id| self.functions.get(*id))
            .peekable();
        named.peek().is_some()
            && named.all(|declaration| {
                declaration
                    .function
                    .params
                    .iter()
                    .all(|param| param.reference == Reference::None || param.specifiers.constant)
            })
    }

    pub(super) fn module(&self, id: ModuleId) -> Option<&Module<'u>> {
        self.modules.get(id)
    }

    fn add_all(&mut self, items: &'u [Item], module: ModuleId) {
        for item in items {
            self.add(item, module);
        }
    }

    fn add(&mut self, item: &'u Item, module: ModuleId) {
        match &item.kind {
            ItemKind::Function(function) => self.add_function(function, module),
            ItemKind::Record(record) => self.add_record(record, item, module),
            ItemKind::Binding(binding) => {
                self.globals.push((module, item));
                if let (Some(name), None) = (&binding.name, &binding.scope) {
                    self.add_constant(&name.name, Constant::Binding(binding), module);
                }
            }
            ItemKind::Enum(declared) => {
                for (index, enumerator) in declared.enumerators.iter().enumerate() {
                    let Some(up_to) = declared.enumerators.get(..=index) else {
                        continue;
                    };
                    let constant = Constant::Enumerator(up_to);
                    if !declared.scoped {
                        self.add_constant(&enumerator.name.name, constant, module);
                    }
                    if let Some(name) = &declared.name {
                        let inner = self.child(&name.name, module);
                        self.add_constant(&enumerator.name.name, constant, inner);
                    }
                }
            }
            ItemKind::Define(define) if define.params.is_none() => {
                self.macros.insert(&define.name.name, define.value.as_ref());
                if define.value.is_some() {
                    self.add_constant(&define.name.name, Constant::Macro(define), 0);
                }
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
            ItemKind::Block(items) => self.add_all(items, module),
            ItemKind::Conditional(conditional) => {
                for branch in self.compiled_branches(&conditional.branches) {
                    self.add_all(&branch.items, module);
                }
            }
            _ => {}
        }
    }

    fn add_function(&mut self, function: &'u Function, module: ModuleId) {
        if function.scope.is_some() || function.flags.deleted {
            return;
        }
        let id = self.functions.len();
        self.functions.push(FunctionDecl { function, module });
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
        let (Some(name), Some(_), None) = (&record.name, &record.members, &record.scope) else {
            return;
        };
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
                    let both_macros = matches!(
                        (&known, &constant),
                        (Constant::Macro(_), Constant::Macro(_))
                    );
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

    fn add_using(&mut self, using: &'u tree_sitter_cute::tree::Using, module: ModuleId) {
        let Some(names) = using.path.as_path().map(path_names) else {
            return;
        };
        let Some(module) = self.modules.get_mut(module) else {
            return;
        };
        match &using.kind {
            UsingKind::Namespace => module.opened.push(names),
            UsingKind::NamespaceAlias(alias) => {
                module.aliases.insert(&alias.name, names);
            }
            UsingKind::Declaration => {
                if let Some(last) = names.last() {
                    module.used_names.insert(last, names);
                }
            }
        }
    }

    fn child(&mut self, name: &'u str, parent: ModuleId) -> ModuleId {
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

    fn new_module(&mut self, parent: ModuleId) -> ModuleId {
        self.modules.push(Module {
            parent: Some(parent),
            ..Module::default()
        });
        self.modules.len() - 1
    }

    /// The branches of an `#if` that may be compiled: one when the conditions are known, else all
    /// that are not known to be skipped.
    pub(super) fn compiled_branches<'b>(&self, branches: &'b [Branch]) -> Vec<&'b Branch> {
        let mut possible = Vec::new();
        for branch in branches {
            match self.condition(&branch.condition) {
                Some(false) => {}
                Some(true) => {
                    possible.push(branch);
                    break;
                }
                None => possible.push(branch),
            }
        }
        possible
    }

    fn condition(&self, condition: &Condition) -> Option<bool> {
        match condition {
            Condition::Else => Some(true),
            Condition::Defined(name) => self.is_defined(&name.name),
            Condition::NotDefined(name) => self.is_defined(&name.name).map(|defined| !defined),
            Condition::If(expr) => self.preprocessor_value(expr).map(|value| value != 0),
        }
    }

    /// Whether a macro is defined: known only for those that this file defines.
    fn is_defined(&self, name: &str) -> Option<bool> {
        match name {
            "__CUDACC__" | "__cplusplus" => Some(true),
            _ => self.macros.contains_key(name).then_some(true),
        }
    }

    /// The value of an expression behind `#if`.
    fn preprocessor_value(&self, expr: &Expr) -> Option<i64> {
        use tree_sitter_cute::tree::{BinaryOp, UnaryOp};
        match &expr.kind {
            ExprKind::Int(value) => Some(*value),
            ExprKind::Bool(value) => Some(i64::from(*value)),
            ExprKind::Name(_) => {
                let value = (*self.macros.get(expr.as_plain_name()?)?)?;
                match value.kind {
                    ExprKind::Int(value) => Some(value),
                    _ => None,
                }
            }
            ExprKind::Call(callee, args) if callee.as_plain_name() == Some("defined") => self
                .is_defined(args.first()?.as_plain_name()?)
                .map(i64::from),
            ExprKind::Unary(UnaryOp::Not, operand) => self
                .preprocessor_value(operand)
                .map(|value| i64::from(value == 0)),
            ExprKind::Binary(BinaryOp::And, left, right) => {
                match (
                    self.preprocessor_value(left),
                    self.preprocessor_value(right),
                ) {
                    (Some(0), _) | (_, Some(0)) => Some(0),
                    (Some(_), Some(_)) => Some(1),
                    _ => None,
                }
            }
            ExprKind::Binary(BinaryOp::Or, left, right) => {
                match (
                    self.preprocessor_value(left),
                    self.preprocessor_value(right),
                ) {
                    (Some(0), Some(0)) => Some(0),
                    (Some(value), _) | (_, Some(value)) if value != 0 => Some(1),
                    _ => None,
                }
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (
                    self.preprocessor_value(left)?,
                    self.preprocessor_value(right)?,
                );
                match op {
                    BinaryOp::Eq => Some(i64::from(left == right)),
                    BinaryOp::Ne => Some(i64::from(left != right)),
                    BinaryOp::Lt => Some(i64::from(left < right)),
                    BinaryOp::Le => Some(i64::from(left <= right)),
                    BinaryOp::Gt => Some(i64::from(left > right)),
                    BinaryOp::Ge => Some(i64::from(left >= right)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// The names of a path from the left, template arguments left out.
pub(super) fn path_names(path: &Path) -> Vec<&str> {
    path.segments
        .iter()
        .map(|segment| segment.name.name.as_str())
        .collect()
}
