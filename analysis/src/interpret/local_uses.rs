//! Using-declarations in functions: `using a::b;` ([namespace.udecl]).

use tree_sitter_cute::tree::Path;

use super::added::path_names;
use super::frame::{Frame, Variable};
use super::ids::ModuleId;
use super::names::Meaning;
use super::program::Constant;
use super::{Callable, Interpreter};
use crate::reason::Reason;
use crate::types::Type;
use crate::value::Value;

impl<'u> Interpreter<'u> {
    /// Declares the last name of a path in the innermost scope: as what the path means here.
    pub(super) fn declare_used(&mut self, path: &'u Path, frame: &mut Frame<'u>) {
        let Some((last, scopes)) = path.segments.split_last() else {
            return;
        };
        let names = path_names(path);
        let scopes_of = names.get(..scopes.len()).unwrap_or_default();
        if scopes.is_empty() || last.args.is_some() {
            return;
        }
        let Some(module) = self.module_of_path(frame.owner.module, scopes_of) else {
            return;
        };
        let name = last.name.name.as_str();
        let value = if self.names_template(module, name) {
            let Some(value) = self.used_template(module, name, frame) else {
                return;
            };
            value
        } else {
            match self.meaning(path, frame) {
                Meaning::Value(value) => value,
                Meaning::Functions(ids) => {
                    self.callable(Callable::Functions(name, ids, Vec::new()))
                }
                _ => return,
            }
        };
        let variable = Variable {
            value,
            declared: last.name.span,
            read: true,
        };
        frame.declare(name, variable);
    }

    /// A template under its name alone: a class template, or one that hides another meaning of its name.
    fn used_template(&self, module: ModuleId, name: &'u str, frame: &Frame<'u>) -> Option<Value> {
        // The library's words mean the same everywhere.
        let found = self
            .program
            .module(module)
            .filter(|_| !self.is_in_library(module))?;
        if let Some(first) = found.records.get(name).and_then(|records| records.first()) {
            let template = Type::Template(self.first_of(*first), name.into());
            return Some(Value::Type(Box::new(template)));
        }
        let declares = |id: &ModuleId| {
            let other = self.program.module(*id);
            *id != module && other.is_some_and(|other| other.declared(name).is_some())
        };
        let is_hiding = self.visible_modules(frame).iter().any(declares);
        is_hiding.then_some(Value::Unknown(Reason::Construct(
            "a template that a function names by `using`",
        )))
    }

    /// Whether a name of a module is that of a template: its meaning depends on arguments.
    fn names_template(&self, module: ModuleId, name: &str) -> bool {
        let Some(module) = self.program.module(module) else {
            return true;
        };
        let of_class = module.records.get(name).is_some_and(|records| {
            let mut records = records.iter();
            records.any(|id| {
                self.record(*id)
                    .is_none_or(|record| !record.tparams.is_empty())
            })
        });
        let functions = module.functions.get(name).map_or(&[][..], Vec::as_slice);
        let mut functions = self.named_functions(functions).into_iter();
        let of_constant = matches!(module.constants.get(name),
            Some(Constant::Binding(binding)) if !binding.tparams.is_empty());
        of_class || of_constant || functions.any(|(_, function, _)| !function.tparams.is_empty())
    }
}
