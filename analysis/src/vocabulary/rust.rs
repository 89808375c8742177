//! Names of CuTe's terms in Rust crates. One table per crate; a name means something only where a path or a `use` leads
//! to the crate.

mod cubecl;
mod cuda_oxide;
mod cute_algebra;
mod cute_rs;
mod cutile;
mod primitives;
mod rust_gpu;
mod swizzles;

use super::{Call, Evaluated, Function, Problem};
use crate::reason::Reason;
use crate::types::Type;
use crate::value::Value;
pub(crate) use primitives::primitive;

/// The words of one crate (or of the crates of one project).
#[derive(Debug)]
pub(crate) struct Library {
    /// The crates as sources name them.
    pub(crate) crates: &'static [&'static str],
    /// Generic types that are values: `L<S, D>`. Generic arguments are template arguments.
    types: &'static [Function],
    /// Functions and associated functions: `composition`, `Layout::new`.
    functions: &'static [Function],
    /// Methods of values; the object is the first argument.
    methods: &'static [Function],
    /// Macros whose arguments are the notation.
    macros: &'static [Function],
}

static LIBRARIES: [&Library; 6] = [
    &cute_algebra::LIBRARY,
    &cute_rs::LIBRARY,
    &cuda_oxide::LIBRARY,
    &cubecl::LIBRARY,
    &cutile::LIBRARY,
    &rust_gpu::LIBRARY,
];

/// The library to which a crate belongs.
pub(crate) fn library(name: &str) -> Option<&'static Library> {
    LIBRARIES
        .iter()
        .copied()
        .find(|library| library.crates.contains(&name))
}

impl Library {
    /// The function of a path inside the crate: by its last name, or by type and name.
    pub(crate) fn function(&self, names: &[&str]) -> Option<&'static Function> {
        let (last, outer) = names.split_last()?;
        if let Some(ty) = outer.last()
            && let Some(found) = self
                .functions
                .iter()
                .find(|entry| entry.name.split_once("::") == Some((ty, last)))
        {
            return Some(found);
        }
        let own = self.functions.iter().find(|entry| entry.name == *last);
        own.or_else(|| {
            let same = super::function(last)?;
            let is_here = |name: &&str| self.crates.contains(name);
            same.elsewhere.rust.iter().any(is_here).then_some(same)
        })
    }

    /// The type of a path inside the crate.
    pub(crate) fn generic(&self, names: &[&str]) -> Option<&'static Function> {
        named(self.types, names.last()?)
    }

    /// The macro of a path inside the crate.
    pub(crate) fn notation_macro(&self, names: &[&str]) -> Option<&'static Function> {
        named(self.macros, names.last()?)
    }

    /// Whether the crate has a path, where the path is known here: for the names of `use name::*`.
    pub(crate) fn knows(&self, names: &[&str]) -> bool {
        let type_of_function = |entry: &Function| {
            let ty = entry.name.split_once("::").map(|(ty, _)| ty);
            ty.is_some() && ty == names.last().copied()
        };
        self.generic(names).is_some()
            || self.function(names).is_some()
            || self.notation_macro(names).is_some()
            || self.functions.iter().any(type_of_function)
    }

    /// A method of the values of the crate.
    pub(crate) fn method(&self, name: &str) -> Option<&'static Function> {
        named(self.methods, name)
    }
}

fn named(table: &'static [Function], name: &str) -> Option<&'static Function> {
    table.iter().find(|entry| entry.name == name)
}

/// Methods of the standard library that return their receiver, where only layouts matter.
pub(crate) fn passes_through(method: &str) -> bool {
    matches!(
        method,
        "unwrap"
            | "expect"
            | "clone"
            | "cloned"
            | "copied"
            | "to_owned"
            | "as_ref"
            | "borrow"
            | "into"
            | "iter"
            | "view"
            | "to_layout"
            | "to_tuple"
            | "to_vec"
            | "as_slice"
            | "unwrap_or_default"
    )
}

/// Known integers as parts of the type: the numbers that Rust code computes layouts from are constant.
pub(crate) fn to_static(value: &Value) -> Value {
    let fixed = value.map_run_time(&mut |int| match int.value() {
        Some(number) => cute_algebra_int(number),
        None => int.clone(),
    });
    fixed.unwrap_or_else(|| value.clone())
}

fn cute_algebra_int(number: i64) -> ::cute_algebra::Int {
    ::cute_algebra::Int::fixed(number)
}

/// The type of a value.
fn type_of(value: Value) -> Value {
    Value::Type(Box::new(Type::Of(Box::new(value))))
}

/// The value of a generic argument: a type of one value counts as the value.
fn argument(value: &Value) -> Result<Value, Problem> {
    match value {
        Value::Unknown(reason) => Err(Problem::Unknown(reason.clone())),
        Value::Type(ty) => match &**ty {
            Type::Of(inner) => Ok((**inner).clone()),
            Type::Unknown(reason) => Err(Problem::Unknown(reason.clone())),
            Type::Parameter(name) => Err(Problem::Unknown(Reason::Unbound(name.clone()))),
            _ => Ok(value.clone()),
        },
        other => Ok(to_static(other)),
    }
}

/// CuTe's type or function of another name, with generic arguments as template arguments.
fn as_cute(name: &'static str, args: &[Value]) -> Evaluated {
    let args: Vec<Value> = args.iter().map(to_static).collect();
    super::name(name, Some(&args))
        .unwrap_or_else(|| Err(Problem::Unknown(Reason::NotEvaluated(name.into()))))
}

/// Calls CuTe's function of another name; its remarks are remarks here.
fn call_cute(call: &Call<'_>, name: &str, targs: &[Value], args: &[Value]) -> Evaluated {
    let Some(function) = super::function(name) else {
        return Err(call.not_evaluated());
    };
    let mut remarks = Vec::new();
    let answer = function.call(targs, args, &mut remarks);
    for remark in remarks {
        call.remark(remark);
    }
    answer
}

/// A thing that the crate has and that is not evaluated.
fn not_evaluated(call: &Call<'_>) -> Evaluated {
    Err(call.not_evaluated())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_table_names_each_word_once_and_says_what_it_is() {
        for library in LIBRARIES {
            for table in [
                library.types,
                library.functions,
                library.methods,
                library.macros,
            ] {
                let mut names: Vec<&str> = table.iter().map(|entry| entry.name).collect();
                names.sort_unstable();
                names.dedup();
                assert_eq!(names.len(), table.len(), "{:?}", library.crates);
                for entry in table {
                    assert!(!entry.doc.ends_with('.'), "{}", entry.name);
                }
            }
        }
    }

    #[test]
    fn each_crate_of_an_entry_has_a_library() {
        let named = super::super::all().flat_map(|function| function.elsewhere.rust);
        let mut count = 0;
        for name in named {
            assert!(library(name).is_some(), "{name}");
            count += 1;
        }
        assert!(count > 20);
    }
}
