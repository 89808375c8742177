//! Kernels that no visible code makes: one object of each class is supposed, of the constructor's defaults and of
//! values from names and comments of parameters, and every value of it is marked.

use std::sync::Arc;

use tree_sitter_cute::script::{Function as Code, Param, ParamKind};
use tree_sitter_cute::tree::Span;

use super::choices::{Changes, Guess, Parameter, written};
use super::heap::{Function, Id, Object, Rewritten};
use super::machine::Machine;
use super::native::Args;
use super::ranks::rank_of_use;
use super::runs::inside;
use super::trials::Subject;
use super::value::Py;
use crate::instance_names::SUPPOSED;
use crate::limits;
use crate::reason::Reason;
use crate::types::Scalar;
use crate::value::Value;

/// Modes that a comment names for one tensor, at most.
const RANK: usize = 8;

/// A parameter of a constructor, with its default and the file that declares it.
struct Taken {
    param: Param,
    default: Option<Py>,
    file: usize,
}

impl Machine<'_> {
    /// Runs the kernels of classes of the file that nothing has made, and of those whose calls leave names without a
    /// value.
    pub(super) fn suppose(&mut self) {
        for subject in self.kernels_of(0) {
            let place = match &subject {
                Subject::Kernel { call, .. } => self.place(call.file, call.code.span),
                Subject::Compiler(_) => continue,
            };
            let was_run = self.covered.ran.contains(&place);
            if self.budget.is_over()
                || (was_run && self.gaps(&subject).is_empty())
                || self.ran_all_looked_at()
                || !self.begins_run(&inside("", &self.name_of_subject(&subject)))
            {
                continue;
            }
            let settled = self.suppose_of(&subject, Changes::default());
            if self.record.supposing.first.is_none() {
                self.run_variants(&subject, &settled);
            }
        }
    }

    /// Runs the kernels of modules that import the file and that nothing has made, while functions of the file are left.
    pub(super) fn suppose_users(&mut self) {
        let mut supposed = Vec::new();
        for user in self.users().iter().take(limits::USERS_OF_A_MODULE) {
            let Some(file) = self.file_of(user.path()) else {
                continue;
            };
            for subject in self.kernels_of(file) {
                if self.budget.is_over() || !self.has_functions_left() || self.ran_all_looked_at() {
                    return;
                }
                let run = inside(&self.module_run(file), &self.name_of_subject(&subject));
                if let Subject::Kernel { call, .. } = &subject
                    && !self
                        .covered
                        .ran
                        .contains(&self.place(call.file, call.code.span))
                    && self.begins_run(&run)
                {
                    let settled = self.suppose_of(&subject, Changes::default());
                    supposed.push((subject, settled));
                }
            }
        }
        if self.record.supposing.first.is_none() {
            for (subject, settled) in &supposed {
                self.run_variants_of_user(subject, settled);
            }
        }
    }

    /// The classes of a file whose objects are kernels.
    fn kernels_of(&self, file: usize) -> Vec<Subject> {
        let Some(module) = self.files.get(file).map(|file| &file.module) else {
            return Vec::new();
        };
        let all = (self.heap.first_own()..self.heap.len()).map(Id::nth);
        let own = all.filter(|id| match self.heap.get(*id) {
            Object::Class(class) => class.module == *module,
            _ => false,
        });
        own.filter_map(|class| {
            let call = self.jit_call_of(class)?;
            Some(Subject::Kernel { class, call })
        })
        .collect()
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

    /// The parameters of the constructor of a class; of one that passes on `*args, **kwargs` those of the base too.
    fn constructor_of(&self, class: Id) -> Option<Vec<Taken>> {
        let mut all: Vec<Taken> = Vec::new();
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
                let is_known = all.iter().any(|it| it.param.name.text == param.name.text);
                if !is_known && !is_rest(&param) {
                    all.push(Taken {
                        param: param.clone(),
                        default: default.clone(),
                        file: init.file,
                    });
                }
            }
            if !init.code.params.iter().any(|param| is_rest(&param)) {
                break;
            }
        }
        Some(all)
    }

    /// Arguments of the constructor that have no default or are changed, and their description with that of the changed
    /// ones of the kernel; what neither type nor name says is unknown, and so is what depends on it.
    pub(super) fn supposed_arguments(
        &self,
        class: Id,
        changes: &Changes,
    ) -> Option<(Args, String)> {
        let mut args = Args::default();
        let mut said = SUPPOSED.to_owned();
        for taken in self.constructor_of(class)? {
            let name = &taken.param.name.text;
            let (value, text) = match changes.guess(name, false) {
                Some(Guess::Value(value)) => (value.clone(), written(value)),
                _ if taken.default.is_some() => continue,
                _ => self.first_guess(&taken.param, taken.file),
            };
            said.push_str(if args.named.is_empty() { ": " } else { ", " });
            said.push_str(name);
            said.push('=');
            said.push_str(&text);
            args.named.push((Arc::clone(name), value));
        }
        let of_call = changes.of_call();
        if !of_call.is_empty() {
            said.push_str("; ");
            said.push_str(&of_call);
        }
        Some((args, said))
    }

    /// The parameters of the constructor of a class with what is supposed of them.
    pub(super) fn parameters_of_class(&self, class: Id, changes: &Changes) -> Vec<Parameter> {
        let all = self.constructor_of(class).unwrap_or_default().into_iter();
        all.map(|taken| {
            let name = &taken.param.name.text;
            let text = self.text_of(taken.file);
            let value = match changes.guess(name, false) {
                Some(Guess::Value(value)) => value.clone(),
                _ => {
                    let guess = || self.first_guess(&taken.param, taken.file).0;
                    taken.default.clone().unwrap_or_else(guess)
                }
            };
            Parameter::of(&taken.param, text, false, value)
        })
        .collect()
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
    pub(super) fn supposed_call(&mut self, call: &Function, this: Py, changes: &Changes) -> Args {
        let mut args = Args::of(vec![this], Span::default());
        let code = Arc::clone(&call.code);
        for (param, default) in code.params.iter().zip(call.defaults.iter()).skip(1) {
            if matches!(param.kind, ParamKind::Rest | ParamKind::NamedRest) {
                continue;
            }
            let name = &param.name.text;
            let value = match changes.guess(name, true) {
                Some(Guess::Value(value)) => value.clone(),
                Some(Guess::Tensor(element)) => {
                    self.tensor_of_parameter(param, call, changes, *element)
                }
                None if default.is_some() => continue,
                None => self.supposed_value(param, call, changes),
            };
            args.named.push((Arc::clone(name), value));
        }
        args
    }

    fn supposed_value(&mut self, param: &Param, call: &Function, changes: &Changes) -> Py {
        let name = &param.name.text;
        let unknown = Py::Unknown(Reason::Parameter(Arc::clone(name)));
        let Some(annotation) = &param.annotation else {
            return unknown;
        };
        let text = self.text_of(call.file);
        let ty = annotation.span.text(text).to_owned();
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
        let is_optional = ty.contains("Optional") || ty.contains("None");
        if is_optional && modes_of_parameter(param, &call.code, text).is_none() {
            return Py::None;
        }
        match element_of(name) {
            Some(element) => self.tensor_of_parameter(param, call, changes, element),
            None => unknown,
        }
    }

    /// A tensor with the modes that a comment names, or as many as its kernel names of it.
    fn tensor_of_parameter(
        &mut self,
        param: &Param,
        call: &Function,
        changes: &Changes,
        element: Scalar,
    ) -> Py {
        let name = &param.name.text;
        let open = Py::Open(element, Reason::Parameter(Arc::clone(name)));
        let named = modes_of_parameter(param, &call.code, self.text_of(call.file));
        let modes = named.or_else(|| {
            let rank = rank_of_use(&call.code, name).or_else(|| changes.rank(name));
            let rank = rank.filter(|rank| *rank <= RANK)?;
            Some((0..rank).map(|at| format!("{name}_{at}")).collect())
        });
        modes
            .and_then(|modes| self.supposed_tensor(&modes, element))
            .unwrap_or(open)
    }

    /// A tensor in global memory whose last mode is contiguous.
    fn supposed_tensor(&mut self, modes: &[String], element: Scalar) -> Option<Py> {
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

impl Machine<'_> {
    /// The supposed argument of a parameter of a function of a file, and its written form; unknown where nothing says
    /// what it may be.
    pub(super) fn first_guess(&self, param: &Param, file: usize) -> (Py, String) {
        let name = &param.name.text;
        // Kernels that are told for which device they are made are told of this one.
        let digits = self.architecture().trim_start_matches("sm_");
        let digits = digits.trim_end_matches(|it: char| it.is_ascii_alphabetic());
        if let ("arch", Ok(number)) = (&**name, digits.parse()) {
            return (Py::Int(number), digits.to_owned());
        }
        let supposed = supposed_argument(param, self.text_of(file));
        supposed.unwrap_or_else(|| unknown_argument(name))
    }
}

/// The supposed argument of a parameter of a constructor, by its type and its name, and its written form. Nothing where
/// neither gives a value.
fn supposed_argument(param: &Param, text: &str) -> Option<(Py, String)> {
    let name = &*param.name.text;
    let annotation = param.annotation.as_ref();
    let ty = annotation.map_or("", |annotation| annotation.span.text(text));
    if name.contains("dtype") || ty.contains("Numeric") {
        let element = match name.contains("acc") {
            true => crate::vocabulary::python::scalar("Float32"),
            false => element_of(name),
        };
        let element = Py::Scalar(element?);
        let text = written(&element);
        return Some((element, text));
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
fn unknown_argument(name: &Arc<str>) -> (Py, String) {
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
pub(super) fn element_of(name: &str) -> Option<Scalar> {
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

/// The modes that the comment behind a parameter names, or that of the parameter which it says it is like: `# == mV`.
fn modes_of_parameter(param: &Param, code: &Code, text: &str) -> Option<Vec<String>> {
    let line = line_behind(param, text)?;
    let modes = modes_of(line).or_else(|| {
        let other = same_as(line)?;
        let mut params = code.params.iter();
        let other = params.find(|it| *it.name.text == *other)?;
        modes_of(line_behind(other, text)?)
    })?;
    Some(modes.into_iter().map(str::to_owned).collect())
}

/// The rest of the line behind the type of a parameter.
fn line_behind<'t>(param: &Param, text: &'t str) -> Option<&'t str> {
    let annotation = param.annotation.as_ref()?;
    text.get(annotation.span.end..)?.lines().next()
}

/// The parameter that a comment names: `# == mV, fp32`.
fn same_as(line: &str) -> Option<&str> {
    let (_, comment) = line.split_once('#')?;
    let name = comment.trim_start().strip_prefix("==")?.trim_start();
    let end = name.find(|it: char| it != '_' && !it.is_ascii_alphanumeric());
    Some(name.split_at(end.unwrap_or(name.len())).0)
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
        assert_eq!(same_as(",  # == mdV, fp32"), Some("mdV"));
        assert_eq!(same_as(",  # as mdV"), None);
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
