//! Scripts that write sources of C++: they are run by the machine, which keeps what they would write.

use tree_sitter_cute::script::ParamKind;

use super::heap::{Id, Object};
use super::machine::{Machine, Stop};
use super::native::Args;
use super::value::Py;
use super::written::Writes;
use crate::sources::{SourceFile, Sources};
use crate::stop::Stop as Wanted;

/// The files that a script of Python writes when it is run without arguments, or, where it is not a program, when a function of
/// it is called that takes none: the paths as it names them, and the texts. A file that is written on some machines only is among them, as
/// a build there has it; one of which a part is not known is not. `steps` are those that may still be taken.
///
/// ```
/// use cute_analysis::{Alone, SourceFile, Stop, written_by};
/// use tree_sitter_cute::{Budget, Host, Syntax};
/// let text = "for n in (1, 2):\n    with open(f'k{n}.cu', 'w') as f:\n        f.write(f'template void k<{n}>();\\n')\n";
/// let syntax = Syntax::parse(Host::Python, text, None, Budget::unlimited()).unwrap();
/// let script = SourceFile::parsed("generate.py", text, syntax.into());
/// let mut steps = 1_000_000;
/// let written = written_by(&script, &Alone, &mut steps, &Stop::default());
/// assert_eq!(written[1], ("k2.cu".to_owned(), "template void k<2>();\n".to_owned()));
/// ```
pub fn written_by(
    script: &SourceFile,
    sources: &dyn Sources,
    steps: &mut usize,
    stop: &Wanted,
) -> Vec<(String, String)> {
    let name = sources.module_name(script).unwrap_or_else(|| {
        let stem = script.path().file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    });
    let mut machine = Machine::new(script, sources, stop.clone());
    machine.writes = Some(Writes::default());
    machine.budget.steps = *steps;
    let before = machine.budget.steps;
    machine.declare_focus(&name);
    if let Ok(Some(scope)) = machine.run_focus(&name)
        // A program calls what it needs.
        && !machine.covered.as_program
    {
        machine.run_makers(scope);
    }
    *steps -= before - machine.budget.steps;
    let is_ended = machine.budget.steps > 0 && machine.errors.ended.is_empty();
    let writes = machine.writes.take().unwrap_or_default();
    writes.into_known(is_ended).collect()
}

impl Machine<'_> {
    /// Calls the functions of the file that nothing has called and that take no argument.
    fn run_makers(&mut self, scope: Id) {
        let Object::Scope(found) = self.heap.get(scope) else {
            return;
        };
        let functions: Vec<Py> = found.names.iter().map(|(_, it)| it.clone()).collect();
        for value in functions {
            let Py::Object(id) = &value else {
                continue;
            };
            let Object::Function(function) = self.heap.get(*id) else {
                continue;
            };
            let of_focus = self.files.get(function.file);
            let mut takes = function.code.params.iter().zip(function.defaults.iter());
            let takes_arguments = takes.any(|(param, default)| {
                default.is_none() && !matches!(param.kind, ParamKind::Rest | ParamKind::NamedRest)
            });
            let place = self.place(function.file, function.code.span);
            if takes_arguments
                || of_focus.is_none_or(|file| !file.is_focus)
                || self.covered.ran.contains(&place)
            {
                continue;
            }
            if let Err(Stop::Limit(_)) = self.call(&value, Args::default()) {
                return;
            }
        }
    }
}
