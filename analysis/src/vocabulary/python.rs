//! The vocabulary of Python: the names of the other tables' functions in `cutlass` and `cutlass.cute`, and the
//! functions that only they have.
//!
//! A word is found by its whole dotted name, never by its last part alone: imports decide the meaning of a name in a
//! source. Arguments come by position or by name; each goes where the C++ function takes it, as an argument or as a
//! template argument.

mod device;
mod functions;
mod objects;

use std::collections::HashMap;
use std::sync::LazyLock;

use cute_algebra::{Rule, Verdict};

use super::python_words::Takes::{Argument, Modes, Nothing, Template};
use super::python_words::Word;
use super::{Evaluated, Function, Problem, Remark};
pub(crate) use crate::python_types::{scalar, scalar_name, scalar_names};
use crate::reason::Reason;
use crate::types::{Scalar, Type};
use crate::value::Value;

/// The functions that only Python has.
pub(in crate::vocabulary) fn tables() -> impl Iterator<Item = &'static [Function]> {
    let of_layouts = [functions::FUNCTIONS, objects::FUNCTIONS, objects::MEMBERS];
    of_layouts.into_iter().chain(device::TABLES)
}

/// The names of the functions of a module.
pub(crate) fn names_of(module: &str) -> impl Iterator<Item = &'static str> {
    words().filter_map(move |named| (named.word.module == module).then_some(named.word.name))
}

/// Modules whose words are in these tables, or could be.
const MODULES: &[&str] = &[
    "cutlass",
    "cutlass.cute",
    "cutlass.cute.arch",
    "cutlass.cute.typing",
];

/// Names that the analysis itself gives a meaning to.
const SPECIAL: &[&str] = &[
    JIT,
    KERNEL,
    COMPILE,
    CONSTEXPR,
    RANGE,
    RANGE_CONSTEXPR,
    BUILTIN_RANGE,
];

/// The decorator of host functions that are traced.
pub(crate) const JIT: &str = "cutlass.cute.jit";
/// The decorator of kernels.
pub(crate) const KERNEL: &str = "cutlass.cute.kernel";
/// Traces a function for arguments.
pub(crate) const COMPILE: &str = "cutlass.cute.compile";
/// The annotation of parameters that are constants of the trace.
pub(crate) const CONSTEXPR: &str = "cutlass.Constexpr";
/// A loop of the program.
pub(crate) const RANGE: &str = "cutlass.range";
/// A loop of the trace.
pub(crate) const RANGE_CONSTEXPR: &str = "cutlass.range_constexpr";
/// Python's own integers.
pub(crate) const BUILTIN_INT: &str = "builtins.int";
/// Python's own loop.
pub(crate) const BUILTIN_RANGE: &str = "builtins.range";

/// The word that tells a condition of the trace from one of the program.
pub(crate) const CONST_EXPR: &str = "cutlass.const_expr";

/// A function by a name in Python.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Named {
    word: &'static Word,
    function: &'static Function,
}

/// All names in Python.
fn words() -> impl Iterator<Item = Named> {
    super::all().flat_map(|function| {
        let words = function.elsewhere.python.iter();
        words.map(move |word| Named { word, function })
    })
}

/// The names whose arguments have places in a function of C++.
static BY_NAME: LazyLock<HashMap<String, Named>> = LazyLock::new(|| {
    words()
        .filter(|named| named.word.is_placed())
        .map(|named| (named.word.dotted(), named))
        .collect()
});

/// The parameters of the names that our model of the DSL calls with objects of Python.
pub(crate) static ON_OBJECTS: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let words = words().filter_map(|named| Some((named.word.dotted(), named.word.on_objects?)));
    words.collect()
});

/// The parameters of a whole dotted name, those that may be left out as `name=...`.
pub(crate) fn parameters(dotted: &str) -> Option<Vec<String>> {
    words()
        .find(|named| named.word.dotted() == dotted)
        .map(|named| named.word.parameters())
}

