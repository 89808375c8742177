//! CuTe's vocabulary: names of functions over values.
//!
//! One table per family; a function is one entry (name, C++ signature, one line of doc) and one
//! small function. Sources and `eval` use the same tables.

mod access;
mod actions;
mod algebra;
mod algorithms;
mod built;
mod call;
mod collectives;
mod copies;
mod divide;
mod entry;
mod functors;
mod higher_order;
mod inspect;
mod integers;
mod judged;
mod layouts;
mod methods;
mod mmas;
mod names;
mod paper;
mod places;
mod pointers;
mod product;
pub(crate) mod python;
mod python_words;
pub(crate) mod rust;
mod selectors;
mod shared;
mod slices;
mod strided;
mod tags;
pub(crate) mod tensor_map;
mod tensors;
mod tiled;
mod tma;
mod traits;
mod tuple_algorithms;
mod tuples;

use std::sync::LazyLock;

use cute_algebra::{AnyLayout, Refusal, Witness};

use crate::finding::Severity;
use crate::hash::HashMap;
use crate::questions::Asked;
use crate::reason::Reason;
use crate::trace::ActionKind;
use crate::value::Value;
pub(crate) use access::accesses as warp_accesses;
pub(crate) use call::{Call, number};
pub(crate) use collectives::{
    is_class as is_class_of_collectives, is_template as is_collective_template,
    is_word as is_library_word, with_arguments as collective,
};
pub use entry::{Defined, Form, Function, Header, Makes, Picture, Verified};
pub(crate) use entry::{Explained, entry, form, lenient};
pub(crate) use functors::{Functor, functor};
pub(crate) use inspect::tiled_extents;
pub(crate) use names::{
    atom_of_traits, builtin, deduced, hardware_name, instruction_with, is_hardware_scope,
    is_type_name, library_class, name, operation_of,
};
pub(crate) use strided::{is_accessor, is_strided};
pub(crate) use tiled::hardware as of_hardware;
pub(crate) use traits::{has_open_numbers, same_types};

/// The result of a function of the vocabulary.
pub(crate) type Evaluated = Result<Value, Problem>;

/// Why a function of the vocabulary has no result.
#[derive(Debug, Clone, PartialEq)]
pub enum Problem {
    /// The value is not known.
    Unknown(Reason),
    /// The operation is refused, or the compiler's result is wrong.
    Refused(Box<Remark>),
    /// Numbers of the result depend on a coordinate known only at run time: this is the result for coordinate 0. Its
    /// form and its static parts hold for all.
    ForFirst(Box<Value>),
}

impl Problem {
    /// The same with a result for coordinate 0 in its wrapping.
    fn of_first(self, wrap: impl FnOnce(AnyLayout) -> Value) -> Self {
        match self {
            Self::ForFirst(value) => match value.as_any_layout() {
                Some(layout) => Self::ForFirst(Box::new(wrap(layout))),
                None => Self::ForFirst(value),
            },
            other => other,
        }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Box::new(Remark::refused(refusal)))
    }
}

impl From<Reason> for Problem {
    fn from(reason: Reason) -> Self {
        Self::Unknown(reason)
    }
}

/// Something to be said of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Remark {
    /// The rule and its numbers.
    pub refusal: Refusal,
    /// Its severity.
    pub severity: Severity,
    /// A coordinate that shows it.
    pub witness: Option<Witness>,
    /// The argument that causes it, by position.
    pub operand: Option<usize>,
    /// The argument that it was composed with, where the numbers are those of the two.
    pub composed_with: Option<usize>,
    /// The result that the compiler computes all the same.
    pub result: Option<Value>,
    /// The compiler of the source.
    pub compiler: &'static str,
    /// The message of another compiler than CuTe C++, where the source is written for it.
    pub note: Option<&'static str>,
    /// The refusal of the hardware, where the hardware and not the algebra refuses.
    pub hardware: Option<Box<cute_hardware::Refusal>>,
}

