//! A line that is being typed. Unfinished, it binds with the text behind it, and the parser takes the next statements
//! for a part of it.
//!
//! Where a piece has errors, lines that begin a statement and do not end it are left out for a try, one at a time.
//! Where the rest then has no error, the rest is taken for the piece: the values below the line stay. The errors are
//! still told. A line that ends as statements do is never left out: a part that is not understood is unknown, and so
//! are its changes.

use tree_sitter::{Parser, Tree};

use crate::incremental::parse_repaired;
use crate::limits;
use crate::tree::Span;

/// The end of statements of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    /// With `;` or a brace.
    Mark,
    /// With their line.
    Line,
}

/// A piece without its unfinished line.
#[derive(Debug)]
pub(crate) struct Rest {
    pub(crate) tree: Tree,
    /// The text that was parsed: the line is blank.
    pub(crate) text: Vec<u8>,
    /// The place of the line.
    pub(crate) left_out: Span,
}

/// The rest of a piece, whose tree has errors, without a line that is not finished; `None` where no line is the cause.
/// `errors` are those of a tree.
pub(crate) fn without_unfinished_line(
    parser: Option<Parser>,
    (tree, text): (&Tree, &[u8]),
    errors: impl Fn(&Tree) -> Vec<Span>,
    ends: Ends,
) -> Option<Rest> {
    if !tree.root_node().has_error() || text.len() > limits::UNFINISHED_BYTES {
        return None;
    }
    let found = errors(tree);
    let from = found.iter().map(|span| span.start).min()?;
    let to = found.iter().map(|span| span.end).max()?;
    let mut parser = parser?;
    let lines = lines(text);
    let unfinished = (0..lines.len()).filter(|at| is_unfinished(&lines, *at, ends));
    // The missing end is found a few statements behind: `if (` and a declaration may begin a condition.
    let near = unfinished.filter(|at| {
        let next = end_of_statements(&lines, at + 1, ends).unwrap_or(text.len());
        lines.get(*at).is_some_and(|line| line.span.start <= to) && from <= next
    });
    // A bracket that is open is the most likely cause; lines that end with a comma or close a bracket are mostly of a
    // statement of several lines.
    let (first, last): (Vec<usize>, Vec<usize>) = near.partition(|at| {
        let line = lines.get(*at);
        line.is_some_and(|line| line.surplus() > 0)
    });
    for at in first.into_iter().chain(last).take(limits::UNFINISHED_LINES) {
        let left_out = lines.get(at)?.span;
        let mut rest = text.to_vec();
        let line = rest.get_mut(left_out.start..left_out.end)?;
        line.fill(b' ');
        // A block of Python needs a statement.
        if let (Ends::Line, Some(first)) = (ends, line.get_mut(..PASS.len())) {
            first.copy_from_slice(PASS);
        }
        let repaired = match ends {
            Ends::Mark => parse_repaired(&mut parser, &rest, (text, tree)),
            // The grammar of Python is ambiguous.
            Ends::Line => None,
        };
        let tree = match repaired {
            Some(tree) => tree,
            None => parser.parse(&rest, None)?,
        };
        if errors(&tree).is_empty() {
            return Some(Rest {
                tree,
                text: rest,
                left_out,
            });
        }
    }
    None
}

/// Statements behind an unfinished line in which the first error is.
const BEHIND: usize = 3;

/// The end of the first few statements from a line on; `None` where there are fewer.
fn end_of_statements(lines: &[Line<'_>], from: usize, ends: Ends) -> Option<usize> {
    let behind = lines.get(from..)?.iter();
    let mut last = behind.filter(|line| match ends {
        Ends::Mark => line.ends_with_mark(),
        Ends::Line => !line.goes_on(),
    });
    last.nth(BEHIND - 1).map(|line| line.span.end)
}

/// A statement of Python that does nothing.
const PASS: &[u8] = b"pass";

/// A line with something on it.
struct Line<'t> {
    /// The text on it, without the blanks around.
    span: Span,
    text: &'t [u8],
    /// Number of blanks before it.
    indent: usize,
}

impl Line<'_> {
    fn ends_with_mark(&self) -> bool {
        matches!(self.text.last(), Some(b';' | b'{' | b'}'))
    }

    /// Brackets that it opens, less those that it closes.
    fn surplus(&self) -> isize {
        self.text.iter().fold(0, |surplus, byte| match byte {
            b'(' | b'[' | b'{' => surplus + 1,
            b')' | b']' | b'}' => surplus - 1,
            _ => surplus,
        })
    }

    fn begins_word(&self) -> bool {
        let first = self.text.first();
        first
            .is_some_and(|first| first.is_ascii_alphabetic() || matches!(first, b'_' | b':' | b'@'))
    }

    fn begins_with(&self, words: &[&str]) -> bool {
        let mut word = self.text.split(|byte| !byte.is_ascii_alphanumeric());
        word.next()
            .is_some_and(|first| words.iter().any(|word| word.as_bytes() == first))
    }

    /// Whether a line of Python goes on behind its end: a bracket is open, an operand is missing, or the `:` of a block.
    fn goes_on(&self) -> bool {
        const BLOCKS: [&str; 11] = [
            "if", "elif", "else", "for", "while", "with", "def", "class", "try", "except", "async",
        ];
        let is_open = self.surplus() != 0;
        let needs_operand = matches!(
            self.text.last(),
            Some(b'=' | b',' | b'.' | b'+' | b'-' | b'*' | b'/' | b'%' | b'<' | b'>' | b'&' | b'|')
        );
        let needs_block = self.begins_with(&BLOCKS) && !self.text.ends_with(b":");
        is_open || needs_operand || needs_block
    }
}

