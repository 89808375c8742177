//! Our Python versions of modules of the standard library. Functions that are built in answer for what they leave out.

/// The text of a module.
macro_rules! text {
    ($name:literal) => {
        include_str!(concat!("prelude/library/", $name))
    };
}

/// Modules with their texts.
const MODULES: &[(&str, &str)] = &[
    ("bisect", text!("bisect.py")),
    ("collections", text!("collections.py")),
    ("contextlib", text!("contextlib.py")),
    ("contextvars", text!("contextvars.py")),
    ("dataclasses", text!("dataclasses.py")),
    ("functools", text!("functools.py")),
    ("heapq", text!("heapq.py")),
    ("inspect", text!("inspect.py")),
    ("itertools", text!("itertools.py")),
    ("operator", text!("operator.py")),
    ("sys", text!("sys.py")),
    ("types", text!("types.py")),
    ("typing", text!("typing.py")),
    ("typing_extensions", text!("typing.py")),
];

/// Our text of a module.
pub(super) fn text(module: &str) -> Option<&'static str> {
    let found = MODULES.iter().find(|(name, _)| *name == module);
    found.map(|(_, text)| *text)
}
