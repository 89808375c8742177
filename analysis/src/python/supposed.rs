//! Kernels that nothing in sight makes: one object of each class is supposed, of the constructor's defaults and of what
//! names and comments of parameters say, and every value of it is marked.

use std::sync::Arc;

use tree_sitter_cute::script::{Param, ParamKind};
use tree_sitter_cute::tree::Span;

use super::heap::{Function, Id, Object, Rewritten};
use super::machine::Machine;
use super::native::Args;
use super::value::Py;
use crate::instance_names::SUPPOSED;
use crate::reason::Reason;
use crate::types::Scalar;
use crate::value::Value;

/// Modes that a comment names for one tensor, at most.
const RANK: usize = 8;

impl Machine<'_> {
    /// Runs the kernels of classes of the file that nothing has made.
    pub(super) fn suppose(&mut self) {
        let mut at = self.heap.first_own();
        let count = self.heap.len();
        while at < count {
            let id = Id::nth(at);
            at += 1;
            let Some(call) = self.kernel_of(id) else {
                continue;
            };
            let Some((args, said)) = self.supposed_arguments(id) else {
                continue;
            };
            self.record.supposed = Some(said.into());
            if let Ok(this) = self.instantiate(id, args) {
                let args = self.supposed_call(&call, this);
                // An error ends this kernel, not the others.
                let _ = self.call_function(&call, args);
            }
            self.record.supposed = None;
        }
    }

    /// The `__call__` of a class of the file that is traced and was not run.
    fn kernel_of(&self, id: Id) -> Option<Function> {
        let Object::Class(class) = self.heap.get(id) else {
            return None;
        };
        let own = self.files.first().map(|file| &file.module);
        if Some(&class.module) != own {
            return None;
        }
        let call = self.jit_call_of(id)?;
        let place = self.place(call.file, call.code.span);
        (!self.ran.contains(&place)).then_some(call)
    }

    /// The `__call__` of a class, its own or that of a base, where it is traced.
    pub(super) fn jit_call_of(&self, class: Id) -> Option<Function> {
        let Object::Class(found) = self.heap.get(class) else {
            return None;
        };
        let call = found.order.iter().find_map(|id| match self.heap.get(*id) {
            Object::Class(class) => class.attributes.get("__call__"),
            _ => None,
        });
        let Some(Py::Object(call)) = call else {
            return None;
        };
        match self.heap.get(*call) {
            Object::Function(function) if function.rewritten == Rewritten::Jit => {
                Some(function.clone())
            }
            _ => None,
        }
    }

    /// Arguments of the constructor that have no default, and what is said of them.
    fn supposed_arguments(&self, class: Id) -> Option<(Args, String)> {
        let mut args = Args::default();
        let mut said = SUPPOSED.to_owned();
        let Object::Class(found) = self.heap.get(class) else {
            return None;
        };
        for class in found.order.iter() {
            let Object::Class(class) = self.heap.get(*class) else {
                continue;
            };
            let Some(Py::Object(init)) = class.attributes.get("__init__") else {
                continue;
            };
            let Object::Function(init) = self.heap.get(*init) else {
                return None;
            };
            let is_rest =
                |param: &&Param| matches!(param.kind, ParamKind::Rest | ParamKind::NamedRest);
            for (param, default) in init.code.params.iter().zip(init.defaults.iter()).skip(1) {
                if default.is_some() || is_rest(&param) {
                    continue;
                }
                let (value, text) = supposed_number(&param.name.text)?;
                said.push_str(if args.named.is_empty() { ": " } else { ", " });
                said.push_str(&param.name.text);
                said.push('=');
                said.push_str(text);
                args.named.push((Arc::clone(&param.name.text), value));
            }
            // `*args, **kwargs` go to the constructor of a base.
            if !init.code.params.iter().any(|param| is_rest(&param)) {
                break;
            }
        }
        Some((args, said))
    }

    /// Arguments of a kernel: tensors of the rank that a comment says, symbols for numbers.
    pub(super) fn supposed_call(&mut self, call: &Function, this: Py) -> Args {
        let mut args = Args::of(vec![this], Span::default());
        let code = Arc::clone(&call.code);
        for (param, default) in code.params.iter().zip(call.defaults.iter()).skip(1) {
            if default.is_some() || matches!(param.kind, ParamKind::Rest | ParamKind::NamedRest) {
                continue;
            }
            let value = self.supposed_value(param);
            args.named.push((Arc::clone(&param.name.text), value));
        }
        args
    }

    fn supposed_value(&mut self, param: &Param) -> Py {
        let name = &param.name.text;
        let unknown = Py::Unknown(Reason::Parameter(Arc::clone(name)));
        let Some(annotation) = &param.annotation else {
            return unknown;
        };
        let text = self.focus.text();
        let ty = annotation.span.text(text);
        if ty.contains("CUstream") {
            return Py::None;
        }
        if ty.contains("Float32") {
            return Scalar::of_spelling("float").map_or(unknown, |ty| Py::Leaf(Value::Number(ty)));
        }
        if ty.contains("Int32") || ty.contains("Int64") {
            return self.symbol(name);
        }
        if !ty.contains("Tensor") {
            return unknown;
        }
        let rest = text.get(annotation.span.end..).unwrap_or_default();
        let line = rest.lines().next().unwrap_or_default();
        let Some(modes) = modes_of(line) else {
            return if ty.contains("Optional") {
                Py::None
            } else {
                unknown
            };
        };
        self.supposed_tensor(&modes).unwrap_or(unknown)
    }

    /// A tensor in global memory whose last mode is contiguous.
    fn supposed_tensor(&mut self, modes: &[&str]) -> Option<Py> {
        let shape: Vec<Py> = modes.iter().map(|mode| self.symbol(mode)).collect();
        let mut stride: Vec<Py> = modes
            .iter()
            .map(|mode| self.symbol(&format!("stride_{mode}")))
            .collect();
        *stride.last_mut()? = Py::Int(1);
        let runtime = Py::Object(self.module("cutlass.cute.runtime").ok()?);
        let make = self.attribute(&runtime, "make_fake_tensor").ok()?;
        let element = Py::Scalar(crate::vocabulary::python::scalar(ELEMENT)?);
        let args = Args::of(
            vec![element, Py::tuple(shape), Py::tuple(stride)],
            Span::default(),
        );
        self.call(&make, args).ok()
    }
}