impl Remark {
    /// An operation that is refused.
    pub(crate) fn refused(refusal: Refusal) -> Self {
        Self {
            refusal,
            severity: Severity::Error,
            witness: None,
            operand: None,
            composed_with: None,
            result: None,
            compiler: "CuTe",
            note: None,
            hardware: None,
        }
    }

    /// Something that the hardware does not take.
    pub(crate) fn of_hardware(refusal: cute_hardware::Refusal) -> Self {
        let rule = cute_algebra::Rule::Unsupported;
        Self {
            hardware: Some(Box::new(refusal)),
            ..Self::refused(Refusal::new(rule, cute_algebra::Verdict::Accepts))
        }
    }

    /// The reason of values that depend on it.
    pub(crate) fn reason(&self) -> Reason {
        match &self.hardware {
            Some(refusal) => Reason::refused(refusal.rule.name(), refusal),
            None => Reason::refused(self.refusal.rule.name(), &self.refusal),
        }
    }

    /// Whether it is about types alone, so that it is as wrong in an operand that is never evaluated,
    /// that of `decltype`: the numbers there are often placeholders.
    pub(crate) fn is_of_types(&self) -> bool {
        let verdict = match &self.hardware {
            Some(refusal) => refusal.cute,
            None => self.refusal.cute,
        };
        match verdict {
            cute_algebra::Verdict::StaticAssert(_) | cute_algebra::Verdict::CompileError(_) => true,
            cute_algebra::Verdict::Accepts => self.hardware.is_none() && self.witness.is_some(),
            cute_algebra::Verdict::Traps => false,
        }
    }

    /// A swizzle of shared memory that no TMA descriptor has, though it is a swizzle.
    pub(crate) fn not_encodable(
        shared: &cute_hardware::SharedLayout,
        refusal: &cute_hardware::Refusal,
    ) -> Self {
        let mut said = refusal.clone().with("element_bits", shared.element_bits);
        if let Ok(elements) = shared.element_swizzle() {
            said = said.with("element_swizzle", elements.to_string());
        }
        Self {
            note: Some("no TMA descriptor can encode it"),
            ..Self::of_hardware(said)
        }
    }
}

impl Function {
    /// [`Function::call`] in a source that may have switched parts of the library on.
    pub(crate) fn call_in(
        &self,
        surroundings: Surroundings,
        targs: &[Value],
        args: &[Value],
        remarks: &mut Vec<Remark>,
    ) -> Evaluated {
        if !self.lenient {
            for value in args.iter().chain(targs) {
                if let Value::Unknown(reason) = value {
                    return Err(Problem::Unknown(reason.clone()));
                }
            }
        }
        let mut call = Call::new(self.name, targs, args);
        call.surroundings = surroundings;
        let answer = match (self.run)(&call) {
            // The value of an open template parameter is the question.
            Err(Problem::Unknown(
                reason @ (Reason::Unsuitable(..) | Reason::Construct(_) | Reason::NotEvaluated(_)),
            )) => Err(Problem::Unknown(
                args.iter()
                    .find_map(Value::open_parameter)
                    .unwrap_or(reason),
            )),
            answer => answer,
        };
        remarks.extend(call.into_remarks());
        answer
    }
}

/// The surroundings of a call: the definitions of the source's macros for the library, and the requested judgements.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Surroundings {
    /// Whether `wgmma` has all its values of N: [`EXTENDED_SHAPES`] is defined.
    pub(crate) extended_wgmma: bool,
    /// The version of CUTLASS on the include path, where it is another one than that of our rules.
    pub(crate) other_cutlass: Option<(u32, u32)>,
    /// Whether the accesses of warps are to be judged.
    pub(crate) memory: bool,
    /// Whether the function is that of the Python DSL, which cuts boxes of TMA that are too large.
    pub(crate) is_of_dsl: bool,
}

