//! Classes of libraries that are a pointer with run-time extents and strides: accessors of `PyTorch`
//! (`ATen/core/TensorAccessor.h`) and `mdspan` ([mdspan.syn], libcu++).

use super::names::library_class;
use crate::value::Value;

/// Accessors of tensors: the element, then the number of modes.
const ACCESSORS: &[&str] = &[
    "TensorAccessor",
    "PackedTensorAccessor",
    "PackedTensorAccessor32",
    "PackedTensorAccessor64",
    "GenericPackedTensorAccessor",
];

/// `mdspan`, and what its template arguments are made of.
const SPANS: &[&str] = &[
    "mdspan",
    "extents",
    "dextents",
    "dims",
    "layout_right",
    "layout_left",
    "layout_stride",
];

/// Namespaces of `PyTorch`.
const OF_TORCH: &[&str] = &["torch", "at", "c10", "headeronly"];

/// Namespaces of `mdspan`.
const OF_SPANS: &[&str] = &["cuda", "std", "experimental"];

/// Whether a name is that of a class of accessors.
pub(crate) fn is_accessor(name: &str) -> bool {
    ACCESSORS.contains(&name)
}

/// Whether a path is one of these classes.
pub(crate) fn is_strided<'a>(mut scopes: impl Iterator<Item = &'a str>, name: &str) -> bool {
    let of = match (ACCESSORS.contains(&name), SPANS.contains(&name)) {
        (true, _) => OF_TORCH,
        (_, true) => OF_SPANS,
        _ => return false,
    };
    scopes.all(|scope| of.contains(&scope))
}

/// The class of a name.
pub(super) fn class(name: &str, args: &[Value]) -> Option<Value> {
    let is_known = ACCESSORS.contains(&name) || SPANS.contains(&name);
    is_known.then(|| library_class(name, args))
}
