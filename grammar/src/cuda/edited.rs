//! A source made ready again after an edit inside one declaration: only that declaration is split
//! into tokens and read again, the others are as they were, further up or down.
//!
//! The result of the pre-pass for a declaration depends on its own tokens, on the one before it, and on the macros that
//! the file's directives define; the result of the outline, on its own tokens. So an edit is taken for one inside a
//! declaration only where it is a declaration with all its brackets by itself, before and after the edit, with no
//! `#define` in it and with its first and its last byte as they were. Everything else is prepared as a whole.

use super::outline::{self, Outline, Piece};
use super::prepass::{self, Pass, Prepared};
use super::tokens::{self, Scan, Token, TokenKind};
use crate::incremental::{equal_at_end, equal_at_start};
use crate::outline::{BranchParts, Part};
use crate::tree::{Comment, Ident, Span};

/// The result of [`prepare`](super::prepass::prepare) for `source`, found from that for `before`; `None` where the
/// texts do not differ inside one declaration.
pub(super) fn prepared_again(before: &str, known: &Prepared, source: &str) -> Option<Prepared> {
    let moved = Moved::between(before, known, source)?;
    declaration(moved.from.text(before))?;
    let now_text = moved.to.text(source);
    let mut now = declaration(now_text)?;
    let front = token_in_front(before, known, moved.index)?;

    // The pass sees the token before the declaration as one of it, without its text.
    let first_own = front.len();
    now.tokens.splice(0..0, front);
    let mut blanked = Pass::over_tokens(now_text, now.tokens, &known.own).run(first_own);
    for comment in &now.comments {
        prepass::blank(&mut blanked, comment.span.start, comment.span.end);
    }

    let mut text = Vec::with_capacity(source.len());
    text.extend_from_slice(known.text.get(..moved.from.start)?);
    text.extend_from_slice(&blanked);
    text.extend_from_slice(known.text.get(moved.from.end..)?);

    let before_it = known
        .comments
        .partition_point(|comment| comment.span.start < moved.from.start);
    let behind_it = known
        .comments
        .partition_point(|comment| comment.span.start < moved.from.end);
    let mut comments = Vec::with_capacity(known.comments.len() + now.comments.len());
    comments.extend_from_slice(known.comments.get(..before_it)?);
    let start = moved.from.start;
    comments.extend(now.comments.iter().map(|comment| Comment {
        span: Span::new(comment.span.start + start, comment.span.end + start),
        content: Span::new(comment.content.start + start, comment.content.end + start),
    }));
    let behind = known.comments.get(behind_it..)?.iter();
    comments.extend(behind.map(|comment| Comment {
        span: moved.span(comment.span),
        content: moved.span(comment.content),
    }));

    let pieces = known.outline.pieces.iter().map(|piece| Piece {
        span: moved.span(piece.span),
        is_condition: piece.is_condition,
        is_packed: piece.is_packed,
    });
    Some(Prepared {
        text,
        comments,
        outline: Outline {
            pieces: pieces.collect(),
            parts: moved.parts(&known.outline.parts),
            nests: true,
        },
        unpaired: Vec::new(),
        own: known.own.clone(),
    })
}

/// The tokens and comments of a text that is one whole declaration and defines no macro.
fn declaration(text: &str) -> Option<Scan> {
    let scan = tokens::scan(text);
    let (first, last) = (scan.tokens.first()?, scan.tokens.last()?);
    let is_whole = first.kind == TokenKind::Word
        && first.span().start == 0
        && (last.is(b';') || last.is(b'}'))
        && last.span().end == text.len()
        && !scan
            .tokens
            .iter()
            .any(|token| prepass::defines(*token, text) || prepass::packs(*token, text))
        && outline::is_one_declaration(text, &scan.tokens);
    is_whole.then_some(scan)
}

/// The token before a piece, without its text, or none at the start of the file; `None` where
/// that cannot be told without the tokens of the file.
fn token_in_front(source: &str, known: &Prepared, index: usize) -> Option<Vec<Token>> {
    let piece = known.outline.pieces.get(index)?;
    let previous = match index.checked_sub(1) {
        Some(previous) => Some(known.outline.pieces.get(previous)?),
        None => None,
    };
    let start = previous.map_or(0, |previous| previous.span.end);
    let gap = source.get(start..piece.span.start)?;
    if let Some(token) = tokens::scan(gap).tokens.last() {
        // A `#` on the line of the text before the gap begins no directive.
        let before = source.get(..start)?.bytes().next_back();
        let first_line = gap.split('\n').next().unwrap_or_default();
        if before.is_some_and(|byte| byte != b'\n') && first_line.contains('#') {
            return None;
        }
        return matches!(token.kind, TokenKind::Punct(_) | TokenKind::Directive)
            .then(|| vec![Token::empty(token.kind)]);
    }
    let Some(previous) = previous else {
        return Some(Vec::new());
    };
    let kind = match previous.span.text(source).bytes().next_back()? {
        _ if previous.is_condition => TokenKind::Directive,
        // Only a directive is a piece with its line end.
        b'\n' => TokenKind::Directive,
        byte @ (b';' | b'}') => TokenKind::Punct(byte),
        _ => return None,
    };
    Some(vec![Token::empty(kind)])
}

/// A declaration that changed, and where everything else is now.
struct Moved {
    /// The index of the piece.
    index: usize,
    from: Span,
    to: Span,
}