impl Surroundings {
    /// Those of the Python DSL.
    pub(crate) fn of_dsl() -> Self {
        Self {
            is_of_dsl: true,
            ..Self::default()
        }
    }
}

/// The macros in which CUTLASS says its version (`cutlass/version.h`).
pub(crate) const CUTLASS_VERSION: [&str; 2] = ["CUTLASS_MAJOR", "CUTLASS_MINOR"];

/// The macro that gives `wgmma` all its values of N.
pub(crate) const EXTENDED_SHAPES: &str = "CUTE_SM90_EXTENDED_MMA_SHAPES_ENABLED";

/// Whether a function picks an instruction of a tile, as [`EXTENDED_SHAPES`] lets it.
pub(crate) fn selects_instructions(function: &Function) -> bool {
    let mut selectors = selectors::FUNCTIONS.iter();
    selectors.any(|selector| selector.name == function.name)
}

/// Whether a function is one of the algebra of layouts.
pub(crate) fn is_of_layouts(name: &str) -> bool {
    let tables = [
        algebra::FUNCTIONS,
        divide::FUNCTIONS,
        layouts::FUNCTIONS,
        product::FUNCTIONS,
    ];
    tables
        .into_iter()
        .flatten()
        .any(|function| function.name == name)
}

/// The macros that decide the vocabulary's answers.
pub(crate) const MACROS: [&str; 3] = [EXTENDED_SHAPES, CUTLASS_VERSION[0], CUTLASS_VERSION[1]];

static FUNCTIONS: LazyLock<HashMap<&'static str, &'static Function>> = LazyLock::new(|| {
    tables()
        .into_iter()
        .flatten()
        .map(|function| (function.name, function))
        .collect()
});

static METHODS: LazyLock<HashMap<&'static str, &'static Function>> = LazyLock::new(|| {
    method_tables()
        .into_iter()
        .flatten()
        .map(|function| (function.name, function))
        .collect()
});

/// The functions that answer questions by name, of CuTe and of the paper.
static OPERATIONS: LazyLock<HashMap<&'static str, &'static Function>> = LazyLock::new(|| {
    tables()
        .into_iter()
        .chain([paper::FUNCTIONS])
        .flatten()
        .filter(|function| function.asked.is_some())
        .map(|function| (function.name, function))
        .collect()
});

/// The tables of methods.
fn method_tables() -> [&'static [Function]; 5] {
    [
        methods::FUNCTIONS,
        tiled::METHODS,
        copies::METHODS,
        mmas::METHODS,
        tma::METHODS,
    ]
}

/// All entries of the catalogue: functions, methods, those that only Python has, and those that only the paper has.
pub fn all() -> impl Iterator<Item = &'static Function> {
    tables()
        .into_iter()
        .chain(method_tables())
        .chain(python::tables())
        .chain([paper::FUNCTIONS])
        .flatten()
}

/// The entry of a name in Python, with or without its module, and its parameters there; nothing of them where it takes any
/// number of arguments.
///
/// ```
/// let (function, signature) = cute_analysis::vocabulary::in_python("make_tiled_copy_tv").unwrap();
/// assert_eq!(function.name, "make_tiled_copy");
/// assert_eq!(signature.as_deref(), Some("make_tiled_copy_tv(atom, thr_layout, val_layout)"));
/// ```
pub fn in_python(name: &str) -> Option<(&'static Function, Option<String>)> {
    python::documented(name)
}

/// The function that answers questions by this name.
pub fn operation(name: &str) -> Option<&'static Function> {
    OPERATIONS.get(name).copied()
}

/// The names of the functions that answer questions.
pub fn operations() -> impl Iterator<Item = &'static str> {
    OPERATIONS.keys().copied()
}

/// The answer of a name to questions.
pub(crate) fn asked(name: &str) -> Option<&'static Asked> {
    operation(name)?.asked.as_ref()
}