/// The entry of a name in Python without its module, and the name with its parameters; nothing of them where it takes any
/// number of arguments.
pub(crate) fn documented(name: &str) -> Option<(&'static Function, Option<String>)> {
    let found = words().find(|named| named.word.name == name || named.word.dotted() == name)?;
    Some((found.function, found.word.signature()))
}

/// The function of a whole dotted name.
pub(crate) fn named(dotted: &str) -> Option<Named> {
    BY_NAME.get(dotted).copied()
}

/// The value of the name `name` in a module.
pub(crate) fn member(module: &str, name: &str) -> Value {
    // A module of the same package is named `.module`.
    let dotted = match module {
        "." => format!(".{name}"),
        _ => format!("{module}.{name}"),
    };
    if MODULES.contains(&dotted.as_str()) {
        return Value::Module(dotted.into());
    }
    if SPECIAL.contains(&dotted.as_str()) || named(&dotted).is_some() {
        return Value::Function(dotted.into());
    }
    let of_cutlass = matches!(module, "cutlass" | "cutlass.cute" | "cutlass.cute.typing");
    if of_cutlass && let Some(scalar) = scalar(name) {
        return Value::Type(Box::new(Type::Scalar(scalar)));
    }
    // `cutlass.cute.Tensor` and other classes: types known by their names.
    let is_class = name.starts_with(|first: char| first.is_ascii_uppercase());
    if of_cutlass && is_class {
        return Value::Type(Box::new(Type::Named(dotted.into())));
    }
    Value::Unknown(if MODULES.contains(&module) {
        Reason::NotEvaluated(dotted.into())
    } else {
        Reason::Undeclared(dotted.into())
    })
}

/// The value of a name that nothing in the source binds.
pub(crate) fn builtin(name: &str) -> Option<Value> {
    match member("builtins", name) {
        Value::Unknown(_) => match name {
            "bool" | "float" => {
                let spelling = if name == "bool" { "bool" } else { "double" };
                Scalar::of_spelling(spelling)
                    .map(|scalar| Value::Type(Box::new(Type::Scalar(scalar))))
            }
            _ => None,
        },
        found => Some(found),
    }
}

/// Arguments of a call, as they are written.
#[derive(Debug, Default)]
pub(crate) struct Arguments<'a> {
    /// Those without a name, in order.
    pub(crate) positional: Vec<Value>,
    /// Those with a name.
    pub(crate) named: Vec<(&'a str, Value)>,
}

