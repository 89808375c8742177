//! The replacement of a macro by the preprocessor, as tokens with their origins.
//!
//! Calls that are written in one piece stay as they are: whoever reads the text expands them at their own place. Those
//! that a replacement puts together of several are expanded here (`#define BOTH(...) EACH(a, __VA_ARGS__)`).

use std::borrow::Cow;

use super::tokens::{TokenKind, scan};
use crate::assembled::Origin;
use crate::limits::{EXPANSION_DEPTH, EXPANSION_TOKENS};
use crate::tree::{Ident, Span};

/// A macro as it is replaced.
#[derive(Debug, Clone, Copy)]
pub struct Macro<'t> {
    /// Its parameters; `None` where it takes no arguments.
    pub params: Option<&'t [Ident]>,
    /// Whether it takes more arguments than that.
    pub variadic: bool,
    /// Its replacement text.
    pub body: &'t str,
    /// The start of that text.
    pub body_start: usize,
}

/// The macros in force by their names, except those that represent themselves.
pub type Macros<'f, 't> = dyn Fn(&str) -> Option<Macro<'t>> + 'f;

/// A token of a replacement.
#[derive(Debug, Clone)]
pub(super) struct Piece<'t> {
    pub(super) text: Cow<'t, str>,
    kind: TokenKind,
    /// Its position; `None` for an assembled token.
    pub(super) origin: Option<Origin>,
    /// The text before it, after the token before it.
    pub(super) gap: &'t str,
}

impl Piece<'_> {
    fn is(&self, punct: u8) -> bool {
        self.kind == TokenKind::Punct(punct)
    }

    fn is_word(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text == word
    }

    /// Whether it is a line of the preprocessor's.
    pub(super) fn is_directive(&self) -> bool {
        self.kind == TokenKind::Directive
    }

    /// Whether it is behind another in one text.
    pub(super) fn follows(&self, before: &Piece<'_>) -> bool {
        Origin::follows(self.origin, before.origin)
    }

    /// The text of the replacement of a `#x`, which no layout depends on.
    fn some_string() -> Self {
        Self {
            text: Cow::Borrowed("\"\""),
            kind: TokenKind::Literal,
            origin: None,
            gap: "",
        }
    }
}

/// The tokens of a text that is at a place.
pub(super) fn pieces(text: &str, start: usize) -> Vec<Piece<'_>> {
    let mut end = 0;
    let tokens = scan(text).tokens.into_iter().enumerate();
    let pieces = tokens.map(|(number, token)| {
        let span = token.span();
        let gap = Span::new(end, span.start).text(text);
        end = span.end;
        Piece {
            text: Cow::Borrowed(span.text(text)),
            kind: token.kind,
            origin: Some(Origin {
                text: start,
                number,
                start: start + span.start,
            }),
            gap,
        }
    });
    pieces.collect()
}

/// From where to where tokens go.
type Ranges = Vec<(usize, usize)>;

/// The arguments of a call.
#[derive(Debug, Clone)]
pub(super) struct Arguments<'p, 't> {
    call: &'p [Piece<'t>],
    /// From where to where each of them goes.
    ranges: Ranges,
}

impl<'p, 't> Arguments<'p, 't> {
    /// Those of a call whose first token is the name of a macro, and how many tokens the call has. As the preprocessor
    /// separates them: only parentheses bind.
    pub(super) fn of(call: &'p [Piece<'t>]) -> Option<(Self, usize)> {
        if !call.get(1)?.is(b'(') {
            return None;
        }
        let mut ranges = Vec::new();
        let (mut start, mut depth) = (2, 0_usize);
        for (index, piece) in call.iter().enumerate().skip(2) {
            match piece.kind {
                TokenKind::Punct(b'(') => depth += 1,
                TokenKind::Punct(b')') if depth > 0 => depth -= 1,
                TokenKind::Punct(b')') => {
                    ranges.push((start, index));
                    return Some((Self { call, ranges }, index + 1));
                }
                TokenKind::Punct(b',') if depth == 0 => {
                    ranges.push((start, index));
                    start = index + 1;
                }
                _ => {}
            }
        }
        None
    }

    fn none() -> Self {
        Self {
            call: &[],
            ranges: Vec::new(),
        }
    }

    /// Those from one to another, with the commas between them.
    fn between(&self, first: usize, last: usize) -> &'p [Piece<'t>] {
        let ends = self.ranges.get(first).zip(self.ranges.get(last));
        let all = ends.and_then(|((start, _), (_, end))| self.call.get(*start..*end));
        all.unwrap_or_default()
    }
}

