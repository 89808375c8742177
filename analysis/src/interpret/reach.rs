//! Which functions have to be followed: those from which the file in focus can be reached.
//!
//! Facts are kept for one file only. A function of another file is evaluated for its facts only
//! where it may call into that file: because it mentions a name of it, or a function that does, or
//! because it is given a class or a function of it.

use crate::hash::{HashMap, HashSet};

use tree_sitter_cute::tree::{Expr, ExprKind, Function, Item, ItemKind};

use super::deduction::Bound;
use super::frame::Variable;
use super::program::{FunctionId, Program};
use super::{Callable, Interpreter};
use crate::sources::SourceFile;
use crate::types::Type;
use crate::value::Value;
use crate::walk;

/// Classes inside classes that are looked through.
const DEPTH: usize = 3;

impl<'u> Program<'u> {
    /// The names of functions that mention, directly or not, what the focus declares. Libraries
    /// know nothing of it.
    pub(super) fn names_leading_to(&self, focus: &'u SourceFile) -> HashSet<&'u str> {
        let mut declared: HashSet<&str> = HashSet::default();
        let mut bodies: Vec<(&str, &[Item])> = Vec::new();
        for file in self.files().filter(|file| !file.is_library()) {
            let own = std::ptr::eq(file, focus);
            walk::items(&file.unit().items, &mut |item| match &item.kind {
                ItemKind::Function(function) if own => {
                    declared.insert(&function.name.name);
                }
                ItemKind::Record(record) if own => {
                    declared.extend(record.name.as_ref().map(|name| name.name.as_str()));
                }
                ItemKind::Function(function) => {
                    let body = function.body.as_deref().unwrap_or_default();
                    bodies.push((&function.name.name, body));
                }
                _ => {}
            });
        }
        // Functions whose heads macros made have other names in the tree than in the program.
        for declaration in &self.functions {
            let is_own = focus.contains(declaration.function.name.span);
            if is_own {
                declared.insert(&declaration.function.name.name);
            } else if let Some(body) = &declaration.function.body {
                bodies.push((&declaration.function.name.name, body));
            }
        }
        let mut mentioned_in: HashMap<&str, Vec<&str>> = HashMap::default();
        for (name, body) in bodies {
            for mentioned in names_in(body) {
                mentioned_in.entry(mentioned).or_default().push(name);
            }
        }
        let mut leading = declared.clone();
        let mut next: Vec<&str> = declared.into_iter().collect();
        while let Some(name) = next.pop() {
            for outer in mentioned_in.get(name).into_iter().flatten() {
                if leading.insert(outer) {
                    next.push(outer);
                }
            }
        }
        leading
    }
}

fn names_in(body: &[Item]) -> HashSet<&str> {
    let mut names = HashSet::default();
    walk::expressions(body, &mut |expr: &Expr| match &expr.kind {
        ExprKind::Name(path) => {
            names.extend(
                path.segments
                    .iter()
                    .map(|segment| segment.name.name.as_str()),
            );
        }
        ExprKind::Member { member, .. } => {
            names.insert(&member.name.name);
        }
        _ => {}
    });
    names
}

impl<'u> Interpreter<'u> {
    /// Whether an instance of a function may bring facts of the focus.
    pub(super) fn leads_to_focus(&mut self, id: FunctionId, bound: &Bound) -> bool {
        let Some(focus) = self.focus else {
            return true;
        };
        let Some(found) = self.program.functions.get(id) else {
            return false;
        };
        let function = found.function;
        self.names_focus(focus, function, bound)
    }

    /// The same for a method.
    pub(super) fn method_leads_to_focus(&mut self, function: &Function, bound: &Bound) -> bool {
        match self.focus {
            Some(focus) => self.names_focus(focus, function, bound),
            None => true,
        }
    }

    fn names_focus(&mut self, focus: &'u SourceFile, function: &Function, bound: &Bound) -> bool {
        let name = &function.name;
        if focus.contains(name.span) {
            return true;
        }
        if self.leading.is_none() {
            self.leading = Some(self.program.names_leading_to(focus));
        }
        self.leading
            .as_ref()
            .is_some_and(|leading| leading.contains(name.name.as_str()))
            || bound
                .params
                .iter()
                .flatten()
                .chain(&bound.tparams)
                .any(|value| self.is_of_focus(value, DEPTH))
    }

    /// Whether a value has to do with a class or function of the focus.
    fn is_of_focus(&self, value: &Value, depth: usize) -> bool {
        match value {
            Value::Type(ty) | Value::Instance(ty) => self.is_type_of_focus(ty, depth),
            Value::Object(object) => self.is_record_of_focus(object.class.instance, depth),
            Value::Tuple(values) | Value::Pack(values) => {
                values.iter().any(|value| self.is_of_focus(value, depth))
            }
            Value::Callable(id) => match self.callables.get(*id) {
                Some(Callable::Lambda(lambda, _)) => lambda
                    .body
                    .first()
                    .is_some_and(|item| self.is_in_focus(item.span)),
                Some(Callable::Functions(name, ids, _)) => {
                    ids.iter().any(|id| {
                        self.file_of_function(*id).is_some_and(|file| {
                            self.focus.is_some_and(|focus| std::ptr::eq(file, focus))
                        })
                    }) || self
                        .leading
                        .as_ref()
                        .is_some_and(|leading| leading.contains(name))
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

    /// Whether a class or one of its template arguments is of the focus.
    fn is_record_of_focus(&self, instance: usize, depth: usize) -> bool {
        let Some(record) = self.records.get(instance) else {
            return false;
        };
        if self.is_record_in_focus(record.declaration) && self.has_methods(instance) {
            return true;
        }
        depth > 0
            && record.scopes.iter().any(|scope| {
                scope
                    .values()
                    .any(|Variable { value, .. }| self.is_of_focus(value, depth - 1))
            })
    }
}
