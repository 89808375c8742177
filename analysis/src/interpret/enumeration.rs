//! Facts about an enumeration of the sources that conversions need.

use tree_sitter_cute::tree::{Enum, ExprKind, Span};

/// An enumeration of the sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Enumeration {
    /// The place of its name, or of its first enumerator where it has none.
    at: Span,
    /// `enum class`: it converts to no number.
    pub(super) scoped: bool,
    /// Whether it promotes to `int`: no underlying type is stated, and all values are seen to fit ([conv.prom]).
    pub(super) promotes_to_int: bool,
}

impl Enumeration {
    /// `None` where it has neither a name nor values.
    pub(super) fn of(declared: &Enum) -> Option<Self> {
        let first = declared.enumerators.first();
        let name = declared.name.as_ref().or(first.map(|first| &first.name))?;
        let fits = |value: &ExprKind| match value {
            // Those behind it are greater.
            ExprKind::Int(value) => i32::try_from(*value).is_ok_and(|value| value <= i32::MAX / 2),
            _ => false,
        };
        let mut stated = declared
            .enumerators
            .iter()
            .filter_map(|it| it.value.as_ref());
        Some(Self {
            at: name.span,
            scoped: declared.scoped,
            promotes_to_int: declared.base.is_none() && stated.all(|value| fits(&value.kind)),
        })
    }
}
