//! Specialisations of variable templates: `template <> constexpr int width<bool> = 1;`.

use tree_sitter_cute::tree::Binding;

use super::Interpreter;
use super::ids::ModuleId;
use super::matching::Fit;
use crate::reason::Reason;
use crate::value::Value;

impl<'u> Interpreter<'u> {
    /// The declaration of a variable template that these arguments choose, and the arguments of its parameters. An
    /// explicit specialisation is preferred to partial ones, those to the template itself; of several partial ones none is.
    pub(super) fn variable_for(
        &mut self,
        module: ModuleId,
        primary: &'u Binding,
        args: Vec<Value>,
    ) -> Result<(&'u Binding, Vec<Value>), Reason> {
        let name = primary.name.as_ref().map(|name| name.name.as_str());
        let special =
            name.and_then(|name| self.program.module(module)?.special_variables.get(name));
        let special: Vec<&'u Binding> = special.cloned().unwrap_or_default();
        let mut taken: Vec<(&'u Binding, Vec<Value>)> = Vec::new();
        for binding in special {
            let (fit, bound) = self.fit_of_variable(binding, module, &args);
            match fit {
                Fit::Yes if binding.tparams.is_empty() => return Ok((binding, bound)),
                Fit::Yes => taken.push((binding, bound)),
                Fit::No => {}
                Fit::Open(reason) => return Err(reason),
            }
        }
        match taken.len() {
            0 => Ok((primary, args)),
            1 => Ok(taken.remove(0)),
            _ => Err(Reason::Ambiguous(name.unwrap_or_default().into())),
        }
    }
}
