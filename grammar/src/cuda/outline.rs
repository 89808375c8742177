//! The outline of a file: namespaces, `#if` groups, and the declarations in them as pieces of text
//! that are parsed each on its own.
//!
//! A piece that an edit did not touch keeps its tree, a syntax error stays inside its piece, and the items of a piece
//! depend on its text alone. Too large a piece (several declarations) is harmless; so where the nesting of brackets and
//! directives is in doubt, pieces stay together.

use super::tokens::{Token, TokenKind};
use crate::outline::{BranchParts, LEVELS, Part};
use crate::tree::{Ident, Span};

/// A part that is parsed separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Its position in the file.
    pub(crate) span: Span,
    /// Whether it is the `#if`, `#ifdef` or `#elif` line of a branch, not a declaration.
    pub(crate) is_condition: bool,
    /// Whether `#pragma pack` applies to its declarations.
    pub(crate) is_packed: bool,
}

/// A file's pieces and how they nest.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Outline {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) parts: Vec<Part>,
    /// Whether all brackets have their partners, and directives nest with them.
    pub(super) nests: bool,
}

impl Outline {
    /// Marks the pieces that are packed, all or part of them: `changes` says where that begins and ends.
    pub(super) fn mark_packed(&mut self, changes: &[(usize, bool)]) {
        if changes.is_empty() {
            return;
        }
        for piece in &mut self.pieces {
            let before = changes.partition_point(|(at, _)| *at < piece.span.start);
            let behind = changes.partition_point(|(at, _)| *at < piece.span.end);
            let first = before.checked_sub(1);
            let holds = changes.get(first.unwrap_or(0)..behind);
            let holds = holds.unwrap_or_default();
            piece.is_packed = !piece.is_condition && holds.iter().any(|(_, packed)| *packed);
        }
    }
}

/// Finds the outline of `source` from its tokens.
pub(super) fn outline(source: &str, tokens: &[Token]) -> Outline {
    let nests = brackets_match(tokens);
    let mut builder = Builder::new(source, tokens, !nests);
    match builder.run() {
        Some(()) => Outline {
            nests,
            ..builder.outline
        },
        None => whole(source),
    }
}

/// Whether the tokens of a text are one declaration that ends with the last of them.
pub(super) fn is_one_declaration(source: &str, tokens: &[Token]) -> bool {
    if !brackets_match(tokens) {
        return false;
    }
    let mut builder = Builder::new(source, tokens, false);
    builder.read_tokens().is_some()
        && builder.first.is_none()
        && builder.frames.is_empty()
        // A `;` alone is part of none.
        && builder.outline.pieces == whole(source).pieces
        && builder.outline.parts == [Part::Piece(0)]
}

/// The file as one piece.
fn whole(source: &str) -> Outline {
    let span = Span::new(0, source.len());
    Outline {
        pieces: vec![Piece {
            span,
            is_condition: false,
            is_packed: false,
        }],
        parts: vec![Part::Piece(0)],
        nests: false,
    }
}

/// Whether every bracket has its partner.
pub(super) fn brackets_match(tokens: &[Token]) -> bool {
    let mut open = Vec::new();
    for token in tokens {
        match token.kind {
            TokenKind::Punct(b'(') => open.push(b')'),
            TokenKind::Punct(b'[') => open.push(b']'),
            TokenKind::Punct(b'{') => open.push(b'}'),
            TokenKind::Punct(close @ (b')' | b']' | b'}')) if open.pop() != Some(close) => {
                return false;
            }
            _ => {}
        }
    }
    open.is_empty()
}

/// A bracket or `#if` that is open inside a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Parenthesis,
    Square,
    Brace,
    If,
}

/// The progress through the template head of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Head {
    None,
    Expected,
    /// Inside, this many angle brackets deep.
    Inside(usize),
}

/// An open namespace or `#if` group, with the parts around it.
struct Frame {
    outer: Vec<Part>,
    start: usize,
    kind: FrameKind,
}

enum FrameKind {
    Namespace {
        names: Vec<Ident>,
        inline: bool,
    },
    Conditional {
        branches: Vec<BranchParts>,
        condition: Option<usize>,
    },
}

