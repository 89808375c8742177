//! Words of the DSL for tracing: decorators, constants, loops, compilation.

use std::sync::Arc;

use cute_algebra::Int;
use cute_hardware::multiprocessor::Multiprocessor;

use super::super::functions::SAME_DECORATOR;
use super::super::heap::{Object, Rewritten};
use super::super::machine::{Machine, Run};
use super::super::native::{Args, Given, Implementation, Native, implementation, native};
use super::super::value::{Condition, Py};
use crate::reason::Reason;
use crate::value::Value;

fn rewritten(
    machine: &mut Machine<'_>,
    given: &Given,
    how: Rewritten,
    again: &'static Native,
) -> Run<Py> {
    let Some(Py::Object(id)) = given.rest.first() else {
        return Ok(Py::Native(again));
    };
    match machine.heap.get_mut(*id) {
        Some(Object::Function(function)) => function.rewritten = how,
        Some(Object::Wrapped(_, Py::Object(inner))) => {
            let inner = *inner;
            if let Some(Object::Function(function)) = machine.heap.get_mut(inner) {
                function.rewritten = how;
            }
        }
        _ => {}
    }
    Ok(Py::Object(*id))
}

fn jit(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    rewritten(machine, given, Rewritten::Jit, &JIT)
}

fn kernel(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    rewritten(machine, given, Rewritten::Kernel, &KERNEL)
}

/// `cute.compile(function, *args)` traces the function.
fn compile(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let mut plain = Vec::with_capacity(given.rest.len());
    for value in &given.rest {
        plain.push(entry_argument(machine, value)?);
    }
    let mut named = Vec::with_capacity(given.named.len());
    for (name, value) in given.named.iter().filter(|(name, _)| &**name != "options") {
        named.push((Arc::clone(name), entry_argument(machine, value)?));
    }
    let args = Args {
        named,
        ..Args::of(plain, given.span)
    };
    machine.call(given.arg(0), args)?;
    Ok(Py::Unknown(Reason::RunTime(
        "the result of a compiled kernel".into(),
    )))
}

/// An argument as the kernel gets it: each number of the run is separate, whatever the other arguments are.
fn entry_argument(machine: &mut Machine<'_>, value: &Py) -> Run<Py> {
    Ok(match value {
        Py::Leaf(Value::Int(int)) | Py::Whole(int, _) if int.value().is_none() => {
            let expression = int.to_expression();
            match expression.symbols().as_slice() {
                // A number that is known to be a multiple of another stays that.
                [name] if int == &Int::coordinate(name) => {
                    let ty = super::number_type(value).flatten();
                    machine.numbers.number(name, ty)
                }
                _ => value.clone(),
            }
        }
        Py::Tuple(items) => {
            machine.step(items.len())?;
            let mut parts = Vec::with_capacity(items.len());
            for item in items.iter() {
                parts.push(machine.deeper(|machine| entry_argument(machine, item))?);
            }
            Py::tuple(parts)
        }
        other => other.clone(),
    })
}

/// `if_generate(condition, then, otherwise, arguments, types)`: the result of one of two functions.
fn if_generate(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let (then, orelse) = (given.arg(1).clone(), given.arg(2).clone());
    let args = match given.arg(3) {
        Py::None => Vec::new(),
        list => match machine.iterate(list)? {
            Ok(items) => items,
            Err(reason) => return Ok(Py::Unknown(reason)),
        },
    };
    // Without another way, the arguments are its results.
    let passed = match args.as_slice() {
        [only] => only.clone(),
        _ => Py::tuple(args.clone()),
    };
    let (first, second) = (args.clone(), args);
    let made = machine.either(
        &Condition::RunTime,
        |machine| branch(machine, &then, Args::of(first, given.span)),
        |machine| match orelse {
            Py::None => Ok(passed),
            orelse => branch(machine, &orelse, Args::of(second, given.span)),
        },
    )?;
    Ok(match given.arg(4) {
        Py::None => Py::None,
        _ => made,
    })
}

/// The result of a branch; a list as its values.
fn branch(machine: &mut Machine<'_>, body: &Py, args: Args) -> Run<Py> {
    let made = machine.call(body, args)?;
    if !matches!(made, Py::Object(_)) {
        return Ok(made);
    }
    Ok(match machine.iterate(&made)? {
        Ok(items) => Py::tuple(items),
        Err(_) => made,
    })
}

fn same(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(given.arg(0).clone())
}

/// `cutlass.range`, `cutlass.range_constexpr`: the numbers of Python's `range`.
fn range(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    match super::super::builtins::member("builtins", "range") {
        Some(range) => machine.call(&range, Args::of(given.rest.clone(), given.span)),
        None => Ok(Py::not_evaluated("range")),
    }
}

/// Signs of an architecture in the name or the text of a kernel, the most telling first.
const SIGNS: &[(&str, &str)] = &[
    ("sm120", "sm_120a"),
    ("sm103", "sm_103a"),
    ("sm100", "sm_100a"),
    ("sm90", "sm_90a"),
    ("sm80", "sm_80"),
];

/// Modules of one architecture only.
const MODULES: &[(&str, &str)] = &[("tcgen05", "sm_100a"), ("warpgroup", "sm_90a")];