impl Moved {
    fn between(before: &str, known: &Prepared, source: &str) -> Option<Self> {
        if !known.outline.nests {
            return None;
        }
        let (old, new) = (before.as_bytes(), source.as_bytes());
        let start = equal_at_start(old, new);
        let most = old.len().min(new.len()) - start;
        let end = equal_at_end(old.get(old.len() - most..)?, new.get(new.len() - most..)?);
        let (old_end, new_end) = (old.len() - end, new.len() - end);
        let behind = known
            .outline
            .pieces
            .partition_point(|piece| piece.span.start < start);
        let index = behind.checked_sub(1)?;
        let piece = known.outline.pieces.get(index)?;
        let is_inside = start > piece.span.start && old_end < piece.span.end;
        (is_inside && !piece.is_condition).then(|| Self {
            index,
            from: piece.span,
            to: Span::new(piece.span.start, piece.span.end - old_end + new_end),
        })
    }

    fn byte(&self, byte: usize) -> usize {
        if byte < self.from.end {
            byte
        } else {
            byte - self.from.end + self.to.end
        }
    }

    /// A span that is not inside the declaration.
    fn span(&self, span: Span) -> Span {
        Span::new(self.byte(span.start), self.byte(span.end))
    }

    fn parts(&self, parts: &[Part]) -> Vec<Part> {
        parts.iter().map(|part| self.part(part)).collect()
    }

    fn part(&self, part: &Part) -> Part {
        match part {
            Part::Piece(piece) => Part::Piece(*piece),
            Part::Namespace {
                names,
                inline,
                span,
                parts,
            } => Part::Namespace {
                names: names
                    .iter()
                    .map(|name| Ident {
                        name: name.name.clone(),
                        span: self.span(name.span),
                    })
                    .collect(),
                inline: *inline,
                span: self.span(*span),
                parts: self.parts(parts),
            },
            Part::Conditional { span, branches } => Part::Conditional {
                span: self.span(*span),
                branches: branches
                    .iter()
                    .map(|branch| BranchParts {
                        condition: branch.condition,
                        parts: self.parts(&branch.parts),
                    })
                    .collect(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::prepass::prepare;
    use super::*;

    const SOURCE: &str = "#define DEV __device__\nnamespace n { // one\n\
        DEV void f() { /* two */ g(1); }\nvoid g(int) { h(); }\n} // three\n\
        #if A\nint x = 1;\n#endif\nMY_DEV struct S { int a; };\nint last = 3;\n";

    /// The result found from the version before, after a comparison with the one found afresh.
    fn again(source: &str, what: &str, with: &str) -> Option<Prepared> {
        let after = source.replacen(what, with, 1);
        assert_ne!(source, after);
        let again = prepared_again(source, &prepare(source), &after);
        if let Some(again) = &again {
            assert_eq!(again, &prepare(&after), "{after}");
        }
        again
    }

    #[test]
    fn an_edit_inside_a_declaration_prepares_that_one_again() {
        for (what, with) in [
            ("g(1)", "g(1, 2)"),
            ("g(1)", "DEV auto y = 1 /* more */; // end\n"),
            ("/* two */", ""),
            ("h();", "{ MY_UNROLL for (;;) {} }"),
            ("int a;", "int a; // a comment\n"),
            ("last", "the_last_of_them"),
            ("g(1);", "\n#if 1\n g(1);\n#endif\n"),
            ("g(1);", "\n#pragma unroll\nfor (;;) {}"),
            ("x = 1", "x"),
        ] {
            assert!(again(SOURCE, what, with).is_some(), "{what} -> {with}");
        }
    }

    #[test]
    fn wherever_something_is_typed_what_is_found_is_what_is_there() {
        let source = include_str!("../../tests/fixtures/kernel.cu");
        let known = prepare(source);
        let mut found = 0;
        for (at, letter) in source.char_indices().step_by(2) {
            let behind = &source[at + letter.len_utf8()..];
            let removed = [&source[..at], behind].concat();
            if let Some(again) = prepared_again(source, &known, &removed) {
                assert_eq!(again, prepare(&removed), "removed at {at}\n{removed}");
            }
            for typed in [
                "x",
                "{}",
                ";",
                "(",
                "//",
                "/*",
                "\"",
                "\n#if 1\n",
                "dim3 g(M, N);",
                "};",
            ] {
                let after = [&source[..at], typed, &source[at..]].concat();
                if let Some(again) = prepared_again(source, &known, &after) {
                    found += 1;
                    assert_eq!(again, prepare(&after), "{typed} at {at}\n{after}");
                }
            }
        }
        assert!(found > source.len(), "{found}");
    }

    #[test]
    fn any_other_edit_is_none_inside_a_declaration() {
        for (what, with) in [
            ("g(1);", "g(1;"),
            ("g(1);", "} void k() {"),
            ("g(1);", "\n#if 1\n"),
            ("g(1);", "\n#endif\n"),
            ("g(1);", "\n#define DEV\n"),
            ("g(1);", "/* "),
            ("g(1);", "\""),
            ("void g(int) {", "void g(int) {{"),
            ("__device__", "__host__"),
            ("namespace n", "namespace m"),
            ("int a; };", "int a; }"),
            ("// one", "// another"),
            ("#if A", "#if B"),
        ] {
            assert!(again(SOURCE, what, with).is_none(), "{what} -> {with}");
        }
        let unbalanced = format!("{SOURCE}}}\n");
        assert!(again(&unbalanced, "g(1)", "g(2)").is_none());
    }
}