/// The lines of a text that are not blank.
fn lines(text: &[u8]) -> Vec<Line<'_>> {
    let mut start = 0;
    let mut lines = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        let trimmed = line.trim_ascii();
        if !trimmed.is_empty() {
            let indent = line.len() - line.trim_ascii_start().len();
            let span = Span::new(start + indent, start + indent + trimmed.len());
            lines.push(Line {
                span,
                text: trimmed,
                indent,
            });
        }
        start += line.len() + 1;
    }
    lines
}

/// Whether a line begins a statement and does not end it, and the next line begins another one at the same or a lower level.
fn is_unfinished(lines: &[Line<'_>], at: usize, ends: Ends) -> bool {
    let before = at.checked_sub(1).and_then(|before| lines.get(before));
    let (Some(before), Some(line), Some(next)) = (before, lines.get(at), lines.get(at + 1)) else {
        return false;
    };
    let begins_next = next.begins_word() || next.text.starts_with(b"}");
    if !begins_next || next.indent > line.indent {
        return false;
    }
    match ends {
        Ends::Line => line.goes_on(),
        Ends::Mark => {
            let is_after_statement = before.ends_with_mark() || before.text.ends_with(b":");
            let is_other = line.text.starts_with(b"#") || line.begins_with(&["template"]);
            is_after_statement && !line.ends_with_mark() && !is_other
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Budget, Host, Syntax};

    fn lowered(host: Host, text: &str) -> crate::tree::Unit {
        let syntax = Syntax::parse(host, text, None, Budget::unlimited()).unwrap();
        syntax.lower(text)
    }

    /// The statements of a function while a line is typed before its second statement.
    fn said(line: &str) -> String {
        let text = format!(
            "void host(int M) {{\n  auto a = f(M);\n  {line}\n  auto b = make_layout(make_shape(M, Int<8>{{}}));\n  \
             auto c = g(a, b);\n}}\n"
        );
        lowered(Host::CudaCpp, &text).to_string()
    }

    #[test]
    fn a_line_that_is_typed_takes_nothing_with_it() {
        let whole = said("");
        assert!(whole.contains("make_layout"), "{whole}");
        for line in [
            "T",
            "Tensor",
            "Tensor t",
            "Tensor t =",
            "Tensor t = make_layout(",
            "Tensor t = make_layout(M,",
            "foo(",
            "auto x = foo(a",
            "auto x = a +",
            "if (",
            "for (int i",
            "Tensor<",
            "auto [x,",
            "x[",
            "(x",
            "int n =",
            "copy(a, )",
            "make_layout()",
            "do {",
            "while (",
            "while (n) {",
            "for (int i = 0; i < M; ++i) {",
            "if (M > 1) {",
            "switch (M) {",
        ] {
            assert_eq!(said(line), whole, "{line}");
        }
    }

    #[test]
    fn a_line_that_goes_on_is_not_left_out() {
        let text = "void f() {\n  a = b @\n    c;\n  d = e;\n}\n";
        let unit = lowered(Host::CudaCpp, text);
        assert!(!unit.errors.is_empty());
        assert!(unit.to_string().contains('a'), "{unit}");
    }

    #[test]
    fn calls_of_several_lines_before_a_line_of_python_hide_it_not() {
        let calls = "    a = f(\n        x,\n        y,\n    )\n".repeat(40);
        let text = format!(
            "class K:\n  def host(self):\n{calls}    t = make_layout(\n{calls}    b = g(8)\n    return b\n"
        );
        let shown = lowered(Host::Python, &text).to_string();
        assert!(shown.contains("g(8)"), "{shown}");
    }

    #[test]
    fn the_same_in_python_and_rust() {
        let python = |line: &str| {
            let text =
                format!("def host():\n    a = f(4)\n    {line}\n    b = g(8)\n    return b\n");
            lowered(Host::Python, &text).to_string()
        };
        let rust = |line: &str| {
            let text =
                format!("fn host() {{\n    let a = f(4);\n    {line}\n    let b = g(8);\n}}\n");
            lowered(Host::Rust, &text).to_string()
        };
        for line in ["t = make_layout(", "foo(a,", "if x", "for i in", "t = a +"] {
            let shown = python(line);
            assert!(
                shown.contains("g(8)") && shown.contains('b'),
                "{line}: {shown}"
            );
        }
        for line in ["let t = Layout::new(", "foo(a,", "if x"] {
            assert_eq!(rust(line), rust(""), "{line}");
        }
    }
}