impl Named {
    /// Its name in the module.
    pub(crate) fn name(&self) -> &'static str {
        self.word.name
    }

    /// The names of its parameters, in order.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = &'static str> {
        self.word.params.iter().map(|(name, _)| *name)
    }

    /// Whether an argument of this name is taken, or was by an earlier version of the DSL.
    pub(crate) fn takes(&self, name: &str) -> bool {
        const FIRST: [&str; 4] = ["input", "a", "obj", "layout"];
        let of_others = match self.word.name {
            "recast_tensor" => name == "swizzle_",
            "abs" => matches!(name, "ftz" | "fastmath"),
            "printf" => true,
            "assume" => name == "pow2",
            "cosize" | "depth" | "flatten" | "get" | "nullspace" | "rank" | "select" | "size" => {
                FIRST.contains(&name)
            }
            _ => false,
        };
        of_others || matches!(name, "loc" | "ip") || self.position(name).is_some()
    }

    /// Calls the function. The action of the trace where C++ would refuse is said in the remarks.
    pub(crate) fn call(&self, given: &Arguments<'_>, remarks: &mut Vec<Remark>) -> Evaluated {
        let (targs, args) = self.placed(given)?;
        let surroundings = super::Surroundings::of_dsl();
        let mut answer = self.function.call_in(surroundings, &targs, &args, remarks);
        // An unknown value inside a tuple says more than that the tuple does not fit.
        if matches!(answer, Err(Problem::Unknown(Reason::Unsuitable(..))))
            && let Some(reason) = args.iter().find_map(unknown_inside)
        {
            answer = Err(Problem::Unknown(reason.clone()));
        }
        for remark in remarks.iter_mut() {
            in_the_trace(self.word.name, remark);
        }
        if let Err(Problem::Refused(remark)) = &mut answer {
            in_the_trace(self.word.name, remark);
        }
        answer
    }

    /// Template arguments and arguments of the function behind the word. An argument that is left
    /// out, or `None` in its place, ends the list.
    fn placed(&self, given: &Arguments<'_>) -> Result<(Vec<Value>, Vec<Value>), Problem> {
        let unsuitable = |takes| Problem::Unknown(Reason::Unsuitable(self.word.name.into(), takes));
        if self.word.variadic {
            return Ok((Vec::new(), given.positional.clone()));
        }
        if given.positional.len() > self.word.params.len() {
            return Err(unsuitable("fewer arguments"));
        }
        let known = |name: &str| matches!(name, "loc" | "ip") || self.position(name).is_some();
        if given.named.iter().any(|(name, _)| !known(name)) {
            return Err(unsuitable("arguments with other names"));
        }
        let (mut targs, mut args) = (Vec::new(), Vec::new());
        let mut left_out = false;
        for (index, (name, takes)) in self.word.params.iter().enumerate() {
            let by_name = given.named.iter().find(|(given, _)| given == name);
            let value = match given.positional.get(index) {
                Some(value) => Some(value),
                None => by_name.map(|(_, value)| value),
            };
            // `None` is `_` in coordinates and tilers; alone it is the default.
            let value = value.filter(|value| index == 0 || **value != Value::Underscore);
            let Some(value) = value else {
                left_out |= *takes == Argument;
                continue;
            };
            match (takes, value) {
                (Argument, _) if left_out => {
                    return Err(unsuitable("the arguments before it"));
                }
                (Argument, value) => args.push(value.clone()),
                (Modes, Value::Tuple(modes)) => targs.extend(modes.iter().cloned()),
                (Template | Modes, value) => targs.push(value.clone()),
                (Nothing, _) => {}
            }
        }
        Ok((targs, args))
    }

    /// The name of the parameter that becomes an argument of the function behind the word.
    pub(crate) fn argument(&self, index: usize) -> Option<&'static str> {
        let mut arguments = self
            .word
            .params
            .iter()
            .filter(|(_, takes)| *takes == Argument);
        arguments.nth(index).map(|(name, _)| *name)
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.word
            .params
            .iter()
            .position(|(param, _)| *param == name)
    }
}

fn unknown_inside(value: &Value) -> Option<&Reason> {
    match value {
        Value::Unknown(reason) => Some(reason),
        Value::Tuple(items) => items.iter().find_map(unknown_inside),
        _ => None,
    }
}

/// Adds the behaviour of the DSL for a call that is refused or wrong, where it is known.
fn in_the_trace(word: &str, remark: &mut Remark) {
    if remark.note.is_some() {
        return;
    }
    let refused = matches!(remark.refusal.cute, Verdict::StaticAssert(_));
    remark.note = match remark.refusal.rule {
        Rule::StrideDivisibility | Rule::ShapeDivisibility if refused => {
            Some("the DSL: \"unable to compute the following composition\"")
        }
        // Its `complement` takes an argument that CuTe C++ refuses.
        Rule::NotInjective => Some("the DSL compiles this and returns a wrong layout"),
        rule => said_of(word, rule, &|number| {
            remark.refusal.number(number).is_some()
        }),
    };
    if remark.witness.is_some() && !refused {
        remark.compiler = "the DSL";
    }
}

