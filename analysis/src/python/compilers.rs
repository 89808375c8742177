//! Functions that compile a kernel and that nothing visible calls, as packages have them behind a cache: those without
//! parameters are run as they are, the others with arguments that are supposed by their types and names.

use std::sync::Arc;

use tree_sitter_cute::script::{Function as Code, ParamKind, Used, uses};
use tree_sitter_cute::tree::Span;

use super::choices::{Changes, Guess, Parameter, written};
use super::heap::{Function, Id, Object, Rewritten};
use super::machine::Machine;
use super::native::Args;
use super::runs::inside;
use super::trials::Subject;
use crate::instance_names::SUPPOSED;

/// Functions of one file that are run: each takes the time of its kernel.
const COMPILERS: usize = 8;

impl Machine<'_> {
    /// Runs the functions of a file that compile kernels, as long as kernels of the file that is analysed were not run.
    pub(super) fn run_compilers(&mut self, file: usize) {
        let mut found: Vec<Function> = Vec::new();
        for at in self.heap.first_own()..self.heap.len() {
            if let Object::Function(function) = self.heap.get(Id::nth(at))
                && function.file == file
                && self.is_compiler(function)
                && found.iter().all(|it| it.code.span != function.code.span)
            {
                found.push(function.clone());
            }
        }
        for function in found.into_iter().take(COMPILERS) {
            if self.budget.steps == 0 || !self.has_kernels_left() {
                return;
            }
            if !self.begins_run(&inside(&self.module_run(file), &function.qualified)) {
                continue;
            }
            // An error ends this function, not the others.
            self.suppose_of(&Subject::Compiler(function), Changes::default());
        }
    }

    /// Whether a function of a module, or a static one of a class, compiles a kernel and was not run.
    fn is_compiler(&self, function: &Function) -> bool {
        function.rewritten == Rewritten::No
            && !self
                .covered
                .ran
                .contains(&self.place(function.file, function.code.span))
            && compiles(&function.code)
            && self.takes_no_object(function)
    }

    /// Whether a function is one of a module, or a static one of a class of a module.
    fn takes_no_object(&self, function: &Function) -> bool {
        let Some((outer, _)) = function.qualified.rsplit_once('.') else {
            return true;
        };
        let first = function.code.params.first();
        let takes_one = first.is_some_and(|it| matches!(&*it.name.text, "self" | "cls"));
        let module = self.files.get(function.file).map(|file| &file.module);
        let mut all = (self.heap.first_own()..self.heap.len()).map(Id::nth);
        !takes_one
            && all.any(|id| match self.heap.get(id) {
                Object::Class(class) => *class.name == *outer && Some(&class.module) == module,
                _ => false,
            })
    }

    /// Arguments for the parameters without a default and for those that are changed, and their description where there
    /// are some; nothing where neither types nor names say anything of them.
    pub(super) fn arguments_of_compiler(
        &self,
        function: &Function,
        changes: &Changes,
    ) -> Option<(Args, Option<String>)> {
        let mut args = Args::default();
        let mut said = Vec::new();
        let mut known = 0;
        for parameter in self.parameters_of_compiler(function, changes) {
            let name = &parameter.name;
            let is_changed = changes.guess(name, false).is_some();
            if !is_changed && has_default(function, name) {
                continue;
            }
            let is_known = parameter.value.reason().is_none();
            known += usize::from(is_known);
            let text = match is_known {
                true => written(&parameter.value),
                false => "?".to_owned(),
            };
            said.push(format!("{name}={text}"));
            args.named.push((Arc::clone(name), parameter.value));
        }
        if known == 0 && !said.is_empty() {
            return None;
        }
        let name = &function.code.name.text;
        let all = (!said.is_empty()).then(|| format!("{SUPPOSED}: {name}({})", said.join(", ")));
        Some((args, all))
    }

    /// The parameters of a function with what is supposed of them.
    pub(super) fn parameters_of_compiler(
        &self,
        function: &Function,
        changes: &Changes,
    ) -> Vec<Parameter> {
        let text = self.text_of(function.file);
        let params = function.code.params.iter().zip(function.defaults.iter());
        let plain = params.filter(|(param, _)| {
            matches!(
                param.kind,
                ParamKind::Positional | ParamKind::Plain | ParamKind::Named
            )
        });
        plain
            .map(|(param, default)| {
                let name = &param.name.text;
                let value = match (changes.guess(name, false), default) {
                    (Some(Guess::Value(value)), _) | (_, Some(value)) => value.clone(),
                    _ => self.first_guess(param, function.file).0,
                };
                Parameter::of(param, text, false, value)
            })
            .collect()
    }
}

/// Whether a parameter may be left out.
fn has_default(function: &Function, name: &str) -> bool {
    let mut params = function.code.params.iter().zip(function.defaults.iter());
    params.any(|(param, default)| *param.name.text == *name && default.is_some())
}

/// Whether a function contains `cute.compile`.
fn compiles(code: &Code) -> bool {
    let mut is_one = false;
    let mut last: Vec<Span> = Vec::new();
    let mut members: Vec<Span> = Vec::new();
    uses(&code.body, code.span, &mut |used| match used {
        Used::Name("cute", span) => last.push(span),
        Used::Member("compile", span) => members.push(span),
        _ => {}
    });
    for member in members {
        is_one |= last.iter().any(|name| name.end + 1 == member.start);
    }
    is_one
}