struct Builder<'t> {
    source: &'t str,
    tokens: &'t [Token],
    /// Some bracket has no partner: a declaration at the start of a line closes the open brackets.
    resynchronises: bool,
    frames: Vec<Frame>,
    outline: Outline,
    /// The first token of the piece being read.
    first: Option<usize>,
    /// The constructs that are open in it.
    open: Vec<Open>,
    /// The constructs that the first branch of each open `#if` has left open, which hold for all its branches.
    first_branches: Vec<Option<Vec<Open>>>,
    head: Head,
    /// It defines a type or alias, which ends with `;` and not with `}`.
    needs_semicolon: bool,
}

impl<'t> Builder<'t> {
    fn new(source: &'t str, tokens: &'t [Token], resynchronises: bool) -> Self {
        Self {
            source,
            tokens,
            resynchronises,
            frames: Vec::new(),
            outline: Outline::default(),
            first: None,
            open: Vec::new(),
            first_branches: Vec::new(),
            head: Head::None,
            needs_semicolon: false,
        }
    }

    /// `None` when directives and brackets do not nest.
    fn run(&mut self) -> Option<()> {
        self.read_tokens()?;
        if self.first.is_some() {
            self.finish(self.tokens.len().checked_sub(1)?);
        }
        while let Some(Frame {
            kind: FrameKind::Namespace { .. },
            ..
        }) = self.frames.last()
        {
            self.close_frame(self.source.len());
        }
        self.frames.is_empty().then_some(())
    }

    /// Goes through the tokens; the last declaration may stay open.
    fn read_tokens(&mut self) -> Option<()> {
        let mut index = 0;
        while let Some(token) = self.tokens.get(index).copied() {
            if self.resynchronises && self.first.is_some() && self.starts_over(index) {
                self.finish(index - 1);
            }
            index = match token.kind {
                TokenKind::Directive => {
                    self.directive(index)?;
                    index + 1
                }
                TokenKind::Word => self.word_at(index),
                TokenKind::Literal => self.extend(index),
                TokenKind::Punct(byte) => self.punct(index, byte)?,
            };
        }
        Some(())
    }

    fn word(&self, index: usize) -> Option<&str> {
        let token = self.tokens.get(index)?;
        (token.kind == TokenKind::Word).then(|| token.span().text(self.source))
    }

    fn is(&self, index: usize, byte: u8) -> bool {
        self.tokens.get(index).is_some_and(|token| token.is(byte))
    }

    /// Makes the token part of the piece being read.
    fn extend(&mut self, index: usize) -> usize {
        if self.first.is_none() {
            self.first = Some(index);
            self.head = Head::None;
            self.needs_semicolon = false;
        }
        index + 1
    }

    /// Ends the piece being read with the token at `last`.
    fn finish(&mut self, last: usize) {
        self.open.clear();
        self.first_branches.clear();
        let Some(first) = self.first.take() else {
            return;
        };
        let ends = [first, last].map(|index| self.tokens.get(index).map(|token| token.span()));
        let [Some(first), Some(last)] = ends else {
            return;
        };
        let is_directive = last.text(self.source).starts_with('#');
        let mut span = first.to(last);
        if is_directive {
            span.end = self.line_end(span.end);
        }
        let piece = self.piece(span, false);
        self.outline.parts.push(Part::Piece(piece));
    }

    fn piece(&mut self, span: Span, is_condition: bool) -> usize {
        self.outline.pieces.push(Piece {
            span,
            is_condition,
            is_packed: false,
        });
        self.outline.pieces.len() - 1
    }

    /// The end of a directive's line with its line end, which the grammar asks for.
    fn line_end(&self, end: usize) -> usize {
        let rest = self.source.get(end..).unwrap_or_default();
        end + rest.find('\n').map_or(0, |at| at + 1)
    }

