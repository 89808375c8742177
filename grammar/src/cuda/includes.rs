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
    let read = text.get(..end_of_last(text)).unwrap_or_default();
    scan(read)
        .tokens
        .into_iter()
        .filter(|token| token.kind == TokenKind::Directive)
        .filter_map(|token| include(text, token.span()))
        .collect()
}

/// The end of the line that may be the last `#include`. Tokens behind it need not be read to know which ones before it
/// are comments.
fn end_of_last(text: &str) -> usize {
    let last = text.rmatch_indices("include").find(|(start, _)| {
        let before = text.get(..*start).unwrap_or_default();
        before.trim_end_matches([' ', '\t']).ends_with('#')
    });
    let Some((start, _)) = last else {
        return 0;
    };
    let rest = text.get(start..).unwrap_or_default();
    rest.find('\n').map_or(text.len(), |line| start + line)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_behind_the_last_line_is_not_needed() {
        let names = |text: &str| -> Vec<String> {
            let found = includes(text).into_iter();
            found.map(|include| include.path.name).collect()
        };
        let behind = "int x; /* not closed \" '";
        for (text, expected) in [
            ("", &[][..]),
            ("#include \"a.h\"", &["a.h"]),
            (
                "#include \"a.h\"\r\n# include <b.h> // include\n",
                &["a.h", "b.h"],
            ),
            ("/*\n#include \"a.h\"\n*/\n#\tinclude <b.h>\n", &["b.h"]),
            ("#include <b.h>\n/*\n#include \"a.h\"\n", &["b.h"]),
            ("R\"(\n#include \"a.h\"\n)\";\n", &[]),
            ("#define include\nint include;\n", &[]),
        ] {
            assert_eq!(names(text), expected, "{text}");
            assert_eq!(names(&format!("{text}\n{behind}")), expected, "{text}");
        }
    }
}
