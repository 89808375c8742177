//! Braces and `#if` lines without a partner, while a block is being typed.
//!
//! One brace too many moves all that follows to another level: a function ends in its middle, or takes the next ones in.
//! The indentation tells which one it is. The parser then does not see it, and the rest keeps its structure. It does
//! not see the head of its control statement either, `while (i < n) {`, which would take the next statement for its body. Where the
//! indentation does not tell, nothing is changed.

use std::ops::Range;

use super::tokens::{Token, TokenKind};
use crate::limits;

/// The indices of the braces without a partner, with the heads of control statements before them, in their order; none
/// where all braces have one, or where the indentation does not tell.
pub(super) fn unpaired_braces(source: &str, tokens: &[Token]) -> Vec<usize> {
    let Some(surplus @ 1..=limits::UNPAIRED_BRACES) = surplus(source, tokens) else {
        return Vec::new();
    };
    let Some(found) = Pairing::new(source, tokens).run() else {
        return Vec::new();
    };
    // Any other number means that the indentation is not that of the braces.
    if found.len() != surplus {
        return Vec::new();
    }
    let with_heads = found
        .iter()
        .flat_map(|brace| head_of(source, tokens, *brace).chain([brace.token]));
    let mut found: Vec<usize> = with_heads.collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The words that begin a control statement.
const CONTROLS: [&str; 7] = ["do", "else", "for", "if", "switch", "try", "while"];

/// The indices of the tokens before an opening brace that are the head of its control statement: `while (i < n)`.
fn head_of(source: &str, tokens: &[Token], brace: Unpaired) -> Range<usize> {
    let nothing = brace.token..brace.token;
    let Some(statement) = brace.statement else {
        return nothing;
    };
    let before = tokens.get(statement..brace.token).unwrap_or_default();
    // In `if (a) { } else {` the head is behind the last brace; those of `if (A{} == b) {` are in parentheses.
    let mut depth = 0_usize;
    let last = before.iter().rposition(|token| {
        match token.kind {
            TokenKind::Punct(b')') => depth += 1,
            TokenKind::Punct(b'(') => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && matches!(token.kind, TokenKind::Punct(b'{' | b'}'))
    });
    let start = last.map_or(statement, |last| statement + last + 1);
    let first = tokens.get(start).filter(|_| start < brace.token);
    if first.is_some_and(|first| CONTROLS.contains(&first.span().text(source))) {
        start..brace.token
    } else {
        nothing
    }
}

/// A brace without a partner.
#[derive(Debug, Clone, Copy)]
struct Unpaired {
    token: usize,
    /// The token with which its statement begins, where it opens a block.
    statement: Option<usize>,
}

/// The indices of the lines `#if`, `#else` and `#endif` without a partner, in their order.
pub(super) fn unpaired_conditions(source: &str, tokens: &[Token]) -> Vec<usize> {
    let mut unpaired = Vec::new();
    // The `#if` lines that are open, and whether their `#else` was there.
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut last_closed = None;
    for (index, token) in tokens.iter().enumerate() {
        if token.kind != TokenKind::Directive {
            continue;
        }
        match word_of(token.span().text(source)) {
            "if" | "ifdef" | "ifndef" => open.push((index, false)),
            "elif" | "elifdef" | "elifndef"
                if open.last().is_none_or(|(_, has_else)| *has_else) =>
            {
                unpaired.push(index);
            }
            "else" => match open.last_mut() {
                Some((_, has_else)) if !*has_else => *has_else = true,
                _ => unpaired.push(index),
            },
            "endif" => match open.pop() {
                Some((opened, _)) => last_closed = Some((opened, open.len())),
                None => unpaired.push(index),
            },
            _ => {}
        }
    }
    for (depth, (index, _)) in open.iter().enumerate() {
        // The last `#endif` is that of the guard, which another `#if` took.
        let taken_by =
            last_closed.filter(|(_, outer)| depth == 0 && open.len() == 1 && *outer == 1);
        match taken_by {
            Some((other, _)) if is_guard(source, tokens, *index) => unpaired.push(other),
            _ => unpaired.push(*index),
        }
    }
    unpaired.sort_unstable();
    unpaired
}

/// Whether an `#ifndef` guards a header: it is the first token, and a `#define` follows.
fn is_guard(source: &str, tokens: &[Token], index: usize) -> bool {
    let defines = tokens.get(index + 1).is_some_and(|next| {
        next.kind == TokenKind::Directive && word_of(next.span().text(source)) == "define"
    });
    index == 0 && defines
}

/// The name of a directive.
fn word_of(line: &str) -> &str {
    let word = line.strip_prefix('#').unwrap_or_default().trim_start();
    let end = word.find(|c: char| !c.is_ascii_alphabetic());
    word.get(..end.unwrap_or(word.len())).unwrap_or_default()
}

/// The number of braces that close or open too much, where each branch of an `#if` begins at the level of the first;
/// `None` where the levels are too many.
fn surplus(source: &str, tokens: &[Token]) -> Option<usize> {
    let mut closed = 0;
    let mut branches = Branches::default();
    let mut depth = 0_usize;
    for token in tokens {
        match token.kind {
            TokenKind::Directive => branches.directive(token.span().text(source), &mut depth)?,
            TokenKind::Punct(b'{') => depth += 1,
            TokenKind::Punct(b'}') if depth == 0 => closed += 1,
            TokenKind::Punct(b'}') => depth -= 1,
            _ => {}
        }
    }
    Some(closed + depth)
}

/// The open braces at the branches of the `#if` groups around a place.
struct Branches<T>(Vec<(T, Option<T>)>);

impl<T> Default for Branches<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Clone> Branches<T> {
    /// Goes past a directive: each branch begins with the braces open at the `#if`, and those that the first has left open
    /// hold behind all. `None` where the groups are too many.
    fn directive(&mut self, line: &str, open: &mut T) -> Option<()> {
        match word_of(line) {
            "if" | "ifdef" | "ifndef" => {
                if self.0.len() >= limits::UNPAIRED_LEVELS {
                    return None;
                }
                self.0.push((open.clone(), None));
            }
            "elif" | "elifdef" | "elifndef" | "else" => {
                if let Some((before, first)) = self.0.last_mut() {
                    let branch = std::mem::replace(open, before.clone());
                    first.get_or_insert(branch);
                }
            }
            "endif" => {
                if let Some((_, Some(first))) = self.0.pop() {
                    *open = first;
                }
            }
            _ => {}
        }
        Some(())
    }
}

/// A brace that is open.
#[derive(Debug, Clone, Copy)]
struct Opened {
    token: usize,
    /// The indentation of the line on which it is and of the line on which its statement begins, the lower one first.
    indents: (usize, usize),
    /// The token with which its statement begins.
    statement: usize,
}

impl Opened {
    fn is_closed_at(&self, indent: usize) -> bool {
        (self.indents.0..=self.indents.1).contains(&indent)
    }
}

/// A brace that closes another one, and behind which the text goes on as if it had not.
#[derive(Debug, Clone, Copy)]
struct Doubtful {
    token: usize,
    indents: (usize, usize),
    /// The number of braces that are open behind it.
    depth: usize,
}

struct Pairing<'t> {
    source: &'t str,
    tokens: &'t [Token],
    /// The places of the lines, and the numbers of blanks with which they begin.
    lines: Vec<(usize, usize)>,
    open: Vec<Opened>,
    /// The last of them.
    doubtful: Option<Doubtful>,
    unpaired: Vec<Unpaired>,
    /// The first token of the statement being read.
    statement: usize,
    /// Parentheses that are open in it.
    parentheses: usize,
}

impl<'t> Pairing<'t> {
    fn new(source: &'t str, tokens: &'t [Token]) -> Self {
        Self {
            source,
            tokens,
            lines: lines(source),
            open: Vec::new(),
            doubtful: None,
            unpaired: Vec::new(),
            statement: 0,
            parentheses: 0,
        }
    }

    /// The unpaired braces; `None` where the levels are too many.
    fn run(mut self) -> Option<Vec<Unpaired>> {
        let mut branches = Branches::default();
        for (index, token) in self.tokens.iter().enumerate() {
            match token.kind {
                TokenKind::Directive => {
                    let line = token.span().text(self.source);
                    branches.directive(line, &mut self.open)?;
                    self.begin(index + 1);
                }
                TokenKind::Punct(b'{') => self.opens(index)?,
                TokenKind::Punct(b'}') => self.closes(index),
                TokenKind::Punct(b'(') => self.parentheses += 1,
                TokenKind::Punct(b')') => self.parentheses = self.parentheses.saturating_sub(1),
                TokenKind::Punct(b';') if self.parentheses == 0 => self.begin(index + 1),
                _ => {}
            }
        }
        // A declaration that nothing ends is cut off where the next one begins.
        Some(self.unpaired)
    }

    fn begin(&mut self, token: usize) {
        self.statement = token;
        self.parentheses = 0;
    }

    fn opens(&mut self, index: usize) -> Option<()> {
        if self.open.len() >= limits::UNPAIRED_LEVELS {
            return None;
        }
        let ends = [index, self.statement].map(|token| self.indent(token));
        self.open.push(Opened {
            token: index,
            indents: (ends[0].min(ends[1]), ends[0].max(ends[1])),
            statement: self.statement,
        });
        self.begin(index + 1);
        Some(())
    }

    fn closes(&mut self, index: usize) {
        let indent = self.is_first_on_line(index).then(|| self.indent(index));
        if let Some(indent) = indent
            && !self.goes_on_above(index, indent)
        {
            self.leave_open_above(indent);
        }
        let closed = self.open.last().copied();
        let fits = |open: &Opened| {
            indent.is_none_or(|indent| {
                let is_inside = indent < open.indents.0 && self.goes_on_above(index, indent);
                indent <= open.indents.1 && !is_inside
            })
        };
        let Some(open) = closed.filter(fits) else {
            let token = self.instead_of(index, indent);
            self.unpaired.push(Unpaired {
                token,
                statement: None,
            });
            self.begin(index + 1);
            return;
        };
        self.open.pop();
        self.note_doubtful(index, indent, open);
        // `a{1}, b{2} {` is one statement.
        if self.line_ends_behind(index) {
            self.begin(index + 1);
        } else {
            self.begin(open.statement);
        }
    }

    /// Takes the inner braces for unpaired that are indented more than one that closes another.
    fn leave_open_above(&mut self, indent: usize) {
        let closed = self.open.iter().rposition(|open| open.is_closed_at(indent));
        if let Some(closed) = closed
            && self
                .open
                .get(closed + 1..)
                .is_some_and(|inner| inner.iter().all(|open| open.indents.0 > indent))
        {
            let inner = self.open.drain(closed + 1..).map(|open| Unpaired {
                token: open.token,
                statement: Some(open.statement),
            });
            self.unpaired.extend(inner);
        }
    }

    /// Remembers a brace that ends a block of several lines where the next line is inside of it.
    fn note_doubtful(&mut self, index: usize, indent: Option<usize>, open: Opened) {
        let is_in_one_line = indent.is_none() && self.line_of(open.token) == self.line_of(index);
        if !is_in_one_line && self.goes_on_above(index, open.indents.0) {
            self.doubtful = Some(Doubtful {
                token: index,
                indents: open.indents,
                depth: self.open.len(),
            });
        }
    }

    /// Whether the next line is indented more than `indent`.
    fn goes_on_above(&self, index: usize, indent: usize) -> bool {
        let next = self.tokens.get(index + 1);
        self.line_ends_behind(index)
            && next.is_some_and(|next| next.kind != TokenKind::Directive)
            && self.indent(index + 1) > indent
    }

    /// The unpaired brace where the one at `index` closes too much: the last one that ended a block in its middle, where
    /// this one is its end, or this one.
    fn instead_of(&mut self, index: usize, indent: Option<usize>) -> usize {
        let ends = |doubtful: &Doubtful| {
            let (from, to) = doubtful.indents;
            doubtful.depth >= self.open.len()
                && indent.is_none_or(|indent| (from..=to).contains(&indent))
        };
        let doubtful = self.doubtful.take().filter(ends);
        doubtful.map_or(index, |doubtful| doubtful.token)
    }

    /// The place of the line of a token, and the blanks with which it begins.
    fn line_of(&self, token: usize) -> (usize, usize) {
        let at = self.tokens.get(token).map_or(0, |token| token.span().start);
        let behind = self.lines.partition_point(|(start, _)| *start <= at);
        let line = behind.checked_sub(1).and_then(|line| self.lines.get(line));
        line.copied().unwrap_or_default()
    }

    fn indent(&self, token: usize) -> usize {
        self.line_of(token).1
    }

    fn is_first_on_line(&self, token: usize) -> bool {
        let (start, blank) = self.line_of(token);
        let place = self.tokens.get(token).map(|token| token.span().start);
        place == Some(start + blank)
    }

    /// Whether the token at `index` ends its line or the text.
    fn line_ends_behind(&self, index: usize) -> bool {
        index + 1 >= self.tokens.len() || self.line_of(index) != self.line_of(index + 1)
    }
}

/// The places of the lines of a text, and the numbers of blanks with which they begin.
fn lines(text: &str) -> Vec<(usize, usize)> {
    let mut start = 0;
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let blank = line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t'));
        lines.push((start, blank.count()));
        start += line.len() + 1;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::prepass::prepare;
    use super::super::tokens::scan;
    use super::{unpaired_braces, unpaired_conditions};

    const SOURCE: &str = "namespace n {\n\n\
        template <class T>\nstruct S {\n  using A = T;\n\n  void first(int n) {\n    int a = n;\n    if (a &&\n        n) {\n      \
        a = 1;\n    }\n    for (int i = 0; i < n; ++i) {\n      a += i;\n      if (a) { a = 2; }\n    }\n    auto b = f(a);\n  \
        }\n\n  S()\n    : a{1},\n      b{2} {\n    a = 3;\n  }\n};\n\nvoid last() {\n  int c = 1;\n  int d = g(c);\n}\n\n\
        } // namespace n\n";

    fn lines_of_unpaired(source: &str) -> Vec<usize> {
        let tokens = scan(source).tokens;
        let found = unpaired_braces(source, &tokens);
        let places = found.iter().map(|at| tokens[*at].span());
        places
            .filter(|place| ["{", "}"].contains(&place.text(source)))
            .map(|place| source[..place.start].matches('\n').count())
            .collect()
    }

    /// The source with a line put in before one of its lines.
    fn with_line(at: usize, line: &str) -> String {
        let mut lines: Vec<&str> = SOURCE.split('\n').collect();
        lines.insert(at, line);
        lines.join("\n")
    }

    #[test]
    fn where_all_have_partners_none_is_unpaired() {
        for text in [
            SOURCE,
            "void f() {\n{\n}\n  }\n",
            "#if A\nvoid f(int a) {\n#else\nvoid f() {\n#endif\n  g();\n}\n",
            "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f();\n#ifdef __cplusplus\n}\n#endif\n",
        ] {
            assert_eq!(lines_of_unpaired(text), Vec::<usize>::new(), "{text}");
        }
    }

    #[test]
    fn a_condition_that_has_no_end_yet_is_found() {
        let guarded = |inside: &str| {
            format!(
                "#ifndef G\n#define G\n#if A\nint a;\n#else\nint b;\n#endif\n{inside}#ifdef B\nint c;\n#endif\n#endif\n"
            )
        };
        let lines = |source: &str| -> Vec<usize> {
            let found = unpaired_conditions(source, &scan(source).tokens);
            let places = found.iter().map(|at| scan(source).tokens[*at].span().start);
            places
                .map(|at| source[..at].matches('\n').count())
                .collect()
        };
        assert_eq!(lines(&guarded("")), Vec::<usize>::new());
        for typed in ["#if 1\n", "#ifdef X\n", "#if"] {
            assert_eq!(lines(&guarded(&format!("{typed}\n"))), [7], "{typed}");
        }
        for (source, found) in [
            ("#if A\nvoid f();\n", vec![0]),
            ("int a;\n#endif\n", vec![1]),
            ("int a;\n#else\nint b;\n", vec![1]),
            ("#if A\n#else\n#else\n#endif\n", vec![2]),
            ("#if A\n#if B\n#endif\n", vec![0]),
            ("#pragma once\n#if A\n#elif B\n#else\n#endif\n", vec![]),
        ] {
            assert_eq!(lines(source), found, "{source}");
        }
    }

    #[test]
    fn a_brace_too_much_is_found_on_its_line() {
        let count = SOURCE.split('\n').count();
        let mut wrong = Vec::new();
        for at in 4..count - 3 {
            let next = SOURCE.split('\n').nth(at).unwrap_or_default();
            // Before a brace or the start of a declaration at its own level nothing tells which of the two it is.
            let indent = next.len() - next.trim_start().len();
            if indent == 0 {
                continue;
            }
            for typed in [format!("{}}}", " ".repeat(indent)), "}".to_owned()] {
                let source = with_line(at, &typed);
                let found = lines_of_unpaired(&source);
                let is_end = next.trim_start().starts_with('}');
                if found != [at] && !(is_end && found == [at + 1]) {
                    wrong.push((at, typed, found));
                }
            }
        }
        assert_eq!(wrong, []);
    }

    #[test]
    fn a_block_that_is_not_closed_yet_is_found_on_its_line() {
        let count = SOURCE.split('\n').count();
        let mut wrong = Vec::new();
        for at in 7..count - 3 {
            let next = SOURCE.split('\n').nth(at).unwrap_or_default();
            let indent = next.len() - next.trim_start().len();
            if indent < 4 || next.trim_start().starts_with(['n', ':', 'b', '}']) {
                continue;
            }
            let source = with_line(at, &format!("{}if (x) {{", " ".repeat(indent)));
            let found = lines_of_unpaired(&source);
            if found != [at] {
                wrong.push((at, found));
            }
        }
        assert_eq!(wrong, []);
    }

    #[test]
    fn the_head_of_a_control_statement_goes_with_its_brace() {
        let seen = |typed: &str| {
            let source = with_line(12, typed);
            let prepared = prepare(&source);
            let text = String::from_utf8(prepared.text).unwrap();
            text.split('\n')
                .nth(12)
                .unwrap_or_default()
                .trim()
                .to_owned()
        };
        for typed in [
            "    do {",
            "    while (n > 0) {",
            "    for (int j = 0; j < n; ++j) {",
            "    if constexpr (A{} == n) {",
            "    switch (n) {",
        ] {
            assert_eq!(seen(typed), "", "{typed}");
        }
        assert_eq!(seen("    struct T {"), "struct T");
        assert_eq!(seen("    if (a) { b = 1; } else {"), "if (a) { b = 1; }");
        assert_eq!(seen("    if (a) { b = 1; }"), "if (a) { b = 1; }");
    }

    #[test]
    fn a_brace_behind_a_statement_is_found() {
        let source = SOURCE.replace("int a = n;", "int a = n; }");
        assert_eq!(lines_of_unpaired(&source), [7]);
    }

    #[test]
    fn where_the_indentation_does_not_tell_nothing_is_changed() {
        for text in [
            "void f() {\ng();\n}\n}\nvoid h() {\n",
            "}}}}}}}}",
            "void f() {\n  g();\n",
        ] {
            let prepared = prepare(text);
            let same = String::from_utf8(prepared.text).unwrap();
            assert_eq!(same, text);
        }
    }
}