impl Machine<'_> {
    /// The architecture that is compiled for: that of the command line, else the one that the file was written for.
    pub(crate) fn architecture(&self) -> &'static str {
        let predefined = self.sources.predefined(self.focus);
        let given = predefined.iter().find(|it| it.name == "__CUDA_ARCH__");
        let number = given.and_then(|it| match &it.value.as_ref()?.kind {
            tree_sitter_cute::tree::ExprKind::Int(number) => Some(*number),
            _ => None,
        });
        match number {
            Some(800) => return "sm_80",
            Some(860) => return "sm_86",
            Some(890) => return "sm_89",
            Some(900) => return "sm_90a",
            Some(1000) => return "sm_100a",
            Some(1030) => return "sm_103a",
            Some(1100) => return "sm_110a",
            Some(1200) => return "sm_120a",
            Some(1210) => return "sm_121a",
            _ => {}
        }
        let stem = self.focus.path().file_stem().unwrap_or_default();
        let (stem, text) = (stem.to_string_lossy(), self.focus.text());
        let by_name = SIGNS.iter().find(|(sign, _)| stem.contains(sign));
        let by_module = || MODULES.iter().find(|(sign, _)| text.contains(sign));
        by_name
            .or_else(by_module)
            .map_or("sm_90a", |(_, name)| name)
    }
}

/// `_cute.multiprocessor("sm_90a")`: ten times the compute capability, and the bytes of shared memory of a CTA and of the
/// multiprocessor.
fn multiprocessor(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let number = match given.arg(0) {
        Py::Str(name) => name
            .strip_prefix("sm_")
            .map(|name| name.trim_end_matches(['a', 'f']))
            .and_then(|number| number.parse().ok()),
        _ => None,
    };
    Ok(match number.and_then(Multiprocessor::of) {
        Some(found) => Py::tuple(vec![
            Py::Int(found.number.into()),
            Py::Int(found.shared_of_a_cta),
            Py::Int(found.shared),
        ]),
        None => given.takes("an architecture"),
    })
}

/// `_cute.fields(class)`: the typed declarations of a class, in order.
fn fields(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Py::Object(id) = given.arg(0) else {
        return Ok(given.takes("a class"));
    };
    let Object::Class(class) = machine.heap.get(*id) else {
        return Ok(given.takes("a class"));
    };
    // They may have been set after the class was made.
    if let Some(types) = class.attributes.get("__annotations__")
        && let Ok(entries) = machine.entries_of(types)
    {
        let pairs = entries.into_iter();
        let pairs = pairs.map(|(name, ty)| Py::tuple(vec![name, ty])).collect();
        return Ok(machine.list(pairs));
    }
    let fields = class
        .fields
        .iter()
        .map(|field| Py::tuple(vec![Py::Str(field.name.clone()), field.annotation.clone()]))
        .collect();
    Ok(machine.list(fields))
}

fn is_dynamic(_: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(Py::Bool(given.arg(0).is_run_time()))
}

fn nothing(_: &mut Machine<'_>, _: &Given) -> Run<Py> {
    Ok(Py::None)
}

static JIT: Native = native("cutlass.cute.jit", "*args **named", jit);
static KERNEL: Native = native("cutlass.cute.kernel", "*args **named", kernel);

pub(super) static NATIVES: &[Native] = &[
    native(
        "importlib.import_module",
        "name package=",
        |machine, given| match given.arg(0) {
            Py::Str(name) if !name.starts_with('.') => {
                let name = name.clone();
                Ok(Py::Object(machine.module(&name)?))
            }
            _ => Ok(given.takes("a whole name")),
        },
    ),
    native("_cute.architecture", "", |machine, _| {
        Ok(Py::str(machine.architecture()))
    }),
    native("_cute.multiprocessor", "architecture", multiprocessor),
    native("_cute.fields", "class", fields),
];

pub(super) static FUNCTIONS: &[Implementation] = &[
    implementation("cutlass.cute.jit", jit),
    implementation("cutlass.cute.kernel", kernel),
    implementation("cutlass.jit", jit),
    implementation("cutlass.cute.compile", compile),
    implementation("cutlass.if_generate", if_generate),
    implementation("cutlass.const_expr", same),
    implementation("cutlass.dynamic_expr", same),
    implementation("cutlass.range", range),
    implementation("cutlass.range_dynamic", range),
    implementation("cutlass.range_constexpr", range),
    implementation("cutlass.is_dynamic_expression", is_dynamic),
    implementation("cutlass.dsl_user_op", |_, given| {
        Ok(given
            .rest
            .first()
            .cloned()
            .unwrap_or(Py::Native(&SAME_DECORATOR)))
    }),
    implementation("cutlass.dtype", |_, given| {
        let Py::Str(name) = given.arg(0) else {
            return Ok(given.takes("a name"));
        };
        Ok(match crate::vocabulary::python::scalar(name) {
            Some(scalar) => Py::Scalar(scalar),
            None => given.takes("the name of a numeric type"),
        })
    }),
    implementation("cutlass.cute.printf", nothing),
    implementation("cutlass.cute.print_tensor", nothing),
];