/// A replacement of macros, and how much of it there may still be.
pub(super) struct Replacing<'f, 't> {
    macros: &'f Macros<'f, 't>,
    /// Whether calls that are written in one piece are expanded, too.
    whole: bool,
    left: usize,
    /// Number of calls around the arguments that are being replaced: `F(F(F(x)))`.
    around: usize,
}

impl<'f, 't> Replacing<'f, 't> {
    pub(super) fn with(macros: &'f Macros<'f, 't>, whole: bool) -> Self {
        Self {
            macros,
            whole,
            left: EXPANSION_TOKENS,
            around: 0,
        }
    }

    /// The meaning of a macro with some arguments; `None` where it does not take as many, or it is too much.
    pub(super) fn replaced(
        &mut self,
        called: Macro<'t>,
        arguments: &Arguments<'_, 't>,
        hidden: &[&str],
    ) -> Option<Vec<Piece<'t>>> {
        self.replaced_with(called, arguments, arguments, hidden)
    }

    /// The same where macros in the arguments are replaced before they are put in: a macro may be in its own. Those
    /// that are pasted are put in as they are written.
    pub(super) fn replaced_by_parts(
        &mut self,
        called: Macro<'t>,
        arguments: &Arguments<'_, 't>,
        hidden: &[&str],
    ) -> Option<Vec<Piece<'t>>> {
        let outer = hidden.split_last().map_or(hidden, |(_, outer)| outer);
        if self.around >= EXPANSION_DEPTH {
            self.left = 0;
            return None;
        }
        self.around += 1;
        let again = self.arguments_again(arguments, outer);
        self.around -= 1;
        let (pieces, ranges) = again?;
        let call = &pieces;
        self.replaced_with(called, arguments, &Arguments { call, ranges }, hidden)
    }

    fn replaced_with(
        &mut self,
        called: Macro<'t>,
        written: &Arguments<'_, 't>,
        arguments: &Arguments<'_, 't>,
        hidden: &[&str],
    ) -> Option<Vec<Piece<'t>>> {
        let written = Given::to(called, written.clone())?;
        let given = Given::to(called, arguments.clone())?;
        let body = pieces(called.body, called.body_start);
        let substituted = self.substituted(&body, &written, &given)?;
        self.again(&substituted, hidden)
    }

    /// A replacement with arguments in the place of parameters: as they are `written`, where they are pasted.
    fn substituted(
        &mut self,
        body: &[Piece<'t>],
        written: &Given<'_, 't>,
        given: &Given<'_, 't>,
    ) -> Option<Vec<Piece<'t>>> {
        let mut made: Vec<Piece<'t>> = Vec::new();
        let mut pastes = false;
        let mut rest = body;
        while let Some((piece, after)) = rest.split_first() {
            rest = after;
            if piece.is(b'#') && rest.first().is_some_and(|next| next.is(b'#')) {
                rest = rest.get(1..)?;
                // `, ## __VA_ARGS__` is the comma, where there are any.
                match rest.first().and_then(|next| given.argument(next)) {
                    Some(argument) if made.last().is_some_and(|last| last.is(b',')) => {
                        if argument.is_empty() {
                            made.pop();
                        }
                    }
                    _ => pastes = true,
                }
                continue;
            }
            if piece.is(b'#')
                && let Some(next) = rest.first()
                && given.argument(next).is_some()
            {
                rest = rest.get(1..)?;
                made.push(Piece::some_string());
                continue;
            }
            if piece.is_word("__VA_OPT__")
                && let Some((_, length)) = Arguments::of(body.get(body.len() - rest.len() - 1..)?)
            {
                let inside = rest.get(1..length - 2)?;
                rest = rest.get(length - 1..)?;
                if !given.rest().is_empty() {
                    made.extend(self.substituted(inside, written, given)?);
                }
                continue;
            }
            let is_pasted = pastes || matches!(rest, [a, b, ..] if a.is(b'#') && b.is(b'#'));
            let given = if is_pasted { written } else { given };
            let mut new = match given.argument(piece) {
                Some(argument) => argument,
                None => std::slice::from_ref(piece),
            };
            if std::mem::take(&mut pastes)
                && let (Some(last), Some((first, behind))) = (made.last_mut(), new.split_first())
            {
                last.text = format!("{}{}", last.text, first.text).into();
                last.origin = None;
                new = behind;
            }
            self.take(new.len())?;
            made.extend_from_slice(new);
        }
        Some(made)
    }

    /// Replaces the macros in some tokens, except those that they are the replacement of.
    pub(super) fn again(&mut self, made: &[Piece<'t>], hidden: &[&str]) -> Option<Vec<Piece<'t>>> {
        let mut again = Vec::with_capacity(made.len());
        let mut rest = made;
        while let Some((piece, after)) = rest.split_first() {
            let name = piece.text.as_ref();
            let called =
                Some(name).filter(|name| piece.kind == TokenKind::Word && !hidden.contains(name));
            let called = called.and_then(|name| (self.macros)(name));
            let is_deep = hidden.len() >= EXPANSION_DEPTH;
            if is_deep && self.whole && called.is_some() {
                return None;
            }
            let Some(called) = called.filter(|_| !is_deep) else {
                again.push(piece.clone());
                rest = after;
                continue;
            };
            let inner: Vec<&str> = hidden.iter().copied().chain([name]).collect();
            let (arguments, length) = if called.params.is_none() {
                (Arguments::none(), 1)
            } else if let Some(call) = Arguments::of(rest) {
                call
            } else {
                // Only its name.
                again.push(piece.clone());
                rest = after;
                continue;
            };
            let call = rest.get(..length)?;
            let is_whole = called.params.is_some()
                && !self.whole
                && call
                    .windows(2)
                    .all(|pair| matches!(pair, [a, b] if b.follows(a)));
            let replaced = if is_whole {
                None
            } else {
                self.replaced_by_parts(called, &arguments, &inner)
            };
            match replaced {
                Some(replaced) => again.extend(replaced),
                None if self.whole || self.left == 0 => return None,
                None => again.extend_from_slice(call),
            }
            rest = rest.get(length..)?;
        }
        Some(again)
    }

    /// Arguments with the macros in them replaced, and where each of them is.
    fn arguments_again(
        &mut self,
        arguments: &Arguments<'_, 't>,
        hidden: &[&str],
    ) -> Option<(Vec<Piece<'t>>, Ranges)> {
        let mut pieces = Vec::new();
        let mut ranges = Vec::new();
        for (start, end) in &arguments.ranges {
            let from = pieces.len();
            pieces.extend(self.again(arguments.call.get(*start..*end)?, hidden)?);
            ranges.push((from, pieces.len()));
            // The comma behind it.
            pieces.extend(arguments.call.get(*end).cloned());
        }
        Some((pieces, ranges))
    }

    /// Counts the made tokens.
    fn take(&mut self, count: usize) -> Option<()> {
        match self.left.checked_sub(count) {
            Some(left) if left > 0 => {
                self.left = left;
                Some(())
            }
            _ => {
                self.left = 0;
                None
            }
        }
    }
}

/// The arguments of a macro.
struct Given<'p, 't> {
    params: &'t [Ident],
    arguments: Arguments<'p, 't>,
    variadic: bool,
    /// Whether the last parameter takes all that is left: `#define NAME(args...)`.
    is_last_all: bool,
}

impl<'p, 't> Given<'p, 't> {
    /// `None` where a macro does not take as many arguments.
    fn to(called: Macro<'t>, mut arguments: Arguments<'p, 't>) -> Option<Self> {
        let params = called.params.unwrap_or_default();
        if params.is_empty()
            && matches!(arguments.ranges.as_slice(), [(start, end)] if start == end)
        {
            arguments.ranges.clear();
        }
        let count = arguments.ranges.len();
        let fits = count == params.len() || (count > params.len() && called.variadic);
        fits.then_some(Self {
            params,
            arguments,
            variadic: called.variadic,
            is_last_all: called.variadic && !called.body.contains("__VA_"),
        })
    }

    /// The argument that a word of the replacement represents.
    fn argument(&self, word: &Piece<'t>) -> Option<&'p [Piece<'t>]> {
        if word.kind != TokenKind::Word {
            return None;
        }
        if word.text == "__VA_ARGS__" && self.variadic {
            return Some(self.rest());
        }
        let place = self
            .params
            .iter()
            .position(|param| param.name == word.text)?;
        let last = if self.is_last_all && place + 1 == self.params.len() {
            self.arguments.ranges.len().checked_sub(1)?
        } else {
            place
        };
        Some(self.arguments.between(place, last))
    }

    /// The arguments behind those that have a name.
    fn rest(&self) -> &'p [Piece<'t>] {
        let last = self.arguments.ranges.len().saturating_sub(1);
        self.arguments.between(self.params.len(), last)
    }
}
