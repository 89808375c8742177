//! Functions that compile a kernel and that nothing visible calls, as packages have them behind a cache: those without
//! parameters are run as they are, the others with arguments that are supposed by their types and names.

use std::sync::Arc;

use tree_sitter_cute::script::{Function as Code, ParamKind, Used, uses};
use tree_sitter_cute::tree::Span;

use super::heap::{Function, Id, Object, Rewritten};
use super::machine::Machine;
use super::native::Args;
use super::supposed::{supposed_argument, unknown_argument};
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
            let Some((args, said)) = self.arguments_of_compiler(&function) else {
                continue;
            };
            let outer = self.record.origin.take();
            match said {
                Some(said) => self.record.supposed = Some(said.into()),
                None => {
                    let name = format!("{}()", function.code.name.text);
                    self.record.origin = Some(name.into());
                }
            }
            // An error ends this function, not the others.
            let _ = self.call_function(&function, args);
            self.record.supposed = None;
            self.record.origin = outer;
        }
    }

    /// Whether a function of a module compiles a kernel and was not run.
    fn is_compiler(&self, function: &Function) -> bool {
        function.rewritten == Rewritten::No
            && function.class.is_none()
            && *function.qualified == *function.code.name.text
            && !self
                .covered
                .ran
                .contains(&self.place(function.file, function.code.span))
            && compiles(&function.code)
    }

    /// Arguments for the parameters without a default, and their description where there are some; nothing where neither
    /// types nor names say anything of them.
    fn arguments_of_compiler(&self, function: &Function) -> Option<(Args, Option<String>)> {
        let text = self.text_of(function.file);
        let mut args = Args::default();
        let mut said = Vec::new();
        let mut known = 0;
        for (param, default) in function.code.params.iter().zip(function.defaults.iter()) {
            let is_rest = matches!(param.kind, ParamKind::Rest | ParamKind::NamedRest);
            if default.is_some() || is_rest {
                continue;
            }
            let name = &param.name.text;
            let supposed = supposed_argument(param, text);
            known += usize::from(supposed.is_some());
            let (value, written) = supposed.unwrap_or_else(|| unknown_argument(name));
            said.push(format!("{name}={written}"));
            args.named.push((Arc::clone(name), value));
        }
        if known == 0 && !said.is_empty() {
            return None;
        }
        let name = &function.code.name.text;
        let all = (!said.is_empty()).then(|| format!("{SUPPOSED}: {name}({})", said.join(", ")));
        Some((args, all))
    }
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
