//! The places where layouts are made or named, found in the text alone: the same places for every grammar.

use tree_sitter_cute::tree::Span;

/// Functions that make a layout or a part of one.
const CALLED: [&str; 20] = [
    "make_layout",
    "make_shape",
    "make_stride",
    "make_ordered_layout",
    "make_tile",
    "composition",
    "logical_divide",
    "zipped_divide",
    "tiled_divide",
    "flat_divide",
    "logical_product",
    "blocked_product",
    "raked_product",
    "zipped_product",
    "tile_to_shape",
    "coalesce",
    "complement",
    "right_inverse",
    "left_inverse",
    "make_tensor",
];

/// Types that are a layout or a part of one.
const NAMED: [&str; 5] = ["Layout", "Shape", "Stride", "Swizzle", "ComposedLayout"];

/// Words behind which a name is used; behind any other it is declared.
const BEFORE_A_USE: [&str; 5] = ["return", "typename", "else", "case", "const"];

/// The sites of a source whose comments are blank, each from the name to the closing bracket.
pub(crate) fn sites(text: &[u8]) -> Vec<Span> {
    let mut sites = Vec::new();
    let mut at = 0;
    let mut before = "";
    while at < text.len() {
        match text[at] {
            b'#' if is_first_on_line(text, at) => at = end_of_directive(text, at),
            b'"' => at = end_of_string(text, at),
            byte if is_word(byte) => {
                let start = at;
                while at < text.len() && is_word(text[at]) {
                    at += 1;
                }
                let word = std::str::from_utf8(&text[start..at]).unwrap_or_default();
                let is_use = before.is_empty() || BEFORE_A_USE.contains(&before);
                if let Some(end) = site_end(text, word, at).filter(|_| is_use) {
                    sites.push(Span::new(start, end));
                }
                before = word;
            }
            byte => {
                if !byte.is_ascii_whitespace() {
                    before = "";
                }
                at += 1;
            }
        }
    }
    sites
}

/// The end of the site that begins with a name ending at `at`, if it is one.
fn site_end(text: &[u8], name: &str, at: usize) -> Option<usize> {
    let open = at + text[at..].iter().position(|b| !b.is_ascii_whitespace())?;
    let (opens, closes) = match text[open] {
        b'(' if CALLED.contains(&name) => (b'(', b')'),
        b'<' if NAMED.contains(&name) => (b'<', b'>'),
        _ => return None,
    };
    let mut depth = 0_usize;
    for (index, byte) in text.iter().enumerate().skip(open) {
        depth += usize::from(*byte == opens);
        depth -= usize::from(*byte == closes && text[index - 1] != b'-');
        if depth == 0 {
            return Some(index + 1);
        }
    }
    None
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_first_on_line(text: &[u8], at: usize) -> bool {
    let line = text[..at].iter().rev().take_while(|byte| **byte != b'\n');
    line.into_iter().all(u8::is_ascii_whitespace)
}

/// A directive ends with its line, unless that is continued.
fn end_of_directive(text: &[u8], mut at: usize) -> usize {
    while at < text.len() && (text[at] != b'\n' || text[at - 1] == b'\\') {
        at += 1;
    }
    at
}

fn end_of_string(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < text.len() && text[at] != b'"' && text[at] != b'\n' {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

#[test]
fn uses_are_sites_and_declarations_are_not() {
    let text = b"#define A make_layout(1)\nauto make_layout(int x) { return make_layout(f(x)); }\n\
        struct Layout<A> {}; using L = Layout<Shape<_1>>; print(\"make_shape(1)\");";
    let sites = sites(text);
    let texts: Vec<_> = sites
        .iter()
        .map(|site| &text[site.start..site.end])
        .collect();
    assert_eq!(
        texts,
        [
            &b"make_layout(f(x))"[..],
            &b"Layout<Shape<_1>>"[..],
            &b"Shape<_1>"[..]
        ]
    );
}