    fn word_at(&mut self, index: usize) -> usize {
        if self.first.is_none()
            && let Some(after) = self.namespace(index)
        {
            return after;
        }
        self.extend(index);
        if self.open.is_empty() && !matches!(self.head, Head::Inside(_)) {
            match self.word(index) {
                Some("template") => self.head = Head::Expected,
                Some("struct" | "class" | "union" | "enum" | "typedef" | "using" | "concept") => {
                    self.needs_semicolon = true;
                }
                _ => {}
            }
        }
        index + 1
    }

    /// `[inline] namespace a::b {` opens a frame; the index behind it.
    fn namespace(&mut self, index: usize) -> Option<usize> {
        let inline = self.word(index) == Some("inline");
        let mut at = index + usize::from(inline);
        if self.word(at) != Some("namespace") || self.frames.len() >= LEVELS {
            return None;
        }
        at += 1;
        let mut names = Vec::new();
        while let Some(name) = self.word(at) {
            let span = self.tokens.get(at)?.span();
            names.push(Ident {
                name: name.to_owned(),
                span,
            });
            at += 1;
            if self.is(at, b':') && self.is(at + 1, b':') {
                at += 2;
            }
        }
        if !self.is(at, b'{') {
            return None;
        }
        let start = self.tokens.get(index)?.span().start;
        self.push_frame(start, FrameKind::Namespace { names, inline });
        Some(at + 1)
    }

    fn push_frame(&mut self, start: usize, kind: FrameKind) {
        let outer = std::mem::take(&mut self.outline.parts);
        self.frames.push(Frame { outer, start, kind });
    }