/// The message of the DSL for a call that CuTe C++ refuses, or its result.
fn said_of(word: &str, rule: Rule, has: &dyn Fn(&str) -> bool) -> Option<&'static str> {
    Some(match (word, rule) {
        ("make_layout", Rule::NotCongruent) => "the DSL: \"shape and stride must be congruent\"",
        ("tile_to_shape", Rule::TileDoesNotDivide) => {
            "the DSL compiles this and rounds up: the result is larger than the target shape"
        }
        ("local_tile" | "local_partition", Rule::RankMismatch) if has("tiler_rank") => {
            "the DSL: \"expects rank(tiler) <= rank(input)\""
        }
        ("local_tile" | "local_partition", Rule::RankMismatch) => {
            "the DSL: \"failed to construct a valid coordinate\""
        }
        (
            "logical_divide" | "zipped_divide" | "tiled_divide" | "flat_divide",
            Rule::RankMismatch,
        ) => "the DSL: \"Expected rank(target) >= rank(tiler)\"",
        ("crd2idx" | "()", Rule::RankMismatch | Rule::NotCongruent) => {
            "the DSL: \"unable to compute crd2idx\""
        }
        ("group_modes", Rule::NoSuchMode) => {
            "the DSL: \"expects end in the range of [-rank+1 , rank]\""
        }
        ("select", Rule::NoSuchMode) => "the DSL: \"invalid mode element\"",
        ("make_ordered_layout", Rule::RankMismatch) => {
            "the DSL: \"expects `order` operand to be weakly congruent to `shape` operand\""
        }
        ("recast_layout", Rule::NotDivisible) => {
            "the DSL compiles this and rounds: elements of the result are not those of the layout"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use cute_algebra::Int;

    use super::*;

    #[test]
    fn each_name_is_that_of_one_function() {
        let placed = words().filter(|named| named.word.is_placed());
        assert_eq!(BY_NAME.len(), placed.count());
        let all: std::collections::HashSet<String> =
            words().map(|named| named.word.dotted()).collect();
        assert_eq!(all.len(), words().count());
        let on_objects = words().filter(|named| named.word.on_objects.is_some());
        assert_eq!(ON_OBJECTS.len(), on_objects.count());
        assert!(BY_NAME.len() > 70);
    }

    #[test]
    fn arguments_go_where_the_function_takes_them() {
        let int = |value| Value::Int(Int::fixed(value));
        let call = |name: &str, positional: Vec<Value>, named: Vec<(&str, Value)>| {
            let given = Arguments { positional, named };
            let word = super::named(name).expect(name);
            word.call(&given, &mut Vec::new())
                .map(|value| value.to_string())
        };
        let shape = Value::Tuple(vec![int(4), int(8)]);
        let stride = Value::Tuple(vec![int(8), int(1)]);
        let by_name = vec![("stride", stride), ("shape", shape.clone())];
        let text = "(_4,_8):(_8,_1)".to_owned();
        assert_eq!(
            call("cutlass.cute.make_layout", Vec::new(), by_name),
            Ok(text)
        );
        let mode = vec![("mode", Value::Tuple(vec![int(1)]))];
        assert_eq!(
            call("cutlass.cute.size", vec![shape.clone()], mode),
            Ok("_8".to_owned())
        );
        let wrong = call("cutlass.cute.size", vec![shape], vec![("axis", int(0))]);
        assert!(matches!(
            wrong,
            Err(Problem::Unknown(Reason::Unsuitable(..)))
        ));
    }

    /// As `nvidia-cutlass-dsl` prints it for the threads and values of its element-wise example.
    #[test]
    fn a_thread_value_layout_is_the_inverse_of_the_raked_product() {
        let layout = |text: &str| Value::of_layout(text.parse().expect(text));
        let given = Arguments {
            positional: vec![layout("(_4,_32):(_32,_1)"), layout("(_4,_4):(_4,_1)")],
            named: Vec::new(),
        };
        let word = named("cutlass.cute.make_layout_tv").expect("a word");
        let answer = word
            .call(&given, &mut Vec::new())
            .map(|value| value.to_string());
        assert_eq!(
            answer,
            Ok("((_16,_128),((_32,_4),(_4,_4)):((_64,_4),(_16,_1)))".to_owned())
        );
    }
}