/// The type that is supposed of elements.
const ELEMENT: &str = "BFloat16";

/// What is supposed of an argument of a constructor, by its name, and how that is written.
fn supposed_number(name: &str) -> Option<(Py, &'static str)> {
    let scalar =
        |name: &'static str| Some((Py::Scalar(crate::vocabulary::python::scalar(name)?), name));
    if name.contains("dtype") {
        return scalar(if name.contains("acc") {
            "Float32"
        } else {
            ELEMENT
        });
    }
    matches!(name, "head_dim" | "hdim" | "headdim").then_some((Py::Int(128), "128"))
}

/// The modes that a comment names: `# (b, s_q, h, d) or ...`.
fn modes_of(line: &str) -> Option<Vec<&str>> {
    let (_, comment) = line.split_once('#')?;
    let (_, inner) = comment.split_once('(')?;
    let (inner, _) = inner.split_once(')')?;
    let modes: Vec<&str> = inner.split(',').map(str::trim).collect();
    let is_name = |mode: &&str| {
        !mode.is_empty()
            && mode
                .chars()
                .all(|it| it == '_' || it.is_ascii_alphanumeric())
    };
    (modes.len() <= RANK && modes.iter().all(is_name)).then_some(modes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_names_the_modes_of_a_tensor() {
        let named = modes_of(",  # (b, s_q, h, d) or (total_q, h, d)");
        assert_eq!(named, Some(vec!["b", "s_q", "h", "d"]));
        assert_eq!(modes_of(", # a tensor (see above)"), None);
        assert_eq!(modes_of(","), None);
    }
}