    fn close_frame(&mut self, end: usize) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        let span = Span::new(frame.start, end);
        let parts = std::mem::replace(&mut self.outline.parts, frame.outer);
        self.outline.parts.push(match frame.kind {
            FrameKind::Namespace { names, inline } => Part::Namespace {
                names,
                inline,
                span,
                parts,
            },
            FrameKind::Conditional {
                mut branches,
                condition,
            } => {
                branches.push(BranchParts { condition, parts });
                Part::Conditional { span, branches }
            }
        });
    }

    fn punct(&mut self, index: usize, byte: u8) -> Option<usize> {
        if self.first.is_none() {
            if byte == b'}' {
                // A brace that closes nothing is its own piece, an error.
                let frame = self.frames.last();
                if matches!(
                    frame,
                    Some(Frame {
                        kind: FrameKind::Namespace { .. },
                        ..
                    })
                ) {
                    self.close_frame(self.tokens.get(index)?.span().end);
                    return Some(index + 1);
                }
                if !self.frames.is_empty() {
                    return None;
                }
                self.extend(index);
                self.finish(index);
                return Some(index + 1);
            }
            if byte == b';' {
                return Some(index + 1);
            }
        }
        self.extend(index);
        match byte {
            b'(' => self.open.push(Open::Parenthesis),
            b'[' => self.open.push(Open::Square),
            b'{' => self.open.push(Open::Brace),
            b')' if self.open.last() == Some(&Open::Parenthesis) => {
                self.open.pop();
            }
            b']' if self.open.last() == Some(&Open::Square) => {
                self.open.pop();
            }
            b'}' => return Some(self.close_brace(index)),
            b';' if self.open.is_empty() => self.finish(index),
            b'<' | b'>' if self.open.is_empty() => self.angle(index, byte),
            _ => {}
        }
        Some(index + 1)
    }

    /// Template heads are followed so that their `class T` is not taken for a definition.
    fn angle(&mut self, index: usize, byte: u8) {
        self.head = match (self.head, byte) {
            (Head::Expected, b'<') => Head::Inside(1),
            (Head::Inside(depth), b'<') => Head::Inside(depth + 1),
            (Head::Inside(depth), b'>')
                if !index.checked_sub(1).is_some_and(|i| self.is(i, b'-')) =>
            {
                if depth == 1 {
                    Head::None
                } else {
                    Head::Inside(depth - 1)
                }
            }
            (head, _) => head,
        };
    }

    /// Takes a closing brace and returns the index to go on with.
    fn close_brace(&mut self, index: usize) -> usize {
        // Parentheses that were left open inside the braces end with them.
        let mut inner = self.open.iter().enumerate().rev();
        let around = inner.find(|(_, open)| matches!(open, Open::Brace | Open::If));
        match around {
            Some((brace, Open::Brace)) => self.open.truncate(brace),
            // Branches of an `#if` may close brackets opened before it, each on its own.
            Some(_) => return index + 1,
            None => {
                // The brace closes a namespace; the piece before it is unfinished.
                self.finish(index - 1);
                return index;
            }
        }
        if self.open.is_empty() && !self.needs_semicolon && self.ends_with_brace(index) {
            self.finish(index);
        }
        index + 1
    }

    /// Whether nothing of the same declaration follows the brace at `index`.
    fn ends_with_brace(&self, index: usize) -> bool {
        match self.tokens.get(index + 1).map(|token| token.kind) {
            None | Some(TokenKind::Directive | TokenKind::Punct(b'}' | b'[')) => true,
            Some(TokenKind::Word) => !matches!(self.word(index + 1), Some("catch" | "else")),
            Some(_) => false,
        }
    }

    fn directive(&mut self, index: usize) -> Option<()> {
        let span = self.tokens.get(index)?.span();
        let word = span.text(self.source).strip_prefix('#')?.trim_start();
        let end = word
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(word.len());
        let word = word.get(..end)?;
        if self.first.is_some() {
            return self.directive_inside(word);
        }
        match word {
            "if" | "ifdef" | "ifndef" => {
                if self.frames.len() >= LEVELS {
                    return None;
                }
                let condition = Some(self.piece(span, true));
                let kind = FrameKind::Conditional {
                    branches: Vec::new(),
                    condition,
                };
                self.push_frame(span.start, kind);
            }
            "elif" | "elifdef" | "elifndef" | "else" => {
                let next = if word == "else" {
                    None
                } else {
                    Some(self.piece(span, true))
                };
                let parts = std::mem::take(&mut self.outline.parts);
                let frame = self.frames.last_mut()?;
                let FrameKind::Conditional {
                    branches,
                    condition,
                } = &mut frame.kind
                else {
                    return None;
                };
                branches.push(BranchParts {
                    condition: std::mem::replace(condition, next),
                    parts,
                });
            }
            "endif" => {
                let frame = self.frames.last()?;
                if !matches!(frame.kind, FrameKind::Conditional { .. }) {
                    return None;
                }
                self.close_frame(span.end);
            }
            _ => {
                self.extend(index);
                self.finish(index);
            }
        }
        Some(())
    }

    /// A directive in the middle of a declaration stays there; its group must end there too.
    fn directive_inside(&mut self, word: &str) -> Option<()> {
        match word {
            "if" | "ifdef" | "ifndef" => {
                self.open.push(Open::If);
                self.first_branches.push(None);
            }
            "elif" | "elifdef" | "elifndef" | "else" => {
                let branch = self.end_branch()?;
                self.first_branches.last_mut()?.get_or_insert(branch);
            }
            "endif" => {
                let branch = self.end_branch()?;
                self.open.pop();
                let first = self.first_branches.pop()?.unwrap_or(branch);
                self.open.extend(first);
            }
            _ => {}
        }
        Some(())
    }

    /// Takes away the brackets that the current branch of the innermost `#if` has left open.
    fn end_branch(&mut self) -> Option<Vec<Open>> {
        let start = self.open.iter().rposition(|open| *open == Open::If)?;
        Some(self.open.split_off(start + 1))
    }

    /// Whether the token at `index`, at the start of a line, begins a declaration of the file.
    fn starts_over(&self, index: usize) -> bool {
        let Some(token) = self.tokens.get(index) else {
            return false;
        };
        let start = token.span().start;
        let at_line_start = start
            .checked_sub(1)
            .is_some_and(|before| self.source.as_bytes().get(before) == Some(&b'\n'));
        at_line_start
            && !self.open.is_empty()
            && matches!(
                self.word(index),
                Some(
                    "template"
                        | "namespace"
                        | "__global__"
                        | "struct"
                        | "class"
                        | "using"
                        | "static"
                        | "void"
                        | "typedef"
                        | "int"
                        | "enum"
                )
            )
    }
}

#[cfg(test)]
mod tests;
