//! Edits that change comments and white space alone: the meaning of a program stays.

use std::ops::Range;

use crate::Host;
use crate::cuda;
use crate::syntax::{Budget, Syntax};
use crate::tree::{Comment, Span};

/// The characters of a comment that states something: a layout, a shape, names of modes, a directive.
const STATING: [char; 4] = ['(', '<', ':', '['];

/// Two texts that have the same code.
#[derive(Debug)]
pub struct SameCode {
    /// The syntax of the later text, where it had to be parsed to know.
    pub syntax: Option<Syntax>,
}

impl SameCode {
    /// Whether two texts have the same code on the same lines, and the comments in which they differ state nothing that
    /// a reader of layouts looks for. `old` is the syntax of `before`, or for C++ that of any text: its tokens tell.
    ///
    /// It may say no where yes was right; it never says yes where something else than prose differs.
    ///
    /// ```
    /// # use tree_sitter_cute::{Budget, Host, SameCode, Syntax};
    /// let before = "int x; // one\n";
    /// let old = Syntax::parse(Host::CudaCpp, before, None, Budget::unlimited()).unwrap();
    /// let same = |after| SameCode::of(Host::CudaCpp, before, after, &old).is_some();
    /// assert!(same("int x;   // two more\n"));
    /// assert!(!same("int x; // (2,1):(1,2)\n"));
    /// assert!(!same("int y; // one\n"));
    /// ```
    pub fn of(host: Host, before: &str, after: &str, old: &Syntax) -> Option<Self> {
        let (then, now) = changed_bytes(before, after);
        let lines = |text: &str, range: &Range<usize>| {
            let range = text.as_bytes().get(range.clone()).unwrap_or_default();
            range.split(|byte| *byte == b'\n').count()
        };
        if lines(before, &then) != lines(after, &now) {
            return None;
        }
        let say_nothing = |old: &[Comment], new: &[Comment]| {
            // A comment more or less may be between others and their subjects.
            let around = |text: &str, range: &Range<usize>| {
                if old.len() == new.len() {
                    range.clone()
                } else {
                    with_neighbours(text, range)
                }
            };
            says_nothing(before, old, &around(before, &then))
                && says_nothing(after, new, &around(after, &now))
        };
        if host == Host::CudaCpp {
            let (one, other) = (cuda::Code::of(before), cuda::Code::of(after));
            let same = say_nothing(one.comments(), other.comments()) && one.is_that_of(&other);
            return same.then_some(Self { syntax: None });
        }
        let may_be_prose =
            may_touch_comment(host, before, &then) || may_touch_comment(host, after, &now);
        if before != after && !may_be_prose {
            return None;
        }
        let syntax = Syntax::parse(host, after, Some(old), Budget::unlimited()).ok()?;
        let (own, others) = (old.comments(), syntax.comments());
        let same = say_nothing(own, others) && same_lines(before, own, after, others);
        same.then_some(Self {
            syntax: Some(syntax),
        })
    }
}

/// The bytes in which two texts differ, of each.
pub fn changed_bytes(before: &str, after: &str) -> (Range<usize>, Range<usize>) {
    let (old, new) = (before.as_bytes(), after.as_bytes());
    let same = |(one, other): &(&u8, &u8)| one == other;
    let start = old.iter().zip(new).take_while(same).count();
    let rest = old.len().min(new.len()) - start;
    let ends = old.iter().rev().zip(new.iter().rev()).take(rest);
    let end = ends.take_while(same).count();
    (start..old.len() - end, start..new.len() - end)
}

/// Whether a comment may be on a line that a range touches. Without one the line is code, and another one than before.
fn may_touch_comment(host: Host, text: &str, range: &Range<usize>) -> bool {
    let start = text.get(..range.start).and_then(|it| it.rfind('\n'));
    let end = text.get(range.end..).and_then(|it| it.find('\n'));
    let end = end.map_or(text.len(), |end| range.end + end);
    let lines = text.get(start.unwrap_or(0)..end).unwrap_or(text);
    match host {
        Host::Python => lines.contains('#'),
        // A comment of several lines has no mark on those between.
        Host::CudaCpp | Host::Rust => lines.contains("//") || text.contains("/*"),
    }
}

/// A range with the lines that it touches, the one above and the one below.
fn with_neighbours(text: &str, range: &Range<usize>) -> Range<usize> {
    let (before, behind) = (text.get(..range.start), text.get(range.end..));
    let (before, behind) = (before.unwrap_or_default(), behind.unwrap_or_default());
    let start = before.rmatch_indices('\n').nth(1).map_or(0, |(at, _)| at);
    let end = behind.match_indices('\n').nth(1);
    start..end.map_or(text.len(), |(at, _)| range.end + at)
}

