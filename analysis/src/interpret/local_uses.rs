//! Using-declarations in functions: `using a::b;` ([namespace.udecl]).

use tree_sitter_cute::tree::Path;

use super::added::path_names;
use super::frame::{Frame, Variable};
use super::names::Meaning;
use super::program::Constant;
use super::{Callable, Interpreter};

impl<'u> Interpreter<'u> {
    /// Declares the last name of a path in the innermost scope, where it names no template: as what the path means here.
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
        if self.names_template(module, name) {
            return;
        }
        let value = match self.meaning(path, frame) {
            Meaning::Value(value) => value,
            Meaning::Functions(ids) => self.callable(Callable::Functions(name, ids, Vec::new())),
            _ => return,
        };
        let variable = Variable {
            value,
            declared: last.name.span,
            read: true,
        };
        frame.declare(name, variable);
    }

    /// Whether a name of a module is that of a template: its meaning depends on arguments.
    fn names_template(&self, module: super::ids::ModuleId, name: &str) -> bool {
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