/// The picture of a call by its name.
pub fn picture(name: &str) -> Picture {
    operation(name).map_or(Picture::Result, |function| function.picture)
}

/// The entries of a name: the function, and the method.
fn of_name(name: &str) -> impl Iterator<Item = &'static Function> {
    function(name).into_iter().chain(method(name))
}

/// The layouts that functions or methods of this name make.
pub(crate) fn makes(name: &str) -> Makes {
    let made = of_name(name).map(|function| function.makes);
    made.into_iter()
        .find(|makes| *makes != Makes::Other)
        .unwrap_or(Makes::Other)
}

/// The action of a function of this name.
pub(crate) fn action(name: &str) -> Option<ActionKind> {
    function(name)?.action
}

/// The action of a method of this name.
pub(crate) fn action_of_method(name: &str) -> Option<ActionKind> {
    method(name)?.action
}

/// The functions with an action.
pub(crate) fn acting() -> impl Iterator<Item = (&'static str, ActionKind)> {
    tables()
        .into_iter()
        .flatten()
        .filter_map(|function| Some((function.name, function.action?)))
}

/// The tables of functions that sources in C++ call.
fn tables() -> [&'static [Function]; 20] {
    [
        actions::FUNCTIONS,
        algebra::FUNCTIONS,
        algorithms::FUNCTIONS,
        copies::FUNCTIONS,
        divide::FUNCTIONS,
        higher_order::FUNCTIONS,
        inspect::FUNCTIONS,
        integers::FUNCTIONS,
        layouts::FUNCTIONS,
        mmas::FUNCTIONS,
        places::FUNCTIONS,
        pointers::FUNCTIONS,
        product::FUNCTIONS,
        selectors::FUNCTIONS,
        shared::FUNCTIONS,
        tiled::FUNCTIONS,
        tensors::FUNCTIONS,
        tma::FUNCTIONS,
        tuple_algorithms::FUNCTIONS,
        tuples::FUNCTIONS,
    ]
}

/// The function of a name.
pub fn function(name: &str) -> Option<&'static Function> {
    FUNCTIONS.get(name).copied()
}

/// Whether a name with this number of template arguments is of the vocabulary.
pub(crate) fn knows(name: &str, arguments: Option<usize>) -> bool {
    let nothing = arguments.map(|count| vec![Value::Nothing; count]);
    function(name).is_some()
        || builtin(name).is_some()
        || self::name(name, nothing.as_deref()).is_some()
}

/// Whether the function of a name calls a function that is given to it.
pub(crate) fn is_higher_order(name: &str) -> bool {
    higher_order::FUNCTIONS
        .iter()
        .any(|function| function.name == name)
}

/// The method of a name, of layouts and tensors; the object is its first argument.
pub fn method(name: &str) -> Option<&'static Function> {
    METHODS.get(name).copied()
}

/// All functions, in the order of their names.
pub fn functions() -> Vec<&'static Function> {
    let mut all: Vec<&'static Function> = FUNCTIONS.values().copied().collect();
    all.sort_by_key(|function| function.name);
    all
}

/// `value(args)`: a layout applied to a coordinate, a tensor sliced, a swizzle applied.
pub(crate) fn apply(surroundings: Surroundings, value: &Value, args: &[Value]) -> Evaluated {
    slices::apply(surroundings, value, args)
}

/// A layout of a shape and a stride, each as a value.
pub(crate) fn layout_of(shape: &Value, stride: &Value) -> Value {
    match layouts::layout_of(shape, stride) {
        Ok(value) => value,
        Err(Problem::Unknown(reason)) => Value::Unknown(reason),
        Err(Problem::Refused(remark)) => Value::Unknown(remark.reason()),
        Err(Problem::ForFirst(_)) => Value::Unknown(Reason::RunTime("a coordinate".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_stands_in_one_table_once() {
        let mut names: Vec<&str> = tables()
            .into_iter()
            .flatten()
            .map(|function| function.name)
            .collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