/// Whether no comment that a range touches states anything.
fn says_nothing(text: &str, comments: &[Comment], range: &Range<usize>) -> bool {
    let touched = comments
        .iter()
        .filter(|it| it.span.start <= range.end && range.start <= it.span.end);
    let mut contents = touched.map(|comment| comment.span.text(text));
    contents.all(|content| !content.contains(STATING))
}

/// Whether the lines of two texts are the same without their comments.
fn same_lines(before: &str, old: &[Comment], after: &str, new: &[Comment]) -> bool {
    let (before, after) = (without(before, old), without(after, new));
    let (mut one, mut other) = (before.iter(), after.iter());
    loop {
        match (one.next(), other.next()) {
            (None, None) => return true,
            (Some((left, is_left)), Some((right, is_right))) => {
                // Behind a comment a line ends outside of every string.
                let same = if *is_left || *is_right {
                    left.trim_end() == right.trim_end()
                } else {
                    left == right
                };
                if !same {
                    return false;
                }
            }
            _ => return false,
        }
    }
}

/// The lines of a text without its comments, each with whether it had one.
fn without(text: &str, comments: &[Comment]) -> Vec<(String, bool)> {
    let mut lines = Vec::new();
    let mut comments = comments.iter().map(|it| it.span).peekable();
    let mut start = 0;
    for line in text.split('\n') {
        let end = start + line.len();
        let (mut code, mut at, mut has_comment) = (String::new(), start, false);
        while let Some(comment) = comments.next_if(|it| it.start <= end) {
            code.push_str(Span::new(at, comment.start.max(at)).text(text));
            at = comment.end.max(at);
            has_comment = true;
            if at > end {
                break;
            }
        }
        code.push_str(Span::new(at.min(end), end).text(text));
        lines.push((code, has_comment));
        // A comment of several lines is left out with all of them: both texts have it alike, or differ.
        start = (end + 1).max(at);
        if at > end {
            break;
        }
    }
    let rest = text.get(start..).filter(|_| start <= text.len());
    lines.extend(rest.map(|rest| (rest.to_owned(), false)));
    lines
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    fn same(host: Host, before: &str, after: &str) -> bool {
        let old = Syntax::parse(host, before, None, Budget::unlimited()).unwrap();
        SameCode::of(host, before, after, &old).is_some()
    }

    #[test]
    fn comments_and_white_space_are_no_code_of_cpp() {
        let of = |before, after| same(Host::CudaCpp, before, after);
        assert!(of(
            "int x = 1; // a\nint y;\n",
            "int x =  1;   // a b\nint y;\n"
        ));
        assert!(of("f(a, b);\n", "f(a, /* the b */ b);\n"));
        assert!(of("f(a, /* the b */ b);\n", "f(a, b);\n"));
        // A new line may be between a comment and its subject.
        assert!(!of("int x;\nint y;\n", "int x;\n\nint y;\n"));
        assert!(!of("a + +b;\n", "a ++b;\n"));
        assert!(!of("auto s = \"a\";\n", "auto s = \"a \";\n"));
        assert!(!of("auto s = R\"(a)\";\n", "auto s = R\"(a )\";\n"));
        assert!(!of("int x; // a\n", "// int x; a\n"));
        assert!(!of("#define A 1\n", "#define A 1 // one\n"));
        assert!(!of("int x; // a\n", "int x; // cute: assume x == 1\n"));
        assert!(!of("int x; // (M,K)\n", "int x; // (M,K) a\n"));
        assert!(!of("int x; /* a */ int y;\n", "int x; /* a * / int y;\n"));
    }

    #[test]
    fn comments_are_no_code_of_python_and_rust() {
        for (host, mark) in [(Host::Python, "#"), (Host::Rust, "//")] {
            let of = |before: &str, after: &str| {
                same(host, &before.replace('@', mark), &after.replace('@', mark))
            };
            assert!(of("x = 1\ny = 2\n", "x = 1  @ one\ny = 2\n"), "{host:?}");
            assert!(of("x = 1 @ one\n", "x = 1  @ two\n"), "{host:?}");
            assert!(!of("x = 1\n", "x = 1  @ (2,1):(1,2)\n"), "{host:?}");
            assert!(!of("x = 1 @ one\n", "x = 2 @ one\n"), "{host:?}");
            assert!(!of("x = 1 @ one\n", "@ x = 1 one\n"), "{host:?}");
            assert!(!of("x = \"a\"\n", "x = \"a @ b\"\n"), "{host:?}");
        }
        let of = |before, after| same(Host::Python, before, after);
        assert!(!of("if x:\n  y = 1\n  z = 2\n", "if x:\n  y = 1\n z = 2\n"));
        assert!(!of(
            "s = \"\"\"\na\n\"\"\"\n",
            "s = \"\"\"\na # b\n\"\"\"\n"
        ));
    }
}
