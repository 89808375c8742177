//! Kernels that no visible code makes: one object of each class is supposed, of the constructor's defaults and of
//! values from names and comments of parameters, and every value of it is marked.

use std::sync::Arc;

use tree_sitter_cute::script::{Function as Code, Param, ParamKind};
use tree_sitter_cute::tree::Span;

use super::heap::{Function, Id, Object, Rewritten};
use super::machine::Machine;
use super::native::Args;
use super::ranks::rank_of_use;
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
        (!self.covered.ran.contains(&place)).then_some(call)
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

    /// Arguments of the constructor that have no default, and their description; what neither type nor name says is
    /// unknown, and so is what depends on it.
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
            let text = self.text_of(init.file);
            for (param, default) in init.code.params.iter().zip(init.defaults.iter()).skip(1) {
                if default.is_some() || is_rest(&param) {
                    continue;
                }
                let name = &param.name.text;
                let supposed = supposed_argument(param, text);
                let (value, text) = supposed.unwrap_or_else(|| unknown_argument(name));
                said.push_str(if args.named.is_empty() { ": " } else { ", " });
                said.push_str(name);
                said.push('=');
                said.push_str(&text);
                args.named.push((Arc::clone(name), value));
            }
            // `*args, **kwargs` go to the constructor of a base.
            if !init.code.params.iter().any(|param| is_rest(&param)) {
                break;
            }
        }
        Some((args, said))
    }

    /// The text of a file that is run.
    pub(super) fn text_of(&self, file: usize) -> &str {
        let file = self.files.get(file);
        match file.and_then(|file| file.source.as_ref()) {
            Some(source) => source.text(),
            None => self.focus.text(),
        }
    }

    /// Arguments of a kernel: tensors of the rank that a comment or the kernel itself says, symbols for numbers.
    pub(super) fn supposed_call(&mut self, call: &Function, this: Py) -> Args {
        let mut args = Args::of(vec![this], Span::default());
        let code = Arc::clone(&call.code);
        for (param, default) in code.params.iter().zip(call.defaults.iter()).skip(1) {
            if default.is_some() || matches!(param.kind, ParamKind::Rest | ParamKind::NamedRest) {
                continue;
            }
            let value = self.supposed_value(param, &code, call.file);
            args.named.push((Arc::clone(&param.name.text), value));
        }
        args
    }

    fn supposed_value(&mut self, param: &Param, code: &Code, file: usize) -> Py {
        let name = &param.name.text;
        let unknown = Py::Unknown(Reason::Parameter(Arc::clone(name)));
        let Some(annotation) = &param.annotation else {
            return unknown;
        };
        let text = self.text_of(file);
        let ty = annotation.span.text(text).to_owned();
        let rest = text.get(annotation.span.end..).unwrap_or_default();
        let line = rest.lines().next().unwrap_or_default().to_owned();
        if ty.contains("CUstream") {
            return Py::None;
        }
        if ty.contains("Float32") {
            return Scalar::of_spelling("float").map_or(unknown, |ty| Py::Leaf(Value::Number(ty)));
        }
        if ty.contains("Int32") || ty.contains("Int64") {
            return self.numbers.symbol(name);
        }
        if !ty.contains("Tensor") {
            return unknown;
        }
        let element = element_of(name);
        let Some(modes) = modes_of(&line) else {
            if ty.contains("Optional") || ty.contains("None") {
                return Py::None;
            }
            let rank = rank_of_use(code, name).filter(|rank| *rank <= RANK);
            return match (element, rank) {
                (Some(element), Some(rank)) => {
                    let modes: Vec<String> = (0..rank).map(|at| format!("{name}_{at}")).collect();
                    let modes: Vec<&str> = modes.iter().map(String::as_str).collect();
                    self.supposed_tensor(&modes, element).unwrap_or(unknown)
                }
                (Some(element), None) => Py::Open(element, Reason::Parameter(Arc::clone(name))),
                (None, _) => unknown,
            };
        };
        element
            .and_then(|element| self.supposed_tensor(&modes, element))
            .unwrap_or(unknown)
    }

    /// A tensor in global memory whose last mode is contiguous.
    fn supposed_tensor(&mut self, modes: &[&str], element: Scalar) -> Option<Py> {
        let shape: Vec<Py> = modes.iter().map(|mode| self.numbers.symbol(mode)).collect();
        let mut stride: Vec<Py> = modes
            .iter()
            .map(|mode| self.numbers.symbol(&format!("stride_{mode}")))
            .collect();
        *stride.last_mut()? = Py::Int(1);
        let runtime = Py::Object(self.module("cutlass.cute.runtime").ok()?);
        let make = self.attribute(&runtime, "make_fake_tensor").ok()?;
        let args = Args::of(
            vec![Py::Scalar(element), Py::tuple(shape), Py::tuple(stride)],
            Span::default(),
        );
        self.call(&make, args).ok()
    }
}

