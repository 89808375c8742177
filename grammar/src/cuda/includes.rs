//! The `#include` lines of a source, without parsing it: for an index of a whole tree of files.

use super::tokens::{TokenKind, scan};
use crate::tree::{Ident, Include, Span};

/// The `#include` lines of a source in order, those in branches of `#if` too; comments and strings
/// are not taken for one. Names of macros in their place (`#include NAME`) are left out.
///
/// ```
/// # use tree_sitter_cute::cuda::includes;
/// let found = includes("#include \"traits.h\"\n// #include \"no.h\"\n#  include <cute/tensor.hpp>\n");
/// let names: Vec<(&str, bool)> = found.iter().map(|i| (i.path.name.as_str(), i.system)).collect();
/// assert_eq!(names, [("traits.h", false), ("cute/tensor.hpp", true)]);
/// ```
pub fn includes(text: &str) -> Vec<Include> {
    scan(text)
        .tokens
        .into_iter()
        .filter(|token| token.kind == TokenKind::Directive)
        .filter_map(|token| include(text, token.span()))
        .collect()
}

/// The directive at `span`, if it includes a file.
pub(super) fn include(text: &str, span: Span) -> Option<Include> {
    let line = span.text(text);
    let argument = line
        .strip_prefix('#')?
        .trim_start()
        .strip_prefix("include")?
        .trim_start();
    let (close, system) = match argument.chars().next()? {
        '"' => ('"', false),
        '<' => ('>', true),
        _ => return None,
    };
    let (name, _) = argument.get(1..)?.split_once(close)?;
    let start = span.start + (line.len() - argument.len()) + 1;
    let path = Ident {
        name: name.to_owned(),
        span: Span::new(start, start + name.len()),
    };
    Some(Include { path, system })
}