/// The type that is supposed of elements.
const ELEMENT: &str = "BFloat16";

/// The supposed argument of a parameter of a constructor, by its type and its name, and its written form. Nothing where
/// neither gives a value.
pub(super) fn supposed_argument(param: &Param, text: &str) -> Option<(Py, String)> {
    let name = &*param.name.text;
    let annotation = param.annotation.as_ref();
    let ty = annotation.map_or("", |annotation| annotation.span.text(text));
    if name.contains("dtype") || ty.contains("Numeric") {
        let element = if name.contains("acc") {
            "Float32"
        } else {
            ELEMENT
        };
        let scalar = crate::vocabulary::python::scalar(element)?;
        return Some((Py::Scalar(scalar), element.to_owned()));
    }
    if ty.contains("Optional") || ty.contains("None") {
        return Some((Py::None, "None".to_owned()));
    }
    if ty == "bool" || (ty.is_empty() && is_flag(name)) {
        return Some((Py::Bool(false), "False".to_owned()));
    }
    let extents = supposed_extents(name, ty)?;
    let numbers: Vec<String> = extents.iter().map(ToString::to_string).collect();
    let is_tuple = ty.to_ascii_lowercase().contains("tuple");
    Some(match (extents, is_tuple) {
        ([only], false) => (Py::Int(*only), only.to_string()),
        (extents, _) => (
            Py::tuple(extents.iter().map(|extent| Py::Int(*extent)).collect()),
            format!("({})", numbers.join(", ")),
        ),
    })
}

/// The argument of a parameter of which nothing is supposed, and its written form.
pub(super) fn unknown_argument(name: &Arc<str>) -> (Py, String) {
    let unknown = Py::Unknown(Reason::Parameter(Arc::clone(name)));
    (unknown, "?".to_owned())
}

/// Whether a name without a type is that of a flag.
fn is_flag(name: &str) -> bool {
    const FIRST: [&str; 6] = ["has_", "is_", "use_", "add_", "enable_", "pack_"];
    FIRST.iter().any(|first| name.starts_with(first))
}

/// Sizes as kernels mostly have them.
fn supposed_extents(name: &str, ty: &str) -> Option<&'static [i64]> {
    let ty = ty.to_ascii_lowercase();
    // Number of integers of the type; a union of tuples is whichever comes first.
    let tuple = ty.split_once("tuple[").map(|(_, inner)| inner);
    let count = tuple.map(|inner| {
        let inner = inner.split(']').next().unwrap_or(inner);
        inner.split(',').filter(|part| part.trim() == "int").count()
    });
    let has = |part: &str| name.contains(part);
    match count {
        Some(2) if has("cluster") => Some(&[1, 1]),
        Some(3) if has("cluster") => Some(&[1, 1, 1]),
        Some(2) if has("tile") => Some(&[128, 128]),
        Some(3) if has("tile") => Some(&[128, 128, 64]),
        Some(_) => None,
        None if has("head_dim") || has("headdim") || has("hdim") => Some(&[128]),
        None if name == "N" => Some(&[4096]),
        None if name == "sf_vec_size" => Some(&[16]),
        None if name.starts_with("qhead_per_kv") => Some(&[1]),
        None if matches!(name, "tile_m" | "tile_n" | "m_block_size" | "n_block_size") => {
            Some(&[128])
        }
        None => None,
    }
}

/// The type of the elements of a tensor of a kernel, by its name.
fn element_of(name: &str) -> Option<Scalar> {
    let name = name.to_ascii_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    let element = if has(&["lse", "psum", "accum"]) {
        "Float32"
    } else if has(&["seqlen", "index", "indices", "idx", "offset", "table"]) {
        "Int32"
    } else {
        ELEMENT
    };
    crate::vocabulary::python::scalar(element)
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

    #[test]
    fn names_and_types_say_which_sizes_are_usual() {
        let of = |name, ty| supposed_extents(name, ty);
        assert_eq!(of("head_dim_v", "int"), Some([128].as_slice()));
        assert_eq!(
            of("mma_tiler_mn", "Tuple[int, int]"),
            Some([128, 128].as_slice())
        );
        assert_eq!(
            of("cluster_shape_mnk", "tuple[int, int, int]"),
            Some([1, 1, 1].as_slice())
        );
        let either = "Union[Tuple[int, int], Tuple[int, int, int]]";
        assert_eq!(of("tile_shape_mnk", either), Some([128, 128].as_slice()));
        assert_eq!(of("expert_cnt", "int"), None);
        assert_eq!(of("shape", "Tuple[int, int]"), None);
    }
}
